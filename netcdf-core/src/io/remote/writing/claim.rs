//! The claim object, which marks a store as being written.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::io::network::OutputRun;
use crate::io::remote::bucket::{Bucket, Made, Replacement};
use crate::io::remote::{Objects as _, Part};
use crate::notes::Note;

/// The last part of the claim's key.
pub(in crate::io::remote) const NAME: &str = ".netcdf-tools-writing";

/// The maximum length of a claim, which is far shorter.
pub(super) const MOST: u64 = 4096;

/// The claim of this run.
#[derive(Debug, Clone)]
pub(super) struct StoreClaim {
    pub bucket: Arc<Bucket>,
    key: String,
    pub text: String,
    prefix: String,
}

/// The holder of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimHolder {
    /// This run.
    Own,
    /// Another run.
    Other,
    /// There is no claim.
    Nobody,
}

impl StoreClaim {
    /// Creates a claim for all keys with a prefix. The claim object may exist or not.
    pub(super) fn new(bucket: &Arc<Bucket>, prefix: &str, text: String) -> Self {
        Self {
            bucket: Arc::clone(bucket),
            key: key(prefix),
            text,
            prefix: prefix.to_owned(),
        }
    }

    /// Claims the prefix. With `overwrite`, replaces an existing claim.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for an existing claim, or a concurrent claim of another run.
    pub(super) async fn take(&self, overwrite: bool, run: &OutputRun) -> Result<()> {
        if self.put().await? == Made::There && !(overwrite && self.replace().await?) {
            return Err(refused(&self.bucket, &self.prefix).await?);
        }
        self.check_service(run).await
    }

    /// Replaces the claim of another run by one conditional put. A moment without a claim would be unsafe: no run could then replace
    /// objects without root metadata. Returns false if another run replaced or removed the claim.
    async fn replace(&self) -> Result<bool> {
        let Some((_, revision)) = self.bucket.revision(&self.key, MOST).await? else {
            return Ok(self.put().await? != Made::There);
        };
        let text = || self.text.clone().into();
        match self.bucket.replace(&self.key, text(), &revision).await? {
            Replacement::Done(_) => Ok(true),
            // After a lost answer, the repeated put finds this run's claim.
            Replacement::Changed => self.is_ours().await,
            Replacement::Unsupported => self.bucket.put(&self.key, text()).await.map(|()| true),
        }
    }

    async fn put(&self) -> Result<Made> {
        let made = self.bucket.put_new(&self.key, self.text.clone().into());
        match made.await? {
            // After a lost answer, the repeated put finds this run's claim.
            Made::There if self.is_ours().await? => Ok(Made::New),
            Made::Unsure if self.bucket.age(&self.key).await?.is_some() => Ok(Made::There),
            Made::Unsure => {
                let put = self.bucket.put(&self.key, self.text.clone().into());
                put.await.map(|()| Made::Unsure)
            }
            made => Ok(made),
        }
    }

    /// Adds a note if two runs can claim the same store at this service.
    async fn check_service(&self, run: &OutputRun) -> Result<()> {
        let again = self.bucket.put_new(&self.key, self.text.clone().into());
        if again.await? != Made::There {
            run.notes.remark(Note {
                object: self.bucket.address(&self.key),
                what: "the service has no conditional puts: two runs that write the same store might not detect each other".to_owned(),
                remedy: None,
            });
        }
        Ok(())
    }

    /// Reads the holder of the claim.
    ///
    /// # Errors
    /// Returns errors of the service.
    pub(super) async fn holder(&self) -> Result<ClaimHolder> {
        let there = self.bucket.get(&self.key, Part::Whole(MOST), None).await?;
        Ok(match there {
            None => ClaimHolder::Nobody,
            // The process that finishes a plan appends a line.
            Some(there) if there.bytes.starts_with(self.text.as_bytes()) => ClaimHolder::Own,
            Some(_) => ClaimHolder::Other,
        })
    }

    /// Whether this run still holds the claim.
    ///
    /// # Errors
    /// Returns errors of the service.
    pub(super) async fn is_ours(&self) -> Result<bool> {
        Ok(self.holder().await? == ClaimHolder::Own)
    }

    /// Removes the claim if this run holds it.
    ///
    /// # Errors
    /// Returns errors of the service.
    pub(super) async fn give_back(&self) -> Result<()> {
        match self.is_ours().await? {
            true => self.release().await,
            false => Ok(()),
        }
    }

    /// Removes the claim.
    ///
    /// # Errors
    /// Returns errors of the service.
    pub(super) async fn release(&self) -> Result<()> {
        self.bucket.delete(&self.key).await
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The address of the claim, for messages.
    pub(super) fn address(&self) -> String {
        self.bucket.address(&self.key)
    }
}

/// The key of the claim of a store.
pub(in crate::io::remote) fn key(prefix: &str) -> String {
    format!("{prefix}{NAME}")
}

/// A text that is unique to this run.
pub(super) fn text() -> String {
    text_of(&tag())
}

/// Letters and digits that are unique to this run.
pub(super) fn tag() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

/// The text of the claim with a tag.
pub(super) fn text_of(tag: &str) -> String {
    format!("netcdf-tools {} {tag}\n", env!("CARGO_PKG_VERSION"))
}

/// The error for the claim of another run.
///
/// # Errors
/// Returns errors of reading the claim's age.
pub(in crate::io::remote) async fn refused(bucket: &Bucket, prefix: &str) -> Result<Error> {
    let key = key(prefix);
    let age = bucket.age(&key).await?.unwrap_or_default();
    let what = format!(
        "another run is writing this store, or was stopped while it did: its claim is {} old",
        words(age)
    );
    let e = Error::new(ErrorKind::Exists, what).of(&bucket.address(&key));
    Ok(e.with_remedy("if no run writes this store, replace it with --overwrite"))
}

/// A time in words.
fn words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_said_in_words() {
        for (seconds, want) in [
            (5, "5 s"),
            (600, "10 min"),
            (7200, "2 h"),
            (172_800, "2 days"),
        ] {
            assert_eq!(words(Duration::from_secs(seconds)), want);
        }
    }

    #[test]
    fn no_two_texts_are_the_same() {
        assert_ne!(text(), text());
    }
}
