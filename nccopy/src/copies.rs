//! The copies of a request.

use netcdf_core::error::Result;
use netcdf_core::io::locator::OutputRequest;

use crate::in_place;
use crate::inputs::{self, ListedCopies, OutputRules};
use crate::request::CopyRequest;

/// Returns the copies of a request.
///
/// # Errors
/// Returns the errors of [`inputs::copies`] and [`in_place::copies`].
pub(crate) fn requested(request: &CopyRequest) -> Result<ListedCopies> {
    under(request, OutputRules::of(request))
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
    under(request, plain).is_ok()
}

fn under(request: &CopyRequest, rules: OutputRules<'_>) -> Result<ListedCopies> {
    let named = &request.files.inputs;
    let Some(to) = request.to() else {
        return in_place::copies(named, rules);
    };
    let (copies, notes) = inputs::copies(named, to, rules)?;
    if request.output.keep_links {
        inputs::check_links(&copies)?;
    }
    Ok((copies, notes))
}
