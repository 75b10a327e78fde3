//! Base64 with padding (RFC 4648): how JSON holds bytes that are not UTF-8.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the text of some bytes.
pub(super) fn encode(bytes: &[u8], out: &mut Vec<u8>) {
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * place) & 63) as usize);
            let padding = place > three.len();
            out.push(digit.copied().filter(|_| !padding).unwrap_or(b'='));
        }
    }
}

/// The bytes of a text; `None` if it is not base64.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (fours, []) = text.as_chunks::<4>() else {
        return None;
    };
    for (i, four) in fours.iter().enumerate() {
        let padding = four.iter().rev().take_while(|&&b| b == b'=').count();
        if padding > 2 || (padding > 0 && i + 1 < fours.len()) {
            return None;
        }
        let mut bits = 0;
        for &byte in four.iter().take(4 - padding) {
            bits = bits << 6 | digit(byte)?;
        }
        let [_, bytes @ ..] = (bits << (6 * padding)).to_be_bytes();
        out.extend(bytes.iter().take(3 - padding));
    }
    Some(out)
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
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
    fn what_is_not_base64() {
        for text in ["Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-v"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(decode(text(&bytes).as_bytes()), Some(bytes));
        }
    }
}
