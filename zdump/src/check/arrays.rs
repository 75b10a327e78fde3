//! Arrays in the form in which their chunks are stored.

use std::collections::BTreeMap;

use netcdf_core::format::zarr::nczarr::NczarrPart;
use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::json::Json;

use super::context::{CheckedStore, part};
use netcdf_core::format::zarr::survey::Node;

/// All arrays, by node number.
pub(super) struct ArrayTable<'a> {
    /// The store.
    pub checked: CheckedStore<'a>,
    /// Arrays with a stored form that differs from their metadata.
    others: BTreeMap<usize, RawArray>,
}

impl<'a> ArrayTable<'a> {
    /// Returns the arrays of a store.
    pub(super) fn of(checked: CheckedStore<'a>) -> Self {
        let nodes = checked.survey.nodes.iter().enumerate();
        let others = nodes.filter_map(|(n, node)| Some((n, characters(checked, node)?)));
        Self {
            checked,
            others: others.collect(),
        }
    }

    /// Returns the array of a node, and its path.
    pub(super) fn get(&self, n: usize) -> Option<(&'a str, &RawArray)> {
        let node = self.checked.survey.nodes.get(n)?;
        let array = self.others.get(&n).or_else(|| node.array())?;
        Some((&node.path, array))
    }
}

/// Returns an array of characters that netCDF-C wrote up to 4.9.0: `<U1`, with one byte per character instead of four.
fn characters(checked: CheckedStore<'_>, node: &Node) -> Option<RawArray> {
    let version = node.array()?.described.version;
    part(node, NczarrPart::Array)?;
    let json = node.json(".zarray")?;
    let dtype = json.get("dtype")?.as_str()?;
    if dtype != "<U1" && dtype != ">U1" {
        return None;
    }
    let changed = |(name, value): &(String, Json)| match name.as_str() {
        "dtype" => (name.clone(), Json::text("|S1")),
        _ => (name.clone(), value.clone()),
    };
    let json = Json::Object(json.members().iter().map(changed).collect());
    RawArray::new(&json, version, checked.env).ok()
}
