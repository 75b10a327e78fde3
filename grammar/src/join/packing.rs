//! Packed data: `scale_factor` and `add_offset`.

use netcdf_core::error::Result;

use super::attribute_values::{are_same, value_text};
use super::facts::InputVariable;
use super::mismatch::mismatch;
use super::request::JoinRequest;

/// The attributes of a packing.
pub(super) const PACKING: [&str; 2] = ["scale_factor", "add_offset"];

/// Checks that two inputs have the same packing.
///
/// # Errors
/// Returns the different attributes, with both names and values.
pub(super) fn check(
    [base, other]: [&InputVariable; 2],
    names: [&str; 2],
    request: &JoinRequest,
) -> Result<()> {
    for name in PACKING {
        let pair = [base, other].map(|facts| facts.attribute(name));
        if !are_same(pair) {
            let [a, b] = pair.map(value_text);
            let what = format!("different packing of {}: {name} is {a} and {b}", base.path);
            let e = mismatch(names, &what);
            return Err(e.with_remedy(remedy(request)));
        }
    }
    Ok(())
}

/// Returns the remedy for different packings.
fn remedy(request: &JoinRequest) -> &'static str {
    match (request.references, request.extends) {
        (true, _) => {
            "references cannot unpack data: join the inputs to a dataset with -k nc4 --repack"
        }
        (false, true) => "join the output and the inputs to a new dataset with --join --repack",
        (false, false) => "use --repack to unpack the data, or --repack=short for a common packing",
    }
}
