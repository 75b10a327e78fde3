//! Attributes in Fortran programs. Values pass through one vector per type.

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Attribute, Values};

use super::super::program::Program;
use super::super::quote;
use super::lines::{Lines, call, line};
use super::names::FortranNames;
use super::values;

/// Maximum bytes of text in a call or assignment.
const TEXT: usize = 500;

/// Returns the vector of a type.
fn vector(ty: Atomic) -> &'static str {
    match ty {
        Atomic::Char => "textval",
        Atomic::Byte => "int1val",
        Atomic::Short => "int2val",
        Atomic::Float => "realval",
        Atomic::Double => "doubleval",
        Atomic::Int => "intval",
        // The model has no other types.
        Atomic::UByte | Atomic::UShort | Atomic::UInt => "intval",
        Atomic::Int64 | Atomic::UInt64 | Atomic::String => "intval",
    }
}

fn all<'a>(program: &'a Program<'_>) -> impl Iterator<Item = &'a Attribute> {
    let vars = program.schema.vars.iter().flat_map(|v| &v.attributes);
    program.schema.root().attributes.iter().chain(vars)
}

/// Declares the vectors.
pub(super) fn declare(program: &Program<'_>, out: &mut Lines<'_, '_>) -> Result<()> {
    if all(program).next().is_none() {
        return Ok(());
    }
    out.comment("attribute vectors")?;
    for ty in Atomic::ALL.into_iter().filter(|ty| ty.is_classic()) {
        let of_type = all(program).filter(|a| a.ty.atomic() == Some(ty));
        let most = of_type.map(|a| a.values.len()).max().unwrap_or(0);
        match ty {
            Atomic::Char if most > TEXT => line!(out, "character*{most} {}", vector(ty))?,
            Atomic::Char => {}
            _ if most == 0 => {}
            _ => line!(out, "{} {}({most})", values::declared(ty), vector(ty))?,
        }
    }
    Ok(())
}

/// Writes attributes of the dataset, then of variables.
pub(super) fn write(
    program: &Program<'_>,
    names: &FortranNames,
    out: &mut Lines<'_, '_>,
) -> Result<()> {
    if program.unusual {
        line!(out, "zero = 0")?;
    }
    let global = &program.schema.root().attributes;
    if !global.is_empty() {
        out.comment("assign global attributes")?;
        global.iter().try_for_each(|a| put(a, "NF_GLOBAL", out))?;
        out.blank()?;
    }
    if program
        .schema
        .vars
        .iter()
        .all(|var| var.attributes.is_empty())
    {
        return Ok(());
    }
    out.comment("assign per-variable attributes")?;
    for (name, var) in names.vars.iter().zip(&program.schema.vars) {
        let own = format!("{name}_id");
        var.attributes.iter().try_for_each(|a| put(a, &own, out))?;
    }
    out.blank()
}

fn put(attribute: &Attribute, var: &str, out: &mut Lines<'_, '_>) -> Result<()> {
    let name = attribute.name.as_bytes();
    out.comment(&format!("define {}", String::from_utf8_lossy(name)))?;
    let (name, ty) = (
        quote::fortran(name),
        attribute.ty.atomic().unwrap_or(Atomic::Char),
    );
    let (vector, len) = (vector(ty), attribute.values.len());
    if let Values::Char(bytes) = &attribute.values {
        let mut text = quote::fortran(bytes);
        if len > TEXT {
            for (part, at) in bytes.chunks(TEXT).zip((1..).step_by(TEXT)) {
                let end = at + part.len() - 1;
                line!(out, "{vector}({at}:{end}) = {}", quote::fortran(part))?;
            }
            text = format!("{vector}(1:{len})");
        }
        return call!(
            out,
            "nf_put_att_text(ncid, {var}, {name}, {}, {text})",
            len.max(1)
        );
    }
    for (value, at) in values::expressions(&attribute.values).iter().zip(1u64..) {
        line!(out, "{vector}({at}) = {value}")?;
    }
    let (suffix, ty) = (values::suffix(ty), values::type_name(ty));
    call!(
        out,
        "nf_put_att_{suffix}(ncid, {var}, {name}, {ty}, {len}, {vector})"
    )
}
