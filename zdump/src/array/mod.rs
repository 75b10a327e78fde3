//! An open array of a store: locates and decodes its chunks.

mod rows;
mod stored_chunks;
#[cfg(test)]
pub(crate) mod tests;
mod times;
pub(crate) mod values;

pub(crate) use rows::{ElementValues, rows};
pub(crate) use stored_chunks::FoundChunk;
pub(crate) use times::Times;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use netcdf_core::chunk::scatter::Block;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::filter::FilterChain;
use netcdf_core::format::zarr::raw::{KeyPart, RawArray};
use netcdf_core::format::zarr::{Dtype, base64};
use netcdf_core::io::Store;
use netcdf_core::io::store::range_of;
use netcdf_core::json::Json;
use netcdf_core::limits;
use netcdf_core::model::region::product;
use netcdf_core::model::{Endianness, FilterSpec, Values};
use netcdf_core::runtime::Runtime;
use netcdf_grammar::cdl::write::constants;
use netcdf_grammar::number::Precision;

use crate::key;
use crate::out::plain;
use crate::words::{codec_name, netcdf};
use netcdf_core::format::zarr::survey::{Node, NodeContent, StoreSurvey};

/// Additional bytes of memory per text element, for its separate allocation.
const TEXT: u64 = 48;

/// An array with readable chunks.
pub(crate) struct OpenArray<'a> {
    /// The store.
    pub store: &'a Arc<dyn Store>,
    /// Limits, threads.
    pub env: &'a Env,
    /// The array described by its metadata.
    pub array: &'a RawArray,
    /// The path in user syntax.
    pub path: String,
    /// The shape in elements, as in the metadata. Empty for NCZarr scalars, whose metadata describes an array of one element.
    pub shape: Vec<u64>,
    /// The chunk shape. Empty for NCZarr scalars.
    pub chunk: Vec<u64>,
    /// Whether its elements are netCDF characters.
    pub chars: bool,
    /// The fill value.
    pub fill: Option<Values>,
    /// The value that readers use for unwritten elements; `None` if it is unknown.
    pub unwritten: Option<Values>,
    /// The date conversion, if the values are times and dates are requested.
    pub times: Option<Times>,
    /// The threads for its chunks. For remote stores, many concurrent requests.
    runtime: Runtime,
    /// The prefix of the array's keys.
    prefix: String,
    chain: Result<FilterChain>,
    /// The shard that was last decoded as a whole, with its key.
    last: Mutex<Option<(String, Arc<Vec<u8>>)>>,
}

/// The location of a chunk's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// The coordinates in the chunk grid.
    pub place: Vec<u64>,
    /// The key.
    pub key: String,
    /// The bytes of the chunk within the value of the key.
    pub range: Range<u64>,
}

/// A shard with an unreadable index.
#[derive(Debug)]
pub(crate) struct UnreadableShard {
    /// The coordinates in the grid of shards.
    pub key_place: Vec<u64>,
    /// The reason.
    pub error: Error,
}

/// The bytes of a chunk after some decoding steps.
#[derive(Debug)]
pub(crate) struct PartiallyDecoded {
    /// The number of stored bytes, and of bytes after each decoding step.
    pub sizes: Vec<u64>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Returns the array at this path.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for an unknown path, and [`ErrorKind::Corrupt`] if the metadata does not describe an array.
pub(crate) fn find<'s>(
    survey: &'s StoreSurvey,
    store: &Arc<dyn Store>,
    path: &str,
) -> Result<&'s Node> {
    let node = survey.node(path);
    let (kind, what) = match (node, node.map(|node| &node.what)) {
        (Some(node), Some(NodeContent::Array(_))) => return Ok(node),
        (_, Some(NodeContent::Broken(why))) => (ErrorKind::Corrupt, why.as_str()),
        (_, Some(NodeContent::Group)) => (
            ErrorKind::NotFound,
            "a group; expected the path of an array",
        ),
        (_, Some(NodeContent::Array(_) | NodeContent::Nothing) | None) => {
            (ErrorKind::NotFound, "no array at this path")
        }
    };
    let e = Error::new(kind, what.to_owned())
        .of(store.name())
        .in_object(path);
    Err(e.with_remedy("`zdump tree` shows the arrays of a store"))
}

/// Checks whether an array is a netCDF scalar, stored as an array of one element.
pub(crate) fn is_scalar(node: &Node, array: &RawArray) -> bool {
    let flag = netcdf(node)
        .and_then(|a| a.get("scalar"))
        .is_some_and(|flag| {
            matches!(flag, Json::Bool(true)) || flag.as_u64().is_some_and(|n| n != 0)
        });
    flag && array.described.shape == [1] && array.described.chunk == [1]
}

/// Checks whether the elements of an array are netCDF characters.
fn is_chars(node: &Node, array: &RawArray) -> bool {
    let stored = &array.described.stored;
    match stored.dtype {
        Dtype::Char => true,
        // netCDF-C marks characters by a byte order for a single byte.
        Dtype::Bytes(1) => stored.order == Some(Endianness::Big),
        // netCDF-C before 4.9.1 wrote `<U1`, with one byte per character.
        Dtype::Utf32(1) => netcdf(node).is_some() || node.objects.contains_key(".nczarray"),
        _ => {
            let alias = netcdf(node).and_then(|a| a.get("type_alias")?.as_str());
            alias == Some("char") && stored.size() == Some(1)
        }
    }
}

impl<'a> OpenArray<'a> {
    /// Returns the array of a node, or `None` if the node is not an array.
    pub(crate) fn new(store: &'a Arc<dyn Store>, env: &'a Env, node: &'a Node) -> Option<Self> {
        let array = node.array()?;
        let (mut shape, mut chunk) = (array.described.shape.clone(), array.described.chunk.clone());
        if is_scalar(node, array) {
            shape.clear();
            chunk.clear();
        }
        let prefix = match node.path.as_str() {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let mut opened = Self {
            store,
            env,
            array,
            path: node.shown(),
            shape,
            chunk,
            chars: is_chars(node, array),
            fill: None,
            unwritten: None,
            times: None,
            runtime: env.runtime.for_requests(store.latency()),
            prefix,
            chain: array.chain(env),
            last: Mutex::new(None),
        };
        opened.fill = array.fill().map(|fill| opened.typed(fill));
        opened.unwritten = array.unwritten().map(|fill| opened.typed(fill));
        Some(opened)
    }

    /// Adds store and array to an error.
    pub(crate) fn in_array(&self, e: Error) -> Error {
        e.of(self.store.name()).in_object(&self.path)
    }

    /// Returns the number of chunks per dimension.
    pub(crate) fn grid(&self) -> Vec<u64> {
        let lengths = self.shape.iter().zip(&self.chunk);
        lengths.map(|(&n, &c)| n.div_ceil(c.max(1))).collect()
    }

    /// Returns the elements of a chunk, including elements beyond the end of the array.
    pub(crate) fn block(&self, place: &[u64]) -> Block {
        let start = place.iter().zip(&self.chunk);
        Block {
            start: start.map(|(at, len)| at.saturating_mul(*len)).collect(),
            count: self.chunk.clone(),
        }
    }

    /// Returns the number of a block's elements in the array, per dimension.
    pub(crate) fn inside(&self, block: &Block) -> Vec<u64> {
        let ends = block.start.iter().zip(&block.count).zip(&self.shape);
        ends.map(|((start, count), len)| len.saturating_sub(*start).min(*count))
            .collect()
    }

    /// Returns the coordinates of the chunk's key: of the chunk itself, or of its shard.
    pub(crate) fn key_place(&self, place: &[u64]) -> Vec<u64> {
        if place.is_empty() {
            return vec![0; self.array.described.rank];
        }
        let ratio = self.per_key().into_iter();
        place
            .iter()
            .zip(ratio)
            .map(|(at, n)| at / n.max(1))
            .collect()
    }

    /// Returns the number of chunks per key and dimension.
    pub(crate) fn per_key(&self) -> Vec<u64> {
        let outer = self.array.outer().iter().zip(&self.chunk);
        let ratio = outer.map(|(outer, inner)| outer / (*inner).max(1));
        ratio.collect()
    }

    /// Returns the key at these coordinates in the grid of keys.
    pub(crate) fn key(&self, key_place: &[u64]) -> String {
        format!("{}{}", self.prefix, self.array.key(key_place))
    }

    /// Checks whether the array is sharded.
    pub(crate) fn sharded(&self) -> bool {
        !self.array.described.shards.is_empty()
    }

    /// Returns the chunks in a key with this number of bytes.
    ///
    /// # Errors
    /// Returns errors of the store, and of a damaged shard index.
    pub(crate) fn parts(&self, key_place: &[u64], key: &str, size: u64) -> Result<Vec<KeyPart>> {
        let mut read = |range: Range<u64>| self.read(key, range);
        let size = match self.array.is_whole() {
            true => self.whole(key)?.len() as u64,
            false => size,
        };
        let parts = self.array.parts(key_place, size, &mut read);
        let e = |e: Error| {
            let e = match e.is_damage() {
                true => e.within("the index of a shard").with_remedy(
                    "`zdump cat --hex` prints the bytes of a key; the index is needed to locate the chunks of the shard",
                ),
                false => e,
            };
            e.of(self.store.name()).in_object(key)
        };
        let mut parts = parts.map_err(e)?;
        if self.shape.is_empty() {
            parts.iter_mut().for_each(|part| part.place.clear());
        }
        Ok(parts)
    }

    /// Returns the location of a chunk, or `None` for a missing chunk.
    ///
    /// # Errors
    /// Returns the errors of [`Self::parts`].
    pub(crate) fn locate(&self, place: &[u64]) -> Result<Option<ChunkPlace>> {
        let key_place = self.key_place(place);
        let key = self.key(&key_place);
        let Some(size) = key::size(self.store, &key)? else {
            return Ok(None);
        };
        let parts = self.parts(&key_place, &key, size)?;
        let part = parts.into_iter().find(|part| part.place == place);
        Ok(part.map(|part| ChunkPlace {
            place: part.place,
            key,
            range: part.range,
        }))
    }

    /// Decodes a shard that is encoded as a whole. The last shard is cached.
    fn whole(&self, key: &str) -> Result<Arc<Vec<u8>>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shard)) = last.as_ref().filter(|(known, _)| known == key) {
            return Ok(Arc::clone(shard));
        }
        let e = |e: Error| e.of(self.store.name()).in_object(key);
        let stored = key::bytes(self.store, key).map_err(e)?;
        let shard = Arc::new(self.array.undo_whole(stored, self.env).map_err(e)?);
        *last = Some((key.to_owned(), Arc::clone(&shard)));
        Ok(shard)
    }

    /// Returns bytes of a key.
    fn read(&self, key: &str, range: Range<u64>) -> Result<Vec<u8>> {
        let e = |e: Error| e.of(self.store.name()).in_object(key);
        if self.array.is_whole() {
            let shard = self.whole(key)?;
            return range_of(&shard, &range).map(<[u8]>::to_vec).map_err(e);
        }
        let len = range.end.saturating_sub(range.start);
        let len = self.env.limits.item(len, "a chunk").map_err(e)?;
        limits::room(len, "a chunk").map_err(e)?;
        let read = || key::range(self.store, key, range);
        self.runtime.ask(read).map_err(e)
    }

    /// Returns the stored bytes of a chunk.
    ///
    /// # Errors
    /// Returns errors of the store.
    pub(crate) fn fetch(&self, place: &ChunkPlace) -> Result<Vec<u8>> {
        self.read(&place.key, place.range.clone())
    }

    /// Checks that chunks can be decoded.
    ///
    /// # Errors
    /// Returns the reason if chunks cannot be decoded.
    pub(crate) fn chain(&self) -> Result<&FilterChain> {
        let chain = self.chain.as_ref().map_err(|e| self.in_array(e.again()))?;
        let filters = &self.array.layout.filters;
        self.env
            .filters
            .check(filters, 0)
            .map_err(|e| self.in_array(e))?;
        Ok(chain)
    }

    /// Checks that chunks can be numbered.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for more than 2^64 chunks.
    pub(crate) fn numbered(&self) -> Result<()> {
        let e = || Error::new(ErrorKind::Limit, "the array has more than 2^64 chunks");
        let chunks = product(&self.array.key_grid());
        chunks.map(|_| ()).ok_or_else(|| self.in_array(e()))
    }

    /// Returns the codec names in decoding order.
    pub(crate) fn codecs(&self) -> Vec<String> {
        let filters = self.array.layout.filters.iter();
        let stated = self.array.described.filters.iter().map(Some);
        let stated = stated.chain(std::iter::repeat(None));
        let name = |(filter, stated): (&FilterSpec, Option<&Json>)| {
            let name = stated.and_then(codec_name).map(str::to_owned);
            let name = name.or_else(|| self.env.filters.label(filter).name);
            plain(&name.unwrap_or_else(|| filter.id.to_string()))
        };
        let mut names: Vec<_> = filters.zip(stated).map(name).collect();
        names.reverse();
        names
    }

    /// Returns the fill value as a CDL constant.
    pub(crate) fn fill_text(&self) -> Option<String> {
        let fill = self.fill.as_ref()?;
        self.constants(fill).into_iter().next()
    }

    /// Checks whether the elements are numbers.
    pub(crate) fn is_numeric(&self) -> bool {
        let dtype = &self.array.described.stored.dtype;
        matches!(dtype, Dtype::Number(_) | Dtype::Half | Dtype::Brain)
    }

    /// Formats the fill value or another value of the type without CDL suffixes such as in `NaNf`.
    pub(crate) fn plain_text(&self, value: &Values) -> Option<String> {
        let text = self.constants(value).into_iter().next()?;
        Some(match text.strip_suffix('f').filter(|_| self.is_numeric()) {
            Some(number) => number.to_owned(),
            None => text,
        })
    }

    /// Returns the value of an attribute `_FillValue`, which xarray writes in base 64 in version 3.
    pub(crate) fn fill_of(&self, json: &Json) -> Option<Values> {
        let one = match json.items() {
            Some([one]) => one,
            Some(_) | None => json,
        };
        let number = xarray_number(one).filter(|_| self.is_numeric());
        let value = self.array.value(number.as_ref().unwrap_or(one))?;
        Some(self.typed(value))
    }

    /// Runs the first `stages` decoding steps of a chunk.
    ///
    /// # Errors
    /// Returns errors of the codecs, with codec names.
    pub(crate) fn undo(
        &self,
        place: &ChunkPlace,
        mut bytes: Vec<u8>,
        stages: usize,
    ) -> Result<PartiallyDecoded> {
        let mut sizes = vec![bytes.len() as u64];
        if stages == 0 {
            return Ok(PartiallyDecoded { sizes, bytes });
        }
        let chain = self.chain()?;
        let decoded = self
            .array
            .chunk_bytes()
            .map_or(Ok(0), |n| self.env.limits.item(n, "a chunk"))?;
        limits::room(decoded, "a chunk").map_err(|e| self.in_chunk(e, place))?;
        for (n, name) in self.codecs().iter().enumerate().take(stages) {
            let filter = chain.len().saturating_sub(n + 1);
            let undone = chain.decode_filter(filter, &bytes);
            let e = |e: Error| {
                let way = format!(
                    "`zdump chunk --stage {n}` prints the bytes before this codec is decoded"
                );
                // Some codecs already name themselves.
                let own = self.array.layout.filters.get(filter);
                let own = own.and_then(|f| self.env.filters.label(f).name);
                let own = own.as_ref().unwrap_or(name);
                let e = match e.what().starts_with(&format!("{own}: ")) {
                    true => e,
                    false => e.within(&format!("codec {name}")),
                };
                self.in_chunk(e.with_remedy(way), place)
            };
            bytes = undone.map_err(e)?;
            sizes.push(bytes.len() as u64);
        }
        Ok(PartiallyDecoded { sizes, bytes })
    }

    /// Returns all values of a chunk, including values beyond the end of the array. A shorter or longer chunk is accepted if it contains
    /// all elements inside the array, and causes a note.
    ///
    /// # Errors
    /// Returns errors of the codecs, and of decoded bytes that do not form a chunk.
    pub(crate) fn values(&self, place: &ChunkPlace, mut decoded: Vec<u8>) -> Result<Values> {
        let stages = self.array.layout.filters.len();
        let e = |e: Error| {
            let way = format!("`zdump chunk --stage {stages}` prints the bytes without codecs");
            self.in_chunk(e.with_remedy(way), place)
        };
        // Without codecs, no earlier step has checked whether the array can be decoded.
        self.chain()?;
        let narrow = self.chars && self.array.described.stored.size() != Some(1);
        if narrow && product(&self.chunk) == Some(decoded.len() as u64) {
            return Ok(Values::Char(decoded));
        }
        let remark = self.array.complete(&place.place, &mut decoded, &self.path);
        if let Some(remark) = remark.map_err(e)? {
            self.env.notes.remark(remark);
        }
        let values = self.array.values(&decoded).map_err(e)?;
        Ok(self.typed(values))
    }

    /// Returns the values of a stored chunk.
    ///
    /// # Errors
    /// Returns errors of the store, and the errors of [`Self::values`].
    pub(crate) fn decode(&self, place: &ChunkPlace) -> Result<Values> {
        self.env.cancel.check()?;
        let bytes = self.fetch(place)?;
        let undone = self.undo(place, bytes, self.array.layout.filters.len())?;
        self.values(place, undone.bytes)
    }

    /// Returns the approximate bytes of memory for decoding a chunk.
    pub(crate) fn memory(&self, place: &ChunkPlace) -> u64 {
        let stored = place.range.end.saturating_sub(place.range.start);
        let elements = product(&self.chunk).unwrap_or(u64::MAX);
        let texts = match self.array.described.stored.dtype {
            Dtype::Bytes(_) | Dtype::Utf32(_) | Dtype::Text | Dtype::Blob => TEXT,
            _ => 0,
        };
        let raw = self.array.chunk_bytes().unwrap_or(stored.saturating_mul(4));
        let decoded = raw.saturating_mul(2);
        let texts = elements.saturating_mul(texts);
        stored.saturating_add(decoded).saturating_add(texts)
    }

    /// Converts characters to the character type.
    fn typed(&self, values: Values) -> Values {
        match values {
            Values::UByte(bytes) if self.chars => Values::Char(bytes),
            Values::String(texts) if self.chars => {
                let first = |t: &Option<Box<[u8]>>| t.as_ref().and_then(|t| t.first().copied());
                Values::Char(texts.iter().map(|t| first(t).unwrap_or(0)).collect())
            }
            other => other,
        }
    }

    /// Returns values as CDL constants.
    pub(crate) fn constants(&self, values: &Values) -> Vec<String> {
        let exact = (Precision::Exact, Precision::Exact);
        let texts = constants(&self.array.schema, values, exact).into_iter();
        texts
            .map(|text| plain(&String::from_utf8_lossy(&text)))
            .collect()
    }

    /// Formats values for display: times as dates if requested, all other values as constants.
    pub(crate) fn shown(&self, values: &Values) -> Vec<String> {
        let constants = self.constants(values);
        let Some(times) = &self.times else {
            return constants;
        };
        let dates = constants.into_iter().enumerate();
        dates
            .map(|(n, constant)| times.date(values, n).unwrap_or(constant))
            .collect()
    }

    fn in_chunk(&self, e: Error, place: &ChunkPlace) -> Error {
        let e = match e.kind() {
            // A missing codec is not an error of the chunk.
            ErrorKind::FilterUnavailable => return self.in_array(e),
            _ => e.within(&format!("chunk {} of {}", numbers(&place.place), self.path)),
        };
        e.of(self.store.name()).in_object(&place.key)
    }
}

/// Returns the number that xarray encoded in Base64.
fn xarray_number(json: &Json) -> Option<Json> {
    let bytes = base64(json.as_str()?.as_bytes())?;
    let number = f64::from_le_bytes(bytes.try_into().ok()?);
    Some(match number.is_finite() {
        true => Json::Number(format!("{number:e}")),
        false => Json::text(match (number.is_nan(), number > 0.0) {
            (true, _) => "NaN",
            (false, true) => "Infinity",
            (false, false) => "-Infinity",
        }),
    })
}

/// Formats coordinates as `1,0`, or `-` for a scalar.
pub(crate) fn numbers(place: &[u64]) -> String {
    if place.is_empty() {
        return "-".to_owned();
    }
    let numbers: Vec<_> = place.iter().map(u64::to_string).collect();
    numbers.join(",")
}

/// Returns the coordinates of a numbered cell in a grid.
pub(crate) fn place(mut number: u64, grid: &[u64]) -> Vec<u64> {
    let mut place = vec![0; grid.len()];
    for (at, &cells) in place.iter_mut().zip(grid).rev() {
        *at = number % cells.max(1);
        number /= cells.max(1);
    }
    place
}
