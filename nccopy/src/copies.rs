//! The copies of a request.

use std::io::Read;

use netcdf_core::error::Result;
use netcdf_core::io::locator::OutputRequest;

use crate::append;
use crate::in_place;
use crate::inputs::{self, CopyPair, ListedCopies, OutputRules};
use crate::request::{CopyRequest, Existing};

/// Returns the copies of a request.
///
/// # Errors
/// Returns the errors of [`inputs::copies`] and [`in_place::copies`].
pub(crate) fn requested(request: &CopyRequest, stdin: &mut dyn Read) -> Result<ListedCopies> {
    under(request, OutputRules::of(request), stdin)
}

/// Checks whether the copies are possible without Zarr options.
pub(crate) fn are_possible_without_zarr(request: &CopyRequest) -> bool {
    let plain = OutputRules {
        asked: OutputRequest {
            kind: request.output.kind,
            ..OutputRequest::default()
        },
        ..OutputRules::of(request)
    };
    under(request, plain, &mut std::io::empty()).is_ok()
}

/// Checks that the output of a join is new, unless options permit an existing output.
///
/// # Errors
/// Returns the errors of [`inputs::check_joined`].
pub(crate) fn check_new(request: &CopyRequest, copy: &CopyPair) -> Result<()> {
    let joins = request.files.join.is_some() && request.existing() == Existing::Replace;
    match joins && !request.output.overwrite {
        true => inputs::check_joined(copy),
        false => Ok(()),
    }
}

fn under(
    request: &CopyRequest,
    rules: OutputRules<'_>,
    stdin: &mut dyn Read,
) -> Result<ListedCopies> {
    let named = &request.files.inputs;
    let Some(to) = request.to() else {
        return in_place::copies(named, rules);
    };
    if let Some(join) = &request.files.join {
        let all = join.inputs.listed(stdin)?;
        if request.extends() {
            return append::copies((to, all), rules);
        }
        let copy = inputs::joined(all, to, rules.asked)?;
        // The steps of a plan can be repeated when the output exists.
        if !request.is_in_parts() {
            check_new(request, &copy)?;
        }
        return Ok((vec![copy], vec![]));
    }
    let (copies, notes) = inputs::copies(named, to, rules)?;
    if request.output.keep_links {
        inputs::check_links(&copies)?;
    }
    Ok((copies, notes))
}
