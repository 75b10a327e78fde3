//! Arrays as variables: types and storage.

use super::array::ArrayDescription;
use super::dims::VariableName;
use super::dtype::{Dtype, shown};
use super::fill;
use super::nczarr::Extras;
use super::schema::{Array, StoreBuilder};
use super::shard_decoding::ShardDecoding;
use super::types::declare;
use crate::chunk::layout::Layout;
use crate::chunk::texts::{self, Texts};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterTable, VariableFacts, codec};
use crate::json::Json;
use crate::limits;
use crate::model::region::product;
use crate::model::storage::FillMode;
use crate::model::{
    Atomic, DataType, FilterSpec, GroupId, Schema, Storage, StorageLayout, StoredElement, Variable,
    ZarrVersion,
};

impl StoreBuilder<'_> {
    /// Adds the array below a prefix as a variable.
    ///
    /// # Errors
    /// Returns damage of the metadata, or store errors.
    pub(super) fn array(&mut self, group: GroupId, name: &str, prefix: &str) -> Result<()> {
        let (mut described, objects, extras) = self.describe(prefix)?;
        settle(&mut described, &extras, self.zarr.pure);
        let dims = self.dims(
            VariableName { group, name },
            &mut described,
            &objects,
            &extras,
        );
        let ty = declare(&mut self.schema, &described.stored, (group, name));
        let around = ArrayContext {
            schema: &self.schema,
            filters: &self.meta.env.filters,
            pure: self.zarr.pure,
        };
        let mut layout = around.layout(ty, &mut described);
        let fill = layout.fill.as_ref().map_or(0, Vec::len);
        self.meta.memory(fill as u64, prefix)?;
        let path = self.path(group, name);
        if let Some(problem) = &described.problem {
            self.note(&path, format!("the data cannot be read: {problem}"));
        } else if layout.fill.is_none() {
            let fill = described.fill.to_bytes();
            let fill = String::from_utf8_lossy(&fill);
            self.note(
                &path,
                format!("the fill value {fill} does not fit the type"),
            );
        } else if is_cut(&described) {
            let fill = shown(&described.fill);
            self.note(
                &path,
                format!("the fraction of the fill value {fill} is dropped"),
            );
        }
        let whole = ShardDecoding::of(&described, &layout, self.meta.env);
        let whole = match (whole, described.problem.is_some()) {
            (Ok(whole), _) => whole,
            (Err(_), true) => None,
            (Err(e), false) => {
                self.note(&path, format!("the data cannot be read: {e}"));
                described.problem = Some(e.to_string());
                None
            }
        };
        let attributes = self.variable_attributes((prefix, ty), &described, &objects)?;
        let storage = Storage {
            unwritten: self.fill_without_attribute(&described, ty, &attributes),
            ..storage(&described, &layout, &self.meta.env.filters)
        };
        let name = self.name(name);
        self.schema.add_var(Variable {
            name,
            group,
            ty,
            dims,
            attributes,
            storage,
        });
        let texts = texts_of(&described, &layout);
        if texts.is_some() {
            // Elements are references to texts. The chunk layer must not apply filters to references.
            layout.filters.clear();
        }
        let prefix = prefix.to_owned();
        self.arrays.push(Array {
            described,
            prefix,
            layout,
            texts,
            whole,
        });
        Ok(())
    }
}

/// The context in which the metadata of an array is read.
#[derive(Clone, Copy)]
pub(super) struct ArrayContext<'a> {
    /// The schema with the types of the array's elements.
    pub schema: &'a Schema,
    /// The available filters.
    pub filters: &'a FilterTable,
    /// Whether netCDF's own metadata is ignored.
    pub pure: bool,
}

impl ArrayContext<'_> {
    /// Returns the chunk layout of an array. If the array cannot be read, `described` receives the reason.
    pub(super) fn layout(&self, ty: DataType, described: &mut ArrayDescription) -> Layout {
        if let Dtype::Unknown(name, _) = &described.stored.dtype {
            let what = format!("the type {name} is not known");
            described.problem.get_or_insert(what);
        }
        let element = element(ty, described);
        let fill = self.fill(described, element.size);
        let mut layout = Layout {
            extent: described.shape.clone(),
            chunk: described.chunk.clone(),
            element,
            filters: vec![],
            fill,
            quantize: None,
        };
        let heap = described.heap.is_some();
        let context = self.context(&layout, heap);
        match codec::filters(
            described.version,
            &described.filters,
            &context,
            self.filters,
        ) {
            Ok(filters) => {
                let as_netcdf = |f| of_shuffle(of_szip(f, &layout), &layout, self.pure);
                layout.filters = filters.into_iter().map(as_netcdf).collect();
                if heap {
                    described.turned = turned(&mut layout.filters, layout.chunk.len());
                }
            }
            Err(e) => {
                described.problem.get_or_insert(e.to_string());
            }
        }
        layout
    }

    /// Returns the encoded fill value.
    fn fill(&self, described: &ArrayDescription, size: u64) -> Option<Vec<u8>> {
        match &described.fill {
            _ if described.heap.is_some() => Some(texts::missing()),
            // Missing elements are undefined then. netCDF-C and zarr-python use zeros.
            Json::Null => limits::element(size).ok().map(|size| vec![0; size]),
            json => {
                // In version 3, fill values of fixed-size texts are in base64 for all writers.
                let netcdf = !self.pure && described.version == ZarrVersion::V2;
                fill::stored(&described.stored, json, netcdf)
            }
        }
    }

    /// Returns the input description of the first filter on writing.
    fn context(&self, layout: &Layout, heap: bool) -> ChunkContext {
        let context = layout.context(VariableFacts {
            dims: layout.extent.clone(),
            ..VariableFacts::new(self.schema, layout.element.ty, &[])
        });
        ChunkContext {
            len: context.len.filter(|_| !heap),
            // Filters must not interpret the identifier of a missing string as text.
            fill: context.fill.filter(|_| !heap),
            ..context
        }
    }
}

/// Removes the leading transpositions from the filters of variable-length values, which are transposed before the conversion to bytes.
/// Returns the chunk dimension for each dimension of the encoded values; empty if the order is the same.
fn turned(filters: &mut Vec<FilterSpec>, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    let before = filters.iter().take_while(|f| f.id == codec::ids::TRANSPOSE);
    let count = before.count();
    for filter in filters.drain(..count) {
        let of = |&n: &u32| order.get(usize::try_from(n).ok()?).copied();
        order = filter.params.iter().filter_map(of).collect();
    }
    if order.is_sorted() { vec![] } else { order }
}

/// Checks whether the fill value of an integer type is not a whole number.
fn is_cut(described: &ArrayDescription) -> bool {
    let floats = [Atomic::Float, Atomic::Double];
    let whole = matches!(described.stored.dtype, Dtype::Number(a) if !floats.contains(&a));
    let number = match fill::single(&described.fill).unwrap_or(&described.fill) {
        Json::Number(text) => Some(text.as_str()),
        text => text.as_str(),
    };
    let number = number.and_then(|text| text.trim().parse::<f64>().ok());
    whole && number.is_some_and(|n| n.is_finite() && n.fract() != 0.0)
}

/// Returns the stored form of the elements.
fn element(ty: DataType, described: &ArrayDescription) -> StoredElement {
    let stored = &described.stored;
    let plain = matches!(
        stored.dtype,
        Dtype::Number(_) | Dtype::Char | Dtype::Time(_)
    );
    let size = match described.heap {
        Some(_) => texts::SIZE,
        None => stored.size().unwrap_or(1),
    };
    StoredElement {
        ty,
        size,
        order: stored.endianness(),
        plain,
    }
}

/// Returns szip as netCDF-C applies szip. netCDF-C derives the scan line length from the last dimension of the array, HDF5 from the last
/// dimension of the chunk.
fn of_szip(mut filter: FilterSpec, layout: &Layout) -> FilterSpec {
    let last = layout.extent.last().copied().unwrap_or(1);
    if let (4, [_, block, _, line]) = (filter.id, filter.params.as_mut_slice()) {
        let block = u64::from(*block);
        let most = block.saturating_mul(128);
        let elements = product(&layout.chunk).unwrap_or(u64::MAX);
        let len = match last {
            last if last < block => most.min(elements),
            last if last <= 4096 => most.min(last),
            _ => most,
        };
        *line = u32::try_from(len).unwrap_or(*line);
    }
    filter
}

/// The size of netCDF-C's `NC_STRING` in bytes: a pointer.
const STRING: u64 = 8;

/// Returns shuffle as netCDF-C applies shuffle. netCDF-C always uses the type size, and may store another size. Writers of pure Zarr use
/// the stored size.
fn of_shuffle(mut filter: FilterSpec, layout: &Layout, pure: bool) -> FilterSpec {
    let element = &layout.element;
    let is_text = element.ty == Atomic::String.into();
    let size = u32::try_from(if is_text { STRING } else { element.size });
    if let (2, [stored], Ok(size), false) = (filter.id, filter.params.as_mut_slice(), size, pure) {
        *stored = size;
    }
    filter
}

/// Applies netCDF types that Zarr lacks.
fn settle(described: &mut ArrayDescription, extras: &Extras, pure: bool) {
    let stored = &mut described.stored;
    let alias = extras.alias.as_deref();
    let dtype = match (&stored.dtype, alias) {
        (Dtype::Number(Atomic::UByte), Some("char")) => Dtype::Char,
        (Dtype::Raw(n), Some("string")) => Dtype::Bytes(*n),
        // netCDF-C writes `>S1` for characters, and wrote `<U1`, with one byte per character.
        (Dtype::Bytes(1), _) if stored.order.is_some() && !pure => Dtype::Char,
        (Dtype::Utf32(1), _) if !pure && extras.dims.is_some() => Dtype::Char,
        (other, _) => other.clone(),
    };
    let text = matches!(dtype, Dtype::Char | Dtype::Bytes(_));
    stored.dtype = dtype;
    if !pure && extras.default_fill && described.fill == Json::Null {
        described.fill = fill::default(&stored.dtype).unwrap_or(Json::Null);
    }
    stored.order = stored.order.filter(|_| !text);
}

/// Returns the storage of variable-length texts, if any.
pub(super) fn texts_of(described: &ArrayDescription, layout: &Layout) -> Option<Texts> {
    let fill = fill::stored(&described.stored, &described.fill, false);
    Some(Texts {
        codec: described.heap?,
        chunk: layout.chunk.clone(),
        turned: described.turned.clone(),
        filters: layout.filters.clone(),
        fill: fill.unwrap_or_default(),
    })
}

/// Returns the filters in the user's form.
fn filters(described: &ArrayDescription, layout: &Layout, table: &FilterTable) -> Vec<FilterSpec> {
    let all = &layout.filters;
    let before = described.filters.len().saturating_sub(all.len());
    let json = described.filters.iter().skip(before);
    let one = |(json, spec)| codec::of_user(described.version, json, spec, table);
    json.zip(all).map(one).collect()
}

/// Returns the storage settings that `ncdump -s` shows.
fn storage(described: &ArrayDescription, layout: &Layout, table: &FilterTable) -> Storage {
    let fill = match described.fill {
        Json::Null => FillMode::NoFill,
        _ => FillMode::Fill,
    };
    Storage {
        layout: Some(StorageLayout::Chunked(layout.chunk.clone())),
        filters: filters(described, layout, table),
        prepared: true,
        endianness: described.stored.order,
        fill,
        codecs: described.codecs.as_ref().map(Json::to_bytes),
        quantize: None,
        unwritten: None,
        max_string: match described.stored.dtype {
            Dtype::Bytes(width) => Some(width),
            _ => None,
        },
        characters: match described.stored.dtype {
            Dtype::Utf32(n) => Some(n),
            _ => None,
        },
        shard: described.shards.first().map(|s| s.shape.clone()),
    }
}

impl Array {
    /// Checks that the data can be read.
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`] with the reason if the data cannot be read.
    pub(super) fn readable(&self) -> Result<()> {
        match &self.described.problem {
            None => Ok(()),
            Some(problem) => {
                let what = format!("the data cannot be read: {problem}");
                Err(Error::new(ErrorKind::FilterUnavailable, what))
            }
        }
    }
}

/// Returns the error for an id without a variable.
#[must_use]
pub(super) fn no_variable() -> Error {
    Error::new(ErrorKind::NotFound, "no such variable")
}
