//! Filters that readers of references decode.

use crate::chunk::Dataset;
use crate::chunk::layout::Layout;
use crate::error::Result;
use crate::filter::codec::{self, ids};
use crate::filter::ids::{BLOSC, DEFLATE, FLETCHER32, SHUFFLE, ZSTD};
use crate::filter::{VariableFacts, blosc, bzip2};
use crate::json::Json;
use crate::model::{FilterSpec, VarId, ZarrVersion};

/// The size of a Fletcher32 checksum in bytes.
const CHECKSUM: u64 = 4;

/// The filters that zarr-python decodes as codecs of numcodecs.
const DECODED: [u32; 8] = [
    SHUFFLE,
    DEFLATE,
    FLETCHER32,
    ZSTD,
    BLOSC,
    bzip2::ENTRY.id,
    ids::GZIP,
    ids::LZ4,
];

/// The codecs of a variable.
pub(super) struct ReaderCodecs {
    /// The codecs as JSON text; `None` for unfiltered chunks.
    pub text: Option<Vec<u8>>,
    /// The number of bytes after the encoded chunk that readers do not need.
    pub trailing: u64,
}

/// Returns filters without the last checksum, and its size. Readers do not need the checksum, and some do not have the codec.
pub(super) fn without_checksum(filters: &[FilterSpec]) -> (&[FilterSpec], u64) {
    match filters.split_last() {
        Some((last, others)) if last.id == FLETCHER32 => (others, CHECKSUM),
        Some(_) | None => (filters, 0),
    }
}

/// Returns the codecs for filters, or the reason why readers cannot decode them. `filters` are the filters that all chunks went through.
pub(super) fn of_filters(
    set: Dataset<'_>,
    (var, layout): (VarId, &Layout),
    filters: &[FilterSpec],
    version: ZarrVersion,
) -> Result<ReaderCodecs, String> {
    let (filters, trailing) = without_checksum(filters);
    let table = &set.env.filters;
    if let Some(other) = filters.iter().find(|f| !DECODED.contains(&f.id)) {
        let name = table.label(other).name;
        let name = name.unwrap_or_else(|| other.id.to_string());
        return Err(format!("filter {name}"));
    }
    if filters.iter().any(blosc::uses_snappy) {
        return Err("filter blosc with snappy".to_owned());
    }
    if filters.iter().skip(1).any(|f| f.id == SHUFFLE) {
        return Err("shuffle after another filter".to_owned());
    }
    if filters.is_empty() {
        let text = None;
        return Ok(ReaderCodecs { text, trailing });
    }
    let schema = set.reader.schema();
    let ty = schema.var(var).map(|var| var.ty);
    let context = layout.context(VariableFacts {
        mandatory: true,
        ..VariableFacts::new(schema, ty.unwrap_or(layout.element.ty), filters)
    });
    let codecs = codec::list(version, filters, &context, table);
    let codecs = codecs.map_err(|e| e.what().to_string())?;
    Ok(ReaderCodecs {
        text: Some(Json::Array(codecs).to_bytes()),
        trailing,
    })
}
