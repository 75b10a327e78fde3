//! Objects on a web server: a file, or the keys of a store below one address.
//!
//! [`access`] has the settings of a server, [`address`] converts keys to addresses, [`request`] sends a request and follows redirects,
//! [`tries`] decides about retries, [`fetch`] collects the bytes of a part, and [`whole`] downloads a file from a server without range
//! requests.

mod access;
mod address;
mod credentials;
mod fetch;
mod headers;
mod request;
mod status;
#[cfg(test)]
pub(in crate::io::remote) mod tests;
mod transport;
mod tries;
mod whole;

use std::fmt;
use std::time::Duration;

use reqwest::Client;

pub(in crate::io::remote) use self::access::WebAccess;
use self::address::WebAddress;
use self::credentials::Credentials;
use self::tries::Tries;
use super::{Answer, Objects, Page, Part, PartResponse, Version, Walk};
use crate::error::{Error, ErrorKind, Result};
use crate::io::network::Network;
use crate::per_process::PerProcess;

/// A file on a web server, or a store below an address.
pub(in crate::io::remote) struct Web {
    address: WebAddress,
    /// Connections belong to one process: a forked child creates its own client.
    clients: PerProcess<Option<Client>>,
    credentials: Credentials,
    access: WebAccess,
    /// The pause after the first failed attempt.
    pause: Duration,
}

/// The first bytes of an object, if the server supports range requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::io::remote) enum First {
    /// The bytes. `None` if the object is missing.
    Part(Option<PartResponse>),
    /// The server only sends whole objects.
    NoRanges {
        /// The object length in bytes, if the server reports it.
        length: Option<u64>,
    },
}

impl Web {
    /// Connects to the file or store at the address `base`, which may have a login and a query. No request is sent yet.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] for an invalid address, and for unusable settings; [`ErrorKind::Io`] for unreadable certificates.
    pub(in crate::io::remote) fn connect(base: &str, access: WebAccess) -> Result<Self> {
        let (address, login) = WebAddress::parse(base)?;
        let client = access.client(address.is_plain())?;
        let credentials = Credentials::new(&client, &address, login, &access)?;
        Ok(Self {
            address,
            clients: PerProcess::of(Some(client)),
            credentials,
            access,
            pause: tries::PAUSE,
        })
    }

    /// Fetches the first `n` bytes of the file.
    pub(in crate::io::remote) fn first(&self, n: u64) -> Answer<'_, First> {
        self.first_of("", n)
    }

    /// Fetches the first `n` bytes of a file below the address.
    pub(in crate::io::remote) fn first_of<'a>(&'a self, key: &'a str, n: u64) -> Answer<'a, First> {
        Box::pin(self.fetch(key, Part::First(n), None))
    }

    fn tries(&self) -> Tries {
        Tries::new(self.access.timeout, self.pause)
    }

    /// Returns the client of this process.
    ///
    /// # Errors
    /// Returns the errors of [`WebAccess::client`].
    fn client(&self) -> Result<Client> {
        let new = || self.access.client(self.address.is_plain());
        let client = self.clients.get_or_init(|| new().ok());
        // Only the error of another attempt has the reason.
        client.clone().map_or_else(new, Ok)
    }

    fn cannot_list<T>(&self) -> Result<T> {
        let what = "a web server cannot list keys";
        let e = Error::new(ErrorKind::Unsupported, what).of(&self.address.shown(""));
        Err(e.with_remedy(
            "check the address; a Zarr store there needs consolidated metadata (nccopy --consolidated) or netCDF's own (-k nczarr), \
            or an address at an object store",
        ))
    }
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Web");
        shown.field("address", &self.address.shown(""));
        shown.field("credentials", &self.credentials.words());
        shown.finish_non_exhaustive()
    }
}

impl Objects for Web {
    fn address(&self, key: &str) -> String {
        self.address.shown(key)
    }

    fn network(&self) -> &Network {
        &self.access.network
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        part: Part,
        version: Option<&'a Version>,
    ) -> Answer<'a, Option<PartResponse>> {
        Box::pin(async move {
            match self.fetch(key, part, version).await? {
                First::Part(got) => Ok(got),
                First::NoRanges { .. } => Err(no_ranges().of(&self.address.shown(key))),
            }
        })
    }

    fn walk<'a>(&'a self, _: &'a str, _: Page<'a>) -> Walk<'a> {
        Box::pin(async { self.cannot_list() })
    }

    fn children<'a>(&'a self, _: &'a str) -> Answer<'a, Vec<String>> {
        Box::pin(async { self.cannot_list() })
    }
}

fn no_ranges() -> Error {
    let what = "the server does not support range requests";
    Error::new(ErrorKind::Unsupported, what).with_remedy("download the file first")
}
