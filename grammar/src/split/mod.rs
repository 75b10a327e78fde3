//! Divides a dataset into parts (`nccopy --split`): periods of time, ranges of a dimension, or variables.

use std::collections::BTreeSet;

use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::view::IndexRun;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::cf::{coordinate_variable, located_by};
use netcdf_core::model::{DimId, Region, Schema, VarId};

use crate::hyperslab::SelectedIndices;
use crate::object_name::{refers_to, unknown_name};
use crate::time::{Count, TimeFields, TimeUnits, attribute_text, counts};

mod name;

pub use name::part_names;

/// The division of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SplitSpec {
    /// A part for each period of a time coordinate.
    Period(String, Period),
    /// A part for each range of this length.
    Length(String, u64),
    /// A part for each variable, with the variables that locate it.
    Variables,
}

/// A period of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// A year.
    Year,
    /// A month.
    Month,
    /// A day.
    Day,
    /// An hour.
    Hour,
}

impl SplitSpec {
    /// Parses `DIM/PERIOD`, `DIM/LENGTH` or `vars`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            let e = Error::new(ErrorKind::Argument, format!("cannot split by {text}"));
            e.with_remedy("use DIM/year, DIM/month, DIM/day, DIM/hour, DIM/LENGTH or vars")
        };
        if text == "vars" {
            return Ok(Self::Variables);
        }
        let (dim, by) = text
            .rsplit_once('/')
            .filter(|(dim, _)| !dim.is_empty())
            .ok_or_else(wrong)?;
        let period = match by {
            "year" => Period::Year,
            "month" => Period::Month,
            "day" => Period::Day,
            "hour" => Period::Hour,
            length => {
                let length = length.parse().ok().filter(|length| *length > 0);
                return Ok(Self::Length(dim.to_owned(), length.ok_or_else(wrong)?));
            }
        };
        Ok(Self::Period(dim.to_owned(), period))
    }
}

/// A part of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitPart {
    /// The selected indices; `None` for all indices.
    pub indices: Option<SelectedIndices>,
    /// The path of the variable; `None` for all variables.
    pub variable: Option<String>,
    /// The first time.
    time: Option<TimeFields>,
}

/// Returns the parts of a dataset, in the order of the dimension or of the variables.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for a dimension without a monotonic time coordinate, [`ErrorKind::NotFound`] for an unknown dimension, and
/// read errors.
pub fn parts(set: Dataset<'_>, spec: &SplitSpec) -> Result<Vec<SplitPart>> {
    let schema = set.reader.schema();
    match spec {
        SplitSpec::Variables => Ok(variables(schema)),
        SplitSpec::Length(name, length) => ranges(set, dimension(schema, name)?, *length),
        SplitSpec::Period(name, period) => periods(set, dimension(schema, name)?, *period),
    }
}

/// Returns the dimension with a name or path.
fn dimension(schema: &Schema, name: &str) -> Result<DimId> {
    let dims = (0..).map(DimId).zip(&schema.dims);
    let mut found = dims
        .filter(|(_, dim)| refers_to(schema, name.as_bytes(), (dim.group, dim.name.as_bytes())));
    match (found.next(), found.next()) {
        (Some((id, _)), None) => Ok(id),
        (Some(_), Some(_)) => {
            let what = format!("several dimensions have the name {name}");
            Err(Error::new(ErrorKind::Argument, what).with_remedy("use a path, as in /g/time"))
        }
        (None, _) => {
            let known = schema.dims.iter().map(|dim| dim.name.as_bytes());
            Err(unknown_name("dimension", name.as_bytes(), known))
        }
    }
}

/// Returns a part for each variable that locates no other variable.
fn variables(schema: &Schema) -> Vec<SplitPart> {
    let mut locating = BTreeSet::new();
    for id in schema.var_ids() {
        locating.extend(located_by(schema, &BTreeSet::from([id])));
    }
    let is_coordinate = |id: VarId| {
        let var = schema.var(id);
        let mut dims = var.iter().flat_map(|var| &var.dims);
        dims.any(|dim| coordinate_variable(schema, *dim) == Some(id))
    };
    let data = schema
        .var_ids()
        .filter(|id| !locating.contains(id) && !is_coordinate(*id));
    let part = |id| SplitPart {
        indices: None,
        variable: Some(schema.var_path(id)),
        time: None,
    };
    data.map(part).collect()
}

/// Returns ranges of a length along a dimension.
fn ranges(set: Dataset<'_>, dim: DimId, length: u64) -> Result<Vec<SplitPart>> {
    let schema = set.reader.schema();
    let all = schema.dim(dim).or_internal("a dimension")?.len;
    let times = times(set, dim).unwrap_or_default();
    let starts = (0..all.div_ceil(length)).map(|n| n * length);
    let parts = starts.map(|start| SplitPart {
        indices: Some(indices(schema, dim, (start, length.min(all - start)))),
        variable: None,
        time: usize::try_from(start)
            .ok()
            .and_then(|start| times.get(start).copied()),
    });
    Ok(parts.collect())
}

/// Returns the periods of a time coordinate.
fn periods(set: Dataset<'_>, dim: DimId, period: Period) -> Result<Vec<SplitPart>> {
    let schema = set.reader.schema();
    let times = times(set, dim)?;
    let mut parts: Vec<(TimeFields, u64, u64)> = vec![];
    for (index, time) in (0u64..).zip(times) {
        match parts.last_mut() {
            Some((first, _, count)) if key(first, period) == key(&time, period) => *count += 1,
            Some(_) | None => parts.push((time, index, 1)),
        }
    }
    let part = |(time, start, count)| SplitPart {
        indices: Some(indices(schema, dim, (start, count))),
        variable: None,
        time: Some(time),
    };
    Ok(parts.into_iter().map(part).collect())
}

/// Returns the fields that are equal within a period.
fn key(time: &TimeFields, period: Period) -> [i64; 4] {
    match period {
        Period::Year => [time.year, 0, 0, 0],
        Period::Month => [time.year, time.month, 0, 0],
        Period::Day => [time.year, time.month, time.day, 0],
        Period::Hour => [time.year, time.month, time.day, time.hour],
    }
}

/// Returns the monotonic times of a dimension.
fn times(set: Dataset<'_>, dim: DimId) -> Result<Vec<TimeFields>> {
    let schema = set.reader.schema();
    let name = schema.dim(dim).or_internal("a dimension")?.name.to_string();
    let wrong = |what: &str| Error::new(ErrorKind::Argument, format!("{name} {what}"));
    let id = coordinate_variable(schema, dim).ok_or_else(|| wrong("has no coordinate"))?;
    let var = schema.var(id).or_internal("the coordinate")?;
    let text = |name: &str| attribute_text(var, name);
    let units = text("units").and_then(|units| TimeUnits::parse(units, text("calendar")));
    let Some(Ok(units)) = units else {
        return Err(wrong("is not a time coordinate"));
    };
    let values = set.read(id, &Region::whole(&schema.shape(id)))?;
    let values = counts(values).ok_or_else(|| wrong("has no numbers as coordinate"))?;
    if !is_monotonic(&values) {
        return Err(wrong("has times that neither increase nor decrease"));
    }
    let fields = values.into_iter().map(|value| units.fields(value));
    let fields: Option<Vec<TimeFields>> = fields.collect();
    fields.ok_or_else(|| wrong("has a value that is not a time"))
}

/// Returns whether values increase or decrease.
fn is_monotonic(values: &[Count]) -> bool {
    let pairs = || {
        values
            .windows(2)
            .filter_map(|pair| Some((pair.first()?.real(), pair.last()?.real())))
    };
    let rises = pairs().all(|(a, b)| a < b);
    let falls = pairs().all(|(a, b)| a > b);
    rises || falls
}

/// Returns the selection of consecutive indices.
fn indices(schema: &Schema, dim: DimId, (start, count): (u64, u64)) -> SelectedIndices {
    let run = IndexRun {
        start,
        count,
        stride: 1,
    };
    let dim = schema.dim(dim);
    let group = dim.map_or_else(String::new, |dim| schema.group_path(dim.group));
    let name = dim.map_or_else(String::new, |dim| dim.name.to_string());
    SelectedIndices {
        dim: format!("{}/{name}", group.trim_end_matches('/')),
        runs: vec![run],
    }
}
