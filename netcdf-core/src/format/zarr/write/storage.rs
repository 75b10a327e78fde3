//! Storage of variables: chunks, shards and filters.

use super::fill::DeclaredFill;
use super::{filters, strings, user_types};
use crate::arithmetic::Amount;
use crate::chunk::filter_parameters::{Preparation, prepared};
use crate::chunk::layout::Layout;
use crate::chunk::quantize::Quantizer;
use crate::chunk::shapes::{self, ShapeInput};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::codec::{self, SHARDS, within_shards};
use crate::filter::{FilterChain, VariableFacts, vlen_utf8};
use crate::format::zarr::dtype;
use crate::format::zarr::grid::cells;
use crate::json::Json;
use crate::limits::room;
use crate::model::region::product;
use crate::model::strings::OF_VARIABLE;
use crate::model::{
    Atomic, DataType, Dimension, Endianness, FilterSpec, Quantize, Schema, StorageLayout,
    StoredElement, VarId, Variable, ZarrVersion,
};
use crate::notes::Note;

/// The variable storage.
#[derive(Debug, Clone)]
pub(crate) struct ArrayStorage {
    /// The element type; bytes for elements of a user-defined type.
    pub ty: Atomic,
    /// The type of elements that are not numbers, characters or byte strings: user-defined types, and strings of four-byte characters.
    pub user: Option<dtype::StoredType>,
    /// The chunk layout, without the extent.
    pub layout: Layout,
    /// The declared fill value.
    pub declared: DeclaredFill,
    /// Whether all chunks are stored.
    pub whole: bool,
    /// The codecs of the filters, in encoding order.
    pub codecs: Vec<Json>,
    /// The shard shape, if several chunks are stored under one key.
    pub shard: Option<Vec<u64>>,
    /// Whether the elements are fixed-size strings.
    pub fixed_text: bool,
}

impl ArrayStorage {
    /// Returns the encoded `fill_value`, if the metadata declares one.
    #[must_use]
    pub(crate) fn fill_value(&self) -> Option<&[u8]> {
        self.declared.fill_value(self.whole)
    }

    /// Checks whether version 3 stores `_FillValue` only in the array's `fill_value`. xarray accepts no `_FillValue` attribute of texts.
    #[must_use]
    pub(crate) fn omits_fill_attribute(&self, var: &Variable) -> bool {
        let text = matches!(var.ty.atomic(), Some(Atomic::Char | Atomic::String));
        text && self.declared.holds_own(self.whole)
    }

    /// Returns the shape of a chunk or shard, the contents of a key.
    #[must_use]
    pub(crate) fn outer(&self) -> &[u64] {
        self.shard.as_deref().unwrap_or(&self.layout.chunk)
    }

    /// Returns the filters that encode chunks.
    ///
    /// # Errors
    /// Returns the errors of [`FilterTable::chain`](crate::filter::FilterTable::chain).
    pub(crate) fn chain(&self, schema: &Schema, env: &Env) -> Result<FilterChain> {
        let layout = &self.layout;
        let context = layout.context(VariableFacts {
            mandatory: true,
            ..VariableFacts::new(schema, layout.element.ty, &layout.filters)
        });
        env.filters.chain(&layout.filters, &context)
    }

    /// Returns the number of chunks under one key, per dimension, if a key stores several chunks.
    #[must_use]
    pub(crate) fn per_shard(&self) -> Option<Vec<u64>> {
        Some(cells(self.shard.as_ref()?, &self.layout.chunk))
    }
}

/// Determines the variable storage. `no_fill` omits fill values from the metadata.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for settings that contradict each other or the variable, [`ErrorKind::BadType`], and errors of
/// [`Quantize::new`] and of filter preparation. Errors contain the variable's path.
pub(crate) fn of(schema: &Schema, id: VarId, no_fill: bool, env: &Env) -> Result<ArrayStorage> {
    let made = made(schema, id, no_fill, env);
    made.in_object(|| schema.var_path(id))
}

fn made(schema: &Schema, id: VarId, no_fill: bool, env: &Env) -> Result<ArrayStorage> {
    let missing = || Error::new(ErrorKind::NotFound, "no such variable");
    let var = schema.var(id).ok_or_else(missing)?;
    let no_type = || Error::new(ErrorKind::BadType, "a user-defined type");
    let (ty, user) = match var.ty {
        DataType::Atomic(ty) => (ty, user_types::characters(schema, var)),
        DataType::User(id) => {
            let user = user_types::of(schema, id).ok_or_else(no_type)?;
            (Atomic::UByte, Some(user))
        }
    };
    if let Some(asked) = var.storage.quantize {
        Quantize::new(asked.algorithm, asked.keep.into(), var.ty)?;
    }
    let element = match &user {
        None => element(schema, var, ty)?,
        Some(user) => StoredElement {
            ty: var.ty,
            size: user.size().ok_or_else(no_type)?,
            order: Endianness::Little,
            plain: false,
        },
    };
    let declared = DeclaredFill::of(schema, var, (element, user.as_ref()), no_fill)?;
    let filtered = !var.storage.filters.is_empty() || var.storage.codecs.is_some();
    let mut layout = Layout {
        extent: schema.shape(id),
        chunk: chunk(schema, var, element, filtered)?,
        element,
        filters: vec![],
        fill: Some(declared.value.clone()),
        quantize: Quantizer::new(var, element.order),
    };
    if !element.plain {
        // Every string has the maximum length.
        let bytes = Amount::of(layout.chunk_bytes());
        let with_remedy = |e: Error| {
            e.with_remedy("use smaller chunks (-c, _ChunkSizes), or remove the longest strings")
        };
        room((bytes * 2u64).count(), "a chunk of strings").map_err(with_remedy)?;
    }
    let shard = shard(schema, var, &layout.chunk)?;
    let of_bytes = ty == Atomic::String && user.is_none();
    let fixed_text = of_bytes && is_fixed(schema, var);
    if of_bytes && !fixed_text {
        let (id, params) = (vlen_utf8::ID, vec![]);
        layout.filters.push(FilterSpec { id, params });
    }
    let codecs = match filtered {
        true => filter(schema, (var, &schema.var_path(id)), &mut layout, env)?,
        false => vec![],
    };
    Ok(ArrayStorage {
        ty,
        user,
        layout,
        declared,
        whole: false,
        codecs,
        shard,
        fixed_text,
    })
}

/// Checks whether strings have a fixed size: always in version 2, and in version 3 with both a size and a codec for fixed-size elements.
fn is_fixed(schema: &Schema, var: &Variable) -> bool {
    match version(schema) {
        ZarrVersion::V2 => true,
        ZarrVersion::V3 => {
            let sized = var.attribute(OF_VARIABLE).is_some();
            let asked = var.storage.codecs.as_deref();
            sized && asked.is_some_and(makes_bytes)
        }
    }
}

/// Returns the shard shape: the requested shape, checked and rounded up to whole chunks.
fn shard(schema: &Schema, var: &Variable, chunk: &[u64]) -> Result<Option<Vec<u64>>> {
    let Some(asked) = var.storage.shard.as_ref().filter(|_| !chunk.is_empty()) else {
        let coded = var.storage.codecs.as_deref().is_some_and(makes_shards);
        if coded && version(schema) == ZarrVersion::V3 {
            let what = "_Codecs: the size of the shards is not given";
            let remedy = "give the variable the attribute _ShardSizes";
            return Err(Error::new(ErrorKind::Argument, what).with_remedy(remedy));
        }
        return Ok(None);
    };
    if version(schema) == ZarrVersion::V2 {
        let what = "Zarr version 2 has no shards";
        return Err(Error::new(ErrorKind::Argument, what).with_remedy("use version 3"));
    }
    if asked.len() != chunk.len() {
        let what = format!(
            "shards have {} dimensions, expected {}",
            asked.len(),
            chunk.len()
        );
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let whole = |(asked, chunk): (&u64, &u64)| asked.max(&1).checked_next_multiple_of(*chunk);
    let whole: Option<Vec<u64>> = asked.iter().zip(chunk).map(whole).collect();
    let large = || Error::new(ErrorKind::Argument, "the shards are too large");
    whole.map(Some).ok_or_else(large)
}

/// Checks whether a JSON list of codecs is for chunks in shards.
fn makes_shards(text: &[u8]) -> bool {
    let json = Json::parse(text).unwrap_or(Json::Null);
    let codecs = json.items().unwrap_or_default().iter();
    let mut names = codecs.filter_map(|codec| codec.get("name")?.as_str());
    names.any(|name| name == SHARDS)
}

/// Checks whether a JSON list of codecs converts fixed-size elements to bytes.
fn makes_bytes(text: &[u8]) -> bool {
    let json = Json::parse(text).unwrap_or(Json::Null);
    let bytes = |json: &Json| json.get("name").and_then(Json::as_str) == Some("bytes");
    within_shards(&json).iter().any(bytes)
}

/// Returns the output version.
fn version(schema: &Schema) -> ZarrVersion {
    let zarr = schema.kind.as_zarr();
    zarr.map_or(ZarrVersion::V2, |zarr| zarr.version)
}

/// Adds the filters to the layout, and returns the codecs of the added filters.
fn filter(
    schema: &Schema,
    (var, path): (&Variable, &str),
    layout: &mut Layout,
    env: &Env,
) -> Result<Vec<Json>> {
    let filters = &var.storage.filters;
    let context = layout.context(VariableFacts {
        dims: layout.extent.clone(),
        mandatory: true,
        ..VariableFacts::new(schema, var.ty, filters)
    });
    let behind = |context, first| codec::behind(first, &context, &env.filters);
    let context = layout.filters.iter().fold(context, behind);
    let added = match &var.storage.codecs {
        Some(text) => codec::from_text(text, &context, &env.filters)?,
        None => {
            let filters = filters::ordered(filters, layout.element, &env.filters);
            let how = Preparation {
                keep: var.storage.prepared,
                codecs: true,
            };
            let made = prepared(&filters, how, context.clone(), &env.filters)?;
            let say = |what| {
                env.notes.say(Note {
                    object: path.to_owned(),
                    what,
                    remedy: None,
                });
            };
            let made = filters::of_whole_elements(made, (&context, &env.filters), &say)?;
            let made = filters::specified(made, version(schema));
            filters::of_texts(made, (layout, version(schema)), &say)
        }
    };
    let codecs = codec::list(version(schema), &added, &context, &env.filters)?;
    layout.filters.extend(added);
    Ok(codecs)
}

/// Returns the stored form of the variable elements.
fn element(schema: &Schema, var: &Variable, ty: Atomic) -> Result<StoredElement> {
    let ordered = ty.size().is_some_and(|n| n > 1);
    Ok(StoredElement {
        ty: var.ty,
        size: match ty.size() {
            Some(size) => size as u64,
            None => strings::width(schema, var)?,
        },
        order: match var.storage.endianness {
            Some(order) if ordered => order,
            Some(_) | None => Endianness::Little,
        },
        plain: ty.size().is_some(),
    })
}

/// Returns the chunk shape. A variable without chunks becomes one chunk.
fn chunk(
    schema: &Schema,
    var: &Variable,
    element: StoredElement,
    filtered: bool,
) -> Result<Vec<u64>> {
    let argument = |what: &'static str| Err(Error::new(ErrorKind::Argument, what));
    let dims = var.dims.iter().map(|&d| schema.dim(d));
    let dims: Option<Vec<&Dimension>> = dims.collect();
    let missing = || Error::new(ErrorKind::NotFound, "no such dimension");
    let dims = dims.ok_or_else(missing)?;
    let unlimited = dims.iter().any(|d| d.unlimited);
    if dims.is_empty() {
        // A scalar is one chunk, and readers show the scalar as chunked.
        return Ok(vec![]);
    }
    let asked: &[u64] = match &var.storage.layout {
        Some(StorageLayout::Contiguous | StorageLayout::Compact) if unlimited => {
            return argument("data with an unlimited dimension can only be stored in chunks");
        }
        Some(StorageLayout::Contiguous | StorageLayout::Compact) if !filtered => {
            let whole: Vec<u64> = dims.iter().map(|d| d.len.max(1)).collect();
            if !is_large_text(&whole, element) {
                return Ok(whole);
            }
            &[]
        }
        Some(StorageLayout::Chunked(asked)) => asked,
        Some(StorageLayout::Contiguous | StorageLayout::Compact | StorageLayout::Virtual)
        | Some(StorageLayout::Unknown)
        | None => &[],
    };
    let shape = |size| {
        let elements = ShapeInput {
            dims: &dims,
            size,
            stored: if asked.is_empty() { 1 } else { element.size },
            overhang: true,
        };
        shapes::shape(elements, asked)
    };
    // netCDF-C uses the memory size of strings: the size of a reference.
    let usual = shape(if element.plain { element.size } else { 8 })?;
    match asked.is_empty() && is_large_text(&usual, element) {
        true => shape(element.size),
        false => Ok(usual),
    }
}

/// Checks whether a chunk of strings with this shape is larger than a default chunk should be.
fn is_large_text(shape: &[u64], element: StoredElement) -> bool {
    let bytes = product(shape).and_then(|n| n.checked_mul(element.size));
    !element.plain && bytes.is_none_or(|bytes| bytes > LARGE_TEXT)
}

/// Maximum size in bytes of a chunk of strings with a default shape.
const LARGE_TEXT: u64 = 256 << 20;
