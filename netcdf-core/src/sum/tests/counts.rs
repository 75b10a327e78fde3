//! Changes that affect a digest, and changes that do not.

use super::memory::{FILL, add, dataset, env};
use super::{form, number, sums};
use crate::chunk::Dataset;
use crate::env::Env;
use crate::error::ErrorKind;
use crate::model::{
    Atomic, Attribute, DataType, DimId, Dimension, Field, GroupId, Kind, Name, Schema,
    StorageLayout, TypeId, TypeKind, UserType, Values,
};
use crate::sum::{Digest, DigestMaker};
use crate::testing::{self, MemoryDataset, text};

fn attribute(name: &str, values: Values) -> Attribute {
    Attribute::atomic(Name::stored(name.as_bytes()), values).unwrap()
}

fn string(text: &str) -> Values {
    testing::strings(&[Some(text)])
}

/// A dataset with attributes, a group and a type.
fn sample() -> MemoryDataset {
    let mut memory = dataset(&[2, 3], &form(&[2, 3], false), number);
    let schema = &mut memory.schema;
    let attributes = &mut schema.vars[0].attributes;
    attributes.push(attribute("units", text("K")));
    attributes.push(attribute("zero", Values::Double(vec![0.0])));
    schema.groups[0]
        .attributes
        .push(attribute("title", text("t")));
    let g = schema.add_group(GroupId::ROOT, Name::stored(b"g"));
    schema.groups[1]
        .attributes
        .push(attribute("note", string("n")));
    let members = vec![(Name::stored(b"a"), 1), (Name::stored(b"b"), -2)];
    let kind = TypeKind::Enum {
        base: Atomic::Byte,
        members,
    };
    schema.add_type(UserType {
        name: Name::stored(b"e"),
        group: g,
        kind,
    });
    let field = |name: &[u8], ty, offset| Field {
        name: Name::stored(name),
        ty,
        dims: vec![2],
        offset,
    };
    let fields = vec![
        field(b"i", Atomic::Int.into(), 0),
        field(b"e", DataType::User(TypeId(0)), 8),
    ];
    let kind = TypeKind::Compound { fields, size: 12 };
    schema.add_type(UserType {
        name: Name::stored(b"c"),
        group: g,
        kind,
    });
    memory
}

/// Returns the digests after a schema change.
fn changed(change: impl Fn(&mut Schema)) -> (Digest, Digest) {
    let mut memory = sample();
    change(&mut memory.schema);
    sums(&memory, &env(1, 1 << 20))
}

/// A change, and whether it affects the digest of the variable.
type Change = (bool, &'static str, fn(&mut Schema));

#[test]
fn what_counts() {
    let before = changed(|_| ());
    let changes: [Change; 21] = [
        (true, "name", |s| s.vars[0].name = Name::stored(b"w")),
        (true, "group", |s| s.vars[0].group = GroupId(1)),
        (true, "name of a dimension", |s| {
            s.dims[1].name = Name::stored(b"x")
        }),
        (true, "order of dimensions", |s| s.vars[0].dims.reverse()),
        (true, "name of an attribute", |s| {
            s.vars[0].attributes[0].name = Name::stored(b"unit")
        }),
        (true, "text", |s| {
            s.vars[0].attributes[0] = attribute("units", text("k"))
        }),
        (true, "more text", |s| {
            s.vars[0].attributes[0] = attribute("units", text("K\0"))
        }),
        (true, "char and string", |s| {
            s.vars[0].attributes[0] = attribute("units", string("K"))
        }),
        (true, "sign of zero", |s| {
            s.vars[0].attributes[1] = attribute("zero", Values::Double(vec![-0.0]))
        }),
        (true, "type", |s| {
            s.vars[0].attributes[1] = attribute("zero", Values::Int64(vec![0]))
        }),
        (true, "one attribute less", |s| {
            s.vars[0].attributes.truncate(1)
        }),
        (true, "_FillValue", |s| {
            s.vars[0]
                .attributes
                .push(attribute("_FillValue", Values::Int(vec![FILL])))
        }),
        (false, "attribute of the dataset", |s| {
            s.groups[0].attributes.clear()
        }),
        (false, "attribute of a group", |s| {
            s.groups[1].attributes[0].values = string("N")
        }),
        (false, "NIL", |s| {
            s.groups[1].attributes[0].values = Values::String(vec![None])
        }),
        (false, "name of a group", |s| {
            s.groups[1].name = Name::stored(b"h")
        }),
        (false, "a dimension without variables", |s| {
            s.add_dim(dim("u", 3));
        }),
        (false, "name of a type", |s| {
            s.types[0].name = Name::stored(b"f")
        }),
        (false, "a member", |s| members(s)[0].1 = 5),
        (false, "name of a member", |s| {
            members(s)[0].0 = Name::stored(b"A")
        }),
        (false, "a field", |s| fields(s).swap(0, 1)),
    ];
    let mut seen = vec![before];
    for (of_variable, what, change) in changes {
        let after = changed(change);
        assert_eq!(after.0 != before.0, of_variable, "{what}");
        assert!(seen.iter().all(|other| other.1 != after.1), "{what}");
        seen.push(after);
    }
}

fn members(schema: &mut Schema) -> &mut Vec<(Name, i128)> {
    match &mut schema.types[0].kind {
        TypeKind::Enum { members, .. } => members,
        other => panic!("{other:?}"),
    }
}

fn fields(schema: &mut Schema) -> &mut Vec<Field> {
    match &mut schema.types[1].kind {
        TypeKind::Compound { fields, .. } => fields,
        other => panic!("{other:?}"),
    }
}

fn dim(name: &str, len: u64) -> Dimension {
    let name = Name::stored(name.as_bytes());
    Dimension {
        name,
        group: GroupId::ROOT,
        len,
        unlimited: false,
    }
}

#[test]
fn what_does_not_count() {
    let before = changed(|_| ());
    type Change = fn(&mut Schema);
    let changes: [(&str, Change); 6] = [
        ("unlimited dimensions", |s| s.dims[0].unlimited = true),
        ("order of attributes", |s| s.vars[0].attributes.reverse()),
        ("kind", |s| s.kind = Kind::CDF5),
        ("storage", |s| {
            s.vars[0].storage.layout = Some(StorageLayout::Chunked(vec![1, 1]))
        }),
        ("order of members", |s| members(s).reverse()),
        ("field offsets in memory", |s| fields(s)[1].offset = 16),
    ];
    for (what, change) in changes {
        assert_eq!(changed(change), before, "{what}");
    }
}

/// Groups, dimensions and variables may be defined in any order.
#[test]
fn the_order_of_definition_does_not_count() {
    let made = |names: [&str; 3]| {
        let mut memory = sample();
        for name in names {
            let id = memory.schema.add_dim(dim(&format!("dim{name}"), 6));
            memory
                .schema
                .add_group(GroupId::ROOT, Name::stored(name.as_bytes()));
            let dims = [DimId(0), DimId(1)];
            add(&mut memory, (name, &dims), &form(&[2, 3], false), number);
            assert!(id.0 > 1);
        }
        sums(&memory, &env(1, 1 << 20))
    };
    assert_eq!(made(["a", "b", "c"]), made(["c", "a", "b"]));
    assert_ne!(made(["a", "b", "c"]).1, made(["a", "b", "d"]).1);
}

/// Descriptions of nested types take no exponential time, and circles end.
#[test]
fn types_are_described_once() {
    let mut memory = sample();
    let mut ty = DataType::from(Atomic::Int);
    for _ in 0..60 {
        let field = |name: &[u8]| Field {
            name: Name::stored(name),
            ty,
            dims: vec![],
            offset: 0,
        };
        let kind = TypeKind::Compound {
            fields: vec![field(b"a"), field(b"b")],
            size: 8,
        };
        let (name, group) = (Name::stored(b"t"), GroupId::ROOT);
        ty = DataType::User(memory.schema.add_type(UserType { name, group, kind }));
    }
    sums(&memory, &env(1, 1 << 20));
    let circle = TypeKind::Vlen {
        base: DataType::User(TypeId(0)),
    };
    memory.schema.types[0].kind = circle;
    let env = Env::default();
    let e = DigestMaker::new(Dataset::new(&memory, &env)).err().unwrap();
    assert_eq!(e.kind(), ErrorKind::Limit);
}
