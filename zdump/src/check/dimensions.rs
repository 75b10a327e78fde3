//! Names and lengths of dimensions: `_ARRAY_DIMENSIONS`, `dimension_names`, and netCDF's references.

use std::collections::BTreeMap;

use netcdf_core::format::zarr::nczarr::{
    Contents, Extras, GroupDimension, NczarrPart, array_dimensions,
};
use netcdf_core::format::zarr::raw::RawArray;

use super::context::{CheckedStore, FindingCollector, attributes_object, main_object, part};
use super::members::wrong;
use super::report::CheckReport;
use super::rule::Rule;
use super::text::counted;
use netcdf_core::format::zarr::survey::{Node, split};

/// The length of each dimension of a group, and the first array with this dimension.
type Lengths<'a> = BTreeMap<(&'a str, String), (u64, &'a str)>;

/// The dimension names of an array in one metadata source. `None` is a dimension without a name.
struct DimensionNames {
    place: &'static str,
    object: &'static str,
    names: Vec<Option<String>>,
}

/// Checks all arrays.
pub(super) fn check(checked: CheckedStore<'_>, report: &mut CheckReport) {
    let groups = Groups::of(checked);
    let mut lengths = Lengths::new();
    for node in &checked.survey.nodes {
        if let Some(array) = node.array() {
            one(node, array, (&groups, &mut lengths), report);
        }
    }
}

/// The dimensions that netCDF defines, by group path. `None` for damaged ones.
struct Groups<'a>(BTreeMap<&'a str, Option<BTreeMap<String, GroupDimension>>>);

impl<'a> Groups<'a> {
    fn of(checked: CheckedStore<'a>) -> Self {
        let nodes = checked.survey.nodes.iter();
        let groups = nodes.filter_map(|node| {
            let (json, _) = part(node, NczarrPart::Group)?;
            let named = |dim: GroupDimension| (dim.name.clone(), dim);
            let dims = Contents::of(json).map(|c| c.dims.into_iter().map(named).collect());
            Some((node.path.as_str(), dims))
        });
        Self(groups.collect())
    }

    /// Returns the dimension at a path, or `Ok(None)` if it is unknown.
    fn find(&self, path: &str) -> Result<Option<&GroupDimension>, ()> {
        let (group, name) = split(path.trim_start_matches('/'));
        match self.0.get(group) {
            Some(None) => Ok(None),
            Some(Some(dims)) => dims.get(name).map(Some).ok_or(()),
            None => Err(()),
        }
    }
}

fn one<'a>(
    node: &'a Node,
    array: &RawArray,
    (groups, lengths): (&Groups<'_>, &mut Lengths<'a>),
    report: &mut CheckReport,
) {
    let extras = part(node, NczarrPart::Array).map(|(json, object)| (Extras::of(json), object));
    let shape = &array.described.shape;
    let all = names(node, array, extras.as_ref(), report);
    let scalar = extras.as_ref().is_some_and(|(extras, _)| extras.scalar);
    // netCDF-C 4.9.0 wrote scalars as arrays of one element without names.
    let single = |n: &DimensionNames| shape == &[1] && n.names.is_empty();
    let all: Vec<_> = all.into_iter().filter(|n| !scalar && !single(n)).collect();
    for names in all.iter().filter(|n| n.names.len() != shape.len()) {
        let count = counted(names.names.len() as u64, "name");
        let rank = counted(shape.len() as u64, "dimension");
        let what = format!("{} has {count}, shape has {rank}", names.place);
        FindingCollector::object(report, node, names.object).say(Rule::DimensionCount, what);
    }
    agree(node, &all, report);
    match extras.and_then(|(extras, object)| Some((extras.dims?, object))) {
        Some((paths, object)) => {
            let mut about = FindingCollector::object(report, node, object);
            referred(&paths, shape, groups, &mut about);
        }
        None => conflicts(node, (&all, shape), lengths, report),
    }
}

/// Returns the names from all metadata sources.
fn names(
    node: &Node,
    array: &RawArray,
    extras: Option<&(Extras, &'static str)>,
    report: &mut CheckReport,
) -> Vec<DimensionNames> {
    let mut all = vec![];
    if let Some(names) = &array.described.names {
        all.push(DimensionNames {
            place: "dimension_names",
            object: "zarr.json",
            names: names.clone(),
        });
    }
    let place = "_ARRAY_DIMENSIONS";
    let object = attributes_object(node);
    if let Some((attributes, json)) = node.attributes().and_then(|a| Some((a, a.get(place)?))) {
        match array_dimensions(attributes) {
            Some(names) => all.push(DimensionNames {
                place,
                object,
                names: names.into_iter().map(Some).collect(),
            }),
            None => {
                let mut about = FindingCollector::object(report, node, object);
                wrong((place, json), "a list of names", &mut about);
            }
        }
    }
    if let Some((dims, object)) = extras.and_then(|(e, object)| Some((e.dims.as_ref()?, *object))) {
        let last = |path: &String| Some(split(path).1.to_owned());
        all.push(DimensionNames {
            place: "the dimensions of netCDF",
            object,
            names: dims.iter().map(last).collect(),
        });
    }
    all
}

/// Checks that all sources with the same number of names have the same names.
fn agree(node: &Node, all: &[DimensionNames], report: &mut CheckReport) {
    let Some((first, others)) = all.split_first() else {
        return;
    };
    for other in others.iter().filter(|o| o.names.len() == first.names.len()) {
        let mut pairs = first
            .names
            .iter()
            .flatten()
            .zip(other.names.iter().flatten());
        let full = first.names.iter().chain(&other.names).all(Option::is_some);
        if let Some((a, b)) = pairs.find(|(a, b)| a != b).filter(|_| full) {
            let what = format!("{} has {b} where {} has {a}", other.place, first.place);
            FindingCollector::object(report, node, other.object).say(Rule::DimensionNames, what);
        }
    }
}

/// Checks netCDF's references to dimensions, and the dimension lengths.
fn referred(
    paths: &[String],
    shape: &[u64],
    groups: &Groups<'_>,
    about: &mut FindingCollector<'_>,
) {
    for (path, &len) in paths.iter().zip(shape) {
        match groups.find(path) {
            Ok(None) => {}
            Ok(Some(dim)) if dim.len == len || (dim.unlimited && len < dim.len) => {}
            Ok(Some(dim)) => {
                let what = format!("{path} has {} elements, shape has {len}", dim.len);
                about.say(Rule::DimensionLength, what);
            }
            Err(()) => about.say(Rule::DimensionUnknown, format!("{path} is not a dimension")),
        }
    }
}

/// Checks for dimensions with one name but several lengths in a group, which xarray rejects.
fn conflicts<'a>(
    node: &'a Node,
    (all, shape): (&[DimensionNames], &[u64]),
    lengths: &mut Lengths<'a>,
    report: &mut CheckReport,
) {
    let Some(names) = all.first().filter(|n| n.names.len() == shape.len()) else {
        return;
    };
    let group = split(&node.path).0;
    for (name, &len) in names.names.iter().zip(shape) {
        let Some(name) = name else { continue };
        let known = lengths.entry((group, name.clone()));
        let (first, array) = *known.or_insert((len, &node.path));
        if first != len {
            let what = format!("the dimension {name} has {len} elements, in /{array} {first}");
            let object = main_object(node).unwrap_or(names.object);
            FindingCollector::object(report, node, object).say(Rule::DimensionConflict, what);
        }
    }
}
