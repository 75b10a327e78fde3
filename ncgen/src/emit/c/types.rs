//! User-defined types, as C types and as dataset types.

use netcdf_core::error::Result;
use netcdf_core::model::{DataType, Field, Name, Schema, TypeId, TypeKind, UserType};

use super::super::out::{ProgramOut, put};
use super::super::program::Program;
use super::super::quote::c_string;
use super::names::{CNames, atomic_type, type_macro};
use super::{OK, call, values};

/// Returns all types in the order of the C tool: types of atomic types first.
pub(super) fn ordered(schema: &Schema) -> Vec<(TypeId, &UserType)> {
    let atomic = |ty: DataType| ty.atomic().is_some();
    let first = |ty: &UserType| match &ty.kind {
        TypeKind::Enum { .. } | TypeKind::Opaque { .. } => true,
        TypeKind::Vlen { base } => atomic(*base),
        TypeKind::Compound { fields, .. } => fields.iter().all(|f| atomic(f.ty)),
    };
    let all = (0..).map(TypeId).zip(&schema.types);
    let (mut types, later): (Vec<_>, Vec<_>) = all.partition(|(_, ty)| first(ty));
    types.extend(later);
    types
}

/// Declares the C types.
pub(super) fn declare(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    for (id, ty) in ordered(&program.schema) {
        let own = names.user_type(id);
        match &ty.kind {
            TypeKind::Opaque { size } => put!(out, "typedef unsigned char {own}[{size}];\n")?,
            TypeKind::Vlen { .. } => put!(out, "typedef nc_vlen_t {own};\n")?,
            TypeKind::Enum { base, members } => {
                let base = atomic_type(*base);
                for (name, (_, value)) in enum_names(names, id, members).iter().zip(members) {
                    let value = enum_value(ty, *value);
                    put!(out, "#define {name} (({base}){value})\n")?;
                }
                put!(out, "typedef {base} {own};\n")?;
            }
            TypeKind::Compound { fields, .. } => {
                put!(out, "typedef struct {own} {{\n")?;
                for (name, field) in field_names(names, id, fields).iter().zip(fields) {
                    let dims: String = field.dims.iter().map(|n| format!("[{n}]")).collect();
                    put!(out, "    {} {name}{dims};\n", names.ty(field.ty))?;
                }
                put!(out, "}} {own};\n")?;
            }
        }
    }
    if program.schema.types.is_empty() {
        return Ok(());
    }
    put!(out, "\n")
}

fn enum_names(names: &CNames, id: TypeId, members: &[(Name, i128)]) -> Vec<String> {
    names.members(id, members.iter().map(|(name, _)| name.as_bytes()))
}

fn field_names(names: &CNames, id: TypeId, fields: &[Field]) -> Vec<String> {
    names.members(id, fields.iter().map(|f| f.name.as_bytes()))
}

fn enum_value(ty: &UserType, value: i128) -> String {
    match &ty.kind {
        TypeKind::Enum { base, .. } => values::integer(*base, value),
        TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. } => {
            String::new()
        }
    }
}

/// Defines the types in the dataset.
pub(super) fn define(
    program: &Program<'_>,
    names: &CNames,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    if program.schema.types.is_empty() {
        return Ok(());
    }
    put!(out, "\n")?;
    for (id, ty) in ordered(&program.schema) {
        let group = names.group(ty.group);
        let (name, own) = (c_string(ty.name.as_bytes()), names.user_type(id));
        match &ty.kind {
            TypeKind::Opaque { size } => {
                call!(out, "nc_def_opaque({group}, {size}, {name}, &{own}_typ)")?;
            }
            TypeKind::Vlen { base } => {
                let base = names.type_id(*base);
                put!(
                    out,
                    "    stat = nc_def_vlen({group}, {name}, {base}, &{own}_typ);{OK}"
                )?;
            }
            TypeKind::Enum { .. } => define_enum(ty, names, id, out)?,
            TypeKind::Compound { fields, .. } => {
                put!(
                    out,
                    "    stat = nc_def_compound({group}, sizeof({own}), {name}, &{own}_typ);{OK}"
                )?;
                put!(out, "    {{\n")?;
                define_fields(fields, (names, id), &group, out)?;
                put!(out, "    }}\n")?;
            }
        }
        put!(out, "\n")?;
    }
    Ok(())
}

fn define_enum(ty: &UserType, names: &CNames, id: TypeId, out: &mut ProgramOut<'_>) -> Result<()> {
    let TypeKind::Enum { base, members } = &ty.kind else {
        return Ok(());
    };
    let (group, own) = (names.group(ty.group), names.user_type(id));
    let (c_type, nc_type) = (atomic_type(*base), type_macro(*base));
    let name = c_string(ty.name.as_bytes());
    put!(out, "    {{\n    {c_type} econst;\n")?;
    call!(out, "nc_def_enum({group}, {nc_type}, {name}, &{own}_typ)")?;
    for (name, value) in members {
        let (name, value) = (c_string(name.as_bytes()), enum_value(ty, *value));
        put!(out, "    econst = {value};\n")?;
        put!(
            out,
            "    stat = nc_insert_enum({group}, {own}_typ, {name}, &econst);\n"
        )?;
    }
    put!(out, "    }}\n")
}

fn define_fields(
    fields: &[Field],
    (names, id): (&CNames, TypeId),
    group: &str,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let own = names.user_type(id);
    let members = field_names(names, id, fields);
    for (member, field) in members
        .iter()
        .zip(fields)
        .filter(|(_, f)| !f.dims.is_empty())
    {
        let rank = field.dims.len();
        let dims: Vec<_> = field.dims.iter().map(u64::to_string).collect();
        put!(
            out,
            "    static int {member}_dims[{rank}] = {{\n{}}};",
            dims.join(", ")
        )?;
    }
    for (member, field) in members.iter().zip(fields) {
        let name = c_string(field.name.as_bytes());
        let offset = format!("NC_COMPOUND_OFFSET({own},{member})");
        let ty = names.type_id(field.ty);
        let (array, dims) = match field.dims.len() {
            0 => ("", String::new()),
            rank => ("_array", format!(", {rank}, {member}_dims")),
        };
        put!(
            out,
            "    stat = nc_insert{array}_compound({group}, {own}_typ, {name}, {offset}, {ty}{dims});{OK}"
        )?;
    }
    Ok(())
}
