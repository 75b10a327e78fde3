//! Global attributes of the extent and the identity of a dataset. The whole has another extent than its inputs.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use netcdf_core::model::convert::convert;
use netcdf_core::model::{Atomic, Attribute, Schema, Values};

use super::attribute_values::is_same;

/// Attributes that begin with these words.
const EXTENTS: [&str; 2] = ["time_coverage_", "geospatial_"];
/// Further attributes of the identity.
const IDENTITIES: [&str; 2] = ["tracking_id", "id"];

/// Returns whether a global attribute describes extent or identity.
pub(super) fn is_extent(attribute: &Attribute) -> bool {
    let name = attribute.name.to_string();
    EXTENTS.iter().any(|start| name.starts_with(start)) || IDENTITIES.contains(&name.as_str())
}

/// Returns the attributes of the root group that describe extent or identity.
pub(super) fn extent_attributes(schema: &Schema) -> Vec<Attribute> {
    let all = schema.root().attributes.iter();
    all.filter(|a| is_extent(a)).cloned().collect()
}

/// The combined attributes of all inputs.
#[derive(Debug, Default)]
pub(super) struct ExtentAttributes(BTreeMap<String, Option<Attribute>>);

impl ExtentAttributes {
    /// Adds the attributes of an input.
    pub(super) fn add(&mut self, attributes: Vec<Attribute>) {
        for attribute in attributes {
            let name = attribute.name.to_string();
            let combined = match self.0.remove(&name) {
                None => Some(attribute),
                Some(known) => known.and_then(|known| combined(&name, known, attribute)),
            };
            self.0.insert(name, combined);
        }
    }

    /// Replaces the attributes of a schema. Returns the names of removed attributes.
    pub(super) fn apply(&self, schema: &mut Schema) -> Vec<String> {
        let Some(root) = schema.groups.first_mut() else {
            return vec![];
        };
        let mut removed = vec![];
        root.attributes.retain_mut(|attribute| {
            let name = attribute.name.to_string();
            match self.0.get(&name) {
                Some(Some(combined)) => *attribute = combined.clone(),
                Some(None) => removed.push(name),
                None => return true,
            }
            !removed.contains(&attribute.name.to_string())
        });
        removed
    }
}

/// Returns the combination of two values; `None` if it is not defined.
fn combined(name: &str, a: Attribute, b: Attribute) -> Option<Attribute> {
    if is_same(&a, &b) {
        return Some(a);
    }
    let least = name == "time_coverage_start" || name.ends_with("_min");
    let most = name == "time_coverage_end" || name.ends_with("_max");
    let order = order(&a.values, &b.values)?;
    match (least, most, order) {
        (true, _, Ordering::Less | Ordering::Equal)
        | (_, true, Ordering::Greater | Ordering::Equal) => Some(a),
        (true, _, Ordering::Greater) | (_, true, Ordering::Less) => Some(b),
        (false, false, _) => None,
    }
}

/// Compares two numbers, or two dates in the same form.
fn order(a: &Values, b: &Values) -> Option<Ordering> {
    if let (Values::Char(a), Values::Char(b)) = (a, b) {
        let dates = a.first()?.is_ascii_digit() && b.first()?.is_ascii_digit();
        return (dates && a.len() == b.len()).then(|| a.cmp(b));
    }
    let number = |values: &Values| match convert(values, Atomic::Double).ok()? {
        Values::Double(one) if one.len() == 1 => one.first().copied(),
        _ => None,
    };
    number(a)?.partial_cmp(&number(b)?)
}
