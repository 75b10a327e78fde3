//! The metadata of version 2 arrays: `.zarray`.
//!
//! Specification: Zarr storage specification version 2.

use super::array::{ArrayDescription, is_version, one_of, shapes};
use super::dtype::{Dtype, StoredType, quoted};
use super::keys::ChunkKeys;
use crate::chunk::texts::TextCodec;
use crate::json::Json;
use crate::model::ZarrVersion;

/// Describes an array from its `.zarray`.
///
/// # Errors
/// Returns the defect of the metadata.
pub(super) fn describe(json: &Json, rank: u32) -> Result<ArrayDescription, String> {
    let (shape, chunk) = shapes(json.get("shape"), json.get("chunks"), rank)?;
    let dtype = json.get("dtype").ok_or("no dtype")?;
    let (filters, codecs) = filters(json);
    let fortran = json.get("order").and_then(Json::as_str) == Some("F");
    let mut described = ArrayDescription {
        version: ZarrVersion::V2,
        stored: StoredType::v2(dtype),
        keys: ChunkKeys::v2(json.get("dimension_separator")),
        fill: json.get("fill_value").cloned().unwrap_or(Json::Null),
        filters,
        heap: None,
        turned: vec![],
        shards: vec![],
        whole: vec![],
        codecs,
        names: None,
        problem: check_members(json).err(),
        rank: shape.len(),
        shape,
        chunk,
    };
    objects(&mut described);
    if fortran && described.shape.len() > 1 {
        let turned = transpose(described.shape.len());
        described.filters.insert(0, turned);
    }
    Ok(described)
}

/// Rejects members with invalid values of unknown meaning.
fn check_members(json: &Json) -> Result<(), String> {
    let some = |name| json.get(name).filter(|j| **j != Json::Null);
    is_version(json, ZarrVersion::V2)?;
    one_of(some("order"), "order", ["C", "F"])?;
    let separator = some("dimension_separator");
    one_of(separator, "dimension_separator", [".", "/"])?;
    match some("filters").filter(|j| j.items().is_none()) {
        None => Ok(()),
        Some(other) => Err(format!(
            "the filters are {}, expected a list",
            quoted(other)
        )),
    }
}

/// Returns all codecs in encoding order, and the same codecs as JSON for display.
fn filters(json: &Json) -> (Vec<Json>, Option<Json>) {
    let filters = json.get("filters").and_then(Json::items);
    let compressor = json.get("compressor").filter(|c| **c != Json::Null);
    let all: Vec<Json> = filters
        .into_iter()
        .flatten()
        .chain(compressor)
        .cloned()
        .collect();
    let shown = (!all.is_empty()).then(|| Json::Array(all.clone()));
    (all, shown)
}

/// Replaces the type of an object array with the type that follows from the first codec.
fn objects(described: &mut ArrayDescription) {
    if !matches!(described.stored.dtype, Dtype::Unknown(ref name, _) if name == "object") {
        return;
    }
    let first = described.filters.first();
    let codec = first.and_then(|f| f.get("id")?.as_str()).map(str::to_owned);
    let (dtype, heap) = match codec.as_deref() {
        Some("vlen-utf8") => (Dtype::Text, TextCodec::Lengths),
        Some("vlen-bytes") => (Dtype::Blob, TextCodec::Lengths),
        Some("json2") => (Dtype::Text, TextCodec::Json),
        other => {
            let codec = other.unwrap_or("no codec at all");
            let what = format!("the elements are objects, encoded with {codec}");
            described.problem.get_or_insert(what);
            return;
        }
    };
    described.filters.remove(0);
    described.stored.dtype = dtype;
    described.heap = Some(heap);
}

/// Returns the codec that represents column-major order.
fn transpose(rank: usize) -> Json {
    let order = (0..rank).rev().map(Json::int).collect();
    Json::Object(vec![
        ("id".into(), Json::text("transpose")),
        ("order".into(), Json::Array(order)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Atomic;

    fn of(text: &str) -> Result<ArrayDescription, String> {
        describe(&Json::parse(text.as_bytes()).unwrap(), 8)
    }

    #[test]
    fn the_compressor_is_the_last_filter() {
        let d = of(r#"{"shape":[4,6],"chunks":[2,4],"dtype":"<f8","order":"F",
            "filters":[{"id":"shuffle"}],"compressor":{"id":"zlib","level":5},"fill_value":0}"#);
        let d = d.unwrap();
        let ids: Vec<_> = d
            .filters
            .iter()
            .map(|f| f.get("id").unwrap().as_str().unwrap())
            .collect();
        assert_eq!(ids, ["transpose", "shuffle", "zlib"]);
        let shown = d.codecs.unwrap().to_bytes();
        assert_eq!(shown, br#"[{"id": "shuffle"},{"id": "zlib", "level": 5}]"#);
        assert_eq!(d.stored.dtype, Dtype::Number(Atomic::Double));
    }

    #[test]
    fn objects_are_what_their_codec_says() {
        let d = of(r#"{"shape":[4],"chunks":[2],"dtype":"|O","filters":[{"id":"vlen-utf8"}]}"#)
            .unwrap();
        assert_eq!(
            (d.stored.dtype, d.heap, d.filters.len()),
            (Dtype::Text, Some(TextCodec::Lengths), 0)
        );
        let d =
            of(r#"{"shape":[4],"chunks":[2],"dtype":"|O","filters":[{"id":"pickle"}]}"#).unwrap();
        assert!(d.problem.unwrap().contains("pickle"));
    }

    #[test]
    fn what_is_no_array_is_refused() {
        for (text, what) in [
            ("{}", "no shape"),
            (r#"{"shape":[-1]}"#, "no shape"),
            (r#"{"shape":[4],"chunks":[2,2]}"#, "chunks of 2 dimensions"),
            (r#"{"shape":[4],"chunks":[0]}"#, "chunks without elements"),
            (r#"{"shape":[4],"chunks":[1]}"#, "no dtype"),
            (
                r#"{"shape":[1,1,1,1,1,1,1,1,1],"chunks":[1]}"#,
                "the limit is 8",
            ),
        ] {
            assert!(of(text).unwrap_err().contains(what), "{text}");
        }
    }
}
