//! Tests of lists with braces.

use super::*;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{
    Atomic, DataType, Dimension, Field, GroupId, Kind, Name, Storage, TypeId, TypeKind, UserType,
};

/// The values of a list, by the number of the first element.
#[derive(Default)]
struct Kept(Vec<(u64, Values)>);

impl ValueSink for Kept {
    fn bytes(&mut self, _: u64, _: &[u8]) -> Result<()> {
        panic!("no bytes expected")
    }

    fn values(&mut self, element: u64, values: &Values) -> Result<()> {
        self.0.push((element, values.clone()));
        Ok(())
    }
}

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

fn field(text: &str, ty: DataType, dims: &[u64]) -> Field {
    Field {
        name: name(text),
        ty,
        dims: dims.to_vec(),
        offset: 0,
    }
}

const COLOUR: DataType = DataType::User(TypeId(0));
const BLOB: DataType = DataType::User(TypeId(1));
const LIST: DataType = DataType::User(TypeId(2));
const TEXT: DataType = DataType::User(TypeId(3));
const PAIR: DataType = DataType::User(TypeId(4));
const ALL: DataType = DataType::User(TypeId(5));

/// Returns a schema with all type classes and a variable `v` of type `ty`; dimensions of length 0 are unlimited.
fn schema(ty: DataType, dims: &[u64]) -> Schema {
    let mut schema = Schema::new(Kind::NETCDF4);
    let members = vec![(name("red"), 0), (name("dark blue"), 200)];
    let base = Atomic::UByte;
    let int = DataType::Atomic(Atomic::Int);
    let char = DataType::Atomic(Atomic::Char);
    let pair = vec![field("a", int, &[]), field("b", Atomic::Float.into(), &[2])];
    let all = vec![
        field("c", char, &[]),
        field("cs", char, &[2, 3]),
        field("s", Atomic::String.into(), &[]),
        field("e", COLOUR, &[]),
        field("p", PAIR, &[2]),
        field("l", LIST, &[]),
    ];
    let kinds = [
        ("colour", TypeKind::Enum { base, members }),
        ("blob", TypeKind::Opaque { size: 3 }),
        ("list", TypeKind::Vlen { base: int }),
        ("text", TypeKind::Vlen { base: char }),
        (
            "pair",
            TypeKind::Compound {
                fields: pair,
                size: 12,
            },
        ),
        (
            "all",
            TypeKind::Compound {
                fields: all,
                size: 64,
            },
        ),
    ];
    for (text, kind) in kinds {
        schema.add_type(UserType {
            name: name(text),
            group: GroupId::ROOT,
            kind,
        });
    }
    let dim = |(i, &len): (usize, &u64)| {
        schema.add_dim(Dimension {
            name: name(&format!("d{i}")),
            group: GroupId::ROOT,
            len,
            unlimited: len == 0,
        })
    };
    let dims = dims.iter().enumerate().map(dim).collect();
    schema.add_var(Variable {
        name: name("v"),
        group: GroupId::ROOT,
        ty,
        dims,
        attributes: vec![],
        storage: Storage::default(),
    });
    schema
}

/// Finds the lengths, sets them, and reads the list.
fn read_all(text: &str, mut schema: Schema) -> (Vec<u64>, Vec<(u64, Values)>, Problems) {
    let source = MemorySource::new("x.cdl", text.as_bytes().to_vec());
    let list = ValueList {
        source: &source,
        bytes: 0..text.len() as u64,
        var: VarId(0),
        form: TextForm::Cdl,
    };
    let mut found = lengths(&list, &schema, &mut Problems::default()).unwrap();
    for (id, len) in &found {
        schema.dims[id.index()].len = *len;
    }
    let found = found.drain(..).map(|(_, len)| len).collect();
    let (mut problems, mut kept) = (Problems::default(), Kept::default());
    let flat = read(&list, &schema, Endianness::Big, &mut problems, &mut kept).unwrap();
    assert_eq!(flat, None);
    (found, kept.0, problems)
}

fn good(ty: DataType, dims: &[u64], text: &str) -> Values {
    let (_, mut kept, problems) = read_all(text, schema(ty, dims));
    assert_eq!(problems.found(), [], "{text}");
    assert_eq!((kept.len(), kept[0].0), (1, 0), "{text}");
    kept.remove(0).1
}

fn bad(ty: DataType, dims: &[u64], text: &str) -> (String, String) {
    let (_, _, problems) = read_all(text, schema(ty, dims));
    let problem = problems.found().first().expect(text);
    let range = problem.range.start as usize..problem.range.end as usize;
    (text[range].to_owned(), problem.what.clone())
}

fn strings(texts: &[Option<&str>]) -> Values {
    let one = |text: &Option<&str>| text.map(|text| text.as_bytes().into());
    Values::String(texts.iter().map(one).collect())
}

#[test]
fn strings_nil_and_fill() {
    let string = Atomic::String.into();
    let text = "\"a\\n\", NIL, \"\", _, 'x', nil";
    let expected = [Some("a\n"), None, Some(""), Some(""), Some("x"), None];
    assert_eq!(good(string, &[0], text), strings(&expected));
    let numbers = "5b, -1.50, 0.1f, 1e10, 18446744073709551615";
    let expected = ["5", "-1.5", "0.1", "10000000000", "18446744073709551615"].map(Some);
    assert_eq!(good(string, &[0], numbers), strings(&expected));
    assert_eq!(bad(string, &[2], "0x1").0, "0x1");
    assert_eq!(bad(string, &[2], "\"a\" \"b\"").0, "\"b\"");
    assert_eq!(
        bad(string, &[1], "\"a\", \"b\"").1,
        "the variable has only 1 values; the rest is ignored"
    );
}

#[test]
fn members_of_enums() {
    let values = |v| Values::Enum(TypeId(0), Box::new(Values::UByte(v)));
    let text = "red, dark\\ blue, colour.red, /g/h/colour.dark\\ blue, _";
    assert_eq!(good(COLOUR, &[0], text), values(vec![0, 200, 0, 200, 0]));
    assert_eq!(
        good(COLOUR, &[0], "7, _UNDEFINED, 200"),
        values(vec![7, 0, 200])
    );
    let (found, what) = bad(COLOUR, &[0], "256");
    assert_eq!(
        (found.as_str(), what.as_str()),
        ("256", "256 does not fit enum colour")
    );
    for text in ["green", "1.5", "other.red", "NIL"] {
        let (found, what) = bad(COLOUR, &[0], text);
        assert_eq!(found, text);
        assert!(
            what.starts_with("expected a member of enum colour, found"),
            "{what}"
        );
    }
}

#[test]
fn opaque_values() {
    let Values::Opaque { bytes, size: 3, .. } = good(BLOB, &[0], "0X01ABff, 0x1, _") else {
        panic!()
    };
    assert_eq!(bytes, b"\x01\xab\xff\x10\0\0\0\0\0");
    assert!(
        bad(BLOB, &[], "0x01020304")
            .1
            .contains("the rest is dropped")
    );
    assert_eq!(bad(BLOB, &[], "12").0, "12");
}

#[test]
fn lists_of_variable_length() {
    let values = |lists: &[&[i32]]| {
        let lists = lists.iter().map(|list| Values::Int(list.to_vec()));
        Values::Vlen(TypeId(2), lists.collect())
    };
    let text = "{1, 2}, {}, {_}, _";
    let fill = -2_147_483_647;
    assert_eq!(
        good(LIST, &[4], text),
        values(&[&[1, 2], &[], &[fill], &[fill]])
    );
    let text = good(TEXT, &[], "{'a', 'b', \"cd\"}");
    assert_eq!(
        text,
        Values::Vlen(TypeId(3), vec![Values::Char(b"abcd".to_vec())])
    );
    assert_eq!(bad(LIST, &[], "1").0, "1");
    assert_eq!(
        bad(LIST, &[], "{1").1,
        "expected `}`, found the end of the list"
    );
    assert_eq!(bad(LIST, &[], "{1,}").0, "}");
    assert_eq!(bad(LIST, &[], "{{1}}").0, "{");
}

#[test]
fn compounds_by_column() {
    let (fill, real) = (-2_147_483_647, f32::from_bits(0x7cf0_0000));
    let Values::Compound { len, columns, .. } = good(PAIR, &[0], "{1, {2, 3}}, {4}, {_, {5.5}}, _")
    else {
        panic!()
    };
    assert_eq!(len, 4);
    assert_eq!(columns[0], Values::Int(vec![1, 4, fill, fill]));
    assert_eq!(
        columns[1],
        Values::Float(vec![2., 3., real, real, 5.5, real, real, real])
    );
    for (text, part) in [
        ("{1, {2, 3, 4}}", "{"),
        ("{1, 2}", "2"),
        ("{1, {2}, 3}", "{"),
        ("1", "1"),
        ("{red}", "red"),
    ] {
        assert_eq!(bad(PAIR, &[], text).0, part, "{text}");
    }
}

#[test]
fn compound_with_nested_types() {
    let text = "{'x', {\"ab\", \"cdef\"}, NIL, colour.red, {{1, {2, 3}}, _}, {7}}";
    let (_, what) = bad(ALL, &[], text);
    assert!(what.contains("field cs"), "{what}");
    let text = "{'x', {\"ab\", 'c'}, NIL, colour.red, {{1, {2, 3}}}, {7}}";
    let Values::Compound { columns, .. } = good(ALL, &[], text) else {
        panic!()
    };
    assert_eq!(columns[0], Values::Char(b"x".to_vec()));
    assert_eq!(columns[1], Values::Char(b"ab\0c\0\0".to_vec()));
    assert_eq!(columns[2], strings(&[None]));
    let Values::Compound {
        len: 2,
        columns: pairs,
        ..
    } = &columns[4]
    else {
        panic!()
    };
    assert_eq!(pairs[0], Values::Int(vec![1, -2_147_483_647]));
    assert_eq!(
        columns[5],
        Values::Vlen(TypeId(2), vec![Values::Int(vec![7])])
    );
}

#[test]
fn unlimited_dimensions_within() {
    let int = DataType::Atomic(Atomic::Int);
    let run = |at, v: &[i32]| (at, Values::Int(v.to_vec()));
    let (lengths, kept, problems) =
        read_all("{1, 2}, {3}, {4}, {5, 6, 7}", schema(int, &[0, 2, 0]));
    assert_eq!((lengths, problems.found()), (vec![2, 3], &[][..]));
    assert_eq!(
        kept,
        [
            run(0, &[1, 2]),
            run(3, &[3]),
            run(6, &[4]),
            run(9, &[5, 6, 7])
        ]
    );
    let (lengths, kept, _) = read_all("{1, 2, 3}, {}", schema(int, &[2, 0, 2]));
    assert_eq!((lengths, kept), (vec![2], vec![run(0, &[1, 2, 3])]));
    assert!(
        bad(int, &[2, 0], "1, 2")
            .1
            .contains("expected `{` before the values of an unlimited")
    );
    assert_eq!(
        bad(int, &[1, 0], "{1}, {2}").1,
        "more lists than the dimensions have elements"
    );
}

#[test]
fn texts_in_unlimited_dimensions() {
    let run = |at, text: &str| (at, Values::Char(text.as_bytes().to_vec()));
    let char = DataType::Atomic(Atomic::Char);
    let (lengths, kept, problems) = read_all("{\"abc\"}, {\"d\", 'e'}", schema(char, &[2, 0]));
    assert_eq!((lengths, problems.found()), (vec![3], &[][..]));
    assert_eq!(kept, [run(0, "abc"), run(3, "de")]);
    let (lengths, kept, _) = read_all("{\"a\", \"bcd\"}", schema(char, &[1, 0, 2]));
    assert_eq!((lengths, kept), (vec![3], vec![run(0, "a\0bcd\0")]));
}

#[test]
fn braces_are_only_as_deep_as_types() {
    let deep = "{".repeat(100_000);
    assert_eq!(bad(LIST, &[], &deep).0, "{");
    assert_eq!(bad(ALL, &[0, 0], &deep).0, "{");
}
