//! Dimensions and variables.

use netcdf_core::error::Result;
use netcdf_core::model::{DimId, Dimension, GroupId};

use super::super::out::{ProgramOut, put};
use super::super::program::Program;
use super::super::quote::c_string;
use super::names::CNames;
use super::{call, storage};

/// The variables of the program.
pub(super) fn declare(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let schema = &program.schema;
    if !names.classic {
        put!(out, "\n    /* group ids */\n")?;
        for id in (0..).map(GroupId).take(schema.groups.len()) {
            put!(out, "    int {};\n", names.group(id))?;
        }
    }
    if !schema.types.is_empty() {
        put!(out, "\n    /* type ids */\n")?;
        for (id, _) in super::types::ordered(schema) {
            put!(out, "    int {}_typ;\n", names.user_type(id))?;
        }
    }
    if !schema.dims.is_empty() {
        put!(out, "\n    /* dimension ids */\n")?;
        for (id, _) in dims(program) {
            put!(out, "    int {}_dim;\n", names.dim(id))?;
        }
        put!(out, "\n    /* dimension lengths */\n")?;
        for (id, dim) in dims(program) {
            let name = names.dim(id);
            match dim.unlimited {
                true => put!(out, "    size_t {name}_len = NC_UNLIMITED;\n")?,
                false => put!(out, "    size_t {name}_len = {};\n", dim.len)?,
            }
        }
    }
    declare_variables(program, names, out)
}

fn dims<'a>(program: &'a Program<'_>) -> impl Iterator<Item = (DimId, &'a Dimension)> {
    (0..).map(DimId).zip(&program.schema.dims)
}

fn declare_variables(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let schema = &program.schema;
    if schema.vars.is_empty() {
        return Ok(());
    }
    put!(out, "\n    /* variable ids */\n")?;
    for id in schema.var_ids() {
        put!(out, "    int {}_id;\n", names.var(id))?;
    }
    put!(
        out,
        "\n    /* rank (number of dimensions) for each variable */\n"
    )?;
    let rank = |id| schema.var(id).map_or(0, |var| var.dims.len());
    for id in schema.var_ids() {
        put!(out, "#   define RANK_{} {}\n", names.var(id), rank(id))?;
    }
    if schema.vars.iter().any(|var| !var.dims.is_empty()) {
        put!(out, "\n    /* variable shapes */\n")?;
    }
    for id in schema.var_ids().filter(|&id| rank(id) > 0) {
        let name = names.var(id);
        put!(out, "    int {name}_dims[RANK_{name}];\n")?;
    }
    Ok(())
}

/// Defines the dimensions in the dataset.
pub(super) fn dimensions(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    if !program.schema.dims.is_empty() {
        put!(out, "\n    /* define dimensions */\n")?;
    }
    for (id, dim) in dims(program) {
        let (group, own) = (names.group(dim.group), names.dim(id));
        let name = c_string(dim.name.as_bytes());
        call!(out, "nc_def_dim({group}, {name}, {own}_len, &{own}_dim)")?;
    }
    Ok(())
}

/// Defines the variables in the dataset.
pub(super) fn variables(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let schema = &program.schema;
    if !schema.vars.is_empty() {
        put!(out, "\n    /* define variables */\n")?;
    }
    for id in schema.var_ids() {
        let Some(var) = schema.var(id) else { continue };
        let own = names.var(id);
        put!(out, "\n")?;
        for (at, &dim) in var.dims.iter().enumerate() {
            put!(out, "    {own}_dims[{at}] = {}_dim;\n", names.dim(dim))?;
        }
        let dims = match var.dims.len() {
            0 => "0".to_owned(),
            _ => format!("{own}_dims"),
        };
        let (group, name) = (names.group(var.group), c_string(var.name.as_bytes()));
        let ty = names.type_id(var.ty);
        call!(
            out,
            "nc_def_var({group}, {name}, {ty}, RANK_{own}, {dims}, &{own}_id)"
        )?;
        storage::settings(program, names, id, out)?;
    }
    Ok(())
}
