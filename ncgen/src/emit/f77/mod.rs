//! Fortran 77 programs, in fixed form, for the functions of netCDF's `netcdf.inc`.

mod attributes;
mod data;
mod lines;
mod names;
mod values;

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, DimId, Variable};

use super::out::ProgramOut;
use super::program::{Program, mode};
use super::quote;
use lines::{Lines, call, line};
use names::FortranNames;

/// Maximum number of elements per subroutine: compilers are slow on long subroutines.
pub(super) const MOST: u64 = 1024;

/// Prints the program.
///
/// # Errors
/// Returns errors of the source and of `out`, and signals.
pub(super) fn write(program: &Program<'_>, out: &mut ProgramOut<'_>) -> Result<()> {
    let names = FortranNames::new(program);
    let mut lines = Lines::new(out);
    let out = &mut lines;
    line!(out, "program {}", program.main)?;
    line!(out, "include 'netcdf.inc'")?;
    out.comment("error status return")?;
    line!(out, "integer stat")?;
    out.comment("netCDF ncid")?;
    line!(out, "integer  ncid")?;
    if program.no_fill {
        line!(out, "integer oldfil")?;
    }
    if program.unusual {
        line!(out, "double precision zero")?;
    }
    if program.schema.vars.iter().any(|var| var.dims.is_empty()) {
        line!(out, "integer nodims(1)")?;
    }
    declare(program, &names, out)?;
    attributes::declare(program, out)?;
    create(program, out)?;
    define(program, &names, out)?;
    attributes::write(program, &names, out)?;
    if program.no_fill {
        out.comment("don't initialize variables with fill values")?;
        call!(out, "nf_set_fill(ncid, NF_NOFILL, oldfil)")?;
    }
    out.comment("leave define mode")?;
    call!(out, "nf_enddef(ncid)")?;
    out.blank()?;
    if !program.header_only {
        data::scalars(program, &names, out)?;
        data::calls(program, &names, out)?;
    }
    call!(out, "nf_close(ncid)")?;
    line!(out, "end")?;
    if !program.header_only {
        data::subroutines(program, &names, out)?;
    }
    check(out)
}

fn check(out: &mut Lines<'_, '_>) -> Result<()> {
    for text in [
        "subroutine check_err(stat)",
        "integer stat",
        "include 'netcdf.inc'",
        "if (stat .ne. NF_NOERR) then",
        "print *, nf_strerror(stat)",
        "stop 1",
        "endif",
        "end",
    ] {
        line!(out, "{text}")?;
    }
    Ok(())
}

fn create(program: &Program<'_>, out: &mut Lines<'_, '_>) -> Result<()> {
    let mode = match mode(program.schema.kind) {
        [] => "nf_clobber".to_owned(),
        [flag, ..] => format!("ior(nf_clobber, nf_{})", flag.to_lowercase()),
    };
    out.comment("enter define mode")?;
    let file = quote::fortran(program.file.as_bytes());
    call!(out, "nf_create({file}, {mode}, ncid)")
}

/// Declares dimensions and variables as program variables.
fn declare(program: &Program<'_>, names: &FortranNames, out: &mut Lines<'_, '_>) -> Result<()> {
    let schema = &program.schema;
    if !schema.dims.is_empty() {
        out.comment("dimension lengths")?;
        for (name, dim) in names.dims.iter().zip(&schema.dims) {
            let len = match dim.unlimited {
                true => "NF_UNLIMITED".to_owned(),
                false => dim.len.to_string(),
            };
            line!(out, "integer {name}_len")?;
            line!(out, "parameter ({name}_len = {len})")?;
        }
        out.comment("dimension ids")?;
        for name in &names.dims {
            line!(out, "integer {name}_dim")?;
        }
        out.blank()?;
    }
    if schema.vars.is_empty() {
        return Ok(());
    }
    out.comment("variable ids")?;
    for name in &names.vars {
        line!(out, "integer {name}_id")?;
    }
    out.blank()?;
    out.comment("rank (number of dimensions) for each variable")?;
    for (name, var) in names.vars.iter().zip(&schema.vars) {
        line!(out, "integer {name}_rank")?;
        line!(out, "parameter ({name}_rank = {})", var.dims.len())?;
    }
    out.blank()?;
    out.comment("variable shapes")?;
    for (name, var) in names.vars.iter().zip(&schema.vars) {
        if !var.dims.is_empty() {
            line!(out, "integer {name}_dims({name}_rank)")?;
        }
    }
    out.blank()?;
    out.comment("variable declarations")?;
    let with_data = schema.var_ids().map(|id| program.list(id).is_some());
    for ((name, var), with_data) in names.vars.iter().zip(&schema.vars).zip(with_data) {
        if with_data && var.dims.is_empty() && atomic(var) != Atomic::Char {
            line!(out, "{} {name}", values::declared(atomic(var)))?;
        }
    }
    Ok(())
}

/// Returns the type of a variable. The model has only atomic types.
fn atomic(var: &Variable) -> Atomic {
    var.ty.atomic().unwrap_or(Atomic::Char)
}

/// Defines dimensions and variables in the dataset.
fn define(program: &Program<'_>, names: &FortranNames, out: &mut Lines<'_, '_>) -> Result<()> {
    let schema = &program.schema;
    if !schema.dims.is_empty() {
        out.comment("define dimensions")?;
    }
    for (own, dim) in names.dims.iter().zip(&schema.dims) {
        let name = quote::fortran(dim.name.as_bytes());
        call!(out, "nf_def_dim(ncid, {name}, {own}_len, {own}_dim)")?;
    }
    if !schema.vars.is_empty() {
        out.comment("define variables")?;
    }
    for (own, var) in names.vars.iter().zip(&schema.vars) {
        out.blank()?;
        let dim = |id: DimId| names.dims.get(id.index()).map_or("", String::as_str);
        // Fortran's first dimension varies fastest.
        for (at, &id) in var.dims.iter().rev().enumerate() {
            line!(out, "{own}_dims({}) = {}_dim", at + 1, dim(id))?;
        }
        let name = quote::fortran(var.name.as_bytes());
        let dims = match var.dims.len() {
            // Compilers expect an array, as for other variables.
            0 => "nodims".to_owned(),
            _ => format!("{own}_dims"),
        };
        let ty = values::type_name(atomic(var));
        call!(
            out,
            "nf_def_var(ncid, {name}, {ty}, {own}_rank, {dims}, {own}_id)"
        )?;
    }
    Ok(())
}
