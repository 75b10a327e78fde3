//! References to the chunks of an input (`-k kerchunk`).

use std::collections::BTreeSet;

use netcdf_core::chunk::Dataset;
use netcdf_core::copy::references::ReferencePlan;
use netcdf_core::copy::{CopyOptions, CopySelection, Plan};
use netcdf_core::error::Result;
use netcdf_core::model::VarId;
use netcdf_core::notes::Note;

use crate::request::CopyRequest;

/// Locates the chunks of a planned copy. `again` plans the copy with other options, if variables are skipped.
///
/// # Errors
/// Returns errors of locating chunks and of planning, and an error for variables that cannot be referred to.
pub(crate) fn plan(
    (request, set): (&CopyRequest, Dataset<'_>),
    options: CopyOptions,
    plan: &mut Plan,
    again: impl FnOnce(&CopyOptions) -> Result<Plan>,
) -> Result<ReferencePlan> {
    let form = &request.references;
    let references = ReferencePlan::new(set, plan, &form.options)?;
    if references.unreadable().is_empty() || !form.skip_unreadable {
        references.check(set)?;
        return Ok(references);
    }
    for (var, why) in references.unreadable() {
        set.env.notes.say(Note {
            object: set.reader.schema().var_path(*var),
            what: format!("skipped: readers of references cannot decode it: {why}"),
            remedy: Some("raise --inline to store the values".to_owned()),
        });
    }
    *plan = again(&without(options, plan, &references))?;
    let references = ReferencePlan::new(set, plan, &form.options)?;
    references.check(set)?;
    Ok(references)
}

/// Returns the options without the unreadable variables.
fn without(options: CopyOptions, plan: &Plan, references: &ReferencePlan) -> CopyOptions {
    let skipped: BTreeSet<VarId> = references
        .unreadable()
        .iter()
        .map(|(var, _)| *var)
        .collect();
    let copied = plan.data.iter().map(|pair| pair.from);
    let kept = copied.filter(|var| !skipped.contains(var)).collect();
    CopyOptions {
        select: CopySelection::Only(kept),
        ..options
    }
}
