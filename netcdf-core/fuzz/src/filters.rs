//! Decoders of filters.

use netcdf_core::model::{StoredElement, Atomic, DataType, Endianness};
use netcdf_core::filter::{VariableFacts, ChunkContext, FilterTable};

/// Maximum bytes of a chunk.
const MOST: usize = 1 << 20;

/// A filter's decoder. An input is: type of the elements (a byte), number of elements (two bytes),
/// flags (a byte: 1 for big-endian, 2 if the length is not known, 4 with a fill value), number of
/// parameters (a byte), parameters (four bytes each), stored bytes.
pub fn filter(id: u32, input: &[u8]) {
    let Some((&[ty, low, high, flags, count], rest)) = input.split_first_chunk() else {
        return;
    };
    let count = usize::from(count & 31);
    let Some((params, stored)) = rest.split_at_checked(4 * count) else {
        return;
    };
    let params: Vec<u32> = params
        .as_chunks::<4>()
        .0
        .iter()
        .map(|p| u32::from_le_bytes(*p))
        .collect();
    let atomic = Atomic::ALL[usize::from(ty) % Atomic::ALL.len()];
    let size = atomic.size().unwrap_or(16);
    let elements = usize::from(u16::from_le_bytes([low, high]));
    let len = (elements * size).min(MOST);
    let context = ChunkContext {
        shape: vec![elements as u64],
        element: StoredElement {
            ty: DataType::Atomic(atomic),
            size: size as u64,
            order: [Endianness::Little, Endianness::Big][usize::from(flags & 1)],
            plain: true,
        },
        fill: (flags & 4 != 0).then(|| vec![0; size]),
        len: (flags & 2 == 0).then_some(len),
        about: VariableFacts::default(),
    };
    let table = FilterTable::default();
    let Ok(entry) = table.entry(id) else {
        return;
    };
    let Ok(filter) = entry.build(&params, &context) else {
        return;
    };
    let mut output = vec![];
    if filter.decode(&context, stored, &mut output).is_ok() {
        // Some decoders only copy their input; the chain compares lengths.
        let most = context.limit().max(stored.len());
        assert!(
            output.len() <= most,
            "{} bytes of at most {most}",
            output.len()
        );
    }
}
