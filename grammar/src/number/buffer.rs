//! Text of one number written in place, with stores of fixed length that extend past its end.

/// Buffer size for the text of one number and the bytes written after it.
///
/// Texts have up to 32 bytes. Writers also overwrite bytes after the returned text length: the first two are the separator [`SEPARATOR`],
/// the remaining bytes are undefined.
pub const BUFFER_LEN: usize = 40;

/// The separator of two values in a data list, also written after each text in place.
pub const SEPARATOR: [u8; 2] = *b", ";

/// Writes `N` bytes at `at`. If `M + N <= BUFFER_LEN`, the bounds check compiles away to a single store.
#[inline(always)]
pub(super) fn put<const M: usize, const N: usize>(
    out: &mut [u8; BUFFER_LEN],
    at: usize,
    text: [u8; N],
) {
    const {
        assert!(M + N <= BUFFER_LEN && (M + 1).is_power_of_two());
    }
    if let Some(slot) = out.get_mut(at & M..).and_then(<[u8]>::first_chunk_mut) {
        *slot = text;
    }
}

/// Writes the separator after a text of `len` bytes and returns `len`.
#[inline(always)]
pub(super) fn end(out: &mut [u8; BUFFER_LEN], len: usize) -> usize {
    put::<31, 2>(out, len, SEPARATOR);
    len
}
