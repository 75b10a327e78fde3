//! Zarr codecs: codec lists in JSON, and decoders.

use netcdf_core::model::{StoredElement, Atomic, DataType, Endianness, ZarrVersion};
use netcdf_core::filter::codec::{filters, list};
use netcdf_core::filter::{VariableFacts, ChunkContext, FilterTable};
use netcdf_core::json::Json;

/// Maximum number of elements per chunk.
const MOST: u64 = 1 << 16;

/// A list of codecs and a chunk that went through them. An input is: type of the elements (a byte), lengths of two
/// dimensions (a byte each; 0 for none), flags (a byte: 1 for big-endian, 2 for version 3, 4 with a fill value, 8 if
/// the length is not known), the list as JSON, a zero byte, the stored bytes.
pub fn codecs(input: &[u8]) {
    let Some((head, rest)) = input.split_first_chunk::<4>() else {
        return;
    };
    let mut parts = rest.splitn(2, |byte| *byte == 0);
    let (text, stored) = (parts.next(), parts.next());
    let Ok(json) = Json::parse(text.unwrap_or_default()) else {
        return;
    };
    let one = std::slice::from_ref(&json);
    let codecs = json.items().unwrap_or(one);
    let (context, version) = context(*head);
    let table = FilterTable::default();
    let Ok(specs) = filters(version, codecs, &context, &table) else {
        return;
    };
    for spec in &specs {
        let _ = table.label(spec);
    }
    for version in [ZarrVersion::V2, ZarrVersion::V3] {
        if let Ok(made) = list(version, &specs, &context, &table) {
            assert_eq!(made.len(), specs.len());
            let _ = filters(version, &made, &context, &table);
        }
    }
    let Ok(chain) = table.chain(&specs, &context) else {
        return;
    };
    let stored = stored.unwrap_or_default().to_vec();
    let most = context.limit().max(stored.len());
    if let Ok(bytes) = chain.decode(0, stored, &mut vec![]) {
        assert!(
            context
                .len
                .is_none_or(|len| specs.is_empty() || len == bytes.len())
        );
        assert!(
            bytes.len() <= most,
            "{} bytes of at most {most}",
            bytes.len()
        );
    }
}

/// Returns the context of the chunk.
fn context([ty, rows, columns, flags]: [u8; 4]) -> (ChunkContext, ZarrVersion) {
    let atomic = Atomic::ALL[usize::from(ty) % Atomic::ALL.len()];
    let size = atomic.size().unwrap_or(16);
    let dims = [rows, columns].map(u64::from);
    let shape: Vec<u64> = dims.into_iter().filter(|n| *n > 0).collect();
    let elements = shape.iter().product::<u64>().min(MOST);
    let len = usize::try_from(elements).unwrap_or(0) * size;
    let context = ChunkContext {
        element: StoredElement {
            ty: DataType::Atomic(atomic),
            size: size as u64,
            order: [Endianness::Little, Endianness::Big][usize::from(flags & 1)],
            plain: true,
        },
        fill: (flags & 4 != 0).then(|| vec![0; size]),
        len: (flags & 8 == 0).then_some(len),
        about: VariableFacts {
            dims: shape.clone(),
            mandatory: true,
            ..VariableFacts::default()
        },
        shape,
    };
    let version = match flags & 2 {
        0 => ZarrVersion::V2,
        _ => ZarrVersion::V3,
    };
    (context, version)
}
