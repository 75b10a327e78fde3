//! Display of filters: name and parameters. The parameters of codecs without an HDF5 filter number are their JSON.

use super::{DescriptionUse, UNKNOWN, is_private, unpack_text};
use crate::filter::user_params::listed;
use crate::filter::{ChunkContext, FilterTable, VariableFacts};
use crate::json::Json;
use crate::model::{Atomic, Endianness, FilterSpec, StoredElement, ZarrVersion};

/// A filter's name and parameters as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The name; `None` for unknown filters.
    pub name: Option<String>,
    /// The parameters, separated by commas, or the JSON members of a codec without an HDF5 filter number.
    pub params: String,
}

impl FilterTable {
    /// Returns Zarr's names for a filter, in version 2 and in version 3; `None` for filters without a known Zarr codec.
    #[must_use]
    pub fn codec_names(&self, id: u32) -> Option<(&str, &str)> {
        let codec = self.row(id).and_then(|row| row.codec.as_ref());
        codec.map(|codec| (codec.name, codec.v3))
    }

    /// Returns a filter's name and parameters.
    #[must_use]
    pub fn label(&self, spec: &FilterSpec) -> Label {
        let name = self.name(spec.id).map(str::to_owned);
        if !is_private(spec.id) {
            let params = listed(&spec.params);
            return Label { name, params };
        }
        if spec.id == UNKNOWN {
            let text = unpack_text(&spec.params).unwrap_or_default();
            return Label {
                name: unknown_name(&text),
                params: String::from_utf8_lossy(&text).into_owned(),
            };
        }
        let codec = self.row(spec.id).and_then(|row| row.codec);
        let context = nothing();
        let shown = DescriptionUse {
            version: ZarrVersion::V3,
            context: &context,
        };
        let members = codec.and_then(|codec| (codec.write)(&spec.params, &shown).ok());
        let params = members.filter(|members| !members.is_empty());
        let params = params.map(|members| Json::Object(members).to_bytes());
        Label {
            name: codec.map(|codec| codec.name.to_owned()).or(name),
            params: String::from_utf8_lossy(&params.unwrap_or_default()).into_owned(),
        }
    }
}

/// Returns the name in the JSON of an unknown codec.
pub(in crate::filter) fn unknown_name(text: &[u8]) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let name = json.get("id").or_else(|| json.get("name"));
    let name = name.or(Some(&json)).and_then(Json::as_str);
    name.map(|name| name.strip_prefix("numcodecs.").unwrap_or(name).to_owned())
}

/// Returns an empty context: describing a codec without an HDF5 filter number needs no chunk.
fn nothing() -> ChunkContext {
    ChunkContext {
        shape: vec![],
        element: StoredElement {
            ty: Atomic::UByte.into(),
            size: 1,
            order: Endianness::Little,
            plain: true,
        },
        fill: None,
        len: None,
        about: VariableFacts::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::codec::{ids, pack_text};

    #[test]
    fn names_and_parameters() {
        let label = |id, params: &[u32]| {
            let params = params.to_vec();
            let Label { name, params } = FilterTable::default().label(&FilterSpec { id, params });
            format!("{} {params}", name.unwrap_or_default())
        };
        assert_eq!(label(32001, &[2, 2, 4]), "blosc 2,2,4");
        assert_eq!(label(40_000, &[]), " ");
        assert_eq!(label(ids::GZIP, &[5]), r#"gzip {"level": 5}"#);
        assert_eq!(label(ids::CRC32, &[0]), "crc32 ");
        assert_eq!(
            label(ids::TRANSPOSE, &[1, 0]),
            r#"transpose {"order": [1,0]}"#
        );
        let json = r#"{"id": "pcodec", "level": 8}"#;
        let unknown = pack_text(json.as_bytes());
        assert_eq!(label(UNKNOWN, &unknown), format!("pcodec {json}"));
        let other = pack_text(br#"{"name": "numcodecs.pcodec"}"#);
        assert!(label(UNKNOWN, &other).starts_with("pcodec {"));
        assert_eq!(label(UNKNOWN, &[9]), " ");
        let names = |id| {
            FilterTable::default()
                .codec_names(id)
                .map(|(v2, _)| v2.to_owned())
        };
        assert_eq!(names(1), Some("zlib".to_owned()));
        assert_eq!((names(6), names(UNKNOWN)), (None, None));
    }
}
