//! The right to finish or remove a shared store. One process has it at a time.
//!
//! The right is a second line in the claim of the plan: `finishing UNTIL OWNER PROCESS`. A process adds or replaces the line by a
//! conditional put, so only one of two concurrent processes succeeds.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::claim::{self, StoreClaim};
use crate::error::{Error, Result};
use crate::io::lease::{self, Lease, LeaseOwner, LeasedRight};
use crate::io::network::OutputRun;
use crate::io::remote::bucket::{Replacement, Revision};
use crate::io::remote::wait::wait;
use crate::notes::Note;

/// The first word of the line.
const FINISHING: &str = "finishing";

/// Attempts to take the right while the claim changes.
const ATTEMPTS: u32 = 5;

/// The right of this process.
#[derive(Debug)]
struct FinishRight {
    claim: StoreClaim,
    owner: String,
    /// Letters and digits that are unique to this process.
    process: String,
    /// The revision of the claim after the last put of this process.
    revision: Mutex<Revision>,
}

/// The line of a process in a claim.
#[derive(Debug, PartialEq, Eq)]
struct FinishLine<'a> {
    until: u64,
    owner: &'a str,
    process: &'a str,
}

/// The result of taking the right.
#[derive(Debug)]
pub(super) enum FinishTurn {
    /// This process has the right.
    Own(Lease),
    /// The claim belongs to another plan or run.
    Other,
    /// There is no claim.
    Nobody,
}

/// Takes the right. `run` gets a note if the service cannot exclude two processes.
///
/// # Errors
/// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process has the right, and the errors of the service.
pub(super) fn take(claim: &StoreClaim, owner: &LeaseOwner, run: &OutputRun) -> Result<FinishTurn> {
    for _ in 0..ATTEMPTS {
        let stored = wait(claim.bucket.revision(claim.key(), claim::MOST))?;
        let Some((bytes, revision)) = stored else {
            return Ok(FinishTurn::Nobody);
        };
        if !is_free(claim, &bytes, owner)? {
            return Ok(FinishTurn::Other);
        }
        let right = FinishRight {
            claim: claim.clone(),
            owner: owner.name.clone(),
            process: claim::tag(),
            revision: Mutex::new(revision),
        };
        let until = lease::end_of(owner.length);
        let put = right.put(&mut right.lock(), &right.text(until))?;
        match put {
            ClaimPut::Done => {}
            ClaimPut::Unconditional => run.notes.remark(right.unsure()),
            // The last request of a killed process may arrive late.
            ClaimPut::Changed => continue,
        }
        let lease = Lease::keep(Box::new(right), owner.length, until);
        return Ok(FinishTurn::Own(lease));
    }
    Err(lease::busy(&claim.address(), None))
}

/// Checks that no other process has the right. Returns false if the claim belongs to another plan or run.
fn is_free(claim: &StoreClaim, bytes: &[u8], owner: &LeaseOwner) -> Result<bool> {
    let text = String::from_utf8_lossy(bytes);
    let Some(line) = text.strip_prefix(claim.text.as_str()) else {
        return Ok(false);
    };
    let now = lease::now();
    match FinishLine::parse(line) {
        Some(line) if line.owner != owner.name && line.until > now => {
            Err(lease::busy(&claim.address(), Some(line.until - now)))
        }
        Some(_) | None => Ok(true),
    }
}

/// The result of a put of the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaimPut {
    Done,
    /// The service has no conditional puts.
    Unconditional,
    /// Another process put or removed the claim.
    Changed,
}

impl FinishRight {
    fn lock(&self) -> MutexGuard<'_, Revision> {
        self.revision.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self, until: u64) -> String {
        let Self { owner, process, .. } = self;
        format!("{}{FINISHING} {until} {owner} {process}\n", self.claim.text)
    }

    /// Puts the claim, unless another process has put it since.
    fn put(&self, revision: &mut Revision, text: &str) -> Result<ClaimPut> {
        let (bucket, key) = (&self.claim.bucket, self.claim.key());
        wait(async {
            match bucket
                .replace(key, text.to_owned().into(), revision)
                .await?
            {
                Replacement::Done(new) => *revision = new,
                Replacement::Changed => {
                    let there = bucket.revision(key, claim::MOST).await?;
                    // The answer to a put may be lost and the put repeated.
                    match there.filter(|(bytes, _)| bytes == text.as_bytes()) {
                        Some((_, new)) => *revision = new,
                        None => return Ok(ClaimPut::Changed),
                    }
                }
                Replacement::Unsupported => return self.put_anyway(text).await,
            }
            Ok(ClaimPut::Done)
        })
    }

    /// Puts the claim without a condition, unless another process has the right.
    async fn put_anyway(&self, text: &str) -> Result<ClaimPut> {
        let (bucket, key) = (&self.claim.bucket, self.claim.key());
        let Some((bytes, _)) = bucket.revision(key, claim::MOST).await? else {
            return Ok(ClaimPut::Changed);
        };
        let there = String::from_utf8_lossy(&bytes);
        let Some(line) = there.strip_prefix(self.claim.text.as_str()) else {
            return Ok(ClaimPut::Changed);
        };
        if FinishLine::parse(line).is_some_and(|line| {
            line.process != self.process && line.owner != self.owner && line.until > lease::now()
        }) {
            return Ok(ClaimPut::Changed);
        }
        bucket.put(key, text.to_owned().into()).await?;
        Ok(ClaimPut::Unconditional)
    }

    fn unsure(&self) -> Note {
        Note {
            object: self.claim.address(),
            what: "the service has no conditional puts: two processes that finish the same plan might not detect each other".to_owned(),
            remedy: None,
        }
    }
}

impl LeasedRight for FinishRight {
    fn extend(&self, until: u64) -> Result<()> {
        let lost = || -> Error { lease::lost(&self.claim.address()) };
        match self.put(&mut self.lock(), &self.text(until))? {
            ClaimPut::Done | ClaimPut::Unconditional => Ok(()),
            ClaimPut::Changed => Err(lost()),
        }
    }

    fn end(&self) {
        // On failure, the lease expires later.
        let _ = self.put(&mut self.lock(), &self.claim.text);
    }
}

impl<'a> FinishLine<'a> {
    /// The line, if a claim has one.
    fn parse(text: &'a str) -> Option<Self> {
        let mut words = text.split_whitespace();
        if words.next() != Some(FINISHING) {
            return None;
        }
        Some(Self {
            until: words.next()?.parse().ok()?,
            owner: words.next()?,
            process: words.next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_claims_are_parsed() {
        let line = FinishLine::parse("finishing 12 node/1-2 abc\n").unwrap();
        let want = FinishLine {
            until: 12,
            owner: "node/1-2",
            process: "abc",
        };
        assert_eq!(line, want);
        for other in ["", "finishing", "finishing x a b", "other 12 a b"] {
            assert_eq!(FinishLine::parse(other), None);
        }
    }
}
