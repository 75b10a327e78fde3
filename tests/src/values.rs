//! The whole content of a dataset as JSON, for comparison with other software without going through CDL.

use std::fmt::Write as _;

use netcdf_core::chunk::Dataset;
use netcdf_core::env::{Damage, Env};
use netcdf_core::error::Result;
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::model::{Attribute, Region, Schema, TypeKind, Values};

/// Returns the JSON of a dataset: `vars` by path with type, shape, values (or the reason for missing values) and attributes, `groups` by
/// path with attributes, and the notes.
///
/// # Errors
/// Returns errors of opening the dataset.
pub fn json(container: Container) -> Result<String> {
    let env = Env {
        damage: Damage::tolerated(),
        ..Env::default()
    };
    let reader = format::open(container, &env)?;
    let (schema, set) = (reader.schema(), Dataset::new(&*reader, &env));
    let vars = schema.var_ids().map(|id| {
        let var = &schema.vars[id.index()];
        let shape = schema.shape(id);
        let data = match set.read(id, &Region::whole(&shape)) {
            Ok(values) => format!("\"values\":[{}]", elements(&values, schema).join(",")),
            Err(e) => format!("\"error\":{}", text(e.to_string().as_bytes())),
        };
        let attributes = attributes(&var.attributes, schema);
        let path = text(schema.var_path(id).as_bytes());
        format!("{path}:{{\"shape\":{shape:?},{data},\"attrs\":{attributes}}}")
    });
    let vars: Vec<String> = vars.collect();
    let groups = (0..schema.groups.len()).map(|n| {
        let id = netcdf_core::model::GroupId(u32::try_from(n).unwrap());
        let path = text(schema.group_path(id).as_bytes());
        format!(
            "{path}:{}",
            attributes(&schema.groups[n].attributes, schema)
        )
    });
    let groups: Vec<String> = groups.collect();
    let notes = env
        .notes
        .take()
        .into_iter()
        .map(|note| text(note.to_string().as_bytes()));
    let damage = env
        .damage
        .take()
        .into_iter()
        .map(|e| text(e.to_string().as_bytes()));
    let notes: Vec<String> = notes.chain(damage).collect();
    let (vars, groups, notes) = (vars.join(",\n"), groups.join(","), notes.join(","));
    Ok(format!(
        "{{\"vars\":{{{vars}}},\n\"groups\":{{{groups}}},\n\"notes\":[{notes}]}}\n"
    ))
}

fn attributes(attributes: &[Attribute], schema: &Schema) -> String {
    let one = |a: &Attribute| {
        let values = match &a.values {
            Values::Char(bytes) => text(bytes),
            other => format!("[{}]", elements(other, schema).join(",")),
        };
        format!("{}:{values}", text(a.name.as_bytes()))
    };
    let all: Vec<String> = attributes.iter().map(one).collect();
    format!("{{{}}}", all.join(","))
}

/// Returns JSON text. Bytes that are not UTF-8 become code points up to U+00FF, with a mark before the text.
fn text(bytes: &[u8]) -> String {
    let (mark, chars): (&str, String) = match std::str::from_utf8(bytes) {
        Ok(text) => ("", text.to_owned()),
        Err(_) => ("\u{10ffff}", bytes.iter().map(|&b| char::from(b)).collect()),
    };
    let mut out = format!("\"{mark}");
    for c in chars.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => write!(out, "\\u{:04x}", u32::from(c)).unwrap(),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn float(x: f64, shown: String) -> String {
    if x.is_nan() {
        "\"NaN\"".to_owned()
    } else if x.is_infinite() {
        if x > 0.0 {
            "\"Infinity\""
        } else {
            "\"-Infinity\""
        }
        .to_owned()
    } else {
        shown
    }
}

/// Returns each element as JSON.
fn elements(values: &Values, schema: &Schema) -> Vec<String> {
    fn plain<T: ToString>(values: &[T]) -> Vec<String> {
        values.iter().map(T::to_string).collect()
    }
    match values {
        Values::Byte(v) => plain(v),
        Values::Short(v) => plain(v),
        Values::Int(v) => plain(v),
        Values::Int64(v) => plain(v),
        Values::UByte(v) => plain(v),
        Values::UShort(v) => plain(v),
        Values::UInt(v) => plain(v),
        Values::UInt64(v) => plain(v),
        Values::Char(v) => v.iter().map(|&b| text(&[b])).collect(),
        Values::Float(v) => v
            .iter()
            .map(|&x| float(x.into(), format!("{x:?}")))
            .collect(),
        Values::Double(v) => v.iter().map(|&x| float(x, format!("{x:?}"))).collect(),
        Values::String(v) => {
            let one = |s: &Option<Box<[u8]>>| s.as_ref().map_or("null".to_owned(), |s| text(s));
            v.iter().map(one).collect()
        }
        Values::Enum(_, base) => elements(base, schema),
        Values::Opaque { size, bytes, .. } => {
            let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
            let one = |b: &[u8]| format!("{{\"hex\":\"{}\"}}", hex(b));
            bytes.chunks_exact(*size).map(one).collect()
        }
        Values::Vlen(_, lists) => {
            let one = |list: &Values| format!("[{}]", elements(list, schema).join(","));
            lists.iter().map(one).collect()
        }
        Values::Compound { ty, len, columns } => {
            let TypeKind::Compound { fields, .. } = &schema.types[ty.index()].kind else {
                panic!("a compound of another type");
            };
            let columns: Vec<_> = columns.iter().map(|c| elements(c, schema)).collect();
            let one = |n: usize| {
                let field = |(f, column): (&netcdf_core::model::Field, &Vec<String>)| {
                    let per = column.len() / (*len).max(1);
                    let own = &column[n * per..(n + 1) * per];
                    let own = if f.dims.is_empty() {
                        own.join(",")
                    } else {
                        format!("[{}]", own.join(","))
                    };
                    format!("{}:{own}", text(f.name.as_bytes()))
                };
                let all: Vec<String> = fields.iter().zip(&columns).map(field).collect();
                format!("{{{}}}", all.join(","))
            };
            (0..*len).map(one).collect()
        }
    }
}
