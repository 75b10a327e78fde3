//! What the metadata of two arrays says.

use netcdf_core::error::Result;
use netcdf_core::format::zarr::{Dtype, Stored};
use netcdf_core::json::Json;

use super::report::{Difference, Report};
use crate::array::values::same;
use crate::array::{Opened, netcdf};
use crate::table::shape;
use netcdf_core::format::zarr::survey::{Node, split};

/// How alike two types are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alike {
    /// They have the same values.
    Same,
    /// Numbers of different types.
    Numbers,
    /// Their values cannot be compared.
    Different,
}

/// Compares two arrays but for attributes and values; whether their values can be compared.
///
/// # Errors
/// Those of writing.
pub(super) fn compare(
    (x, a): (&Node, &Opened<'_>),
    (y, b): (&Node, &Opened<'_>),
    report: &mut Report<'_>,
) -> Result<bool> {
    let path = a.path.as_str();
    let mut tell = |difference: Difference| report.tell(path, difference);
    if a.shape != b.shape {
        tell(Difference::texts(
            "shape",
            &shape(&a.shape),
            &shape(&b.shape),
        ))?;
    } else if a.array.described.shape != b.array.described.shape {
        // A scalar, which NCZarr has as an array of one.
        let (s, t) = (&a.array.described.shape, &b.array.described.shape);
        tell(Difference::texts("shape", &shape(s), &shape(t)).of_layout(true))?;
    }
    let alike = types(a, b);
    let (s, t) = (&a.array.described.stored, &b.array.described.stored);
    if alike != Alike::Same || s.spelling() != t.spelling() {
        let difference = Difference::texts("dtype", &s.spelling(), &t.spelling());
        tell(difference.of_layout(alike == Alike::Same))?;
    }
    for difference in layout(a, b) {
        tell(difference.of_layout(true))?;
    }
    if let Some(difference) = fill(a, b, alike) {
        tell(difference)?;
    }
    let names = (names(x, a), names(y, b));
    let ranks = a.shape.len() == b.shape.len();
    if names.0 != names.1 && (!a.shape.is_empty() || !b.shape.is_empty()) {
        tell(Difference::new("dimension_names", names.0, names.1))?;
    }
    Ok(ranks && alike != Alike::Different)
}

/// What is only how the same is stored.
fn layout(a: &Opened<'_>, b: &Opened<'_>) -> Vec<Difference> {
    let shards = |o: &Opened<'_>| {
        let shards = o.array.described.shards.iter();
        let shards: Vec<_> = shards.map(|s| shape(&s.shape)).collect();
        match shards.is_empty() {
            true => "none".to_owned(),
            false => shards.join(" of "),
        }
    };
    let keys = |o: &Opened<'_>| o.array.key(&vec![0; o.array.described.rank]);
    let all = [
        ("chunks", shape(&a.chunk), shape(&b.chunk)),
        ("shards", shards(a), shards(b)),
        ("codecs", codecs(a), codecs(b)),
        ("keys", keys(a), keys(b)),
    ];
    let different = all.into_iter().filter(|(_, x, y)| x != y);
    different
        .map(|(kind, x, y)| Difference::texts(kind, &x, &y))
        .collect()
}

/// The codecs with their parameters, in the order of writing.
fn codecs(opened: &Opened<'_>) -> String {
    let filters = opened.array.layout.filters.iter().map(|filter| {
        let label = opened.env.filters.label(filter);
        let name = label.name.unwrap_or_else(|| filter.id.to_string());
        match label.params.is_empty() {
            true => name,
            false => format!("{name} {}", label.params),
        }
    });
    let filters: Vec<_> = filters.collect();
    match filters.is_empty() {
        true => "none".to_owned(),
        false => filters.join(", "),
    }
}

/// How the fill values differ. None, and zeros, are the same to who reads an element that is not stored; version 3 always has one.
fn fill(a: &Opened<'_>, b: &Opened<'_>, alike: Alike) -> Option<Difference> {
    let (x, y) = (&a.array.described.fill, &b.array.described.fill);
    let difference = Difference::new("fill_value", Some(x.clone()), Some(y.clone()));
    let equal = match (&a.unwritten, &b.unwritten) {
        (Some(x), Some(y)) if alike != Alike::Different => same(x, 0, y, 0),
        _ => x == y,
    };
    let nulls = (*x == Json::Null) != (*y == Json::Null);
    match (equal, nulls) {
        (true, false) => None,
        (true, true) => Some(difference.of_layout(true)),
        (false, _) => Some(difference),
    }
}

/// How alike the types of two arrays are.
fn types(a: &Opened<'_>, b: &Opened<'_>) -> Alike {
    let (s, t) = (&a.array.described.stored, &b.array.described.stored);
    let texts = |o: &Opened<'_>| o.chars || is_text(&o.array.described.stored);
    match (texts(a), texts(b)) {
        (true, true) => Alike::Same,
        (false, false) => alike(s, t),
        (true, false) | (false, true) => Alike::Different,
    }
}

fn is_text(stored: &Stored) -> bool {
    matches!(
        stored.dtype,
        Dtype::Char | Dtype::Bytes(_) | Dtype::Utf32(_) | Dtype::Text
    )
}

fn is_number(stored: &Stored) -> bool {
    matches!(stored.dtype, Dtype::Number(_) | Dtype::Half | Dtype::Bool)
}

fn alike(a: &Stored, b: &Stored) -> Alike {
    if a.dtype == b.dtype || (is_text(a) && is_text(b)) {
        return Alike::Same;
    }
    if is_number(a) && is_number(b) {
        return Alike::Numbers;
    }
    let (Dtype::Struct(x), Dtype::Struct(y)) = (&a.dtype, &b.dtype) else {
        return Alike::Different;
    };
    let mut fields = x.iter().zip(y);
    let same = x.len() == y.len()
        && fields.all(|(x, y)| {
            x.name == y.name && x.dims == y.dims && alike(&x.stored, &y.stored) == Alike::Same
        });
    match same {
        true => Alike::Same,
        false => Alike::Different,
    }
}

/// The names of the dimensions, wherever they are: `dimension_names`, `_ARRAY_DIMENSIONS`, netCDF's references.
fn names(node: &Node, opened: &Opened<'_>) -> Option<Json> {
    if let Some(names) = &opened.array.described.names {
        let name = |name: &Option<String>| name.as_deref().map_or(Json::Null, Json::text);
        return Some(Json::Array(names.iter().map(name).collect()));
    }
    let xarray = node.attributes().and_then(|a| a.get("_ARRAY_DIMENSIONS"));
    if let Some(names) = xarray {
        return Some(names.clone());
    }
    let netcdf = netcdf(node)?;
    let paths = ["dimension_references", "dimrefs"];
    let paths = paths.iter().find_map(|name| netcdf.get(name)?.items())?;
    let last = |path: &Json| path.as_str().map_or(Json::Null, |p| Json::text(split(p).1));
    Some(Json::Array(paths.iter().map(last).collect()))
}
