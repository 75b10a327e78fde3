//! Checks whether a dataset kind supports a schema.

use crate::error::{Error, ErrorKind, Result, list_names};
use crate::format;
use crate::model::{DataType, DimId, GroupId, Kind, Schema, Values};

/// Checks that the schema's kind supports the whole schema. The schema is not adapted, because readers of the output may rely on the types.
/// `fixed` means that unlimited dimensions were made fixed if possible.
///
/// # Errors
/// Returns [`ErrorKind::BadType`], [`ErrorKind::Strict`], [`ErrorKind::Unlimited`] or, for Zarr, [`ErrorKind::NotInFormat`]. The error
/// names all objects that the kind does not support.
pub(super) fn check(schema: &Schema, fixed: bool) -> Result<()> {
    (format::writing(schema.kind)?.holds)(schema)?;
    let sorts = [
        (ErrorKind::Strict, "groups", groups(schema)),
        (ErrorKind::Strict, "user-defined types", types(schema)),
        (ErrorKind::BadType, "the types of", lacking(schema)),
        (
            ErrorKind::Unlimited,
            "more than one unlimited dimension:",
            unlimited(schema),
        ),
        (
            ErrorKind::Unlimited,
            "an unlimited dimension that is not the first in",
            records(schema),
        ),
    ];
    let found: Vec<_> = sorts
        .iter()
        .filter(|(_, _, names)| !names.is_empty())
        .collect();
    let Some((kind, _, _)) = found.first() else {
        return Ok(());
    };
    let lacks = found
        .iter()
        .map(|(_, sort, names)| format!("{sort} {}", list_names(names)));
    let lacks = lacks.collect::<Vec<_>>().join("; ");
    let what = format!("{} files do not have {lacks}", schema.kind.name());
    Err(Error::new(*kind, what).with_remedy(remedy(schema, fixed)))
}

/// Checks before the copy that the schema's kind can count the records required by each `(dimension, length)`.
///
/// # Errors
/// Returns [`ErrorKind::DimSize`] for too many records.
pub(super) fn check_records(
    schema: &Schema,
    lengths: impl IntoIterator<Item = (DimId, u64)>,
) -> Result<()> {
    let lengths = lengths
        .into_iter()
        .filter(|(dim, _)| schema.is_unlimited(*dim));
    let records = lengths.map(|(_, len)| len).max().unwrap_or(0);
    let below = format::kind_row(schema.kind).map_or(u64::MAX, |row| row.records_below);
    if records < below {
        return Ok(());
    }
    let name = schema.kind.name();
    let what = format!("{records} records, but {name} files hold fewer than {below}");
    Err(Error::new(ErrorKind::DimSize, what).with_remedy("use -k cdf5"))
}

fn groups(schema: &Schema) -> Vec<String> {
    let paths = schema.group_ids().skip(1).map(|id| schema.group_path(id));
    paths.filter(|_| !schema.kind.is_enhanced()).collect()
}

fn types(schema: &Schema) -> Vec<String> {
    let path = |group, name: &dyn std::fmt::Display| {
        format!("{}/{name}", schema.group_path(group).trim_end_matches('/'))
    };
    let paths = schema.types.iter().map(|t| path(t.group, &t.name));
    paths.filter(|_| !schema.kind.is_enhanced()).collect()
}

/// Returns the variables and attributes with types that the kind does not support.
fn lacking(schema: &Schema) -> Vec<String> {
    let mut lacking = Vec::new();
    let mut look = |ty: DataType, values: Option<&Values>, name: &dyn Fn() -> String| {
        let model = schema.kind.model;
        if !ty
            .atomic()
            .map_or(schema.kind.is_enhanced(), |ty| model.has(ty))
        {
            let ty = ty.atomic().map_or("user-defined", |a| a.name());
            let ty = match values {
                // A single string becomes text.
                Some(Values::String(s)) if s.len() > 1 => format!("{} strings", s.len()),
                _ => ty.to_owned(),
            };
            lacking.push(format!("{} ({ty})", name()));
        }
    };
    for (n, group) in (0u32..).zip(&schema.groups) {
        let path = schema.group_path(GroupId(n));
        let path = path.trim_end_matches('/');
        for a in &group.attributes {
            look(a.ty, Some(&a.values), &|| format!("{path}:{}", a.name));
        }
    }
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        look(var.ty, None, &|| schema.var_path(id));
        for a in &var.attributes {
            let name = || format!("{}:{}", schema.var_path(id), a.name);
            look(a.ty, Some(&a.values), &name);
        }
    }
    lacking
}

/// Returns the unlimited dimensions if their number exceeds the kind's limit.
fn unlimited(schema: &Schema) -> Vec<String> {
    let names = schema.dims.iter().filter(|d| d.unlimited);
    let names: Vec<_> = names.map(|d| d.name.to_string()).collect();
    if schema.kind.is_enhanced() || names.len() < 2 {
        return vec![];
    }
    names
}

/// Returns the variables with an unlimited dimension after the first dimension, if the kind does not allow that.
fn records(schema: &Schema) -> Vec<String> {
    let vars = schema.var_ids().zip(&schema.vars);
    let later = vars.filter(|(_, v)| v.dims.iter().skip(1).any(|&d| schema.is_unlimited(d)));
    let paths = later.map(|(id, _)| schema.var_path(id));
    let records = format::traits(schema.kind).records;
    paths.filter(|_| records).collect()
}

fn remedy(schema: &Schema, fixed: bool) -> &'static str {
    let mut cdf5 = schema.clone();
    cdf5.kind = Kind::CDF5;
    let enhanced = !groups(schema).is_empty() || !types(schema).is_empty();
    let lengths = |s: &Schema| unlimited(s).is_empty() && records(s).is_empty();
    let fits = !enhanced && lacking(&cdf5).is_empty() && lengths(&cdf5);
    match (fits, enhanced || fixed || lengths(schema)) {
        (true, _) => "use -k cdf5, or choose the variables to copy with -V",
        (false, true) => "use -k nc4, or choose the variables to copy with -V",
        (false, false) => "use -k nc4, or -u to make unlimited dimensions fixed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        Atomic, Attribute, Dimension, Name, Storage, TypeId, TypeKind, UserType, Variable,
    };

    fn name(text: &str) -> Name {
        Name::stored(text.as_bytes())
    }

    fn sample(kind: Kind) -> Schema {
        let mut s = Schema::new(kind);
        let group = s.add_group(GroupId::ROOT, name("g"));
        let kind = TypeKind::Opaque { size: 3 };
        s.add_type(UserType {
            name: name("o"),
            group,
            kind,
        });
        for (n, unlimited) in [("x", false), ("t", true), ("u", true)] {
            s.add_dim(Dimension {
                name: name(n),
                group,
                len: 2,
                unlimited,
            });
        }
        let att = Attribute::atomic(name("a"), Values::String(vec![None]));
        s.add_var(Variable {
            name: name("v"),
            group,
            ty: Atomic::Int64.into(),
            dims: vec![DimId(0), DimId(1)],
            attributes: att.into_iter().collect(),
            storage: Storage::default(),
        });
        s
    }

    #[test]
    fn all_that_a_kind_lacks_is_listed() {
        assert!(check(&sample(Kind::NETCDF4), false).is_ok());
        let said = |kind| check(&sample(kind), false).unwrap_err().to_string();
        assert_eq!(
            said(Kind::NETCDF4_CLASSIC),
            "netCDF-4 classic model files do not have groups /g; user-defined types /g/o; the types of /g/v (int64), \
             /g/v:a (string); more than one unlimited dimension: t, u (use -k nc4, or choose the variables to copy with -V)"
        );
        let cdf5 = said(Kind::CDF5);
        let mut zarr = sample(Kind::NCZARR);
        assert!(check(&zarr, false).is_ok());
        zarr.vars[0].ty = DataType::User(TypeId(0));
        let e = check(&zarr, false).unwrap_err();
        let what = "a user-defined type that such Zarr datasets do not have";
        assert_eq!(
            (e.kind(), &*e.what().text()),
            (ErrorKind::NotInFormat, what)
        );
        assert_eq!(e.object(), Some("/g/v"));
        assert!(
            cdf5.contains("types of /g/v:a (string);")
                && cdf5.contains("that is not the first in /g/v")
        );
    }
}
