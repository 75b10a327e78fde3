//! Text in filter parameters: its length in bytes, then its bytes in little-endian words.

/// Packs a text into parameters.
#[must_use]
pub fn pack_text(text: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 4];
        word.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        u32::from_le_bytes(word)
    };
    let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
    std::iter::once(len)
        .chain(text.chunks(4).map(word))
        .collect()
}

/// Unpacks a text from parameters; returns `None` if parameters are missing.
#[must_use]
pub fn unpack_text(params: &[u32]) -> Option<Vec<u8>> {
    let (&len, words) = params.split_first()?;
    let len = usize::try_from(len).ok()?;
    let mut text: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    if text.len() < len {
        return None;
    }
    text.truncate(len);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_text_round_trips() {
        for text in [&b""[..], b"a", b"abcd", b"abcde"] {
            assert_eq!(unpack_text(&pack_text(text)).unwrap(), text);
        }
        assert_eq!(pack_text(b"abcde"), [5, 0x6463_6261, 0x65]);
        assert_eq!(unpack_text(&[5, 0x6463_6261]), None);
        assert_eq!(unpack_text(&[]), None);
    }
}
