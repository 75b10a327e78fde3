//! The copies of a request.

use std::io::Read;

use netcdf_core::error::Result;
use netcdf_core::io::locator::OutputRequest;

use crate::in_place;
use crate::inputs::{self, ListedCopies, OutputRules};
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
        let copy = inputs::joined(all, to, rules.asked)?;
        if request.existing() == Existing::Replace && !request.output.overwrite {
            inputs::check_joined(&copy)?;
        }
        return Ok((vec![copy], vec![]));
    }
    let (copies, notes) = inputs::copies(named, to, rules)?;
    if request.output.keep_links {
        inputs::check_links(&copies)?;
    }
    Ok((copies, notes))
}
