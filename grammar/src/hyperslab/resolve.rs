//! Resolution of selections to indices along the dimensions of a dataset.

use std::collections::BTreeMap;

use netcdf_core::chunk::view::{DimSelection, IndexRun, SubsetReader};
use netcdf_core::chunk::{Dataset, ReadCache};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::{DimId, Schema, VarId, Variable};
use netcdf_core::notes::few;

use super::circle::Circle;
use super::coordinate::{Bound, CoordinateAxis, Indices, MonotonicCoordinate};
use super::runs::{strided, union};
use super::{Hyperslab, IndexSpan, Limit, SelectedIndices};
use crate::object_name::{refers_to, unknown_name, with_option};

/// Returns a reader of the selected part of a dataset; `cache` is the read cache of the dataset.
///
/// # Errors
/// Like [`resolve`].
pub fn view<'a>(
    set: Dataset<'a>,
    cache: &'a ReadCache,
    selections: &[Hyperslab],
) -> Result<SubsetReader<'a>> {
    let taken = resolve(set.with(cache), selections)?;
    Ok(SubsetReader::new(
        (set.reader, cache),
        set.reader.schema().clone(),
        taken,
    ))
}

/// Returns the selected indices of each dimension. A name stands for the dimensions with this name in all groups. If no dimension has the
/// name, a one-dimensional variable replaces the dimension.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for an unknown name; [`ErrorKind::Argument`] for a variable of several dimensions, for indices outside
/// the dimension, for values outside the coordinate, and for values along a dimension without coordinate; and read errors of coordinates.
pub fn resolve(
    set: Dataset<'_>,
    selections: &[Hyperslab],
) -> Result<BTreeMap<DimId, DimSelection>> {
    let mut found: BTreeMap<DimId, Vec<Vec<IndexRun>>> = BTreeMap::new();
    for selection in selections {
        let axes = axes(set.reader.schema(), selection);
        for axis in axes.map_err(|e| with_option("--select", &selection.text, e))? {
            let taken = runs(set, axis, selection);
            let taken = taken.map_err(|e| with_option("--select", &selection.text, e))?;
            found.entry(axis.dim).or_default().push(taken);
        }
    }
    let taken = found.into_iter().map(|(dim, all)| {
        let len = set.reader.schema().dim(dim).or_internal("a dimension")?.len;
        Ok((dim, DimSelection::new(union(all)?, len)?))
    });
    taken.collect()
}

/// Returns the result of [`resolve`] with dimension paths, for another process.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for a dimension name that is not UTF-8.
pub fn selected(
    schema: &Schema,
    taken: &BTreeMap<DimId, DimSelection>,
) -> Result<Vec<SelectedIndices>> {
    let one = |(dim, taken): (&DimId, &DimSelection)| {
        let dim = schema.dim(*dim).or_internal("a dimension")?;
        let name = std::str::from_utf8(dim.name.as_bytes());
        let name = name
            .map_err(|_| Error::new(ErrorKind::Argument, "the name of a dimension is not UTF-8"))?;
        let group = schema.group_path(dim.group);
        Ok(SelectedIndices {
            dim: format!("{}/{name}", group.trim_end_matches('/')),
            runs: taken.runs().to_vec(),
        })
    };
    taken.iter().map(one).collect()
}

/// Returns the dimensions of a selection, given by name or by a variable.
fn axes(schema: &Schema, selection: &Hyperslab) -> Result<Vec<CoordinateAxis>> {
    let wanted = &selection.dim;
    let all = (0..).map(DimId).zip(&schema.dims);
    let found: Vec<CoordinateAxis> = all
        .filter(|(_, dim)| refers_to(schema, wanted, (dim.group, dim.name.as_bytes())))
        .map(|(dim, _)| CoordinateAxis { dim, by: None })
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let vars = schema.var_ids().zip(&schema.vars);
    let vars: Vec<_> = vars
        .filter(|(_, var)| refers_to(schema, wanted, (var.group, var.name.as_bytes())))
        .collect();
    let axis = |(by, var): &(VarId, &Variable)| match var.dims.as_slice() {
        [dim] => Some(CoordinateAxis {
            dim: *dim,
            by: Some(*by),
        }),
        _ => None,
    };
    let found: Vec<CoordinateAxis> = vars.iter().filter_map(axis).collect();
    match (found.is_empty(), vars.first()) {
        (false, _) => Ok(found),
        (true, Some((_, var))) => Err(not_one_dimension(schema, var)),
        (true, None) => {
            let one = schema.vars.iter().filter(|var| var.dims.len() == 1);
            let dims = schema.dims.iter().map(|dim| dim.name.as_bytes());
            let known = dims.chain(one.map(|var| var.name.as_bytes()));
            Err(unknown_name("dimension", wanted, known))
        }
    }
}

/// Returns the error for a variable without dimensions or with several dimensions.
fn not_one_dimension(schema: &Schema, var: &Variable) -> Error {
    let dims = var.dims.iter().filter_map(|dim| schema.dim(*dim));
    let dims: Vec<String> = dims.map(|dim| dim.name.to_string()).collect();
    let what = format!("{} has {} dimensions, expected one", var.name, dims.len());
    let e = Error::new(ErrorKind::Argument, what);
    match dims.is_empty() {
        true => e,
        false => e.with_remedy(format!("select by a dimension: {}", few(&dims))),
    }
}

fn runs(set: Dataset<'_>, axis: CoordinateAxis, selection: &Hyperslab) -> Result<Vec<IndexRun>> {
    let dim = set.reader.schema().dim(axis.dim);
    let len = dim.or_internal("a dimension")?.len;
    let indices = |limit: &Option<Limit>| match limit {
        Some(Limit::Index(index)) => Some(*index),
        Some(Limit::Value(_) | Limit::Time(_)) | None => None,
    };
    let ranges = match &selection.span {
        IndexSpan::Runs(runs) => return Ok(runs.clone()),
        IndexSpan::One(Limit::Index(index)) => vec![(at(*index, len)?, 1)],
        IndexSpan::One(limit) => nearest(set, axis, (selection, limit))?,
        IndexSpan::Range(None, None) => vec![(0, len)],
        IndexSpan::Range(min, max) if indices(min).or(indices(max)).is_some() => {
            let min = indices(min).map_or(Ok(0), |index| at(index, len))?;
            let last = len
                .checked_sub(1)
                .or_internal("an index of an empty dimension");
            let max = indices(max).map_or(last, |index| at(index, len))?;
            match min <= max {
                true => vec![(min, max - min + 1)],
                false => vec![(min, len - min), (0, max + 1)],
            }
        }
        IndexSpan::Range(min, max) => between(set, axis, (selection, min.as_ref(), max.as_ref()))?,
    };
    Ok(strided(&ranges, selection.stride))
}

/// Returns the nearest index, or all indices in a month or day.
fn nearest(
    set: Dataset<'_>,
    axis: CoordinateAxis,
    (selection, limit): (&Hyperslab, &Limit),
) -> Result<Vec<Indices>> {
    let (coordinate, notes) = (MonotonicCoordinate::read(set, axis)?, &*set.env.notes);
    let bound = coordinate.bound(limit, notes)?;
    let index = coordinate.nearest(&bound);
    if let Bound::Moment(moment) = bound
        && !moment.is_instant()
    {
        let found = coordinate.between(Some(bound), Some(bound))?;
        return match found.is_empty() {
            false => Ok(found),
            true => Err(none_within(&coordinate, index)),
        };
    }
    let note = |index| Circle::of(&coordinate)?.nearest(selection, &bound, index);
    if let Some(note) = index.and_then(note) {
        notes.say(note);
    }
    Ok(index.into_iter().map(|index| (index, 1)).collect())
}

/// Returns the indices between limits.
fn between(
    set: Dataset<'_>,
    axis: CoordinateAxis,
    (selection, min, max): (&Hyperslab, Option<&Limit>, Option<&Limit>),
) -> Result<Vec<Indices>> {
    let (coordinate, notes) = (MonotonicCoordinate::read(set, axis)?, &*set.env.notes);
    let bound = |limit| coordinate.bound(limit, notes);
    let (min, max) = (min.map(bound).transpose()?, max.map(bound).transpose()?);
    let found = coordinate.between(min, max)?;
    let circle = Circle::of(&coordinate);
    if found.is_empty() {
        return Err(none_between(&coordinate, (selection, circle), (min, max)));
    }
    if let Some(note) = circle.and_then(|circle| circle.note(selection, (min, max), &found)) {
        notes.say(note);
    }
    Ok(found)
}

/// Returns an index; negative indices count from the end.
fn at(index: i64, len: u64) -> Result<u64> {
    let at = match index < 0 {
        true => len.checked_sub(index.unsigned_abs()),
        false => Some(index.unsigned_abs()).filter(|at| *at < len),
    };
    at.ok_or_else(|| {
        let what = match len {
            0 => format!("no index {index} in a dimension without elements"),
            _ => format!(
                "index {index} is outside the dimension, which has the indices 0 to {}",
                len - 1
            ),
        };
        Error::new(ErrorKind::Argument, what)
    })
}

fn none_between(
    coordinate: &MonotonicCoordinate,
    (selection, circle): (&Hyperslab, Option<Circle<'_>>),
    (min, max): (Option<Bound>, Option<Bound>),
) -> Error {
    let name = coordinate.name();
    let what = format!("{name} has no value between these limits");
    let e = Error::new(ErrorKind::Argument, what);
    if let (Some(Bound::Value(min)), Some(Bound::Value(max))) = (min, max)
        && let Some(remedy) = circle.and_then(|circle| circle.remedy(selection, min, max))
    {
        return e.with_remedy(remedy);
    }
    let dates = [min, max]
        .iter()
        .any(|b| matches!(b, Some(Bound::Moment(_))));
    match coordinate.ends(dates) {
        Some((first, last)) => {
            e.with_remedy(format!("the coordinate has values from {first} to {last}"))
        }
        None => e,
    }
}

/// Returns the error for a month or day without values; `nearest` is the nearest index.
fn none_within(coordinate: &MonotonicCoordinate, nearest: Option<u64>) -> Error {
    let what = format!("{} has no value in this month or day", coordinate.name());
    let e = Error::new(ErrorKind::Argument, what);
    match nearest.and_then(|index| Some((index, coordinate.text(index, true)?))) {
        Some((index, date)) => e.with_remedy(format!("the nearest is {date}, index {index}")),
        None => e,
    }
}
