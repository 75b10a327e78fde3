//! Array metadata in Zarr's terms: types, codecs with parameters, dimension names.

use netcdf_core::format::zarr::raw::RawArray;
use netcdf_core::json::Json;
use netcdf_core::model::ZarrVersion;

use crate::out::plain;
use netcdf_core::format::zarr::survey::{Node, split};

/// Returns a type in the notation of the metadata: `<f4`, `float32`, or JSON.
pub(crate) fn dtype(array: &RawArray) -> String {
    text(&array.ty)
}

/// Returns the name of a codec: `zlib`, `numcodecs.zlib`.
pub(crate) fn codec_name(codec: &Json) -> Option<&str> {
    let named = codec.get("id").or_else(|| codec.get("name"));
    named.unwrap_or(codec).as_str()
}

/// Returns the named parameters of a codec: `level=5 checksum=false`.
pub(crate) fn codec_params(codec: &Json) -> String {
    let (members, own): (_, &[&str]) = match codec.get("id") {
        Some(_) => (codec.members(), &["id"]),
        None => {
            let configured = codec.get("configuration");
            (configured.map(Json::members).unwrap_or_default(), &[])
        }
    };
    let params = members
        .iter()
        .filter(|(name, _)| !own.contains(&name.as_str()));
    let params: Vec<_> = params
        .map(|(name, v)| format!("{name}={}", text(v)))
        .collect();
    params.join(" ")
}

/// Returns the filters of an array with their parameters, in the order of writing.
pub(crate) fn codecs(array: &RawArray) -> Vec<String> {
    let described = &array.described;
    let filters = described.filters.iter().chain(&described.whole);
    filters.map(codec).collect()
}

/// Returns the number of a version.
pub(crate) fn version_number(version: ZarrVersion) -> u8 {
    match version {
        ZarrVersion::V2 => 2,
        ZarrVersion::V3 => 3,
    }
}

/// Returns the name of a version 3 codec: from `{"name": …}` or from a plain text.
pub(crate) fn stated_name(codec: &Json) -> Option<&str> {
    codec.as_str().or_else(|| codec.get("name")?.as_str())
}

/// Returns a configuration member of a version 3 codec.
pub(crate) fn configured<'j>(codec: &'j Json, name: &str) -> Option<&'j Json> {
    codec.get("configuration")?.get(name)
}

/// Returns a codec with its parameters: `zlib level=5`.
fn codec(json: &Json) -> String {
    let Some(name) = codec_name(json) else {
        return text(json);
    };
    let params = codec_params(json);
    match params.is_empty() {
        true => plain(name),
        false => plain(&format!("{name} {params}")),
    }
}

/// Returns netCDF's metadata in the attributes of an array.
pub(crate) fn netcdf(node: &Node) -> Option<&Json> {
    let attributes = node.attributes()?;
    let names = ["_nczarr_array", "_NCZARR_ARRAY"];
    names.iter().find_map(|name| attributes.get(name))
}

/// Returns the dimension names, from `dimension_names`, `_ARRAY_DIMENSIONS` or netCDF's references.
pub(crate) fn dimensions(node: &Node, array: &RawArray) -> Option<Json> {
    if let Some(names) = &array.described.names {
        let name = |name: &Option<String>| name.as_deref().map_or(Json::Null, Json::text);
        return Some(Json::Array(names.iter().map(name).collect()));
    }
    let xarray = node.attributes().and_then(|a| a.get("_ARRAY_DIMENSIONS"));
    if let Some(names) = xarray {
        return Some(names.clone());
    }
    let netcdf = netcdf(node)?;
    let paths = ["dimension_references", "dimrefs"];
    let paths = paths.iter().find_map(|name| netcdf.get(name)?.items())?;
    let last = |path: &Json| path.as_str().map_or(Json::Null, |p| Json::text(split(p).1));
    Some(Json::Array(paths.iter().map(last).collect()))
}

/// Returns the dimension names separated by commas, or `-` without names.
pub(crate) fn dimension_list(node: &Node, array: &RawArray) -> String {
    let names = dimensions(node, array);
    let names = names.as_ref().and_then(Json::items).unwrap_or_default();
    let name = |name: &Json| match name {
        Json::Null => "-".to_owned(),
        Json::Text(bytes) if bytes.iter().any(|b| b" ,".contains(b)) => {
            plain(&String::from_utf8_lossy(&name.to_bytes()))
        }
        other => text(other),
    };
    let names: Vec<_> = names.iter().map(name).collect();
    match names.is_empty() {
        true => "-".to_owned(),
        false => names.join(","),
    }
}

/// Returns a text without quotes, or JSON.
fn text(json: &Json) -> String {
    match json {
        Json::Text(text) => plain(&String::from_utf8_lossy(text)),
        other => plain(&String::from_utf8_lossy(&other.to_bytes())),
    }
}
