//! Contradictory types.

use super::*;
use crate::ErrorKind;
use crate::format::hdf5::datatype::Datatype;

fn parse(body: &[u8]) -> Result<Datatype> {
    let file = open("groups_old.h5");
    Datatype::parse(&mut file.fields_of(body, Some(100)), &Limits::default())
}

/// The error for a type: damage, with a location.
fn refused(body: &[u8]) -> String {
    let e = parse(body).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Corrupt, "{e}");
    assert!(e.offset() > Some(100), "{e}");
    e.what().to_string()
}

/// A `float` with these value bits, sign position, and exponent and mantissa positions and widths.
fn float(bits: [u8; 2], sign: u8, parts: [u8; 4]) -> Vec<u8> {
    let head = [0x11, 0x20, sign, 0, 4, 0, 0, 0, bits[0], 0, bits[1], 0];
    [head.as_slice(), &parts, &[127, 0, 0, 0]].concat()
}

#[test]
fn parts_of_floats_lie_apart_and_within() {
    assert!(parse(&float([0, 32], 31, [23, 8, 0, 23])).is_ok());
    // nbit stores this form: seven unused bits on either side.
    assert!(parse(&float([7, 20], 26, [20, 6, 7, 13])).is_ok());
    for (bits, sign, parts) in [
        ([0, 32], 31, [22, 8, 0, 23]),
        ([0, 32], 31, [24, 8, 0, 23]),
        ([0, 32], 3, [23, 8, 0, 23]),
        ([0, 32], 32, [23, 8, 0, 23]),
        ([0, 32], 31, [23, 8, 0, 24]),
        ([0, 20], 26, [20, 6, 7, 13]),
    ] {
        let what = refused(&float(bits, sign, parts));
        assert!(what.contains("that do not overlap"), "{what}");
    }
}

/// A compound of 8 bytes in version 3: two 4-byte integers at these offsets.
fn compound(places: [u8; 2]) -> Vec<u8> {
    let integer = [0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0];
    let mut body = vec![0x36, 2, 0, 0, 8, 0, 0, 0];
    for (name, place) in [*b"a\0", *b"b\0"].into_iter().zip(places) {
        body.extend([name.as_slice(), &[place], &integer].concat());
    }
    body
}

#[test]
fn members_lie_apart() {
    assert!(parse(&compound([0, 4])).is_ok());
    assert!(parse(&compound([4, 0])).is_ok());
    for places in [[0, 3], [3, 0], [0, 0]] {
        let what = refused(&compound(places));
        assert!(what.contains(" overlaps `"), "{what}");
    }
}

#[test]
fn values_of_enums_have_names() {
    let body = |names: &[u8]| {
        let integer = [0x10, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0];
        let head = [0x38, 2, 0, 0, 1, 0, 0, 0];
        [head.as_slice(), &integer, names, &[0, 1]].concat()
    };
    assert!(parse(&body(b"a\0b\0")).is_ok());
    assert_eq!(
        refused(&body(b"a\0\0b")),
        "an enum has a value without a name"
    );
}
