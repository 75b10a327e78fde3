//! Text of one number written in place, with stores of fixed length that reach past its end.

/// Room for the text of one number and for what is written behind it.
///
/// Texts have up to 32 bytes. Writers overwrite bytes behind the text that they give the length of: its first two are the
/// separator [`SEPARATOR`], the others are of no meaning.
pub const ROOM: usize = 40;

/// What stands between two values of a data list, and behind each text that is written in place.
pub const SEPARATOR: [u8; 2] = *b", ";

/// Writes `N` bytes at `at`, which is known to leave room for them: where `M + N <= ROOM` this is a store and nothing else.
#[inline(always)]
pub(super) fn put<const M: usize, const N: usize>(out: &mut [u8; ROOM], at: usize, text: [u8; N]) {
    const {
        assert!(M + N <= ROOM && (M + 1).is_power_of_two());
    }
    if let Some(slot) = out.get_mut(at & M..).and_then(<[u8]>::first_chunk_mut) {
        *slot = text;
    }
}

/// Writes the separator behind a text of `len` bytes and returns `len`.
#[inline(always)]
pub(super) fn end(out: &mut [u8; ROOM], len: usize) -> usize {
    put::<31, 2>(out, len, SEPARATOR);
    len
}
