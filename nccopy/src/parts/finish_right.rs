//! The right to finish or remove a plan. One process has it at a time.
//!
//! On a local file system, the right is an exclusive lock (`flock`) on `plan.json`, which the system releases if the process dies. Without
//! locks, the right is a claim with a lease: the file `finishing/N` with the highest number N contains the end of the lease and the owner.
//! The owner renews the lease by writing `finishing/N+1`. After the lease expires, another process takes over the right in the same way.
//! Only one process can create a file of each number. The former owner then finds its next number in use, stops, and ends with exit status
//! 75.
//!
//! A process with the lock also stops if a claim has an unexpired lease: the system may temporarily run out of locks.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::commit_check::Check;
use netcdf_core::io::file::{self, FileId, FileLock, LockAttempt, Sharing};
use netcdf_core::io::lease::{self, Lease, LeaseOwner, LeasedRight};

use super::claim;
use super::plan_directory::{PlanDirectory, StoredPlan};
use super::record::StorePlace;

/// Maximum bytes of a claim.
const MOST: u64 = 4096;

/// The default lease of the right. The owner renews it.
const LEASE: Duration = Duration::from_secs(300);

/// The right to finish or remove a plan, released on drop.
#[derive(Debug)]
pub(super) struct FinishRight {
    right: Arc<Right>,
    owner: LeaseOwner,
}

#[derive(Debug)]
enum Right {
    /// A lock. No other process can take it over.
    Locked { _lock: FileLock, claims: Claims },
    /// A claim. Another process can take it over after the lease expires.
    Claimed(Lease),
}

/// The directory of the claims of a plan.
#[derive(Debug, Clone)]
struct Claims {
    path: PathBuf,
    /// The directory of the plan, for messages.
    plan: String,
}

/// The claim of this process.
#[derive(Debug)]
struct PartClaim {
    claims: Claims,
    owner: String,
    /// The number of the claim, and the text.
    last: Mutex<(u64, String)>,
}

impl FinishRight {
    /// Takes the right. `lease` is the requested lease of a claim.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if another process has the right, and I/O errors.
    pub(super) fn take(folder: &PlanDirectory, lease: Option<Duration>) -> Result<Self> {
        Self::with(folder, lease.unwrap_or(LEASE))
    }

    fn with(folder: &PlanDirectory, length: Duration) -> Result<Self> {
        let claims = Claims::of(folder);
        let path = folder.lock_path();
        match FileLock::attempt(&path, Sharing::Exclusive)? {
            LockAttempt::Held(lock) => {
                claims.check_free()?;
                // At most one process has the lock.
                let id = FileId::of_path(&path).map(|id| id.on_this_host());
                let owner = LeaseOwner {
                    name: id.unwrap_or_else(process),
                    length,
                };
                let right = Right::Locked {
                    _lock: lock,
                    claims,
                };
                Ok(Self::new(right, owner))
            }
            LockAttempt::Busy => Err(lease::busy(&claims.plan, None)),
            LockAttempt::Unsupported => {
                let owner = LeaseOwner {
                    name: process(),
                    length,
                };
                let right = PartClaim::take(claims, &owner)?;
                Ok(Self::new(Right::Claimed(right), owner))
            }
        }
    }

    fn new(right: Right, owner: LeaseOwner) -> Self {
        let right = Arc::new(right);
        Self { right, owner }
    }

    /// Returns the owner of the right, for a claim in a bucket.
    pub(super) fn owner(&self) -> &LeaseOwner {
        &self.owner
    }

    /// Checks that the process still has the right.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] after a takeover, and I/O errors.
    pub(super) fn check(&self) -> Result<()> {
        self.right.check()
    }

    /// Returns the reason of an error: after a takeover, another process may have moved or removed the files of the plan.
    pub(super) fn reason(&self, e: Error) -> Error {
        match self.check() {
            Err(lost) if lost.kind() == ErrorKind::Busy && e.kind() != ErrorKind::Cancelled => lost,
            Ok(()) | Err(_) => e,
        }
    }

    /// Returns the same check for an output.
    pub(super) fn checker(&self) -> Check {
        let right = Arc::clone(&self.right);
        Box::new(move || right.check())
    }
}

/// Restores the name of the old output if a process was killed after it moved the old output aside.
pub(super) fn recover_output(folder: &PlanDirectory, plan: &StoredPlan, lease: Option<Duration>) {
    let Some(StorePlace::Directory(_)) = plan.record.store() else {
        return;
    };
    let output = plan.record.output();
    if !file::is_aside(&output) {
        return;
    }
    // No process may be between the two renames.
    if let Ok(_right) = FinishRight::take(folder, lease) {
        file::recover(&output);
    }
}

impl Right {
    fn check(&self) -> Result<()> {
        match self {
            Self::Locked { claims, .. } => match claims.live()? {
                None => Ok(()),
                Some(_) => Err(lease::lost(&claims.plan)),
            },
            Self::Claimed(lease) => lease.renew(),
        }
    }
}

impl Claims {
    fn of(folder: &PlanDirectory) -> Self {
        Self {
            path: folder.claims(),
            plan: folder.path().to_string_lossy().into_owned(),
        }
    }

    fn at(&self, number: u64) -> PathBuf {
        self.path.join(number.to_string())
    }

    /// Returns the highest claim number.
    fn last(&self) -> Result<Option<u64>> {
        let failed = |e| Error::io("cannot list", &self.path.to_string_lossy(), e);
        let mut last = None;
        let entries = match fs::read_dir(&self.path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            last = last.max(name.to_str().and_then(|name| name.parse().ok()));
        }
        Ok(last)
    }

    /// Returns the seconds until the lease of the last claim expires, or `None` if no process has the right.
    fn live(&self) -> Result<Option<u64>> {
        let Some(last) = self.last()? else {
            return Ok(None);
        };
        let until = match until(&self.at(last)) {
            // The owner wrote a higher number and removed this file, or removed the plan.
            Err(e) if e.is_missing() && self.last()? != Some(last) => return self.live(),
            until => until?,
        };
        let now = lease::now();
        Ok(until.filter(|until| *until > now).map(|until| until - now))
    }

    /// Checks that no process has the right by a claim.
    fn check_free(&self) -> Result<()> {
        match self.live()? {
            None => Ok(()),
            seconds @ Some(_) => Err(lease::busy(&self.plan, seconds)),
        }
    }

    /// Writes a claim. Returns false if another process wrote it.
    fn put(&self, number: u64, text: &str) -> Result<bool> {
        let path = self.at(number);
        let put = file::put_new(&path, text.as_bytes())?;
        // Without hard links, another process may have written the file at the same moment.
        let ours = || file::read_small(&path, MOST).is_ok_and(|bytes| bytes == text.as_bytes());
        Ok(put && ours())
    }
}

impl PartClaim {
    fn take(claims: Claims, owner: &LeaseOwner) -> Result<Lease> {
        let path = &claims.path;
        let failed = |e| Error::io("cannot create", &path.to_string_lossy(), e);
        fs::create_dir_all(path).map_err(failed)?;
        claims.check_free()?;
        let number = next(claims.last()?);
        let until = lease::end_of(owner.length);
        let text = text(until, &owner.name);
        if !claims.put(number, &text)? {
            return Err(lease::busy(&claims.plan, None));
        }
        let claim = Self {
            claims,
            owner: owner.name.clone(),
            last: Mutex::new((number, text)),
        };
        Ok(Lease::keep(Box::new(claim), owner.length, until))
    }

    fn lock(&self) -> MutexGuard<'_, (u64, String)> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeasedRight for PartClaim {
    fn extend(&self, until: u64) -> Result<()> {
        let mut last = self.lock();
        let (number, text) = (next(Some(last.0)), text(until, &self.owner));
        let lost = || lease::lost(&self.claims.plan);
        // A number beyond the last one would hide a takeover.
        if self.claims.last()? != Some(last.0) || !self.claims.put(number, &text)? {
            return Err(lost());
        }
        // The highest number decides, so an older claim may stay.
        let _ = fs::remove_file(self.claims.at(last.0));
        *last = (number, text);
        Ok(())
    }

    fn end(&self) {
        // On failure, the lease expires later.
        let _ = self.extend(0);
    }
}

fn next(number: Option<u64>) -> u64 {
    number.map_or(0, |number| number.saturating_add(1))
}

fn text(until: u64, owner: &str) -> String {
    format!("{until} {owner}\n")
}

/// Returns a unique name of this process.
fn process() -> String {
    let host: Vec<_> = file::host().split_whitespace().map(str::to_owned).collect();
    format!("{}/{}", host.join("_"), claim::tag())
}

/// Returns the end of a claim's lease, in seconds since 1970.
fn until(path: &Path) -> Result<Option<u64>> {
    let bytes = file::read_small(path, MOST)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut words = text.split_whitespace();
    Ok(words.next().and_then(|until| until.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn folder(home: &Path) -> PlanDirectory {
        fs::write(home.join("plan.json"), "{}").unwrap();
        PlanDirectory::open(home).unwrap()
    }

    fn claim(folder: &PlanDirectory, length: Duration) -> Result<Lease> {
        let name = process();
        PartClaim::take(Claims::of(folder), &LeaseOwner { name, length })
    }

    fn busy<T: std::fmt::Debug>(result: Result<T>) -> Error {
        let e = result.unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Busy, "{e}");
        e
    }

    #[test]
    fn one_process_has_the_right_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        let first = FinishRight::with(&folder, HOUR).unwrap();
        first.check().unwrap();
        busy(FinishRight::with(&folder, HOUR));
        drop(first);
        drop(FinishRight::with(&folder, HOUR).unwrap());
    }

    #[test]
    fn a_claim_is_taken_over_after_its_lease() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        let first = claim(&folder, HOUR).unwrap();
        let e = busy(claim(&folder, HOUR));
        assert!(e.to_string().contains("its lease expires in 3"), "{e}");
        first.check().unwrap();
        first.renew().unwrap();
        busy(claim(&folder, HOUR));
        assert_eq!(fs::read_dir(folder.claims()).unwrap().count(), 1);
        drop(first);
        // The lease has expired at once.
        let second = claim(&folder, Duration::ZERO).unwrap();
        let third = claim(&folder, HOUR).unwrap();
        busy(second.check());
        // A process that lost its claim does not end the lease of the next one.
        drop(second);
        third.renew().unwrap();
        busy(claim(&folder, HOUR));
    }

    #[test]
    fn a_lock_gives_way_to_a_claim() {
        let home = tempfile::tempdir().unwrap();
        let folder = folder(home.path());
        let locked = FinishRight::with(&folder, HOUR).unwrap();
        let missing = || Error::new(ErrorKind::NotFound, "a missing file");
        assert_eq!(locked.reason(missing()).kind(), ErrorKind::NotFound);
        let claim = claim(&folder, HOUR).unwrap();
        busy(locked.check());
        // The takeover is the reason of errors.
        assert_eq!(locked.reason(missing()).kind(), ErrorKind::Busy);
        drop(locked);
        busy(FinishRight::with(&folder, HOUR));
        drop(claim);
        drop(FinishRight::with(&folder, HOUR).unwrap());
    }
}
