//! Differences of schemas.

use super::*;
use crate::model::{
    Atomic, Attribute, DataType, Dimension, Endianness, Field, Kind, Name, Schema, Storage,
    TypeKind, UserType, Variable,
};
use crate::testing::name;

/// A dataset without data.
fn schema() -> Schema {
    let mut schema = Schema::new(Kind::NETCDF4);
    let group = schema.add_group(GroupId::ROOT, name("g"));
    for (text, len) in [("x", 4), ("y", 5)] {
        schema.add_dim(Dimension {
            name: name(text),
            group: GroupId::ROOT,
            len,
            unlimited: false,
        });
    }
    let members = vec![(name("red"), 1), (name("blue"), 2)];
    let base = Atomic::Byte;
    let kind = TypeKind::Enum { base, members };
    add_type(&mut schema, "colour", kind);
    let fields = vec![field("a", 0), field("b", 4)];
    add_type(&mut schema, "both", TypeKind::Compound { fields, size: 8 });
    let dims = vec![crate::model::DimId(0), crate::model::DimId(1)];
    schema.add_var(Variable {
        name: name("v"),
        group,
        ty: Atomic::Int.into(),
        dims,
        attributes: vec![text("units", "m"), text("long_name", "length")],
        storage: Storage::default(),
    });
    schema.groups[0].attributes.push(text("title", "all"));
    schema
}

fn add_type(schema: &mut Schema, text: &str, kind: TypeKind) {
    let (name, group) = (name(text), GroupId::ROOT);
    schema.add_type(UserType { name, group, kind });
}

fn field(text: &str, offset: u64) -> Field {
    Field {
        name: name(text),
        ty: Atomic::Int.into(),
        dims: vec![],
        offset,
    }
}

fn text(of: &str, value: &str) -> Attribute {
    Attribute::atomic(name(of), Values::Char(value.as_bytes().to_vec())).unwrap()
}

/// Returns the paths and differences that a change causes.
fn found(layout: bool, change: impl Fn(&mut Schema)) -> Vec<(String, DifferenceKind)> {
    let (a, mut b) = (schema(), schema());
    change(&mut b);
    let options = DiffOptions { layout, ..PLAIN };
    let mut walk = group_walk::GroupWalk::new([&a, &b], &options);
    walk.run();
    let path = |d: &Difference| match &d.attribute {
        Some(name) => format!("{}:{name}", d.path),
        None => d.path.clone(),
    };
    walk.found
        .iter()
        .map(|d| (path(d), d.finding.clone()))
        .collect()
}

fn one(path: &str, finding: DifferenceKind) -> Vec<(String, DifferenceKind)> {
    vec![(path.to_owned(), finding)]
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn each_change_is_found_once() {
    assert_eq!(found(true, |_| {}), []);
    assert_eq!(
        found(false, |b| b.dims[0].len = 9),
        one("/x", DifferenceKind::Length([4, 9]))
    );
    let renamed = found(false, |b| b.vars[0].name = name("w"));
    let only = |path: &str, side| (path.to_owned(), DifferenceKind::Only(side));
    assert_eq!(
        renamed,
        [
            only("/g/v", DatasetSide::First),
            only("/g/w", DatasetSide::Second)
        ]
    );
    let renamed = found(false, |b| b.groups[1].name = name("h"));
    assert_eq!(
        renamed,
        [
            only("/g", DatasetSide::First),
            only("/h", DatasetSide::Second)
        ]
    );
    let types = ["int".to_owned(), "uint".to_owned()];
    assert_eq!(
        found(false, |b| b.vars[0].ty = Atomic::UInt.into()),
        one("/g/v", DifferenceKind::Type(types, true))
    );
    let types = ["int".to_owned(), "char".to_owned()];
    assert_eq!(
        found(false, |b| b.vars[0].ty = Atomic::Char.into()),
        one("/g/v", DifferenceKind::Type(types, false))
    );
    let names = |list: [&str; 2]| list.map(str::to_owned).to_vec();
    assert_eq!(
        found(false, |b| b.vars[0].dims.reverse()),
        one(
            "/g/v",
            DifferenceKind::Dimensions([names(["x", "y"]), names(["y", "x"])], true)
        )
    );
}

#[test]
fn attributes() {
    let removed = found(false, |b| b.groups[0].attributes.clear());
    assert_eq!(
        removed,
        one("/:title", DifferenceKind::Only(DatasetSide::First))
    );
    let attribute = |change: Attribute| {
        let all = found(false, move |b| b.vars[0].attributes[0] = change.clone());
        let [(path, DifferenceKind::Attribute(values))] = &all[..] else {
            panic!("{all:?}")
        };
        assert_eq!(path, "/g/v:units");
        (values.types.clone(), values.equal)
    };
    let types = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    assert_eq!(
        attribute(text("units", "km")),
        (types("char", "char"), false)
    );
    let string = |text: &[u8]| {
        let strings = Values::String(vec![Some(text.into())]);
        Attribute::atomic(name("units"), strings).unwrap()
    };
    assert_eq!(attribute(string(b"m")), (types("char", "string"), true));
    assert_eq!(attribute(string(b"k")), (types("char", "string"), false));
}

#[test]
fn types_are_compared_by_their_parts() {
    let members = |b: &mut Schema, members: &[(&str, i128)]| {
        let members: Vec<(Name, i128)> = members.iter().map(|(n, v)| (name(n), *v)).collect();
        let base = Atomic::Byte;
        b.types[0].kind = TypeKind::Enum { base, members };
    };
    let part = |text: &str, a, b| one("/colour", DifferenceKind::Part(text.to_owned(), [a, b]));
    assert_eq!(
        found(false, |b| members(b, &[("red", 3), ("blue", 2)])),
        part("member red", some("1"), some("3"))
    );
    assert_eq!(
        found(false, |b| members(b, &[("rot", 1), ("blue", 2)])),
        part("member 1", some("red"), some("rot"))
    );
    assert_eq!(
        found(false, |b| members(b, &[("red", 1)])),
        part("member 2", some("blue"), None)
    );
    assert_eq!(found(false, |b| members(b, &[("blue", 2), ("red", 1)])), []);
    let fields = |fields: Vec<Field>| {
        move |b: &mut Schema| {
            let fields = fields.clone();
            b.types[1].kind = TypeKind::Compound { fields, size: 8 };
        }
    };
    let part = |text: &str, a, b| one("/both", DifferenceKind::Part(text.to_owned(), [a, b]));
    let wide = Field {
        ty: DataType::from(Atomic::Double),
        dims: vec![2],
        ..field("b", 4)
    };
    assert_eq!(
        found(false, fields(vec![field("a", 0), wide])),
        part("field b", some("int"), some("double(2)"))
    );
    assert_eq!(
        found(false, fields(vec![field("b", 0), field("a", 4)])),
        part("order of fields", some("a, b"), some("b, a"))
    );
}

#[test]
fn storage_is_compared_if_that_is_asked_for() {
    let order = |b: &mut Schema| b.vars[0].attributes.reverse();
    assert_eq!(found(false, order), []);
    let names = |list: [&str; 2]| list.map(str::to_owned).to_vec();
    let both = [names(["units", "long_name"]), names(["long_name", "units"])];
    assert_eq!(
        found(true, order),
        one("/g/v", DifferenceKind::Order(ObjectKind::Attribute, both))
    );
    let unlimited = |b: &mut Schema| b.dims[0].unlimited = true;
    assert_eq!(found(false, unlimited), []);
    let words = [some("limited"), some("unlimited")];
    assert_eq!(
        found(true, unlimited),
        one("/x", DifferenceKind::Storage(words))
    );
    let big = |b: &mut Schema| b.vars[0].storage.endianness = Some(Endianness::Big);
    assert_eq!(found(false, big), []);
    assert_eq!(
        found(true, big),
        one(
            "/g/v:_Endianness",
            DifferenceKind::Storage([None, some("big")])
        )
    );
}

#[test]
fn what_is_left_out_is_not_found() {
    let (a, mut b) = (schema(), schema());
    b.groups[0].attributes.clear();
    b.vars[0].attributes.clear();
    b.dims[0].len = 7;
    let takes = |one: &IgnoreCandidate<'_>| {
        one.attribute != Some("title") && one.path != "/x" && one.path != "/g"
    };
    let options = DiffOptions {
        takes: &takes,
        ..PLAIN
    };
    let mut walk = group_walk::GroupWalk::new([&a, &b], &options);
    walk.run();
    assert_eq!(walk.found, []);
    assert_eq!(walk.pairs, [], "the group is skipped");
}
