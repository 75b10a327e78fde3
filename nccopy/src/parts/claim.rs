//! Plan stores on object stores. Parts write their keys there, while a claim object of the plan locks out other runs.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use netcdf_core::error::Result;
use netcdf_core::io::claimed::ClaimedStore;
use netcdf_core::io::lease::LeaseOwner;
use netcdf_core::notes::Note;
use netcdf_core::tool::{self, Io};

use super::one_copy::one_copy;
use super::plan_directory::{PlanDirectory, StoredPlan};
use super::record::{PlanRecord, StorePlace};
use crate::environment::environment;
use crate::request::{CopyRequest, ProcessRequest};

/// Returns the unique tag of a plan's claim.
pub(super) fn tag() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

/// Claims the output location of a plan if its parts write to an object store.
///
/// # Errors
/// Returns errors of [`ClaimedStore::begin`].
pub(super) fn begin(request: &CopyRequest, record: &PlanRecord, io: &mut Io) -> Result<()> {
    match record.store() {
        Some(StorePlace::Claimed(tag)) => with(request, tag, io, |store, _| store.begin()),
        Some(StorePlace::Directory(_)) | None => Ok(()),
    }
}

/// Removes the keys that the parts of a plan wrote to an object store, unless the output is finished.
///
/// # Errors
/// Returns errors of [`ClaimedStore::remove`].
pub(super) fn remove(
    process: &ProcessRequest,
    (folder, plan): (&PlanDirectory, &StoredPlan),
    owner: &LeaseOwner,
    io: &mut Io,
) -> Result<()> {
    let Some(StorePlace::Claimed(tag)) = plan.record.store() else {
        return Ok(());
    };
    if folder.is_finished(plan)? {
        return Ok(());
    }
    let request = plan.request(process)?;
    with(&request, tag, io, |store, say| {
        if !store.remove(owner)? {
            let what = "the plan's claim object is missing: no keys were removed";
            say(what);
        }
        Ok(())
    })
}

/// Calls `then` with the store of the claim with this tag, and a function that returns a note about the store.
fn with(
    request: &CopyRequest,
    tag: &str,
    io: &mut Io,
    then: impl FnOnce(ClaimedStore<'_>, &dyn Fn(&'static str)) -> Result<()>,
) -> Result<()> {
    let to = one_copy(request)?.output;
    let env = environment(request);
    let store = ClaimedStore {
        to: &to,
        tag,
        run: &env.run(),
    };
    let done = then(store, &|what| {
        env.notes.remark(Note {
            object: to.path.to_string_lossy().into_owned(),
            what: what.to_owned(),
            remedy: None,
        });
    });
    if !request.process.quiet {
        tool::tell("nccopy", &env.notes, io);
    }
    done
}
