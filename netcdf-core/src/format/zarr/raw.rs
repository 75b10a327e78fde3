//! Single arrays without a dataset: array metadata, chunk location and decoding. `zdump` uses this module, and can show stores that are not
//! datasets.
//!
//! Specifications: Zarr version 2 and version 3, the codec "sharding_indexed" 1.0. This module ignores attributes and netCDF's own
//! metadata: a `>S1` is a text of one byte, and the shape `[1]` has one dimension.

use std::ops::Range;

use super::array::ArrayDescription;
use super::node::{V2, V3};
use super::shard_decoding::ShardDecoding;
use super::variable::ArrayContext;
use super::variable::texts_of;
use super::{fill, grid, types, v2, v3, values};
use crate::chunk::decode::{complete, is_enough, other_length};
use crate::chunk::layout::Layout;
use crate::chunk::texts;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterChain, VariableFacts, codec};
use crate::json::Json;
use crate::limits;
use crate::model::region::product;
use crate::model::{FilterSpec, GroupId, Kind, Schema, Values, Zarr, ZarrVersion};
use crate::notes::Note;

/// Names of metadata objects (the last parts of keys): version 2, version 3, consolidated metadata, and the objects of netCDF-C 4.8.0.
pub const METADATA: [&str; 11] = [
    V2[0],
    V2[1],
    V2[2],
    ".zmetadata",
    V3,
    ".nczarr",
    ".nczgroup",
    ".nczarray",
    ".nczvar",
    ".nczattr",
    ".nczattrs",
];

/// An array as described by the array's metadata.
#[derive(Debug)]
pub struct RawArray {
    /// The contents of the metadata.
    pub described: ArrayDescription,
    /// The element type, as in the metadata.
    pub ty: Json,
    /// The chunk layout.
    pub layout: Layout,
    /// A schema that contains only the element types.
    pub schema: Schema,
}

/// A chunk within a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// The position in the (inner) chunk grid.
    pub place: Vec<u64>,
    /// The byte range within the key.
    pub range: Range<u64>,
}

impl RawArray {
    /// Describes an array from its `.zarray` or `zarr.json`.
    ///
    /// # Errors
    /// Returns the defect of the metadata. [`ArrayDescription::problem`] contains the defect of an array that can be described but not
    /// decoded.
    pub fn new(json: &Json, version: ZarrVersion, env: &Env) -> Result<Self, String> {
        let rank = env.limits.rank;
        let (mut described, ty) = match version {
            ZarrVersion::V2 => (v2::describe(json, rank)?, "dtype"),
            ZarrVersion::V3 => (v3::describe(json, rank)?, "data_type"),
        };
        let stated = json.get(ty).cloned().unwrap_or(Json::Null);
        let pure = true;
        let mut schema = Schema::new(Kind::zarr(Zarr { version, pure }));
        let ty = types::declare(&mut schema, &described.stored, (GroupId::ROOT, "element"));
        let around = ArrayContext {
            schema: &schema,
            filters: &env.filters,
            pure,
        };
        let layout = around.layout(ty, &mut described);
        Ok(Self {
            described,
            ty: stated,
            layout,
            schema,
        })
    }

    /// Returns the shape in elements of a chunk or shard, the contents of a key.
    #[must_use]
    pub fn outer(&self) -> &[u64] {
        let shard = self.described.shards.first();
        shard.map_or(&self.described.chunk, |s| &s.shape)
    }

    /// Returns the number of keys per dimension.
    #[must_use]
    pub fn key_grid(&self) -> Vec<u64> {
        let lengths = self.described.shape.iter().zip(self.outer());
        lengths.map(|(&n, &c)| n.div_ceil(c.max(1))).collect()
    }

    /// Returns the key of a chunk or shard at a position in the key grid, relative to the array.
    #[must_use]
    pub fn key(&self, place: &[u64]) -> String {
        self.described.keys.key(place)
    }

    /// Returns the position in the key grid for a key relative to the array, or `None` if the key is not a chunk or shard key.
    #[must_use]
    pub fn place(&self, key: &str) -> Option<Vec<u64>> {
        let grid = self.key_grid();
        let index = self.described.keys.index(key, &grid)?;
        Some(super::grid::place(index, &grid))
    }

    /// Returns the element data size of a complete (inner) chunk in bytes, or `None` for variable-length texts and on overflow.
    #[must_use]
    pub fn chunk_bytes(&self) -> Option<u64> {
        let bytes = self.layout.chunk_bytes().map(|n| n as u64);
        bytes.filter(|_| self.described.heap.is_none())
    }

    /// Returns the element data size of the array in bytes, or `None` for variable-length texts and on overflow.
    #[must_use]
    pub fn raw_bytes(&self) -> Option<u64> {
        let elements = product(&self.described.shape)?;
        let size = self.described.stored.size()?;
        elements
            .checked_mul(size)
            .filter(|_| self.described.heap.is_none())
    }

    /// Returns the codecs that are filters, in encoding order: the JSON, and the filter. Each filter has a separate error.
    #[must_use]
    pub fn filters(&self, env: &Env) -> Vec<(&Json, Result<FilterSpec>)> {
        let stated = self.described.filters.iter();
        if self.layout.filters.len() == self.described.filters.len() {
            let filters = self.layout.filters.iter().cloned().map(Ok);
            return stated.zip(filters).collect();
        }
        let (version, context) = (self.described.version, self.context());
        let one = |json| codec::from_json(version, json, &context, &env.filters);
        stated.map(|json| (json, one(json))).collect()
    }

    /// Checks whether codecs encode complete shards. Byte ranges then refer to the result of [`Self::undo_whole`].
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.described.whole.is_empty()
    }

    /// Decodes the codecs that encode a complete shard.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for shards that are far larger than the chunks, or errors of the codecs.
    pub fn undo_whole(&self, bytes: Vec<u8>, env: &Env) -> Result<Vec<u8>> {
        match ShardDecoding::of(&self.described, &self.layout, env)? {
            None => Ok(bytes),
            Some(whole) => {
                whole.check(bytes.len() as u64)?;
                whole.chain.decode(0, bytes, &mut vec![])
            }
        }
    }

    /// Returns the codecs for decoding chunks.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] with the reason if the array cannot be decoded, or errors of the codec parameters.
    pub fn chain(&self, env: &Env) -> Result<FilterChain> {
        if let Some(problem) = &self.described.problem {
            return Err(Error::new(ErrorKind::Unsupported, problem.clone()));
        }
        env.filters.chain(&self.layout.filters, &self.context())
    }

    /// Returns the input description of the first filter on writing.
    fn context(&self) -> ChunkContext {
        let layout = &self.layout;
        match self.described.heap {
            Some(_) => texts::context(&self.schema, layout),
            None => layout.context(VariableFacts::new(
                &self.schema,
                layout.element.ty,
                &layout.filters,
            )),
        }
    }

    /// Adapts the length of a decoded chunk to the chunk shape, like dataset readers: drops bytes after the elements, and appends missing
    /// elements beyond the end of the array. Returns a note about `path` if the length changed. Chunks that lack elements inside the array
    /// stay unchanged. `place` is the position in the (inner) chunk grid.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if there is not enough memory.
    pub fn complete(&self, place: &[u64], bytes: &mut Vec<u8>, path: &str) -> Result<Option<Note>> {
        let layout = &self.layout;
        let Some(len) = layout
            .chunk_bytes()
            .filter(|_| self.described.heap.is_none())
        else {
            return Ok(None);
        };
        if bytes.len() == len || !self.has_elements(place, len, bytes.len()) {
            return Ok(None);
        }
        let size = limits::element(layout.element.size)?;
        let zeros = vec![0; size];
        let fill = layout.fill.as_deref().filter(|fill| fill.len() == size);
        complete(bytes, len, fill.unwrap_or(&zeros))?;
        Ok(Some(other_length(path.to_owned())))
    }

    /// Checks whether `found` bytes of a chunk of `len` bytes contain all elements inside the array.
    fn has_elements(&self, place: &[u64], len: usize, found: usize) -> bool {
        let grid = self.layout.grid();
        let inside = place.iter().zip(&grid).all(|(at, cells)| at < cells);
        let index = grid::number(place, &grid).filter(|_| inside);
        index.is_some_and(|index| is_enough(&self.layout, index, len, found))
    }

    /// Returns all values of a decoded chunk, including values beyond the end of the array.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the number of values does not match the chunk shape.
    pub fn values(&self, bytes: &[u8]) -> Result<Values> {
        if let Some(texts) = texts_of(&self.described, &self.layout) {
            return texts.values(bytes).map(Values::String);
        }
        if self.layout.chunk_bytes() != Some(bytes.len()) {
            let what = format!(
                "{} bytes, but the elements of a chunk have {}",
                bytes.len(),
                self.layout
                    .chunk_bytes()
                    .map_or("too many".to_owned(), |n| n.to_string())
            );
            return Err(Error::new(ErrorKind::Corrupt, what));
        }
        values::decode(
            &self.schema,
            &self.described.stored,
            self.layout.element.ty,
            bytes,
        )
    }

    /// Returns the number of elements in the chunk or shard at a position in the key grid, without elements beyond the end of the array.
    /// Returns `None` on overflow.
    #[must_use]
    pub fn elements_at(&self, place: &[u64]) -> Option<u64> {
        let lengths = self.described.shape.iter().zip(self.outer()).zip(place);
        let inside = lengths.map(|((len, outer), at)| {
            let start = at.saturating_mul(*outer);
            len.saturating_sub(start).min(*outer)
        });
        product(&inside.collect::<Vec<_>>())
    }

    /// Returns the fill value as one value. Returns `None` if the array has no fill value, or the value does not fit the type.
    #[must_use]
    pub fn fill(&self) -> Option<Values> {
        match &self.described.fill {
            Json::Null => None,
            fill => self.value(fill),
        }
    }

    /// Parses a JSON value in the form of fill values. Returns `None` if the value does not fit the type.
    #[must_use]
    pub fn value(&self, json: &Json) -> Option<Values> {
        let described = &self.described;
        let bytes = fill::stored(&described.stored, json, false)?;
        if described.heap.is_some() {
            return Some(Values::String(vec![Some(bytes.into())]));
        }
        values::decode(
            &self.schema,
            &described.stored,
            self.layout.element.ty,
            &bytes,
        )
        .ok()
    }

    /// Returns the value of unwritten elements: the fill value, or zeros without a fill value. Returns `None` if the fill value does not
    /// fit the type.
    #[must_use]
    pub fn unwritten(&self) -> Option<Values> {
        let described = &self.described;
        if described.fill != Json::Null {
            return self.fill();
        }
        if described.heap.is_some() {
            return Some(Values::String(vec![Some([].into())]));
        }
        // The size of a known type is bounded.
        let zeros = vec![0; limits::element(described.stored.size()?).ok()?];
        let ty = self.layout.element.ty;
        values::decode(&self.schema, &described.stored, ty, &zeros).ok()
    }

    /// Checks whether the fill value, if any, fits the type.
    #[must_use]
    pub fn fill_fits(&self) -> bool {
        let described = &self.described;
        described.fill == Json::Null
            || fill::stored(&described.stored, &described.fill, false).is_some()
    }

    /// Returns the chunks of a shard in index order, or the chunk itself for an array without shards. `read` returns byte ranges of the
    /// key. The key has `size` bytes.
    ///
    /// # Errors
    /// Returns errors of `read`, or [`ErrorKind::Checksum`] and [`ErrorKind::Corrupt`] for damaged indexes.
    pub fn parts(
        &self,
        place: &[u64],
        size: u64,
        read: &mut dyn FnMut(Range<u64>) -> Result<Vec<u8>>,
    ) -> Result<Vec<KeyPart>> {
        let mut parts = vec![];
        self.level(
            0,
            place.to_vec(),
            0..size,
            &mut |part| parts.push(part),
            read,
        )?;
        Ok(parts)
    }

    /// Returns the chunks of a shard, or of a nested shard, at a position in the grid of this nesting level.
    fn level(
        &self,
        level: usize,
        place: Vec<u64>,
        range: Range<u64>,
        found: &mut dyn FnMut(KeyPart),
        read: &mut dyn FnMut(Range<u64>) -> Result<Vec<u8>>,
    ) -> Result<()> {
        let shards = &self.described.shards;
        let Some(shard) = shards.get(level) else {
            found(KeyPart { place, range });
            return Ok(());
        };
        let inner = shards
            .get(level + 1)
            .map_or(&self.described.chunk, |s| &s.shape);
        let cells = shard.cells(inner);
        let bytes = read(shard.index_range(&cells, &range)?)?;
        let index = shard.index(bytes, &range)?;
        for n in 0..product(&cells).unwrap_or(0) {
            let Some(cell) = usize::try_from(n).ok().and_then(|n| index.get(n)) else {
                continue;
            };
            let within = shard.place(n, &cells);
            let place = place.iter().zip(&cells).zip(within);
            let place = place.map(|((at, len), w)| at.saturating_mul(*len).saturating_add(w));
            self.level(level + 1, place.collect(), cell, found, read)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(text: &str, version: ZarrVersion) -> RawArray {
        let json = Json::parse(text.as_bytes()).unwrap();
        RawArray::new(&json, version, &Env::default()).unwrap()
    }

    #[test]
    fn chunks_are_found_and_decoded() {
        let array = array(
            r#"{"zarr_format":2,"shape":[5,3],"chunks":[2,3],"dtype":">i2","fill_value":-1,"order":"C",
            "filters":[{"id":"shuffle","elementsize":2}],"compressor":{"id":"zlib","level":1}}"#,
            ZarrVersion::V2,
        );
        assert_eq!(array.key_grid(), [3, 1]);
        assert_eq!(array.place("2.0"), Some(vec![2, 0]));
        assert_eq!(array.place("3.0"), None);
        assert_eq!(
            (array.chunk_bytes(), array.raw_bytes()),
            (Some(12), Some(30))
        );
        assert_eq!(array.fill(), Some(Values::Short(vec![-1])));
        let chain = array.chain(&Env::default()).unwrap();
        let raw: Vec<u8> = (0..6i16).flat_map(i16::to_be_bytes).collect();
        let (_, stored) = chain.encode(raw.clone(), &mut vec![]).unwrap();
        let shuffled = chain.decode_filter(1, &stored).unwrap();
        assert_ne!(shuffled, raw);
        assert_eq!(chain.decode_filter(0, &shuffled).unwrap(), raw);
        assert_eq!(
            chain.decode_filter(2, &raw).unwrap_err().kind(),
            ErrorKind::Argument
        );
        let values = array.values(&raw).unwrap();
        assert_eq!(values, Values::Short(vec![0, 1, 2, 3, 4, 5]));
        assert_eq!(
            array.values(&raw[1..]).unwrap_err().kind(),
            ErrorKind::Corrupt
        );
    }

    #[test]
    fn shards_have_parts() {
        let array = array(
            r#"{"zarr_format":3,"node_type":"array","shape":[4,4],"data_type":"uint8","fill_value":0,
            "chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,4]}},
            "chunk_key_encoding":{"name":"default"},"codecs":[{"name":"sharding_indexed","configuration":
            {"chunk_shape":[2,2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}]}}]}"#,
            ZarrVersion::V3,
        );
        let mut bytes = vec![1, 2, 3, 4];
        for n in [u64::MAX, u64::MAX, 0, 4] {
            bytes.extend(n.to_le_bytes());
        }
        let size = bytes.len() as u64;
        let mut read =
            |range: Range<u64>| Ok(bytes[range.start as usize..range.end as usize].to_vec());
        let parts = array.parts(&[1, 0], size, &mut read).unwrap();
        let (place, range) = (vec![1, 1], 0..4);
        assert_eq!(parts, [KeyPart { place, range }]);
        assert!(array.parts(&[1, 0], 31, &mut read).is_err());
    }

    #[test]
    fn a_codec_with_wrong_parameters_does_not_hide_others() {
        let array = array(
            r#"{"shape":[4],"chunks":[4],"dtype":"<i4","fill_value":0,
            "filters":[{"id":"pcodec"},{"level":3}],"compressor":{"id":"zlib","level":1}}"#,
            ZarrVersion::V2,
        );
        assert!(array.described.problem.is_some());
        let filters = array.filters(&Env::default());
        let ids = filters.iter().map(|(_, f)| f.as_ref().map(|f| f.id).ok());
        let ids: Vec<_> = ids.collect();
        assert_eq!(ids, [Some(codec::UNKNOWN), None, Some(1)]);
    }

    #[test]
    fn what_is_not_stored_is_zero_without_a_fill_value() {
        let text = r#"{"shape":[1],"chunks":[1],"dtype":"<i4","fill_value":null}"#;
        let array = array(text, ZarrVersion::V2);
        assert_eq!(array.unwritten(), Some(Values::Int(vec![0])));
        assert_eq!(array.fill(), None);
    }

    #[test]
    fn what_is_no_array_or_has_a_wrong_fill_value_is_told() {
        let json = Json::parse(br#"{"shape":[1],"chunks":[1,1],"dtype":"<i4"}"#).unwrap();
        assert!(RawArray::new(&json, ZarrVersion::V2, &Env::default()).is_err());
        let array = array(
            r#"{"shape":[1],"chunks":[1],"dtype":"<i4","fill_value":"x"}"#,
            ZarrVersion::V2,
        );
        assert!(!array.fill_fits() && array.fill().is_none() && array.unwritten().is_none());
    }
}
