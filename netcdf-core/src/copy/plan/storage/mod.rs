//! Storage of the output's variables: layout, chunks, filters, fill mode.

mod chunks;
mod filters;
mod pattern_filters;

use std::collections::HashSet;

use super::{CopiedVariable, Plan};
use crate::chunk::shapes::bytes;
use crate::copy::options::{
    ChunkShapes, CopyOptions, Filtering, MIN_CHUNK, StorageOptions, VarLayout,
};
use crate::error::{Context, Error, ErrorKind, OrInternal as _, Result};
use crate::format::{BareFill, bare_fill, traits};
use crate::model::quantize::Algorithm;
use crate::model::{
    Atomic, Attribute, DataType, FillMode, Quantize, Schema, Storage, StorageLayout, VarId,
    Variable,
};
use crate::notes::Note;
use chunks::ChunkShape;

/// Maximum bytes of compact data: an object header message with a 16-bit length contains the data.
const COMPACT: u64 = 65_000;

/// A variable and the options for its storage.
struct StorageCase<'a> {
    input: &'a Schema,
    output: &'a Schema,
    pair: CopiedVariable,
    from: &'a Variable,
    to: &'a Variable,
    ask: &'a StorageOptions,
    /// The filters requested for this variable.
    asked: Option<&'a Filtering>,
    /// Whether an option concerns the variable, so that small chunks become contiguous.
    has_options: bool,
}

/// Notes and remarks on the storage of variables.
#[derive(Default)]
struct StorageNotes {
    notes: Vec<Note>,
    remarks: Vec<Note>,
}

/// Decides the storage of the variables in a plan's output; `pairs` are the variables in input and output.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] if an option requests impossible storage for a variable that the user named.
pub(super) fn decide(
    input: &Schema,
    plan: &mut Plan,
    pairs: &[CopiedVariable],
    options: &CopyOptions,
) -> Result<()> {
    let mut decided = vec![];
    let mut log = StorageNotes::default();
    let copied: HashSet<VarId> = plan.data.iter().map(|p| p.to).collect();
    for &pair in pairs {
        let found = input.var(pair.from).zip(plan.schema.var(pair.to));
        let (from, to) = found.or_internal("a variable")?;
        let asked = options.storage.filters.vars.get(&pair.from);
        let others = has_options(input, options, pair.from);
        let case = StorageCase {
            input,
            output: &plan.schema,
            pair,
            from,
            to,
            ask: &options.storage,
            asked,
            has_options: others || asked.is_some(),
        };
        let mut storage = case.stored(others, &mut log);
        if let Ok(storage) = &mut storage
            && traits(case.output.kind).settings
        {
            storage.fill = case.fill(copied.contains(&pair.to));
        }
        decided.push((pair.to, storage.in_object(|| input.var_path(pair.from))?));
    }
    plan.notes.append(&mut log.notes);
    plan.remarks.append(&mut log.remarks);
    for (to, storage) in decided {
        let var = plan.schema.var_mut(to)?;
        if let Some(quantize) = storage.quantize {
            put_attribute(quantize, &mut var.attributes);
        }
        var.storage = storage;
    }
    Ok(())
}

/// Puts the quantization attribute first, as netCDF-C does, and removes the attributes of other quantization methods.
fn put_attribute(quantize: Quantize, attributes: &mut Vec<Attribute>) {
    attributes.retain(|a| Algorithm::from_attribute(a.name.as_bytes()).is_none());
    attributes.insert(0, quantize.attribute());
}

/// Returns whether an option other than `-F` concerns this variable's storage.
fn has_options(input: &Schema, options: &CopyOptions, var: VarId) -> bool {
    let ask = &options.storage;
    let mut dims = input.var(var).into_iter().flat_map(|v| &v.dims);
    let unlimited = dims.any(|&dim| input.is_unlimited(dim));
    ask.deflate.is_some()
        || ask.min_chunk.is_some()
        || ask.chunks != ChunkShapes::default()
        || ask.chunk_size.is_some()
        || ask.filters.none
        || options.fix_unlimited && unlimited
}

impl StorageCase<'_> {
    fn storage(&self, log: &mut StorageNotes) -> Result<Storage> {
        if !traits(self.output.kind).settings {
            return Ok(Storage::default());
        }
        let mut storage = Storage {
            endianness: self.from.storage.endianness,
            ..Storage::default()
        };
        self.filters(&mut storage, log)?;
        self.has_filters(&storage)?;
        storage.layout = Some(self.layout(&storage, log)?);
        self.note_fixed(&storage, log);
        storage.shard = self.shard(&storage);
        let quantize = self.ask.quantize.get(&self.pair.from);
        storage.quantize = quantize.map(|asked| asked.quantize);
        self.drop_decode_only(&mut storage, log);
        storage.prepared = self.keeps_filters(&storage);
        Ok(storage)
    }

    /// Returns whether the output has the input's filters, with the same parameters, and the input's chunks.
    fn keeps_filters(&self, storage: &Storage) -> bool {
        let old = &self.from.storage;
        let types = match (self.from.ty, self.to.ty) {
            (DataType::Atomic(from), DataType::Atomic(to)) => from == to,
            (DataType::User(_), DataType::User(_)) => true,
            (DataType::Atomic(_), DataType::User(_)) | (DataType::User(_), DataType::Atomic(_)) => {
                false
            }
        };
        types
            && self.asked.is_none()
            && !self.has_user_form(storage)
            && storage.filters == old.filters
            && storage.layout == old.layout
    }

    /// Returns the fill mode. Copied variables are written completely; uncopied variables stay fill. As in netCDF-C, only numbers and
    /// characters are marked as not filled. Strings are also marked if the output may store them with a fixed size: in Zarr, readers mask
    /// elements that equal a fill value. Variables that can grow keep the input's fill mode, because a later program may skip records. Zarr
    /// version 3 always stores a fill value, and readers do not mask elements that equal it.
    fn fill(&self, copied: bool) -> FillMode {
        let sized = traits(self.output.kind).sized_strings;
        match self.to.ty {
            DataType::Atomic(_) if copied && self.keeps_fill() => self.from.storage.fill,
            DataType::User(_) => FillMode::Fill,
            DataType::Atomic(Atomic::String) if !sized => FillMode::Fill,
            DataType::Atomic(_) if copied => FillMode::NoFill,
            DataType::Atomic(_) => FillMode::Fill,
        }
    }

    /// Returns whether the output keeps the input's fill mode.
    fn keeps_fill(&self) -> bool {
        match bare_fill(self.output.kind) {
            BareFill::Nothing => grows(self.output, self.to),
            BareFill::Unwritten => true,
            // Readers mask elements that equal a fill value outside the attributes.
            BareFill::Missing => false,
        }
    }

    fn layout(&self, storage: &Storage, log: &mut StorageNotes) -> Result<StorageLayout> {
        let asked = self.ask.chunks.vars.get(&self.pair.from);
        if self.to.dims.is_empty() {
            return Ok(match asked {
                Some(VarLayout::Compact) => StorageLayout::Compact,
                Some(VarLayout::Chunked(_) | VarLayout::Contiguous) => StorageLayout::Contiguous,
                None => self.unchunked(),
            });
        }
        let mut dims = self.to.dims.iter();
        let unlimited = dims.any(|&dim| self.output.is_unlimited(dim));
        if unlimited || !storage.filters.is_empty() {
            self.note_chunked(asked, unlimited, log);
            let mut shape = self.shape(asked)?;
            self.suit_filters(&mut shape, storage, log);
            return Ok(StorageLayout::Chunked(shape.lengths));
        }
        match asked {
            Some(VarLayout::Compact) => self.compact(),
            Some(VarLayout::Contiguous) => Ok(StorageLayout::Contiguous),
            Some(VarLayout::Chunked(_)) => Ok(StorageLayout::Chunked(self.shape(asked)?.lengths)),
            None => self.default_layout(),
        }
    }

    /// Returns the layout of a variable that needs no chunks, and for which no layout is requested.
    fn default_layout(&self) -> Result<StorageLayout> {
        let chunked = self.from.storage.chunk().is_some();
        let named = self
            .from
            .dims
            .iter()
            .any(|d| self.ask.chunks.dims.contains_key(d));
        if self.ask.chunk_size.is_some() && traits(self.output.kind).all_chunked {
            return Ok(StorageLayout::Chunked(self.shape(None)?.lengths));
        }
        if self.ask.chunks.none || !(chunked || named) {
            return Ok(self.unchunked());
        }
        if !named && self.was_unchunked() {
            return Ok(StorageLayout::Contiguous);
        }
        let ChunkShape { lengths, size } = self.shape(None)?;
        let least = self.ask.min_chunk.unwrap_or(MIN_CHUNK);
        // A requested chunk shape may be small if the variable is not small.
        let counted = if named {
            self.bytes()
        } else {
            bytes(&lengths, size)
        };
        if self.has_options && counted < least {
            return Ok(StorageLayout::Contiguous);
        }
        Ok(StorageLayout::Chunked(lengths))
    }

    /// Returns whether the variable is a single chunk only because its format has no other layout.
    fn was_unchunked(&self) -> bool {
        let chunked = |schema: &Schema| traits(schema.kind).all_chunked;
        let shape = self.input.shape(self.pair.from);
        let whole = self.from.storage.chunk() == Some(shape.as_slice());
        chunked(self.input) && !chunked(self.output) && whole
    }

    /// Returns the input's layout, if it is not chunked.
    fn unchunked(&self) -> StorageLayout {
        let compact = self.from.storage.layout == Some(StorageLayout::Compact);
        match compact && self.bytes() <= COMPACT {
            true => StorageLayout::Compact,
            false => StorageLayout::Contiguous,
        }
    }

    fn compact(&self) -> Result<StorageLayout> {
        let bytes = self.bytes();
        if bytes > COMPACT {
            let what = format!("{bytes} bytes are too many for compact storage");
            return Err(Error::new(ErrorKind::Argument, what));
        }
        Ok(StorageLayout::Compact)
    }

    /// Returns the bytes of the variable.
    fn bytes(&self) -> u64 {
        let shape = self.output.shape(self.pair.to);
        bytes(&shape, self.output.memory_size(self.to.ty).max(1))
    }

    /// Adds a note if a variable is chunked although an option requests another layout.
    fn note_chunked(&self, asked: Option<&VarLayout>, unlimited: bool, log: &mut StorageNotes) {
        let plain = match asked {
            Some(VarLayout::Compact | VarLayout::Contiguous) => true,
            Some(VarLayout::Chunked(_)) => false,
            None => self.ask.chunks.none,
        };
        if plain {
            let (why, remedy) = match unlimited {
                true => ("an unlimited dimension needs", "-u makes dimensions fixed"),
                false => ("filters need", "-F none removes filters"),
            };
            log.notes.push(Note {
                object: self.path(),
                what: format!("stored in chunks, which {why}"),
                remedy: Some(remedy.to_owned()),
            });
        }
    }

    fn path(&self) -> String {
        self.input.var_path(self.pair.from)
    }
}

/// Returns whether programs may add records to an output variable. Missing records read as the fill value.
pub(super) fn grows(output: &Schema, var: &Variable) -> bool {
    var.dims.iter().any(|&dim| output.is_unlimited(dim))
}

/// Returns whether elements of this type refer to heap data, which filters do not process. Strings may have a fixed size.
fn is_heap(schema: &Schema, var: VarId) -> bool {
    let sized = traits(schema.kind).sized_strings;
    let fixed = |ty: DataType| sized && ty == Atomic::String.into();
    let heap = |v: &Variable| v.ty.fixed_size(schema).is_none() && !fixed(v.ty);
    schema.var(var).is_some_and(heap)
}

#[cfg(test)]
mod tests;
