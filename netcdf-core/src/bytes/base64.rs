//! Base64 with padding: encoding of bytes as text (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the base64 text of some bytes: four characters for every three bytes.
pub fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    for three in bytes.chunks(3) {
        let byte = |n: usize| u32::from(three.get(n).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for n in 0..4 {
            let letter = ALPHABET.get((bits >> (18 - 6 * n) & 63) as usize);
            let padding = n > three.len();
            out.push(letter.copied().filter(|_| !padding).unwrap_or(b'='));
        }
    }
}

/// Returns the six bits of a character.
#[must_use]
pub fn bits(letter: u8) -> Option<u32> {
    let six = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(six.into())
}

/// Decodes a text; returns `None` if it is not base64.
#[must_use]
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (fours, []) = text.as_chunks::<4>() else {
        return None;
    };
    for (i, four) in fours.iter().enumerate() {
        let padding = four.iter().rev().take_while(|&&b| b == b'=').count();
        if padding > 2 || (padding > 0 && i + 1 < fours.len()) {
            return None;
        }
        let mut all = 0;
        for &byte in four.iter().take(4 - padding) {
            all = all << 6 | bits(byte)?;
        }
        let [_, bytes @ ..] = (all << (6 * padding)).to_be_bytes();
        out.extend(bytes.iter().take(3 - padding));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(bytes: &[u8]) -> String {
        let mut out = vec![];
        encode(bytes, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn examples_of_the_rfc() {
        for (bytes, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(text(bytes.as_bytes()), expected);
        }
    }

    #[test]
    fn invalid_base64_is_rejected() {
        for text in ["Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-v"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: Vec<u8>) {
            prop_assert_eq!(decode(text(&bytes).as_bytes()), Some(bytes));
        }
    }
}
