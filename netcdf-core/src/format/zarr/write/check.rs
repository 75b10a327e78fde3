//! What a Zarr dataset cannot hold.

use std::collections::HashSet;

use crate::env::{Env, Note};
use crate::error::{Error, ErrorKind, Result};
use crate::format::ZarrOptions;
use crate::model::{Atomic, Attribute, DataType, GroupId, Name, Schema, Values};

/// Attributes that carry the netCDF model, or what is known of the dataset.
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

/// The attribute with the names of a variable's dimensions.
pub const DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// Refuses what cannot be held, with a list of all of it; says what is left out without loss of data.
///
/// # Errors
/// [`ErrorKind::BadType`] for user-defined types, [`ErrorKind::BadName`] for names that cannot be keys, or that are
/// taken, [`ErrorKind::Exists`] for names that are there twice.
pub fn check(schema: &Schema, options: ZarrOptions, env: &Env) -> Result<()> {
    types(schema, env)?;
    each_name(schema)?;
    let lists = lists(schema);
    let mut taken = vec![];
    for (path, attributes) in &lists {
        let mut names = HashSet::with_capacity(attributes.len());
        for a in *attributes {
            let is = |name: &str| a.name.is(name);
            if RESERVED.iter().any(|name| is(name)) || options.xarray && a.name.is(DIMENSIONS) {
                taken.push(format!("{path}:{}", a.name));
            }
            if !names.insert(&a.name) {
                let what = "two attributes of this name";
                let path = format!("{path}:{}", a.name);
                return Err(Error::new(ErrorKind::Exists, what).in_object(&path));
            }
            text(&a.name).map_err(|e| e.in_object(&format!("{path}:{}", a.name)))?;
        }
    }
    if taken.is_empty() {
        return Ok(());
    }
    let taken = taken.join(", ");
    let what = format!("the names of these attributes are taken in Zarr datasets: {taken}");
    Err(Error::new(ErrorKind::BadName, what))
}

/// All lists of attributes, and what they belong to.
fn lists(schema: &Schema) -> Vec<(String, &[Attribute])> {
    let groups = (0..).zip(&schema.groups).map(|(n, group)| {
        let path = schema.group_path(GroupId(n));
        (path.trim_end_matches('/').to_owned(), &*group.attributes)
    });
    let vars = schema.var_ids().zip(&schema.vars);
    let vars = vars.map(|(id, var)| (schema.var_path(id), &*var.attributes));
    groups.chain(vars).collect()
}

/// Says what readers of a dataset without netCDF's own metadata will not know.
pub fn say_untold(schema: &Schema, env: &Env) {
    let unlimited = schema.dims.iter().filter(|d| d.unlimited);
    let unlimited: Vec<String> = unlimited.map(|d| d.name.to_string()).collect();
    let vars = schema.var_ids().zip(&schema.vars);
    let chars = vars.filter(|(_, v)| v.ty == Atomic::Char.into());
    let chars: Vec<String> = chars.map(|(id, _)| schema.var_path(id)).collect();
    let mut retyped = vec![];
    for (path, attributes) in lists(schema) {
        let odd = attributes.iter().filter(|a| !is_inferred(&a.values));
        retyped.extend(odd.map(|a| format!("{path}:{}", a.name)));
    }
    for (names, what) in [
        (unlimited, "that these dimensions are unlimited"),
        (chars, "that these are characters, not strings"),
        (retyped, "the types of these attributes"),
    ] {
        if !names.is_empty() {
            let more = names.len().saturating_sub(NAMED);
            let names = names.get(..NAMED.min(names.len())).unwrap_or_default();
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            env.notes.say(Note {
                object: "/".to_owned(),
                what: format!("pure Zarr does not say {what}: {}{more}", names.join(", ")),
                remedy: Some("-k nczarr and -k nczarr3 keep it".to_owned()),
            });
        }
    }
}

/// Names said at most of one sort.
const NAMED: usize = 8;

/// Whether readers infer the type of an attribute from its JSON.
fn is_inferred(values: &Values) -> bool {
    match values {
        Values::Char(_) | Values::Int(_) | Values::Double(_) => true,
        Values::Byte(_) | Values::Short(_) | Values::Float(_) | Values::UByte(_) => false,
        Values::UShort(_) | Values::UInt(_) | Values::Int64(_) | Values::UInt64(_) => false,
        Values::String(_) | Values::Enum(..) | Values::Opaque { .. } => false,
        Values::Vlen(..) | Values::Compound { .. } => false,
    }
}

/// Refuses user-defined types that are used.
fn types(schema: &Schema, env: &Env) -> Result<()> {
    let mut used = HashSet::new();
    let mut what = vec![];
    let mut user = |ty: DataType, path: &dyn Fn() -> String| {
        if let DataType::User(id) = ty {
            used.insert(id);
            what.push(path());
        }
    };
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        user(var.ty, &|| schema.var_path(id));
    }
    for (path, attributes) in lists(schema) {
        for a in attributes {
            user(a.ty, &|| format!("{path}:{}", a.name));
        }
    }
    if !what.is_empty() {
        let what = what.join(", ");
        let what = format!("Zarr datasets have no user-defined types, which these have: {what}");
        let remedy = "use -k nc4, or leave the variables out";
        return Err(Error::new(ErrorKind::BadType, what).with_remedy(remedy));
    }
    for ty in &schema.types {
        env.notes.say(Note {
            object: ty.name.to_string(),
            what: "left out: a user-defined type, which Zarr datasets do not have; nothing is of this type".to_owned(),
            remedy: None,
        });
    }
    Ok(())
}

/// Refuses names that cannot be parts of keys, and those of which two meet.
fn each_name(schema: &Schema) -> Result<()> {
    let mut names = HashSet::new();
    let groups = (1..).zip(schema.groups.iter().skip(1));
    let groups =
        groups.filter_map(|(n, g)| Some((g.parent?, &g.name, schema.group_path(GroupId(n)))));
    let vars = schema.var_ids().zip(&schema.vars);
    let vars = vars.map(|(id, v)| (v.group, &v.name, schema.var_path(id)));
    for (group, name, path) in groups.chain(vars) {
        segment(name).map_err(|e| e.in_object(&path))?;
        if !names.insert((group, name)) {
            let what = "two objects of this name in one group";
            return Err(Error::new(ErrorKind::Exists, what).in_object(&path));
        }
    }
    for dim in &schema.dims {
        text(&dim.name).map_err(|e| e.in_object(&dim.name.to_string()))?;
    }
    Ok(())
}

/// That a name can be a part of a key.
fn segment(name: &Name) -> Result<()> {
    let text = text(name)?;
    let why = if text.is_empty() || text == "." || text == ".." {
        "which leads elsewhere"
    } else if text.contains(['/', '\\']) {
        "which has a slash in it"
    } else if text.chars().any(char::is_control) {
        "which has a control character in it"
    } else if text.starts_with(".z") || text == "zarr.json" {
        "which is the key of metadata"
    } else {
        return Ok(());
    };
    let what = format!("`{name}` is no name in Zarr datasets, {why}");
    Err(Error::new(ErrorKind::BadName, what))
}

/// That a name is text.
fn text(name: &Name) -> Result<&str> {
    std::str::from_utf8(name.as_bytes()).map_err(|_| {
        let what = format!("the name `{name}` is not UTF-8, which names in Zarr datasets are");
        Error::new(ErrorKind::BadName, what)
    })
}
