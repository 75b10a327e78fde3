//! Attributes that must have one value, because other values change the meaning of the data.

use netcdf_core::error::Result;

use super::attribute_values::{is_same, is_same_text, value_text};
use super::facts::InputVariable;
use super::mismatch::mismatch;

/// Attributes that other rules compare.
const OTHER_RULES: [&str; 4] = ["_FillValue", "missing_value", "scale_factor", "add_offset"];

/// Attributes of packed values.
const OF_PACKING: [&str; 4] = ["_Unsigned", "valid_min", "valid_max", "valid_range"];

/// Checks the attributes of a variable. `repacked` variables have no attributes of packed values in the whole.
///
/// # Errors
/// Returns the first different attribute, with both names and values.
pub(super) fn check(
    [base, other]: [&InputVariable; 2],
    names: [&str; 2],
    repacked: bool,
) -> Result<()> {
    let all = base.attributes.iter().chain(&other.attributes);
    for attribute in all {
        let name = attribute.name.to_string();
        let skipped = |names: &[&str]| names.contains(&name.as_str());
        if skipped(&OTHER_RULES)
            || (repacked && skipped(&OF_PACKING))
            || is_time(&name, [base, other])
        {
            continue;
        }
        let pair = [base.attribute(&name), other.attribute(&name)];
        let same = match pair {
            [Some(a), Some(b)] => is_same(a, b) || is_same_text(a, b),
            [None, None] => true,
            [Some(_), None] | [None, Some(_)] => false,
        };
        if !same {
            let [a, b] = pair.map(value_text);
            let what = format!("different values of {}:{name}: {a} and {b}", base.path);
            return Err(mismatch(names, &what));
        }
    }
    Ok(())
}

/// Returns whether the rule of times compares an attribute.
fn is_time(name: &str, pair: [&InputVariable; 2]) -> bool {
    (name == "units" || name == "calendar") && pair.iter().all(|facts| facts.times().is_some())
}
