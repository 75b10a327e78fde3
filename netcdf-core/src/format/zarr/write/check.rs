//! Rejects schemas that a Zarr dataset cannot store.

use std::collections::HashSet;

use super::attributes::{self, AttributeForm};
use super::numbers::Style;
use super::{fill, user_types};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result, list_names};
use crate::format::reserved_names::ReservedNames;
use crate::format::zarr::attrs;
use crate::json::Json;
use crate::model::{
    Atomic, Attribute, DataType, GroupId, Name, Schema, TypeKind, Values, Variable, Zarr,
    ZarrOptions, ZarrVersion,
};
use crate::notes::Note;

/// Attributes that encode the netCDF model, or the provenance of the dataset.
const RESERVED: &[&str] = &[
    "_Codecs",
    "_Format",
    "_IsNetcdf4",
    "_NCProperties",
    "_SuperblockVersion",
    "_nczarr_array",
    "_nczarr_attr",
    "_nczarr_attrs",
    "_nczarr_group",
    "_nczarr_superblock",
];

/// The attribute that contains the dimension names of a variable.
pub(crate) const DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// Rejects a schema that a Zarr dataset cannot store, and lists all defects. Notes skipped definitions that cause no data loss.
///
/// # Errors
/// Returns [`ErrorKind::NotInFormat`] for user-defined types, [`ErrorKind::BadName`] for names that cannot be keys or are reserved, or
/// [`ErrorKind::Exists`] for duplicate names.
pub(crate) fn check(schema: &Schema, options: ZarrOptions, env: &Env) -> Result<()> {
    types(schema, env)?;
    each_name(schema, schema.kind.as_zarr().is_some_and(|zarr| zarr.pure))?;
    let lists = lists(schema);
    let mut taken = ReservedNames::default();
    for (path, var, attributes) in &lists {
        let mut names = HashSet::with_capacity(attributes.len());
        for a in *attributes {
            let is = |name: &str| a.name.is(name);
            if RESERVED.iter().any(|name| is(name)) || options.xarray && a.name.is(DIMENSIONS) {
                taken.add(path, var.is_none(), &a.name);
            }
            if !names.insert(&a.name) {
                let what = "two attributes have this name";
                let path = format!("{path}:{}", a.name);
                return Err(Error::new(ErrorKind::Exists, what).in_object(&path));
            }
            text(&a.name).map_err(|e| e.in_object(&format!("{path}:{}", a.name)))?;
        }
    }
    taken.check("Zarr datasets")
}

/// Returns all attribute lists, with the owner's path, and the variable if the owner is a variable.
pub(crate) fn lists(schema: &Schema) -> Vec<(String, Option<&Variable>, &[Attribute])> {
    let groups = (0..).zip(&schema.groups).map(|(n, group)| {
        let path = schema.group_path(GroupId(n));
        let path = path.trim_end_matches('/').to_owned();
        (path, None, &*group.attributes)
    });
    let vars = schema.var_ids().zip(&schema.vars);
    let vars = vars.map(|(id, var)| (schema.var_path(id), Some(var), &*var.attributes));
    groups.chain(vars).collect()
}

/// Notes facts that a dataset without netCDF's own metadata does not record.
pub(crate) fn note_unrecorded(schema: &Schema, env: &Env) {
    let unlimited = schema.dims.iter().filter(|d| d.unlimited);
    let unlimited: Vec<String> = unlimited.map(|d| d.name.to_string()).collect();
    let vars = schema.var_ids().zip(&schema.vars);
    let chars = vars.filter(|(_, v)| v.ty == Atomic::Char.into());
    let chars: Vec<String> = chars.map(|(id, _)| schema.var_path(id)).collect();
    // In version 2, `fill_value` also records the fill value.
    let fills = match schema.kind.as_zarr().map(|zarr| zarr.version) {
        Some(ZarrVersion::V3) => in_fill_value_only(schema),
        Some(ZarrVersion::V2) | None => vec![],
    };
    let (v2, nczarr) = ("-k zarr (version 2)", "-k nczarr or -k nczarr3");
    for (names, what, kept) in [
        (
            fills,
            "that the fill values of these variables are missing data",
            v2,
        ),
        (unlimited, "that these dimensions are unlimited", nczarr),
        (chars, "that these are characters, not strings", nczarr),
        (retyped(schema), "the types of these attributes", nczarr),
    ] {
        if !names.is_empty() {
            env.notes.remark(Note {
                object: "/".to_owned(),
                what: format!("pure Zarr does not record {what}: {}", list_names(&names)),
                remedy: Some(format!("use {kept} to keep it")),
            });
        }
    }
}

/// Notes that Python readers reject version 2 datasets with netCDF's character type.
pub(crate) fn note_python_readers(schema: &Schema, zarr: Zarr, env: &Env) {
    let vars = schema.var_ids().zip(&schema.vars);
    let chars = vars.filter(|(_, v)| v.ty == Atomic::Char.into());
    let chars: Vec<String> = chars.map(|(id, _)| schema.var_path(id)).collect();
    if zarr.version == ZarrVersion::V2 && !chars.is_empty() {
        let what = "NCZarr version 2 stores characters as `>S1`, as netCDF-C needs; zarr-python 3 and xarray open no store with this type";
        env.notes.remark(Note {
            object: "/".to_owned(),
            what: format!("{what}: {}", list_names(&chars)),
            remedy: Some("use -k zarr for Python".to_owned()),
        });
    }
}

/// Returns the variables with `_FillValue` in the array's `fill_value` only.
fn in_fill_value_only(schema: &Schema) -> Vec<String> {
    let vars = schema.var_ids().zip(&schema.vars);
    let vars = vars.filter(|(_, var)| {
        var.attributes
            .iter()
            .any(|a| fill::is_in_fill_value_only(var, a))
    });
    vars.map(|(id, _)| schema.var_path(id)).collect()
}

/// Returns the attributes that read back with another type because types are not recorded.
fn retyped(schema: &Schema) -> Vec<String> {
    let lists = lists(schema);
    let odd = lists.iter().flat_map(|(path, var, attributes)| {
        let stored_as_fill =
            |a: &Attribute| var.is_some_and(|var| fill::is_in_fill_value_only(var, a));
        let read = |a: &Attribute| var.and_then(|var| fill_type(var, a));
        let odd = attributes
            .iter()
            .filter(move |a| !stored_as_fill(a) && !keeps_type(a, read(a), schema.json_texts));
        odd.map(move |a| format!("{path}:{}", a.name))
    });
    odd.collect()
}

/// Returns the type that readers try for an attribute: the variable's type for `_FillValue`.
fn fill_type(var: &Variable, attribute: &Attribute) -> Option<Atomic> {
    let ty = var
        .ty
        .atomic()
        .filter(|_| attribute.name.is("_FillValue"))?;
    Some(match ty {
        Atomic::Char => Atomic::String,
        other => other,
    })
}

/// Checks whether the JSON of an attribute reads back with the same type. `ty` is the type that readers try first.
fn keeps_type(attribute: &Attribute, ty: Option<Atomic>, json_texts: bool) -> bool {
    let form = AttributeForm {
        recorded: false,
        style: Style::Inferred,
        json_texts,
    };
    match (attributes::store(attribute, form), &attribute.values) {
        // Copies, comparisons and digests read `null` as the same string.
        (Ok(stored), _) if stored.json == Json::Null => true,
        // Other notes cover texts.
        (Ok(_), Values::Char(_)) if ty.is_none_or(|ty| ty == Atomic::String) => true,
        (Ok(stored), values) => attrs::values(&stored.json, ty).0.data_type() == values.data_type(),
        (Err(_), _) => false,
    }
}

/// Rejects user-defined types in use.
///
/// # Errors
/// Returns [`ErrorKind::NotInFormat`] with the objects that use the types.
pub(crate) fn user_types(schema: &Schema) -> Result<()> {
    let mut paths = vec![];
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        let held = match var.ty {
            DataType::Atomic(_) => true,
            DataType::User(ty) => user_types::of(schema, ty).is_some(),
        };
        paths.extend((!held).then(|| schema.var_path(id)));
    }
    for (path, var, attributes) in lists(schema) {
        let stored_as_fill =
            |a: &Attribute| var.is_some_and(|var| fill::is_in_fill_value_only(var, a));
        let user = attributes
            .iter()
            .filter(|a| a.ty.atomic().is_none() && !stored_as_fill(a));
        paths.extend(user.map(|a| format!("{path}:{}", a.name)));
    }
    let error = match paths.as_slice() {
        [] => return Ok(()),
        [only] => {
            let what = "a user-defined type that such Zarr datasets do not have";
            Error::new(ErrorKind::NotInFormat, what).in_object(only)
        }
        all => {
            let what = "Zarr datasets of this kind do not have the user-defined types of ";
            Error::new(ErrorKind::NotInFormat, format!("{what}{}", list_names(all)))
        }
    };
    let enums = has_enums(schema).then_some("nccopy --enums=flags, ");
    let mut remedy = format!(
        "use -k nc4, {}or exclude these objects",
        enums.unwrap_or_default()
    );
    if schema.kind.as_zarr().is_some_and(|zarr| !zarr.pure) {
        remedy.push_str("; -k zarr has truth values, complex numbers and structures");
    }
    Err(error.with_remedy(remedy))
}

/// Checks whether a variable or attribute has an enum type.
fn has_enums(schema: &Schema) -> bool {
    let lists = lists(schema);
    let attributes = lists.iter().flat_map(|(_, _, list)| list.iter());
    let mut types = attributes
        .map(|a| a.ty)
        .chain(schema.vars.iter().map(|var| var.ty));
    types.any(|ty| match ty {
        DataType::User(id) => {
            let kind = schema.user_type(id).map(|ty| &ty.kind);
            matches!(kind, Some(TypeKind::Enum { .. }))
        }
        DataType::Atomic(_) => false,
    })
}

/// Rejects user-defined types in use. Notes unused types, which are skipped.
fn types(schema: &Schema, env: &Env) -> Result<()> {
    user_types(schema)?;
    let used: HashSet<_> = schema.vars.iter().map(|var| var.ty).collect();
    let any = used.iter().any(|ty| ty.atomic().is_none());
    for ty in schema.types.iter().filter(|_| !any) {
        env.notes.say(Note {
            object: ty.name.to_string(),
            what: "skipped: unused user-defined type (Zarr has no user-defined types)".to_owned(),
            remedy: None,
        });
    }
    Ok(())
}

/// Rejects duplicate names, and names that cannot be parts of keys.
fn each_name(schema: &Schema, pure: bool) -> Result<()> {
    let mut names = HashSet::new();
    let groups = (1..).zip(schema.groups.iter().skip(1));
    let groups =
        groups.filter_map(|(n, g)| Some((g.parent?, &g.name, schema.group_path(GroupId(n)))));
    let vars = schema.var_ids().zip(&schema.vars);
    let vars = vars.map(|(id, v)| (v.group, &v.name, schema.var_path(id)));
    for (group, name, path) in groups.chain(vars) {
        segment(name, pure).map_err(|e| e.in_object(&path))?;
        if !names.insert((group, name)) {
            let what = "two objects in one group have this name";
            return Err(Error::new(ErrorKind::Exists, what).in_object(&path));
        }
    }
    for dim in &schema.dims {
        text(&dim.name).map_err(|e| e.in_object(&dim.name.to_string()))?;
    }
    Ok(())
}

/// Checks that a name can be part of a key. Readers of pure Zarr interpret names with a leading dot as metadata keys.
fn segment(name: &Name, pure: bool) -> Result<()> {
    let text = text(name)?;
    let why = if text.is_empty() || text == "." || text == ".." {
        "it does not name a key"
    } else if text.contains(['/', '\\']) {
        "it contains a slash"
    } else if text.chars().any(char::is_control) {
        "it contains a control character"
    } else if text.starts_with(".z") || text.starts_with(".ncz") || text == "zarr.json" {
        "it is reserved for metadata"
    } else if pure && text.starts_with('.') {
        "it begins with a dot, as keys of metadata do"
    } else {
        return Ok(());
    };
    let what = format!("`{name}` is not allowed as a name in Zarr datasets: {why}");
    Err(Error::new(ErrorKind::BadName, what))
}

/// Checks that a name is UTF-8.
fn text(name: &Name) -> Result<&str> {
    std::str::from_utf8(name.as_bytes()).map_err(|_| {
        let what = format!("the name `{name}` is not UTF-8, as names in Zarr datasets must be");
        Error::new(ErrorKind::BadName, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Storage;

    fn attribute(name: &[u8], values: Values) -> Attribute {
        Attribute::atomic(Name::stored(name), values).unwrap()
    }

    #[test]
    fn numbers_without_a_json_form_are_noted() {
        let keeps = |values| keeps_type(&attribute(b"a", values), None, false);
        assert!(keeps(Values::Double(vec![1.0, -0.0])));
        for lost in [vec![], vec![1.0, f64::NAN], vec![f64::NEG_INFINITY]] {
            assert!(!keeps(Values::Double(lost)));
        }
        assert!(!keeps(Values::Int(vec![])));
        assert!(!keeps(Values::Float(vec![1.0])));
    }

    /// Readers use the variable's type for `_FillValue`.
    #[test]
    fn fill_values_of_another_type_are_noted() {
        let text = |text: &str| Values::String(vec![Some(text.as_bytes().into())]);
        for (ty, values, kept) in [
            (Atomic::Float, Values::Float(vec![f32::NAN]), true),
            (Atomic::Double, Values::Double(vec![f64::NAN]), true),
            (
                Atomic::Float,
                Values::Float(vec![f32::NEG_INFINITY, 1.0]),
                true,
            ),
            (Atomic::Int64, Values::Int64(vec![-1]), true),
            (Atomic::Float, Values::Double(vec![f64::NAN]), false),
            (Atomic::Float, Values::Int(vec![-999]), false),
            (Atomic::Int, Values::Double(vec![-5.0]), false),
            (Atomic::Int, Values::Double(vec![f64::NAN]), false),
            (Atomic::UByte, Values::Byte(vec![-1]), false),
            (Atomic::UByte, Values::Int(vec![-1]), true),
            (Atomic::Float, text("abc"), false),
            (Atomic::Float, Values::Char(b"abc".to_vec()), true),
            (Atomic::String, text("NA"), true),
            (Atomic::Char, text("x"), true),
            (Atomic::Char, Values::Char(b"x".to_vec()), true),
        ] {
            let mut schema = Schema::new(crate::model::Kind::NETCDF4);
            let what = format!("{ty:?} {values:?}");
            schema.add_var(Variable {
                name: Name::stored(b"v"),
                group: GroupId::ROOT,
                ty: ty.into(),
                dims: vec![],
                attributes: vec![attribute(b"_FillValue", values)],
                storage: Storage::default(),
            });
            assert_eq!(retyped(&schema).is_empty(), kept, "{what}");
        }
    }
}
