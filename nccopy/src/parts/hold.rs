//! The right to finish or remove a plan, which one process has at a time.
//!
//! On a local file system, the right is an exclusive lock (`flock`) on `plan.json`, which the system releases if the process dies.
//! Elsewhere, the right is a claim: the file `finishing/N` with the highest number N names its owner and the end of its lease. After
//! the lease, another process takes the right over by putting `finishing/N+1`, which only one process can. The former owner finds the
//! higher number, stops, and ends with exit status 75.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use netcdf_core::arithmetic::Amount;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::{self, FileLock, LockAttempt, Sharing};

use super::claimed;
use super::folder::{Folder, now};

/// Bytes of a claim at most.
const MOST: u64 = 4096;

/// The right to finish or remove a plan, given back on drop.
#[derive(Debug)]
pub struct Hold(Right);

#[derive(Debug)]
enum Right {
    /// A lock, which no other process can take over.
    Locked {
        _lock: FileLock,
    },
    Claimed(Claim),
}

/// A claim that can be taken over once its lease has expired.
#[derive(Debug, Clone)]
pub struct Claim {
    folder: PathBuf,
    number: u64,
    text: String,
}

impl Hold {
    /// Takes the right. A claim, where there are no locks, has a lease.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] if another process has the right; I/O errors.
    pub fn take(folder: &Folder, lease: Duration) -> Result<Self> {
        match FileLock::attempt(&folder.lock_path(), Sharing::Exclusive)? {
            LockAttempt::Held(lock) => Ok(Self(Right::Locked { _lock: lock })),
            LockAttempt::Busy => Err(busy(folder)),
            LockAttempt::Unsupported => {
                Claim::take(folder, lease).map(|claim| Self(Right::Claimed(claim)))
            }
        }
    }

    /// The claim, if another process can take over the right.
    pub fn claim(&self) -> Option<Claim> {
        match &self.0 {
            Right::Locked { .. } => None,
            Right::Claimed(claim) => Some(claim.clone()),
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Right::Claimed(claim) = &self.0 {
            claim.give_back();
        }
    }
}

impl Claim {
    fn take(folder: &Folder, lease: Duration) -> Result<Self> {
        let within = folder.claims();
        let failed = |e| Error::io("cannot create", &within.to_string_lossy(), e);
        fs::create_dir_all(&within).map_err(failed)?;
        let last = last(&within)?;
        if let Some(last) = last
            && until(&within, last)?.is_some_and(|until| until > now().as_secs())
        {
            return Err(busy(folder));
        }
        let until = (Amount::of(now().as_secs()) + lease.as_secs()).get();
        let claim = Self {
            number: last.map_or(0, |last| last.saturating_add(1)),
            text: format!("{until} {}\n", claimed::tag()),
            folder: within,
        };
        let path = claim.path();
        let put = file::put_new(&path, claim.text.as_bytes())?;
        // Without hard links, the other process may have put it at the same moment.
        match put && claim.is_ours() {
            true => Ok(claim),
            false => Err(busy(folder)),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(self.number.to_string())
    }

    fn is_ours(&self) -> bool {
        file::read_small(&self.path(), MOST).is_ok_and(|bytes| bytes == self.text.as_bytes())
    }

    /// Checks that no other process took the claim over.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] after a takeover; I/O errors.
    pub fn check(&self) -> Result<()> {
        if last(&self.folder)? == Some(self.number) && self.is_ours() {
            return Ok(());
        }
        let what = "another process took over the right to finish this plan";
        Err(Error::new(ErrorKind::Busy, what).of(&self.folder.to_string_lossy()))
    }

    /// Lets the lease end now. The number stays in use.
    fn give_back(&self) {
        if self.check().is_ok() {
            // On failure, the lease expires later.
            let _ = fs::write(self.path(), "0\n");
        }
    }
}

/// The highest number of a claim.
fn last(within: &std::path::Path) -> Result<Option<u64>> {
    let failed = |e| Error::io("cannot list", &within.to_string_lossy(), e);
    let mut last = None;
    for entry in fs::read_dir(within).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        last = last.max(name.to_str().and_then(|name| name.parse().ok()));
    }
    Ok(last)
}

/// The end of the lease of a claim, in seconds since 1970.
fn until(within: &std::path::Path, number: u64) -> Result<Option<u64>> {
    let bytes = file::read_small(&within.join(number.to_string()), MOST)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(text
        .split_whitespace()
        .next()
        .and_then(|until| until.parse().ok()))
}

fn busy(folder: &Folder) -> Error {
    let what = "another process is finishing or removing this plan";
    let e = Error::new(ErrorKind::Busy, what).of(&folder.path().to_string_lossy());
    e.with_remedy("try again when it has ended")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(home: &std::path::Path) -> Folder {
        fs::write(home.join("plan.json"), "{}").unwrap();
        Folder::open(home).unwrap()
    }

    #[test]
    fn one_process_has_the_right_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        let hour = Duration::from_secs(3600);
        let first = Hold::take(&folder, hour).unwrap();
        assert_eq!(
            Hold::take(&folder, hour).unwrap_err().kind(),
            ErrorKind::Busy
        );
        drop(first);
        drop(Hold::take(&folder, hour).unwrap());
    }

    #[test]
    fn a_claim_is_taken_over_after_its_lease() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        let (hour, none) = (Duration::from_secs(3600), Duration::ZERO);
        let kind = |claim: Result<Claim>| claim.unwrap_err().kind();
        let first = Claim::take(&folder, hour).unwrap();
        assert_eq!(kind(Claim::take(&folder, hour)), ErrorKind::Busy);
        first.check().unwrap();
        first.give_back();
        let second = Claim::take(&folder, none).unwrap();
        assert_eq!(first.check().unwrap_err().kind(), ErrorKind::Busy);
        let third = Claim::take(&folder, hour).unwrap();
        assert_eq!(second.check().unwrap_err().kind(), ErrorKind::Busy);
        // A process that lost its claim does not end the lease of the next one.
        second.give_back();
        third.check().unwrap();
        assert_eq!(kind(Claim::take(&folder, hour)), ErrorKind::Busy);
    }
}
