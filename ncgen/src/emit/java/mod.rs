//! Java programs, for the classes of netCDF-Java 4.

mod data;
mod values;

use std::collections::HashSet;

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Attribute, DimId, Variable};

use super::name::unique;
use super::out::{ProgramOut, put};
use super::program::{Program, mode};
use super::quote;

/// The identifiers, in the order of the schema.
struct JavaNames {
    dims: Vec<String>,
    vars: Vec<String>,
}

/// Prints the program.
///
/// # Errors
/// Returns errors of the source and of `out`, and signals.
pub(super) fn write(program: &Program<'_>, out: &mut ProgramOut<'_>) -> Result<()> {
    let schema = &program.schema;
    let dims = schema.dims.iter().map(|d| d.name.as_bytes());
    let vars = schema.vars.iter().map(|v| v.name.as_bytes());
    let names = JavaNames {
        dims: unique(dims, &mut HashSet::new()),
        vars: unique(vars, &mut HashSet::new()),
    };
    for package in ["java.util", "ucar.ma2", "ucar.nc2", "ucar.nc2.NetcdfFile"] {
        put!(out, "import {package}.*;\n")?;
    }
    put!(out, "\npublic class {}\n{{\n\n", program.main)?;
    put!(
        out,
        "static public void main(String[] argv) throws Exception\n{{\n"
    )?;
    lengths(program, &names, out)?;
    put!(out, "\n\n    /* enter define mode */\n")?;
    let (file, fill) = (text(program.file.as_bytes()), !program.no_fill);
    let create = "NetcdfFileWriteable ncfile = NetcdfFileWriteable.createNew";
    put!(out, "    {create}({file}, {fill});\n")?;
    if mode(schema.kind).contains(&"64BIT_OFFSET") {
        put!(out, "    ncfile.setLargeFile(true);\n")?;
    }
    dimensions(program, &names, out)?;
    variables(program, &names, out)?;
    attributes(program, out)?;
    put!(out, "    ncfile.create();\n")?;
    if !program.header_only {
        data::write(program, out)?;
    }
    put!(out, "    ncfile.close();\n\n    }}\n}}\n")
}

/// Identifiers are unique.
fn text(bytes: &[u8]) -> String {
    quote::java(bytes, '"')
}

/// Returns the type of a variable. The model has only atomic types.
fn atomic(var: &Variable) -> Atomic {
    var.ty.atomic().unwrap_or(Atomic::Char)
}

fn lengths(program: &Program<'_>, names: &JavaNames, out: &mut ProgramOut<'_>) -> Result<()> {
    if !program.schema.dims.is_empty() {
        put!(out, "\n    /* dimension lengths */\n")?;
    }
    for (own, dim) in names.dims.iter().zip(&program.schema.dims) {
        let len = if dim.unlimited { 0 } else { dim.len };
        put!(out, "    final int {own}_len = {len};\n")?;
    }
    Ok(())
}

fn dimensions(program: &Program<'_>, names: &JavaNames, out: &mut ProgramOut<'_>) -> Result<()> {
    if !program.schema.dims.is_empty() {
        put!(out, "\n    /* define dimensions */\n")?;
    }
    for (own, dim) in names.dims.iter().zip(&program.schema.dims) {
        let name = text(dim.name.as_bytes());
        match dim.unlimited {
            true => put!(
                out,
                "    Dimension {own}_dim = ncfile.addUnlimitedDimension({name});\n"
            )?,
            false => {
                put!(
                    out,
                    "    Dimension {own}_dim = ncfile.addDimension({name}, {own}_len);\n"
                )?;
            }
        }
    }
    Ok(())
}

fn variables(program: &Program<'_>, names: &JavaNames, out: &mut ProgramOut<'_>) -> Result<()> {
    if !program.schema.vars.is_empty() {
        put!(out, "\n    /* define variables */\n")?;
    }
    for (own, var) in names.vars.iter().zip(&program.schema.vars) {
        put!(out, "\n    ArrayList {own}_dimlist = new ArrayList();\n")?;
        let dim = |id: DimId| names.dims.get(id.index()).map_or("", String::as_str);
        for &id in &var.dims {
            put!(out, "    {own}_dimlist.add({}_dim);\n", dim(id))?;
        }
        let (name, ty) = (
            text(var.name.as_bytes()),
            atomic(var).name().to_ascii_uppercase(),
        );
        put!(
            out,
            "    ncfile.addVariable({name}, DataType.{ty}, {own}_dimlist);\n"
        )?;
    }
    Ok(())
}

fn attributes(program: &Program<'_>, out: &mut ProgramOut<'_>) -> Result<()> {
    let global = &program.schema.root().attributes;
    if !global.is_empty() {
        put!(out, "\n    /* assign global attributes */\n")?;
        let call = "addGlobalAttribute(";
        global.iter().try_for_each(|a| attribute(a, call, out))?;
        put!(out, "\n")?;
    }
    let vars = &program.schema.vars;
    if vars.iter().all(|var| var.attributes.is_empty()) {
        return Ok(());
    }
    put!(out, "\n    /* assign per-variable attributes */\n")?;
    for var in vars {
        let call = format!("addVariableAttribute({},", text(var.name.as_bytes()));
        var.attributes
            .iter()
            .try_for_each(|a| attribute(a, &call, out))?;
    }
    put!(out, "\n")
}

fn attribute(attribute: &Attribute, call: &str, out: &mut ProgramOut<'_>) -> Result<()> {
    let name = attribute.name.to_string();
    put!(
        out,
        "    /* attribute: {} */\n",
        name.replace("*/", "* /").replace('\\', "/")
    )?;
    let name = text(attribute.name.as_bytes());
    if let Some(bytes) = attribute.values.as_text() {
        let own = text(if bytes == b"\0" { b"" } else { bytes });
        return put!(out, "    ncfile.{call}{name},{own});\n");
    }
    let ty = values::type_name(attribute.ty.atomic().unwrap_or(Atomic::Int));
    let (len, list) = (attribute.values.len(), values::list(&attribute.values));
    put!(
        out,
        "    {{\n    Array data = Array.factory({ty}.class, new int[]{{{len}}}, "
    )?;
    put!(out, "new {ty}[]{{{list}}});\n")?;
    put!(out, "    ncfile.{call}{name},data);\n    }}\n")
}
