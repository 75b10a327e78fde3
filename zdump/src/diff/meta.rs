//! Compares the metadata of two arrays.

use netcdf_core::error::Result;
use netcdf_core::format::zarr::{Dtype, StoredType};
use netcdf_core::json::Json;
use netcdf_core::model::{Values, ZarrVersion};

use super::report::{DiffReport, StoreDifference};
use crate::array::OpenArray;
use crate::array::values::same;
use crate::table::shape;
use crate::words;
use netcdf_core::format::zarr::survey::Node;

/// The similarity of two types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypeSimilarity {
    /// Types with the same values.
    Same,
    /// Numbers of different types.
    Numbers,
    /// Types without comparable values.
    Different,
}

/// Compares two arrays except for attributes and values. Returns whether their values can be compared.
///
/// # Errors
/// Returns write errors.
pub(super) fn compare(
    (x, a): (&Node, &OpenArray<'_>),
    (y, b): (&Node, &OpenArray<'_>),
    report: &mut DiffReport<'_>,
) -> Result<bool> {
    let path = a.path.as_str();
    let mut tell = |difference: StoreDifference| report.tell(path, difference);
    if a.shape != b.shape {
        tell(StoreDifference::texts(
            "shape",
            &shape(&a.shape),
            &shape(&b.shape),
        ))?;
    } else if a.array.described.shape != b.array.described.shape {
        // A scalar, which NCZarr stores as an array of one element.
        let (s, t) = (&a.array.described.shape, &b.array.described.shape);
        tell(StoreDifference::texts("shape", &shape(s), &shape(t)).of_layout(true))?;
    }
    let alike = types(a, b);
    let (s, t) = (&a.array.described.stored, &b.array.described.stored);
    if alike != TypeSimilarity::Same || s.spelling() != t.spelling() {
        let difference =
            StoreDifference::texts("dtype", &words::dtype(a.array), &words::dtype(b.array));
        tell(difference.of_layout(alike == TypeSimilarity::Same))?;
    }
    for difference in layout(a, b) {
        tell(difference.of_layout(true))?;
    }
    if let Some(difference) = fill((x, a), (y, b), alike) {
        tell(difference)?;
    }
    let names = (words::dimensions(x, a.array), words::dimensions(y, b.array));
    let ranks = a.shape.len() == b.shape.len();
    if names.0 != names.1 && (!a.shape.is_empty() || !b.shape.is_empty()) {
        tell(StoreDifference::new("dimension_names", names.0, names.1))?;
    }
    Ok(ranks && alike != TypeSimilarity::Different)
}

/// Returns differences of the storage only.
fn layout(a: &OpenArray<'_>, b: &OpenArray<'_>) -> Vec<StoreDifference> {
    let shards = |o: &OpenArray<'_>| {
        let shards = o.array.described.shards.iter();
        let shards: Vec<_> = shards.map(|s| shape(&s.shape)).collect();
        match shards.is_empty() {
            true => "none".to_owned(),
            false => shards.join(" of "),
        }
    };
    let keys = |o: &OpenArray<'_>| o.array.key(&vec![0; o.array.described.rank]);
    let all = [
        ("chunks", shape(&a.chunk), shape(&b.chunk)),
        ("shards", shards(a), shards(b)),
        ("codecs", codecs(a), codecs(b)),
        ("keys", keys(a), keys(b)),
    ];
    let different = all.into_iter().filter(|(_, x, y)| x != y);
    different
        .map(|(kind, x, y)| StoreDifference::texts(kind, &x, &y))
        .collect()
}

/// Returns the codecs with their parameters in the order of writing.
fn codecs(opened: &OpenArray<'_>) -> String {
    let filters = words::codecs(opened.array);
    match filters.is_empty() {
        true => "none".to_owned(),
        false => filters.join(", "),
    }
}

/// Returns the difference of the fill values. For unwritten elements, no fill value means zeros. Version 3 always has a fill value. In
/// version 2 the fill value also marks missing elements. In version 3 the attribute `_FillValue` marks them.
fn fill(
    (x, a): (&Node, &OpenArray<'_>),
    (y, b): (&Node, &OpenArray<'_>),
    alike: TypeSimilarity,
) -> Option<StoreDifference> {
    let (s, t) = (&a.array.described.fill, &b.array.described.fill);
    let equal = match (&a.unwritten, &b.unwritten) {
        (Some(x), Some(y)) if alike != TypeSimilarity::Different => same(x, 0, y, 0),
        _ => s == t,
    };
    let nulls = (*s == Json::Null) != (*t == Json::Null);
    if equal && !nulls {
        return None;
    }
    let side = |opened: &OpenArray<'_>, fill: &Json| match opened
        .fill
        .as_ref()
        .and_then(|fill| opened.plain_text(fill))
    {
        Some(text) => Json::text(&text),
        None => fill.clone(),
    };
    let difference = StoreDifference::new("fill_value", Some(side(a, s)), Some(side(b, t)));
    Some(difference.of_layout(equal || same_mask((x, a), (y, b))))
}

/// Checks whether the same elements are marked as missing in two versions of one array.
pub(super) fn same_mask((x, a): (&Node, &OpenArray<'_>), (y, b): (&Node, &OpenArray<'_>)) -> bool {
    if x.version == y.version {
        return false;
    }
    match (mask(x, a), mask(y, b)) {
        (Some(Some(x)), Some(Some(y))) => same(&x, 0, &y, 0),
        (Some(None), Some(None)) => true,
        (Some(_) | None, Some(_) | None) => false,
    }
}

/// Returns the value that marks missing elements, if there is one. Returns `None` if it is not a value of the type.
fn mask(node: &Node, opened: &OpenArray<'_>) -> Option<Option<Values>> {
    let attribute = node.attributes().and_then(|a| a.get("_FillValue"));
    match (attribute, node.version) {
        (Some(json), _) => opened.fill_of(json).map(Some),
        (None, Some(ZarrVersion::V2)) if opened.array.described.fill != Json::Null => {
            opened.fill.clone().map(Some)
        }
        (None, _) => Some(None),
    }
}

/// Returns the similarity of two array types.
fn types(a: &OpenArray<'_>, b: &OpenArray<'_>) -> TypeSimilarity {
    let (s, t) = (&a.array.described.stored, &b.array.described.stored);
    let texts = |o: &OpenArray<'_>| o.chars || is_text(&o.array.described.stored);
    match (texts(a), texts(b)) {
        (true, true) => TypeSimilarity::Same,
        (false, false) => alike(s, t),
        (true, false) | (false, true) => TypeSimilarity::Different,
    }
}

fn is_text(stored: &StoredType) -> bool {
    matches!(
        stored.dtype,
        Dtype::Char | Dtype::Bytes(_) | Dtype::Utf32(_) | Dtype::Text
    )
}

fn is_number(stored: &StoredType) -> bool {
    matches!(stored.dtype, Dtype::Number(_) | Dtype::Half | Dtype::Bool)
}

fn alike(a: &StoredType, b: &StoredType) -> TypeSimilarity {
    if a.dtype == b.dtype || (is_text(a) && is_text(b)) {
        return TypeSimilarity::Same;
    }
    if is_number(a) && is_number(b) {
        return TypeSimilarity::Numbers;
    }
    let (Dtype::Struct(x), Dtype::Struct(y)) = (&a.dtype, &b.dtype) else {
        return TypeSimilarity::Different;
    };
    let mut fields = x.iter().zip(y);
    let same = x.len() == y.len()
        && fields.all(|(x, y)| {
            x.name == y.name
                && x.dims == y.dims
                && alike(&x.stored, &y.stored) == TypeSimilarity::Same
        });
    match same {
        true => TypeSimilarity::Same,
        false => TypeSimilarity::Different,
    }
}
