//! Downloads a file from a server without range requests.

use std::fs::File;
use std::io::{Seek, Write};

use super::fetch::{ended, next};
use super::request::Reply;
use super::tries::{Fault, Tries};
use super::{Web, headers};
use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};
use crate::io::file::full::{failed_temporary, failed_to_make};
use crate::io::network::Transfer;
use crate::io::remote::Version;
use crate::io::remote::objects::PROGRESS;
use crate::io::remote::wait::wait;

impl Web {
    /// Downloads the file to a temporary file. Returns the file at offset 0, its length and its version. The download fails if less than
    /// [`PROGRESS`] bytes arrive within the timeout.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`]; [`ErrorKind::Io`], also for a full disk.
    pub(in crate::io::remote) fn whole(&self) -> Result<(File, u64, Option<Version>)> {
        self.whole_of("")
    }

    /// Like [`Web::whole`], for a file below the address.
    ///
    /// # Errors
    /// Returns the errors of [`Web::whole`].
    pub(in crate::io::remote) fn whole_of(
        &self,
        key: &str,
    ) -> Result<(File, u64, Option<Version>)> {
        wait(Box::pin(self.download(key)))
    }

    async fn download(&self, key: &str) -> Result<(File, u64, Option<Version>)> {
        let name = self.address.shown(key);
        let _request = self.access.network.request();
        let mut file = tempfile::tempfile().map_err(|e| failed_to_make(&name, e))?;
        let mut tries = self.tries();
        loop {
            match self
                .download_once(&mut file, (key, &name), &mut tries)
                .await
            {
                Ok((len, version)) => {
                    self.access.network.asked(len);
                    self.access.network.used(len);
                    return Ok((file, len, version));
                }
                Err(fault) => {
                    self.access.network.failed(Transfer::Download);
                    tries.again(fault).await.map_err(|e| e.of(&name))?;
                }
            }
        }
    }

    async fn download_once(
        &self,
        file: &mut File,
        (key, name): (&str, &str),
        tries: &mut Tries,
    ) -> Result<(u64, Option<Version>), Fault> {
        let failed = |e| failed_temporary("cannot write", name, e);
        file.rewind()
            .and_then(|()| file.set_len(0))
            .map_err(failed)?;
        let reply = self.ask(&self.address.of(key)?, None, None, tries).await?;
        let Reply::Whole(mut response) = reply else {
            return Err(Error::new(ErrorKind::NotFound, "no such file").into());
        };
        let (end, version) = (
            response.content_length(),
            headers::version(response.headers()),
        );
        let (mut len, mut renewed) = (Amount::default(), Amount::default());
        while let Some(bytes) = next(&mut response, tries).await? {
            file.write_all(&bytes).map_err(failed)?;
            len = len + bytes.len();
            if len.get() >= (renewed + PROGRESS).get() {
                tries.renew();
                renewed = len;
            }
        }
        let len = len.get();
        ended(len, end)?;
        file.rewind().map_err(failed)?;
        Ok((len, version))
    }
}
