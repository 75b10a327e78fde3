//! Text in NcML.

/// Appends `text` to `out` as the value of an XML attribute, without the quotes around it.
///
/// Control characters become references, although XML allows only those to tab, newline and carriage return; bytes from 0x80 on
/// are taken for UTF-8 and copied.
pub fn xml_text(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"&quot;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'\n' => out.extend_from_slice(b"&#xA;"),
            b'\r' => out.extend_from_slice(b"&#xD;"),
            b'\t' => out.extend_from_slice(b"&#x9;"),
            0..=31 | 127 => out.extend_from_slice(format!("&#{byte};").as_bytes()),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_c_prints_texts() {
        let mut out = Vec::new();
        xml_text(b"a<b> & \"c'\"\n\r\t\0\x1f\x7f\xc3\xa9", &mut out);
        let expected = b"a&lt;b&gt; &amp; &quot;c'&quot;&#xA;&#xD;&#x9;&#0;&#31;&#127;\xc3\xa9";
        assert_eq!(out, expected);
    }
}
