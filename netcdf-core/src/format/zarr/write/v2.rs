//! The metadata of version 2: `.zgroup`, `.zarray` and `.zattrs`, with members in netCDF-C's order.

use super::attributes::utf8;
use super::check::DIMENSIONS;
use super::json_forms::lengths;
use super::metadata::{JsonMember, MetadataInput, StoredAttributes, name};
use super::storage::ArrayStorage;
use super::{codecs, dtype, fill, numbers, strings, user_types};
use crate::chunk::elements;
use crate::error::Result;
use crate::filter::ids::SZIP;
use crate::format::zarr::nczarr::NO_FILL;
use crate::json::Json;
use crate::model::{Atomic, Dimension, GroupId, VarId, ZarrVersion};

/// The provenance of the dataset.
const PROPERTIES: &str = concat!(
    "version=2,netcdf-tools=",
    env!("CARGO_PKG_VERSION"),
    ",nczarr=2.0.0"
);

/// The recorded type of netCDF's own metadata.
const JSON: &str = "|J0";
/// netCDF's own fill value of `float`.
const DEFAULT_FLOAT: &str = "9.96921e+36";
/// The dimension name of a scalar.
const SCALAR: &str = "_scalar_";

/// Returns the contents of `.zgroup`.
#[must_use]
pub(crate) fn group() -> Json {
    Json::object([("zarr_format", Json::int(2))])
}

/// Returns the contents of `.zmetadata`, from metadata objects with keys.
#[must_use]
pub(crate) fn consolidated(metadata: Vec<JsonMember>) -> Json {
    Json::object([
        ("metadata", Json::Object(metadata)),
        ("zarr_consolidated_format", Json::int(1)),
    ])
}

impl MetadataInput<'_> {
    /// Returns the contents of `.zarray`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`](crate::ErrorKind::BadType) for unsupported types.
    pub(crate) fn zarray(&self, id: VarId, stored: &ArrayStorage) -> Result<Json> {
        let layout = &stored.layout;
        let mut shape = self.schema.shape(id);
        let mut chunks = layout.chunk.clone();
        let pure = self.zarr.pure;
        if shape.is_empty() && !pure {
            shape.push(1);
            chunks.push(1);
        }
        let element = layout.element;
        let szip = layout.filters.iter().any(|f| f.id == SZIP);
        let dtype = if szip { dtype::v2_szip } else { dtype::v2 };
        let dtype = match &stored.user {
            Some(user) => user_types::named(user, ZarrVersion::V2)?,
            None => Json::text(&dtype(stored.ty, element.order, pure, element.size)),
        };
        let (compressor, filters) = codecs::v2(&stored.codecs);
        Ok(Json::object([
            ("zarr_format", Json::int(2)),
            ("shape", lengths(&shape)),
            ("dtype", dtype),
            ("chunks", lengths(&chunks)),
            ("fill_value", self.fill_value(stored)?),
            ("order", Json::text("C")),
            ("compressor", compressor),
            ("filters", filters),
        ]))
    }

    /// Returns the `fill_value`. For texts, netCDF-C expects plain text, and zarr-python expects base64.
    fn fill_value(&self, stored: &ArrayStorage) -> Result<Json> {
        let Some(bytes) = stored.fill_value() else {
            return Ok(Json::Null);
        };
        if let Some(user) = &stored.user {
            return Ok(user_types::fill_value(user, bytes));
        }
        if matches!(stored.ty, Atomic::Char | Atomic::String) {
            let text = strings::trimmed(bytes);
            return Ok(match self.zarr.pure {
                true => Json::Text(strings::base64(text).into_bytes()),
                false => Json::Text(utf8(text).0.into_owned()),
            });
        }
        let values = elements::decode(stored.ty, stored.layout.element.order, bytes)?;
        if stored.ty == Atomic::Float && !self.zarr.pure && values == Atomic::Float.default_fill() {
            // netCDF-C's spelling. The array type determines the number type.
            return Ok(Json::Number(DEFAULT_FLOAT.to_owned()));
        }
        let items = numbers::list(&values, self.style()).unwrap_or_default();
        Ok(items.into_iter().next().unwrap_or(Json::Null))
    }

    /// Returns the `.zattrs` of a variable.
    ///
    /// # Errors
    /// Returns the errors of [`MetadataInput::own`] and [`strings::width`].
    pub(crate) fn var_zattrs(&self, id: VarId, stored: &ArrayStorage) -> Result<Json> {
        let mut written = self.of_var(id)?;
        let var = self.var(id)?;
        self.mark_texts(var, stored, &mut written);
        let dims = self.dims(&var.dims)?;
        if self.options.zarr.xarray {
            let mut names: Vec<Json> = dims.iter().map(|d| name(&d.name)).collect();
            if names.is_empty() && !self.zarr.pure {
                names.push(Json::text(SCALAR));
            }
            let names = Json::Array(names);
            written.members.push((DIMENSIONS.to_owned(), names));
        }
        if !self.zarr.pure {
            let fill = stored.fill_value().is_none() && fill::is_default(self.schema, var);
            written.add("_nczarr_array", self.nczarr_array(&dims, fill), None);
        }
        Ok(self.zattrs(written, strings::width(self.schema, var)?))
    }

    /// Returns `_nczarr_array`. `default`: unwritten elements read as netCDF's default, although `fill_value` is `null`.
    fn nczarr_array(&self, dims: &[&Dimension], default: bool) -> Json {
        let paths = dims.iter().map(|d| self.dim_path(d)).collect();
        let scalar = dims.is_empty().then(|| ("scalar", Json::int(1)));
        let paths = [("dimension_references", Json::Array(paths))];
        let storage = [("storage", Json::text("chunked"))];
        let fill = default.then_some((NO_FILL, Json::Bool(false)));
        let members = paths.into_iter().chain(scalar).chain(storage).chain(fill);
        Json::object(members)
    }

    /// Returns the `.zattrs` of a group.
    ///
    /// # Errors
    /// Returns the errors of [`MetadataInput::own`] and [`Schema::default_string_size`](crate::model::Schema::default_string_size).
    pub(crate) fn group_zattrs(&self, id: GroupId) -> Result<Json> {
        let mut written = self.of_group(id)?;
        if !self.zarr.pure {
            let root = id == GroupId::ROOT;
            if root {
                let properties = Json::text(PROPERTIES);
                written.add("_NCProperties", properties, Some(Atomic::Char));
            }
            written.add("_nczarr_group", self.nczarr_group(id)?, None);
            if root {
                let superblock = Json::object([("version", Json::text("2.0.0"))]);
                written.add("_nczarr_superblock", superblock, None);
            }
        }
        Ok(self.zattrs(written, self.schema.default_string_size()?))
    }

    fn nczarr_group(&self, id: GroupId) -> Result<Json> {
        let group = self.group(id)?;
        let dims = self.dims(&group.dims)?.into_iter().map(|dim| {
            let len = Json::int(dim.len);
            let unlimited = ("unlimited", Json::int(1));
            let value = match dim.unlimited {
                true => Json::object([("size", len), unlimited]),
                false => len,
            };
            (dim.name.to_string(), value)
        });
        let (arrays, groups) = self.contents(group)?;
        Ok(Json::object([
            ("dimensions", Json::Object(dims.collect())),
            ("arrays", arrays),
            ("groups", groups),
        ]))
    }

    /// Returns `.zattrs`, with the types. String types have `width` bytes.
    fn zattrs(&self, mut written: StoredAttributes, width: u64) -> Json {
        if !self.zarr.pure {
            let dtype = |ty: Option<Atomic>| match ty {
                Some(ty) => Json::text(&dtype::recorded(ty, width)),
                None => Json::text(JSON),
            };
            written.types.push(("_nczarr_attr".to_owned(), None));
            let types = written.types.into_iter();
            let types = types.map(|(name, ty)| (name, dtype(ty))).collect();
            let types = Json::object([("types", Json::Object(types))]);
            written.members.push(("_nczarr_attr".to_owned(), types));
        }
        Json::Object(written.members)
    }
}
