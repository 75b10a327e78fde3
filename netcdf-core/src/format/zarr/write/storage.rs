//! How variables will be stored: in what chunks, through which filters.

use super::{codecs, strings};
use crate::chunk::elements;
use crate::chunk::layout::{Element, Layout};
use crate::chunk::quantize::Quantizer;
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::filter::{About, Context, codec, vlen_utf8};
use crate::format::netcdf4::write::chunk_sizes::{self, Elements};
use crate::format::netcdf4::write::storage::prepared;
use crate::json::Json;
use crate::model::{
    Atomic, Dimension, Endianness, Fill, FilterSpec, Quantize, Schema, StorageLayout, VarId,
    Variable, ZarrVersion,
};

/// How a variable will be stored.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The type of its elements.
    pub ty: Atomic,
    /// As the engine sees it; without its extent.
    pub layout: Layout,
    /// Whether readers are told of no fill value.
    pub no_fill: bool,
    /// The codecs of the filters, in the order of writing.
    pub codecs: Vec<Json>,
    /// The shape of what is stored under one key, if several chunks are.
    pub shard: Option<Vec<u64>>,
}

impl Stored {
    /// The shape of what is stored under one key.
    #[must_use]
    pub fn outer(&self) -> &[u64] {
        self.shard.as_deref().unwrap_or(&self.layout.chunk)
    }

    /// How many chunks are stored under one key, by dimension, if they are several.
    #[must_use]
    pub fn per_shard(&self) -> Option<Vec<u64>> {
        let pairs = self.shard.as_ref()?.iter().zip(&self.layout.chunk);
        Some(
            pairs
                .map(|(shard, chunk)| shard / (*chunk).max(1))
                .collect(),
        )
    }
}

/// How a variable will be stored; `no_fill` says that nothing is said of fill values.
///
/// # Errors
/// [`ErrorKind::Argument`] for settings that contradict each other or the variable, [`ErrorKind::Scalar`],
/// [`ErrorKind::BadType`]; those of [`Quantize::new`] and of preparing filters; with the variable's path.
pub fn of(schema: &Schema, id: VarId, no_fill: bool, env: &Env) -> Result<Stored> {
    let made = made(schema, id, no_fill, env);
    made.in_object(|| schema.var_path(id))
}

fn made(schema: &Schema, id: VarId, no_fill: bool, env: &Env) -> Result<Stored> {
    let missing = || Error::new(ErrorKind::NotFound, "no such variable");
    let var = schema.var(id).ok_or_else(missing)?;
    let no_type = || Error::new(ErrorKind::BadType, "a user-defined type");
    let ty = var.ty.atomic().ok_or_else(no_type)?;
    if let Some(asked) = var.storage.quantize {
        Quantize::new(asked.algorithm, asked.keep.into(), var.ty)?;
    }
    let element = element(schema, var, ty)?;
    let no_fill = no_fill || var.storage.fill == Fill::NoFill;
    let filtered = !var.storage.filters.is_empty() || var.storage.codecs.is_some();
    let mut layout = Layout {
        extent: schema.shape(id),
        chunk: chunk(schema, var, element, filtered)?,
        element,
        filters: vec![],
        fill: Some(match no_fill {
            // What readers make of no fill value.
            true => vec![0; usize::try_from(element.size).unwrap_or(0)],
            false => fill_bytes(var, element)?,
        }),
        quantize: Quantizer::new(var, element.order),
    };
    let shard = shard(schema, var, &layout.chunk)?;
    let codecs = match filtered {
        true => filter(schema, var, &mut layout, env)?,
        false => vec![],
    };
    if ty == Atomic::String && version(schema) == ZarrVersion::V3 {
        let (id, params) = (vlen_utf8::ID, vec![]);
        layout.filters.insert(0, FilterSpec { id, params });
    }
    Ok(Stored {
        ty,
        layout,
        no_fill,
        codecs,
        shard,
    })
}

/// The shape of shards: what is asked for, in whole chunks.
fn shard(schema: &Schema, var: &Variable, chunk: &[u64]) -> Result<Option<Vec<u64>>> {
    let Some(asked) = var.storage.shard.as_ref().filter(|_| !chunk.is_empty()) else {
        return Ok(None);
    };
    if version(schema) == ZarrVersion::V2 {
        let what = "Zarr version 2 has no shards";
        return Err(Error::new(ErrorKind::Argument, what).with_remedy("use version 3"));
    }
    if asked.len() != chunk.len() {
        let what = format!("shards of {} dimensions, not {}", asked.len(), chunk.len());
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let whole = |(asked, chunk): (&u64, &u64)| asked.max(&1).checked_next_multiple_of(*chunk);
    let whole: Option<Vec<u64>> = asked.iter().zip(chunk).map(whole).collect();
    let large = || Error::new(ErrorKind::Argument, "shards that are too large");
    whole.map(Some).ok_or_else(large)
}

/// The version that is written.
fn version(schema: &Schema) -> ZarrVersion {
    let zarr = schema.kind.as_zarr();
    zarr.map_or(ZarrVersion::V2, |zarr| zarr.version)
}

/// Gives the layout its filters; their codecs.
fn filter(schema: &Schema, var: &Variable, layout: &mut Layout, env: &Env) -> Result<Vec<Json>> {
    let filters = &var.storage.filters;
    let fill = layout.fill.clone().unwrap_or_default();
    let about = About {
        dims: layout.extent.clone(),
        mandatory: true,
        ..About::new(schema, var.ty, filters)
    };
    let context = Context {
        shape: layout.chunk.clone(),
        element: layout.element,
        fill: Some(fill.clone()),
        len: layout.chunk_bytes(),
        about: about.clone(),
    };
    layout.filters = match &var.storage.codecs {
        Some(text) => codecs::asked(text, &context, &env.filters)?,
        None => {
            let asked = (&filters[..], var.storage.prepared);
            prepared(asked, (layout, fill, about), &env.filters)?
        }
    };
    codec::list(version(schema), &layout.filters, &context, &env.filters)
}

/// What an element of a variable is.
fn element(schema: &Schema, var: &Variable, ty: Atomic) -> Result<Element> {
    let ordered = ty.size().is_some_and(|n| n > 1);
    Ok(Element {
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

/// Stored form of the variable's fill value.
fn fill_bytes(var: &Variable, element: Element) -> Result<Vec<u8>> {
    let Some(value) = var.fill_value() else {
        return Ok(vec![]);
    };
    if !element.plain {
        return strings::encode(&value, element.size);
    }
    let mut bytes = vec![];
    elements::encode(&value, element.order, &mut bytes)?;
    Ok(bytes)
}

/// The shape of the chunks; what is not to be chunked is one.
fn chunk(schema: &Schema, var: &Variable, element: Element, filtered: bool) -> Result<Vec<u64>> {
    let argument = |what: &'static str| Err(Error::new(ErrorKind::Argument, what));
    let dims = var.dims.iter().map(|&d| schema.dim(d));
    let dims: Option<Vec<&Dimension>> = dims.collect();
    let missing = || Error::new(ErrorKind::NotFound, "a dimension that is not there");
    let dims = dims.ok_or_else(missing)?;
    let unlimited = dims.iter().any(|d| d.unlimited);
    if dims.is_empty() {
        return match &var.storage.layout {
            _ if filtered => {
                let what = "a scalar has no chunks, which filters need";
                Err(Error::new(ErrorKind::Scalar, what))
            }
            // A scalar is one chunk, and shown as chunked.
            Some(StorageLayout::Chunked(_)) => Ok(vec![]),
            Some(StorageLayout::Compact | StorageLayout::Contiguous | StorageLayout::Virtual)
            | Some(StorageLayout::Unknown)
            | None => Ok(vec![]),
        };
    }
    let asked: &[u64] = match &var.storage.layout {
        Some(StorageLayout::Contiguous | StorageLayout::Compact) if unlimited => {
            return argument("data of an unlimited dimension is stored in chunks only");
        }
        Some(StorageLayout::Contiguous | StorageLayout::Compact) if !filtered => {
            return Ok(dims.iter().map(|d| d.len.max(1)).collect());
        }
        Some(StorageLayout::Chunked(asked)) => asked,
        Some(StorageLayout::Contiguous | StorageLayout::Compact | StorageLayout::Virtual)
        | Some(StorageLayout::Unknown)
        | None => &[],
    };
    let elements = Elements {
        dims: &dims,
        // netCDF-C takes strings for what they are in memory: references.
        size: if element.plain { element.size } else { 8 },
        stored: if asked.is_empty() { 1 } else { element.size },
    };
    chunk_sizes::shape(elements, asked)
}
