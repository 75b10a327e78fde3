//! Attributes in C programs.

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Attribute, DataType, GroupId, Values};

use super::super::out::{ProgramOut, put};
use super::super::program::Program;
use super::super::quote::{self, c_string};
use super::OK;
use super::names::CNames;
use super::values::ValuePrinter;

/// Writes attributes of groups, then of variables.
pub(super) fn write(
    program: &Program<'_>,
    names: &CNames,
    printer: &mut ValuePrinter<'_>,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let schema = &program.schema;
    let groups = (0..).map(GroupId).zip(&schema.groups);
    let of_groups: Vec<_> = groups
        .flat_map(|(id, group)| group.attributes.iter().map(move |a| (id, a)))
        .collect();
    if !of_groups.is_empty() {
        put!(out, "\n    /* assign global attributes */\n")?;
        for (group, attribute) in of_groups {
            let owner = AttributeHolder {
                group,
                var: "NC_GLOBAL",
            };
            put(program, printer, owner, attribute, out)?;
        }
        put!(out, "\n")?;
    }
    if schema.vars.iter().all(|var| var.attributes.is_empty()) {
        return Ok(());
    }
    put!(out, "\n    /* assign per-variable attributes */\n")?;
    for id in schema.var_ids() {
        let Some(var) = schema.var(id) else { continue };
        let own = format!("{}_id", names.var(id));
        // The library itself writes the attribute about quantization.
        let own_quantize = var.storage.quantize.map(|q| q.attribute().name);
        let others = |a: &&Attribute| own_quantize.as_ref() != Some(&a.name);
        for attribute in var.attributes.iter().filter(others) {
            let owner = AttributeHolder {
                group: var.group,
                var: &own,
            };
            put(program, printer, owner, attribute, out)?;
        }
    }
    put!(out, "\n")
}

/// The owner of an attribute.
struct AttributeHolder<'a> {
    group: GroupId,
    /// The id of the variable in the program, or `NC_GLOBAL`.
    var: &'a str,
}

fn put(
    program: &Program<'_>,
    printer: &mut ValuePrinter<'_>,
    AttributeHolder { group, var }: AttributeHolder<'_>,
    attribute: &Attribute,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let names = printer.names;
    let name = c_string(attribute.name.as_bytes());
    let place = format!("{}, {var}, {name}", names.group(group));
    put!(out, "\n    {{\n")?;
    if let Values::Char(text) = &attribute.values {
        let len = text.len().max(1);
        // The string terminator provides the only byte of an empty text.
        let text = if text == b"\0" { b"" } else { text.as_slice() };
        put!(out, "    stat = nc_put_att_text({place}, {len}, \"")?;
        out.bytes(&quote::c_bytes(text))?;
        put!(out, "\");\n{OK}")?;
        return put!(out, "    }}\n");
    }
    // The number includes the list of values.
    printer.lists += 1;
    let (len, values) = (attribute.values.len(), printer.list(&attribute.values));
    for array in printer.arrays.drain(..) {
        put!(out, "    {array}\n")?;
    }
    let own = names.attribute(&program.schema, group, attribute.name.as_bytes());
    let mut constant = "NULL".to_owned();
    if len > 0 {
        let ty = names.ty(attribute.ty);
        put!(
            out,
            "    static const {ty} {own}_att[{len}] = {{{values}}} ;\n"
        )?;
        constant = format!("{own}_att");
    }
    // The functions for one type do not accept values of user-defined types.
    let atomic = attribute.ty.atomic();
    let function = atomic.map_or_else(String::new, |ty| format!("_{}", suffix(ty)));
    let ty = match attribute.ty {
        DataType::Atomic(Atomic::String) => String::new(),
        DataType::Atomic(_) | DataType::User(_) => format!(", {}", names.type_id(attribute.ty)),
    };
    let end = if same_line(atomic) { "" } else { "\n" };
    put!(
        out,
        "    stat = nc_put_att{function}({place}{ty}, {len}, {constant});{end}{OK}"
    )?;
    put!(out, "    }}\n")
}

/// Returns the suffix of the function name for a type.
fn suffix(ty: Atomic) -> &'static str {
    match ty {
        Atomic::Byte => "schar",
        Atomic::Char => "text",
        Atomic::Short => "short",
        Atomic::Int => "int",
        Atomic::Float => "float",
        Atomic::Double => "double",
        Atomic::UByte => "ubyte",
        Atomic::UShort => "ushort",
        Atomic::UInt => "uint",
        Atomic::Int64 => "longlong",
        Atomic::UInt64 => "ulonglong",
        Atomic::String => "string",
    }
}

/// Returns whether the status check is on the same line.
fn same_line(ty: Option<Atomic>) -> bool {
    ty.is_some_and(|ty| ty.number() > 6)
}
