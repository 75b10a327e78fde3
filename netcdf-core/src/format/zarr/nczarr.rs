//! netCDF's own metadata in Zarr, in all its historical forms: separate objects (4.8.0), members of `.zgroup` and `.zarray` in upper case
//! (up to 4.9.0) and lower case (up to 4.9.2), attributes (from 4.9.3), and the version 3 forms.
//!
//! Specification: "The NetCDF NCZarr Implementation", and the output of the netCDF-C versions.

use std::collections::HashMap;

use crate::json::Json;

/// The member of `_nczarr_array` that is `false` if unwritten elements read as netCDF's default, although `fill_value` is `null`. netCDF-C
/// ignores the member and interprets `null` as `_NoFill`.
pub const NO_FILL: &str = "no_fill";

/// A part of the metadata, with the names used in different versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NczarrPart {
    /// The mark of a netCDF store.
    Superblock,
    /// Dimensions and contents of a group.
    Group,
    /// Dimensions and storage of a variable.
    Array,
    /// Types of attributes.
    Attributes,
}

impl NczarrPart {
    /// Returns the names in JSON, newest first.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Superblock => &["_nczarr_superblock", "_NCZARR_SUPERBLOCK"],
            Self::Group => &["_nczarr_group", "_NCZARR_GROUP"],
            Self::Array => &["_nczarr_array", "_NCZARR_ARRAY"],
            Self::Attributes => &["_nczarr_attr", "_nczarr_attrs", "_NCZARR_ATTR"],
        }
    }

    /// Returns the keys of the separate objects.
    #[must_use]
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Superblock => &[".nczarr"],
            Self::Group => &[".nczgroup"],
            Self::Array => &[".nczarray", ".nczvar"],
            Self::Attributes => &[".nczattr", ".nczattrs"],
        }
    }

    /// All parts.
    pub const ALL: [Self; 4] = [Self::Superblock, Self::Group, Self::Array, Self::Attributes];

    /// Returns the part from the first of these objects that has the part.
    #[must_use]
    pub fn find<'j>(self, objects: &[&'j Json]) -> Option<&'j Json> {
        let mut all = objects
            .iter()
            .flat_map(|o| self.names().iter().map(|name| o.get(name)));
        let part = all.find_map(|part| part)?;
        // netCDF-C 4.9.3 stored the parts as text for a while.
        matches!(part, Json::Object(_)).then_some(part)
    }
}

/// A dimension of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDimension {
    /// The dimension name.
    pub name: String,
    /// The dimension length.
    pub len: u64,
    /// Whether the dimension is unlimited.
    pub unlimited: bool,
}

/// The group contents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contents {
    /// The dimensions.
    pub dims: Vec<GroupDimension>,
    /// The variable names.
    pub arrays: Vec<String>,
    /// The group names.
    pub groups: Vec<String>,
}

/// netCDF's own metadata of an array.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extras {
    /// The dimension paths.
    pub dims: Option<Vec<String>>,
    /// Whether the variable is a scalar, for any shape.
    pub scalar: bool,
    /// The netCDF type, if Zarr lacks the type: `char`, `string`.
    pub alias: Option<String>,
    /// Whether unwritten elements read as netCDF's default, although `fill_value` is `null`.
    pub default_fill: bool,
}

/// Returns the member with the first of these names that exists.
fn either<'j>(json: &'j Json, names: [&str; 2]) -> Option<&'j Json> {
    names.into_iter().find_map(|name| json.get(name))
}

fn texts(json: Option<&Json>) -> Option<Vec<String>> {
    let text = |j: &Json| j.as_str().map(str::to_owned);
    json?.items()?.iter().map(text).collect()
}

impl Contents {
    /// Reads `_nczarr_group`. Returns `None` for damaged metadata.
    #[must_use]
    pub fn of(json: &Json) -> Option<Self> {
        let listed = |names| match either(json, names) {
            None => Some(vec![]),
            list => texts(list),
        };
        Some(Self {
            dims: dims(either(json, ["dimensions", "dims"]))?,
            arrays: listed(["arrays", "vars"])?,
            groups: listed(["groups", "subgroups"])?,
        })
    }
}

/// Reads dimensions: `{"x": 4, "t": {"size": 2, "unlimited": 1}}`, or in version 3 `[{"name": "x", "size": 4, …}]`.
fn dims(json: Option<&Json>) -> Option<Vec<GroupDimension>> {
    let dim = |name: &str, json: &Json| {
        let size = json.get("size").unwrap_or(json);
        let unlimited = json.get("unlimited");
        Some(GroupDimension {
            name: name.to_owned(),
            len: size.as_u64()?,
            unlimited: unlimited
                .is_some_and(|u| *u == Json::Bool(true) || u.as_u64().is_some_and(|n| n > 0)),
        })
    };
    match json {
        None => Some(vec![]),
        Some(Json::Array(items)) => {
            let items = items.iter().map(|j| dim(j.get("name")?.as_str()?, j));
            items.collect()
        }
        Some(Json::Object(members)) => members.iter().map(|(name, j)| dim(name, j)).collect(),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_)) => None,
    }
}

impl Extras {
    /// Reads `_nczarr_array`.
    #[must_use]
    pub fn of(json: &Json) -> Self {
        let storage = json.get("storage").and_then(Json::as_str);
        let flag = json
            .get("scalar")
            .is_some_and(|s| s.as_u64() != Some(0) && *s != Json::Bool(false));
        Self {
            dims: texts(either(json, ["dimension_references", "dimrefs"])),
            scalar: storage == Some("scalar") || flag,
            alias: json
                .get("type_alias")
                .and_then(Json::as_str)
                .map(str::to_owned),
            default_fill: json.get(NO_FILL) == Some(&Json::Bool(false)),
        }
    }
}

/// The types recorded for the node attributes: `{"types": {NAME: TYPE}}`, or in version 3
/// `{"attribute_types": [{"name": NAME, "configuration": {"type": TYPE}}]}`.
#[derive(Debug, Default)]
pub struct Recorded<'j>(HashMap<&'j str, Option<&'j str>, foldhash::fast::RandomState>);

impl<'j> Recorded<'j> {
    /// Reads the recorded types.
    #[must_use]
    pub fn of(types: Option<&'j Json>) -> Self {
        let Some(types) = types else {
            return Self::default();
        };
        let named = types.get("types").or_else(|| types.get("attribute_types"));
        let Some(Json::Array(items)) = named else {
            let members = named.map(Json::members).unwrap_or_default().iter();
            return Self(members.map(|(name, ty)| (&**name, ty.as_str())).collect());
        };
        // The first entry wins if names repeat.
        Self(items.iter().rev().filter_map(typed).collect())
    }

    /// Returns the attribute type.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'j str> {
        self.0.get(name).copied().flatten()
    }
}

/// Returns the attribute names recorded before this name in version 3, in order.
#[must_use]
pub fn recorded_before<'j>(types: Option<&'j Json>, name: &str) -> Vec<&'j str> {
    let all = types.and_then(|types| types.get("attribute_types"));
    let items = all.and_then(Json::items).unwrap_or_default();
    let names = items.iter().filter_map(|item| item.get("name")?.as_str());
    names.take_while(|&other| other != name).collect()
}

/// Returns the name and type of an attribute in version 3.
fn typed(json: &Json) -> Option<(&str, Option<&str>)> {
    let name = json.get("name")?.as_str()?;
    let ty = json.get("configuration").and_then(|c| c.get("type"));
    let ty = ty.or_else(|| json.get("type"));
    Some((name, ty.and_then(Json::as_str)))
}

/// Returns the major version of a superblock.
#[must_use]
pub fn version(superblock: &Json) -> u32 {
    let version = either(superblock, ["version", "nczarr_version"]).and_then(Json::as_str);
    let first = version.and_then(|v| v.split('.').next()?.parse().ok());
    first.unwrap_or(2)
}

/// Checks whether an attribute is hidden because netCDF or Zarr uses the attribute internally.
#[must_use]
pub fn is_hidden(name: &str) -> bool {
    let own = [
        "_ARRAY_DIMENSIONS",
        "_NCProperties",
        "_Netcdf4Coordinates",
        "_Netcdf4Dimid",
    ];
    own.contains(&name)
        || NczarrPart::ALL
            .iter()
            .any(|part| part.names().contains(&name))
}

/// Returns the dimension names of xarray.
#[must_use]
pub fn array_dimensions(attributes: &Json) -> Option<Vec<String>> {
    texts(attributes.get("_ARRAY_DIMENSIONS"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn groups_of_all_generations() {
        let dim = |name: &str, len, unlimited| GroupDimension {
            name: name.into(),
            len,
            unlimited,
        };
        let expected = Contents {
            dims: vec![dim("t", 2, true), dim("y", 3, false)],
            arrays: vec!["v".into()],
            groups: vec!["g".into()],
        };
        for text in [
            r#"{"dimensions": {"t": {"size": 2, "unlimited": 1}, "y": 3}, "arrays": ["v"], "groups": ["g"]}"#,
            r#"{"dims": {"t": {"size": 2, "unlimited": 1}, "y": 3}, "vars": ["v"], "groups": ["g"]}"#,
            r#"{"dimensions": [{"name":"t","size":2,"unlimited":1},{"name":"y","size":3,"unlimited":0}],
                "arrays": ["v"], "subgroups": ["g"]}"#,
        ] {
            assert_eq!(Contents::of(&json(text)), Some(expected.clone()), "{text}");
        }
        assert_eq!(Contents::of(&json(r#"{"dims": {"t": -2}}"#)), None);
    }

    #[test]
    fn arrays_of_all_generations() {
        for text in [
            r#"{"dimension_references": [], "scalar": 1, "storage": "chunked"}"#,
            r#"{"dimrefs": [], "storage": "scalar"}"#,
        ] {
            let extras = Extras::of(&json(text));
            assert_eq!((extras.dims, extras.scalar), (Some(vec![]), true));
            assert!(!extras.default_fill);
        }
    }

    #[test]
    fn types_of_attributes() {
        let v2 = json(r#"{"types": {"a": "<i4", "b": ">S1"}}"#);
        assert_eq!(Recorded::of(Some(&v2)).get("b"), Some(">S1"));
        let v3 =
            json(r#"{"attribute_types": [{"name": "a", "configuration": {"type": "int32"}}]}"#);
        assert_eq!(Recorded::of(Some(&v3)).get("a"), Some("int32"));
        assert_eq!(Recorded::of(Some(&v3)).get("b"), None);
    }

    #[test]
    fn the_newest_place_counts() {
        let attributes = json(r#"{"_nczarr_group": {"arrays": ["new"]}}"#);
        let group = json(r#"{"_NCZARR_GROUP": {"vars": ["old"]}}"#);
        let found = NczarrPart::Group.find(&[&attributes, &group]).unwrap();
        assert!(found.get("arrays").is_some());
        assert!(NczarrPart::Group.find(&[&group]).is_some());
        assert!(NczarrPart::Array.find(&[&group]).is_none());
    }
}
