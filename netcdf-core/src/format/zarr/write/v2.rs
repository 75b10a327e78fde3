//! The metadata of version 2: `.zgroup`, `.zarray` and `.zattrs`, with the members in the order in which netCDF-C has
//! them.

use super::attributes::Form;
use super::check::DIMENSIONS;
use super::numbers::Style;
use super::storage::Stored;
use super::{attributes, codecs, dtype, numbers, strings};
use crate::chunk::elements;
use crate::env::{Env, Note};
use crate::error::Result;
use crate::format::CreateOptions;
use crate::json::Json;
use crate::model::{Atomic, Attribute, Dimension, GroupId, Name, Schema, VarId};

/// The member of an object.
pub type Member = (String, Json);

/// What the metadata is made of.
#[derive(Debug, Clone, Copy)]
pub struct Metadata<'a> {
    /// The dataset, with its final lengths.
    pub schema: &'a Schema,
    /// Whether it goes without netCDF's own metadata.
    pub pure: bool,
    /// How it is written.
    pub options: CreateOptions,
    /// Who is told of what does not come through.
    pub env: &'a Env,
}

/// What made the dataset.
const PROPERTIES: &str = concat!(
    "version=2,netcdf-tools=",
    env!("CARGO_PKG_VERSION"),
    ",nczarr=2.0.0"
);

/// The type that is recorded for netCDF's own metadata.
const JSON: &str = "|J0";
/// What stands for the dimension of a scalar.
const SCALAR: &str = "_scalar_";

/// `.zgroup`.
#[must_use]
pub fn group() -> Json {
    object([("zarr_format", Json::int(2))])
}

/// `.zmetadata`, of metadata under its keys.
#[must_use]
pub fn consolidated(metadata: Vec<Member>) -> Json {
    object([
        ("metadata", Json::Object(metadata)),
        ("zarr_consolidated_format", Json::int(1)),
    ])
}

/// An object with these members.
#[must_use]
pub fn object<'k>(members: impl IntoIterator<Item = (&'k str, Json)>) -> Json {
    let members = members.into_iter();
    Json::Object(members.map(|(k, v)| (k.to_owned(), v)).collect())
}

/// A name as JSON.
#[must_use]
pub fn name(name: &Name) -> Json {
    Json::Text(name.as_bytes().to_vec())
}

/// Attributes as they are written, with their types.
#[derive(Debug, Default)]
struct Written {
    members: Vec<Member>,
    types: Vec<Member>,
}

impl Written {
    fn add(&mut self, name: &str, json: Json, dtype: &str) {
        self.members.push((name.to_owned(), json));
        self.types.push((name.to_owned(), Json::text(dtype)));
    }

    /// `.zattrs`.
    fn finish(mut self, pure: bool) -> Json {
        if !pure {
            self.types
                .push(("_nczarr_attr".to_owned(), Json::text(JSON)));
            let types = object([("types", Json::Object(self.types))]);
            self.members.push(("_nczarr_attr".to_owned(), types));
        }
        Json::Object(self.members)
    }
}

impl Metadata<'_> {
    /// `.zarray`.
    ///
    /// # Errors
    /// [`ErrorKind::BadType`](crate::ErrorKind::BadType).
    pub fn array(&self, id: VarId, stored: &Stored) -> Result<Json> {
        let layout = &stored.layout;
        let mut shape = self.schema.shape(id);
        let mut chunks = layout.chunk.clone();
        if shape.is_empty() && !self.pure {
            shape.push(1);
            chunks.push(1);
        }
        let list = |lens: Vec<u64>| Json::Array(lens.iter().map(Json::int).collect());
        let element = layout.element;
        let dtype = dtype::v2(stored.ty, element.order, self.pure, element.size);
        let (compressor, filters) = codecs::v2(&stored.codecs);
        Ok(object([
            ("zarr_format", Json::int(2)),
            ("shape", list(shape)),
            ("dtype", Json::text(&dtype)),
            ("chunks", list(chunks)),
            ("fill_value", self.fill(stored)?),
            ("order", Json::text("C")),
            ("compressor", compressor),
            ("filters", filters),
        ]))
    }

    /// `fill_value`.
    fn fill(&self, stored: &Stored) -> Result<Json> {
        let bytes = stored.layout.fill.as_deref().unwrap_or_default();
        if stored.no_fill {
            return Ok(Json::Null);
        }
        if matches!(stored.ty, Atomic::Char | Atomic::String) {
            let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |n| n + 1);
            return Ok(Json::Text(bytes.get(..end).unwrap_or_default().to_vec()));
        }
        let values = elements::decode(stored.ty, stored.layout.element.order, bytes)?;
        let items = numbers::list(&values, self.style()).unwrap_or_default();
        Ok(items.into_iter().next().unwrap_or(Json::Null))
    }

    fn style(&self) -> Style {
        match self.pure {
            true => Style::Inferred,
            false => Style::Recorded,
        }
    }

    /// The `.zattrs` of a variable.
    ///
    /// # Errors
    /// Those of [`attributes::store`] and [`strings::width`].
    pub fn var_attributes(&self, id: VarId) -> Result<Json> {
        let Some(var) = self.schema.var(id) else {
            return Ok(Json::Object(vec![]));
        };
        let width = strings::width(self.schema, var)?;
        let mut written = self.own(&var.attributes, width, &|| self.schema.var_path(id))?;
        let dims = var.dims.iter().filter_map(|&d| self.schema.dim(d));
        let dims: Vec<&Dimension> = dims.collect();
        if self.options.zarr.xarray {
            let mut names: Vec<Json> = dims.iter().map(|d| name(&d.name)).collect();
            if names.is_empty() && !self.pure {
                names.push(Json::text(SCALAR));
            }
            written
                .members
                .push((DIMENSIONS.to_owned(), Json::Array(names)));
        }
        if !self.pure {
            let paths = dims.iter().map(|d| self.dim_path(d)).collect();
            let scalar = dims.is_empty().then(|| ("scalar", Json::int(1)));
            let paths = [("dimension_references", Json::Array(paths))];
            let storage = [("storage", Json::text("chunked"))];
            let array = paths.into_iter().chain(scalar).chain(storage);
            written.add("_nczarr_array", object(array), JSON);
        }
        Ok(written.finish(self.pure))
    }

    /// The path of a dimension.
    fn dim_path(&self, dim: &Dimension) -> Json {
        let group = self.schema.group_path(dim.group);
        let mut path = group.trim_end_matches('/').as_bytes().to_vec();
        path.push(b'/');
        path.extend_from_slice(dim.name.as_bytes());
        Json::Text(path)
    }

    /// The `.zattrs` of a group.
    ///
    /// # Errors
    /// Those of [`attributes::store`] and [`strings::default_width`].
    pub fn group_attributes(&self, id: GroupId) -> Result<Json> {
        let Some(group) = self.schema.group(id) else {
            return Ok(Json::Object(vec![]));
        };
        let width = strings::default_width(self.schema)?;
        let path = || self.schema.group_path(id).trim_end_matches('/').to_owned();
        let mut written = self.own(&group.attributes, width, &path)?;
        if self.pure {
            return Ok(written.finish(true));
        }
        if id == GroupId::ROOT {
            let dtype = dtype::recorded(Atomic::Char, 0);
            written.add("_NCProperties", Json::text(PROPERTIES), &dtype);
        }
        written.add("_nczarr_group", self.nczarr_group(id), JSON);
        if id == GroupId::ROOT {
            let superblock = object([("version", Json::text("2.0.0"))]);
            written.add("_nczarr_superblock", superblock, JSON);
        }
        Ok(written.finish(false))
    }

    fn nczarr_group(&self, id: GroupId) -> Json {
        let Some(group) = self.schema.group(id) else {
            return Json::Null;
        };
        let dims = group.dims.iter().filter_map(|&d| self.schema.dim(d));
        let dims = dims.map(|dim| {
            let len = Json::int(dim.len);
            let unlimited = ("unlimited", Json::int(1));
            let value = match dim.unlimited {
                true => object([("size", len), unlimited]),
                false => len,
            };
            (dim.name.to_string(), value)
        });
        let vars = group.vars.iter().filter_map(|&v| self.schema.var(v));
        let groups = group.groups.iter().filter_map(|&g| self.schema.group(g));
        object([
            ("dimensions", Json::Object(dims.collect())),
            ("arrays", Json::Array(vars.map(|v| name(&v.name)).collect())),
            (
                "groups",
                Json::Array(groups.map(|g| name(&g.name)).collect()),
            ),
        ])
    }

    /// Attributes of the dataset's own.
    fn own(
        &self,
        attributes: &[Attribute],
        max_string: u64,
        path: &dyn Fn() -> String,
    ) -> Result<Written> {
        let form = Form {
            recorded: !self.pure,
            style: self.style(),
            max_string,
        };
        let mut written = Written::default();
        for attribute in attributes {
            let stored = attributes::store(attribute, form)?;
            if stored.changed {
                self.env.notes.say(not_utf8(attribute, path()));
            }
            written.add(&attribute.name.to_string(), stored.json, &stored.dtype);
        }
        Ok(written)
    }
}

fn not_utf8(attribute: &Attribute, path: String) -> Note {
    Note {
        object: format!("{path}:{}", attribute.name),
        what: "is not UTF-8, which texts in Zarr datasets are: taken for Latin-1".to_owned(),
        remedy: None,
    }
}
