use super::*;
use crate::error::ErrorKind;

fn decoded(codec: TextCodec, chunk: &[u64], turned: &[usize], bytes: &[u8]) -> Result<Vec<String>> {
    let texts = Texts {
        codec,
        chunk: chunk.to_vec(),
        turned: turned.to_vec(),
        filters: vec![],
        fill: vec![],
    };
    let packed = texts.packed(bytes)?;
    let count = usize::try_from(product(chunk).unwrap()).unwrap();
    let text = |n| String::from_utf8(texts.text(&packed, n).unwrap().to_vec()).unwrap();
    assert_eq!(texts.text(&packed, count), None);
    Ok((0..count).map(text).collect())
}

#[test]
fn elements_lead_back() {
    assert_eq!(place(&element(7, 9)), Some((7, 9)));
    assert_eq!(place(missing().as_slice().try_into().unwrap()), None);
}

#[test]
fn texts_of_a_chunk() {
    let bytes = b"\x02\0\0\0\x01\0\0\0a\x03\0\0\0bcd";
    let read = |codec, count, bytes| decoded(codec, &[count], &[], bytes).unwrap();
    assert_eq!(read(TextCodec::Lengths, 2, bytes), ["a", "bcd"]);
    let bytes = br#"["a",{"b":1},null,"|O",[3]]"#;
    assert_eq!(read(TextCodec::Json, 3, bytes), ["a", "{\"b\": 1}", "null"]);
}

#[test]
fn json_of_several_dimensions_is_lists_in_lists() {
    let bytes = br#"[["a","b",["c"]],["d","e","f"],"|O",[2,3]]"#;
    for turned in [&[][..], &[1, 0]] {
        let read = decoded(TextCodec::Json, &[2, 3], turned, bytes).unwrap();
        assert_eq!(read, ["a", "b", "[\"c\"]", "d", "e", "f"]);
    }
    let column = br#"[["a"],["b"],["c"],"|O",[3,1]]"#;
    let read = |chunk: &[u64], bytes| decoded(TextCodec::Json, chunk, &[], bytes);
    assert_eq!(read(&[3, 1], column).unwrap(), ["a", "b", "c"]);
    let deep = br#"[[["a","b"],["c","d"]],"|O",[1,2,2]]"#;
    assert_eq!(read(&[1, 2, 2], deep).unwrap(), ["a", "b", "c", "d"]);
    assert_eq!(read(&[], br#"["a","|O",[]]"#).unwrap(), ["a"]);
    assert_eq!(read(&[], br#"["a","|O",[1]]"#).unwrap(), ["a"]);
    for (chunk, bytes) in [
        (&[3][..], &column[..]),
        (&[1, 3], column),
        (&[2, 3], &bytes[..30]),
        (&[2, 2], br#"[["a","b"],["c"],"|O",[2,2]]"#),
        (&[2, 2], br#"[["a","b"],"c","|O",[2,2]]"#),
        (&[2, 2], br#"["a","b","|O",2]"#),
    ] {
        assert_eq!(read(chunk, bytes).unwrap_err().kind(), ErrorKind::Corrupt);
    }
}

#[test]
fn values_in_another_order_of_dimensions() {
    let bytes = |texts: &str| {
        let one = |b: u8| [1, 0, 0, 0, b];
        let count = (texts.len() as u32).to_le_bytes();
        [count.to_vec(), texts.bytes().flat_map(one).collect()].concat()
    };
    // a b c / d e f, column by column.
    let read = decoded(TextCodec::Lengths, &[2, 3], &[1, 0], &bytes("adbecf")).unwrap();
    assert_eq!(read.concat(), "abcdef");
    // The shape 2, 1, 3 encoded as 3, 2, 1.
    let read = decoded(TextCodec::Lengths, &[2, 1, 3], &[2, 0, 1], &bytes("adbecf")).unwrap();
    assert_eq!(read.concat(), "abcdef");
    let line = br#"["a","d","b","e","c","f","|O",[6]]"#;
    let read = decoded(TextCodec::Json, &[2, 3], &[1, 0], line).unwrap();
    assert_eq!(read.concat(), "abcdef");
}

#[test]
fn damage_is_found() {
    for bytes in [
        &b""[..],
        b"\x02\0\0",
        b"\x02\0\0\0\x01\0\0\0a",
        b"\xff\xff\xff\xff",
        b"\x01\0\0\0\x09\0\0\0a",
    ] {
        let e = decoded(TextCodec::Lengths, &[2], &[], bytes).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt);
    }
    assert!(decoded(TextCodec::Lengths, &[2], &[], b"\x01\0\0\0\0\0\0\0").is_err());
    assert!(decoded(TextCodec::Json, &[1], &[], b"[1]").is_err());
    let e = decoded(TextCodec::Json, &[1], &[], &vec![0; codec::MOST_JSON + 1]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Limit);
}
