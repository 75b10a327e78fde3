//! What is made of a dataset: input schema and options to output schema.

use super::{Options, Selection};
use crate::error::{Error, ErrorKind, Result};
use crate::model::kind::Model;
use crate::model::{DataType, DimId, Group, Kind, Schema, VarId};

/// A variable of the input and the one that gets its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// In the input.
    pub from: VarId,
    /// In the output.
    pub to: VarId,
}

/// What a copy does.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The output's schema; unlimited dimensions have length 0 and grow with the data.
    pub schema: Schema,
    /// The variables whose data is copied, in definition order.
    pub data: Vec<Pair>,
    /// Lengths that unlimited dimensions of the output have whatever the data.
    pub lengths: Vec<(DimId, u64)>,
}

/// Plans a copy of a dataset with the schema `input`. Names and attributes stay as they are.
///
/// # Errors
/// [`ErrorKind::NotFound`] for a selected variable that does not exist, [`ErrorKind::BadType`]
/// where the output's kind lacks a type, with all that have it.
pub fn plan(input: &Schema, options: &Options) -> Result<Plan> {
    let marks = options.select.of(input)?;
    let mut schema = input.clone();
    schema.kind = options.kind.unwrap_or(input.kind);
    let lengths = fit_dims(&mut schema, options);
    let data = keep_vars(&mut schema, &marks);
    check_types(&schema)?;
    Ok(Plan {
        schema,
        data,
        lengths,
    })
}

/// Fixes the unlimited dimensions, or empties them; the lengths to be kept. As netCDF knows no
/// fixed dimension of length 0, an empty one stays unlimited. Where variables are left out, the
/// length is that of the data copied.
fn fit_dims(schema: &mut Schema, options: &Options) -> Vec<(DimId, u64)> {
    let mut lengths = Vec::new();
    for (n, dim) in (0u32..).zip(&mut schema.dims) {
        if !dim.unlimited {
            continue;
        }
        if options.fix_unlimited && dim.len > 0 {
            dim.unlimited = false;
            continue;
        }
        if options.select == Selection::All && dim.len > 0 {
            lengths.push((DimId(n), dim.len));
        }
        dim.len = 0;
    }
    lengths
}

/// Drops the variables that are not marked as defined; the pairs of those whose data is copied.
fn keep_vars(schema: &mut Schema, marks: &[(bool, bool)]) -> Vec<Pair> {
    let vars = std::mem::take(&mut schema.vars);
    let ids = schema_var_ids(vars.len());
    schema
        .groups
        .iter_mut()
        .for_each(|g: &mut Group| g.vars.clear());
    let mut data = Vec::new();
    for ((from, var), &(defined, copied)) in ids.zip(vars).zip(marks) {
        if defined {
            let to = schema.add_var(var);
            data.extend(copied.then_some(Pair { from, to }));
        }
    }
    data
}

fn schema_var_ids(len: usize) -> impl Iterator<Item = VarId> {
    (0..u32::try_from(len).unwrap_or(u32::MAX)).map(VarId)
}

/// Names said at most in an error.
const NAMED: usize = 8;

/// Whether the kind has the types of all variables and attributes. Types are never changed by a
/// copy: readers of the output may rely on them.
fn check_types(schema: &Schema) -> Result<()> {
    let mut lacking = Vec::new();
    let mut look = |ty: DataType, name: &dyn Fn() -> String| {
        if !has_type(schema.kind, ty) {
            let ty = ty.atomic().map_or("user-defined", |a| a.name());
            lacking.push(format!("{} ({ty})", name()));
        }
    };
    for (n, group) in (0u32..).zip(&schema.groups) {
        let path = schema.group_path(crate::model::GroupId(n));
        let path = path.trim_end_matches('/');
        for a in &group.attributes {
            look(a.ty, &|| format!("{path}:{}", a.name));
        }
    }
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        look(var.ty, &|| schema.var_path(id));
        for a in &var.attributes {
            look(a.ty, &|| format!("{}:{}", schema.var_path(id), a.name));
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }
    let more = lacking.len().saturating_sub(NAMED);
    lacking.truncate(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let what = format!(
        "{} files do not have the types of {}{more}",
        schema.kind.name(),
        lacking.join(", ")
    );
    Err(Error::new(ErrorKind::BadType, what).with_remedy(way_out(schema)))
}

/// True if datasets of this kind have variables and attributes of this type.
fn has_type(kind: Kind, ty: DataType) -> bool {
    match kind.model() {
        Model::Classic => ty.atomic().is_some_and(|a| a.is_classic()),
        Model::Cdf5 => ty.atomic().is_some_and(|a| a.size().is_some()),
        Model::Enhanced => true,
    }
}

fn way_out(schema: &Schema) -> &'static str {
    let mut types = schema.vars.iter().map(|v| v.ty);
    let attributes = schema.vars.iter().flat_map(|v| &v.attributes);
    let attributes = attributes.chain(schema.groups.iter().flat_map(|g| &g.attributes));
    let fit = types.all(|t| has_type(Kind::Cdf5, t))
        && attributes.into_iter().all(|a| has_type(Kind::Cdf5, a.ty));
    if fit {
        "use -k cdf5, or name the variables to be copied with -V"
    } else {
        "use -k nc4, or name the variables to be copied with -V"
    }
}

#[cfg(test)]
mod tests;
