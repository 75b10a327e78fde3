//! The metadata of version 3: `zarr.json` of groups and arrays. netCDF's own metadata follows the NCZarr document, appendix E.

use super::attributes::utf8;
use super::json_forms::{lengths, named};
use super::metadata::{JsonMember, MetadataInput, StoredAttributes, name};
use super::storage::ArrayStorage;
use super::{codecs, dtype, numbers, strings, user_types};
use crate::chunk::elements;
use crate::error::Result;
use crate::json::Json;
use crate::model::convert::convert;
use crate::model::{Atomic, Dimension, GroupId, Values, VarId, ZarrVersion};

/// The provenance of the dataset.
const PROPERTIES: &str = concat!(
    "version=2,netcdf-tools=",
    env!("CARGO_PKG_VERSION"),
    ",nczarr=3.0.0"
);

/// The name of the member with attribute types.
const TYPES: &str = "_nczarr_attrs";

/// Returns a group with the consolidated metadata of all nodes below.
#[must_use]
pub(crate) fn consolidated(group: Json, metadata: Vec<JsonMember>) -> Json {
    let consolidated = Json::object([
        ("kind", Json::text("inline")),
        ("must_understand", Json::Bool(false)),
        ("metadata", Json::Object(metadata)),
    ]);
    let mut members = group.members().to_vec();
    members.push(("consolidated_metadata".to_owned(), consolidated));
    Json::Object(members)
}

/// Returns the `data_type` of an array.
fn data_type(stored: &ArrayStorage, pure: bool) -> Result<Json> {
    match &stored.user {
        Some(user) => user_types::named(user, ZarrVersion::V3),
        None if stored.fixed_text => Ok(dtype::fixed_text(stored.layout.element.size)),
        None => Ok(dtype::v3(stored.ty, pure)),
    }
}

impl MetadataInput<'_> {
    /// Returns the `zarr.json` of an array.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`](crate::ErrorKind::BadType), or the errors of [`codecs::v3`] and [`MetadataInput::own`].
    pub(crate) fn array_json(&self, id: VarId, stored: &ArrayStorage) -> Result<Json> {
        let layout = &stored.layout;
        let element = layout.element;
        let grid = Json::object([("chunk_shape", lengths(stored.outer()))]);
        let separator = Json::object([("separator", Json::text("/"))]);
        let dims = self.dims(&self.var(id)?.dims)?;
        let names = dims.iter().map(|d| name(&d.name)).collect();
        Ok(Json::object([
            ("zarr_format", Json::int(3)),
            ("node_type", Json::text("array")),
            ("shape", lengths(&self.schema.shape(id))),
            ("data_type", data_type(stored, self.zarr.pure)?),
            ("chunk_grid", named("regular", grid)),
            ("chunk_key_encoding", named("default", separator)),
            ("fill_value", self.fill_json(stored)?),
            ("codecs", codecs::v3(stored, element.order)?),
            ("attributes", self.var_json(id, stored, &dims)?),
            ("dimension_names", Json::Array(names)),
        ]))
    }

    /// Returns the `fill_value`, which is mandatory.
    fn fill_json(&self, stored: &ArrayStorage) -> Result<Json> {
        let bytes = stored.fill_value().unwrap_or(&stored.declared.value);
        if let Some(user) = &stored.user {
            return Ok(user_types::fill_value(user, bytes));
        }
        match stored.ty {
            Atomic::Char if !self.zarr.pure => {
                return Ok(Json::int(bytes.first().copied().unwrap_or(0)));
            }
            Atomic::String if !stored.fixed_text => {
                return Ok(Json::Text(utf8(strings::trimmed(bytes)).0.into_owned()));
            }
            Atomic::Char | Atomic::String => {
                let text = strings::base64(strings::trimmed(bytes));
                return Ok(Json::Text(text.into_bytes()));
            }
            Atomic::Byte | Atomic::UByte | Atomic::Short | Atomic::UShort => {}
            Atomic::Int | Atomic::UInt | Atomic::Int64 | Atomic::UInt64 => {}
            Atomic::Float | Atomic::Double => {}
        }
        let values = elements::decode(stored.ty, stored.layout.element.order, bytes)?;
        let items = numbers::list(&values, self.style()).unwrap_or_default();
        Ok(items.into_iter().next().unwrap_or(Json::int(0)))
    }

    fn var_json(&self, id: VarId, stored: &ArrayStorage, dims: &[&Dimension]) -> Result<Json> {
        let mut written = self.of_var(id)?;
        self.mark_texts(self.var(id)?, stored, &mut written);
        // NCZarr readers interpret the `fill_value` of fixed-size texts as plain text.
        let readable = self.zarr.pure || !stored.fixed_text;
        if readable && stored.omits_fill_attribute(self.var(id)?) {
            // The array's `fill_value` stores the value, and xarray rejects stores with the attribute. NCZarr still records the type.
            written.members.retain(|(name, _)| name != "_FillValue");
        }
        let fills = written.members.iter_mut();
        for (_, json) in fills.filter(|(name, _)| name == "_FillValue") {
            if let Some(fill) = self.xarray_fill(id, stored) {
                *json = fill;
            }
        }
        if !self.zarr.pure {
            let paths = dims.iter().map(|d| self.dim_path(d)).collect();
            let paths = [("dimension_references", Json::Array(paths))];
            let text = matches!(stored.ty, Atomic::Char | Atomic::String);
            let alias = text.then(|| ("type_alias", Json::text(stored.ty.name())));
            let array = Json::object(paths.into_iter().chain(alias));
            written.add("_nczarr_array", array, None);
        }
        Ok(self.attributes_json(written))
    }

    /// Returns `_FillValue` of floats in the only form that xarray accepts: the bytes of the double in base64, for any number type of the
    /// attribute.
    fn xarray_fill(&self, id: VarId, stored: &ArrayStorage) -> Option<Json> {
        let float = matches!(stored.ty, Atomic::Float | Atomic::Double) && stored.user.is_none();
        let attribute = self.schema.var(id)?.attribute("_FillValue")?;
        if !float || attribute.values.len() != 1 {
            return None;
        }
        let Values::Double(number) = convert(&attribute.values, Atomic::Double).ok()? else {
            return None;
        };
        let bytes = number.first()?.to_le_bytes();
        Some(Json::text(&strings::base64(&bytes)))
    }

    /// Returns the `zarr.json` of a group.
    ///
    /// # Errors
    /// Returns the errors of [`MetadataInput::own`].
    pub(crate) fn group_json(&self, id: GroupId) -> Result<Json> {
        let mut written = self.of_group(id)?;
        if !self.zarr.pure {
            if id == GroupId::ROOT {
                let properties = Json::text(PROPERTIES);
                written.add("_NCProperties", properties, Some(Atomic::Char));
                let superblock = [("version", Json::text("3.0.0")), ("format", Json::int(3))];
                written.add("_nczarr_superblock", Json::object(superblock), None);
            }
            written.add("_nczarr_group", self.nczarr_group3(id)?, None);
        }
        Ok(Json::object([
            ("zarr_format", Json::int(3)),
            ("node_type", Json::text("group")),
            ("attributes", self.attributes_json(written)),
        ]))
    }

    fn nczarr_group3(&self, id: GroupId) -> Result<Json> {
        let group = self.group(id)?;
        let dims = self.dims(&group.dims)?.into_iter().map(|dim| {
            Json::object([
                ("name", name(&dim.name)),
                ("size", Json::int(dim.len)),
                ("unlimited", Json::int(u8::from(dim.unlimited))),
            ])
        });
        let (arrays, groups) = self.contents(group)?;
        Ok(Json::object([
            ("dimensions", Json::Array(dims.collect())),
            ("arrays", arrays),
            ("subgroups", groups),
        ]))
    }

    /// Returns `attributes`, with the types.
    fn attributes_json(&self, mut written: StoredAttributes) -> Json {
        if !self.zarr.pure {
            written.types.push((TYPES.to_owned(), None));
            let types = written.types.into_iter().map(|(name, ty)| {
                let ty = Json::text(ty.map_or("json", dtype::recorded3));
                named(&name, Json::object([("type", ty)]))
            });
            let types = Json::object([("attribute_types", Json::Array(types.collect()))]);
            written.members.push((TYPES.to_owned(), types));
        }
        Json::Object(written.members)
    }
}
