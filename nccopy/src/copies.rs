//! The copies of a request.

use netcdf_core::error::Result;
use netcdf_core::io::locator::Asked;

use crate::in_place;
use crate::inputs::{self, Listed, Rules};
use crate::request::CopyRequest;

/// Returns the copies of a request.
///
/// # Errors
/// As [`inputs::copies`] and [`in_place::copies`].
pub(crate) fn requested(request: &CopyRequest) -> Result<Listed> {
    under(request, Rules::of(request))
}

/// Checks whether the copies are possible without the options of Zarr.
pub(crate) fn are_possible_without_zarr(request: &CopyRequest) -> bool {
    let plain = Rules {
        asked: Asked {
            kind: request.output.kind,
            ..Asked::default()
        },
        ..Rules::of(request)
    };
    under(request, plain).is_ok()
}

fn under(request: &CopyRequest, rules: Rules<'_>) -> Result<Listed> {
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
