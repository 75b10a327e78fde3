//! Packed data: `scale_factor` and `add_offset`.

use netcdf_core::error::Result;

use super::attribute_values::{is_same, value_text};
use super::facts::InputVariable;
use super::mismatch::mismatch;

/// Checks that two inputs have the same packing.
///
/// # Errors
/// Returns the different attributes, with both names and values.
pub(super) fn check([base, other]: [&InputVariable; 2], names: [&str; 2]) -> Result<()> {
    for name in ["scale_factor", "add_offset"] {
        let pair = [base.attribute(name), other.attribute(name)];
        let same = match pair {
            [Some(a), Some(b)] => is_same(a, b),
            [None, None] => true,
            [Some(_), None] | [None, Some(_)] => false,
        };
        if !same {
            let [a, b] = pair.map(value_text);
            let what = format!("different packing of {}: {name} is {a} and {b}", base.path);
            let e = mismatch(names, &what);
            return Err(e.with_remedy(
                "use --repack to unpack the data, or --repack=short for a common packing",
            ));
        }
    }
    Ok(())
}
