//! Tests of groups, user-defined types, strings and several unlimited dimensions.

use netcdf_core::chunk::Provenance;
use netcdf_core::model::{
    Atomic, Endianness, FillMode, FilterSpec, GroupId, Kind, StorageLayout, TypeId, TypeKind,
    Values,
};
use netcdf_core::testing::{MemoryDataset, field, name, strings, text};

use super::{cdl, from};
use crate::cdl::write::{CdlOptions, SpecialAttributes};

const ROOT: GroupId = GroupId::ROOT;

fn sky(m: &mut MemoryDataset, group: GroupId, members: &[(&str, i128)]) -> TypeId {
    let members = members.iter().map(|(n, v)| (name(n), *v)).collect();
    let base = Atomic::Byte;
    m.user(group, "sky", TypeKind::Enum { base, members })
}

fn enums(ty: TypeId, values: &[i8]) -> Values {
    Values::Enum(ty, Box::new(Values::Byte(values.to_vec())))
}

/// Returns a dataset with one variable and one value per class of user-defined types.
pub(crate) fn user_types() -> MemoryDataset {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let members = [
        ("Clear", 0),
        ("Cumulus", 1),
        ("Strat us", 2),
        ("Nimbo", 3),
        ("Altocumulus_with_a_long_name", 4),
    ];
    let sky = sky(&mut m, ROOT, &members);
    let blob = m.user(ROOT, "blob", TypeKind::Opaque { size: 3 });
    let base = Atomic::Int.into();
    let list = m.user(ROOT, "list", TypeKind::Vlen { base });
    let fields = vec![
        field("i", Atomic::Int, &[]),
        field("xy", Atomic::Float, &[2]),
        field("tag", Atomic::Char, &[2, 3]),
        field("s", netcdf_core::model::DataType::User(sky), &[]),
    ];
    let pt = m.user(ROOT, "pt", TypeKind::Compound { fields, size: 24 });
    let points = |ints: &[i32], xy: &[f32], tags: &str, kinds: &[i8]| Values::Compound {
        ty: pt,
        len: ints.len(),
        columns: vec![
            Values::Int(ints.to_vec()),
            Values::Float(xy.to_vec()),
            text(tags),
            enums(sky, kinds),
        ],
    };
    let user = netcdf_core::model::DataType::User;
    let x = m.dim(ROOT, "x", 2, false);

    let v = m.var(ROOT, "cover", user(sky), &[x], enums(sky, &[3, 2]));
    m.attribute(v, "_FillValue", enums(sky, &[3]));
    m.attribute(v, "range", enums(sky, &[0, 2]));
    let opaque = |bytes: &[u8]| Values::Opaque {
        ty: blob,
        size: 3,
        bytes: bytes.to_vec(),
    };
    let v = m.var(
        ROOT,
        "raw",
        user(blob),
        &[x],
        opaque(&[0, 1, 2, 255, 255, 255]),
    );
    m.attribute(v, "b", opaque(&[1, 2, 3, 0xab, 0xcd, 0xef]));
    let lists = vec![Values::Int(vec![1, 2, 3]), Values::Int(vec![])];
    m.var(ROOT, "l", user(list), &[x], Values::Vlen(list, lists));
    let fill = f32::from_bits(0x7cf0_0000);
    let three = points(
        &[1, -2_147_483_647, 3],
        &[1.5, 2.5, fill, 0.0, 1.0, 2.0],
        "ab\0c\0\0\0\0\0\0\0\0a\0\0b\0\0",
        &[0, 1, 0],
    );
    let two = points(&[1, 2], &[1.5, 2.5, 3.0, 4.0], "ab\0c\0\0x\nyzzz", &[0, 2]);
    let v = m.var(ROOT, "p", user(pt), &[x], two);
    m.attribute(v, "c", three);
    m
}

#[test]
fn user_types_are_declared() {
    let options = CdlOptions {
        data: None,
        ..CdlOptions::default()
    };
    let expected = concat!(
        "netcdf  {\ntypes:\n",
        "  byte enum sky {Clear = 0, Cumulus = 1, Strat\\ us = 2, Nimbo = 3, \n",
        "      Altocumulus_with_a_long_name = 4} ;\n",
        "  opaque(3) blob ;\n  int(*) list ;\n",
        "  compound pt {\n    int i ;\n    float xy(2) ;\n    char tag(2, 3) ;\n    sky s ;\n",
        "  }; // pt\n",
        "dimensions:\n\tx = 2 ;\nvariables:\n",
        "\tsky cover(x) ;\n\t\tsky cover:_FillValue = Nimbo ;\n",
        "\t\tsky cover:range = Clear, Strat\\ us ;\n",
        "\tblob raw(x) ;\n\t\tblob raw:b = 0X010203, 0XABCDEF ;\n\tlist l(x) ;\n",
        "\tpt p(x) ;\n\t\tpt p:c = {1, {1.5, 2.5}, {\"ab\", \"c\"}, Clear}, \n",
        "    {-2147483647, {9.96921e+36, 0}, {\"\", \"\"}, Cumulus}, \n",
        "    {3, {1, 2}, {\"a\", \"b\"}, Clear} ;\n}\n",
    );
    assert_eq!(cdl(&user_types(), &options), expected);
}

#[test]
fn values_of_user_types() {
    let expected = concat!(
        "data:\n\n cover = _, Strat\\ us ;\n\n raw = 0X000102, 0XFFFFFF ;\n",
        "\n l = {1, 2, 3}, {} ;\n",
        "\n p = {1, {1.5, 2.5}, {\"ab\", \"c\"}, Clear}, \n",
        "    {2, {3, 4}, {\"x\\ny\", \"zzz\"}, Strat\\ us} ;\n}\n",
    );
    let text = cdl(&user_types(), &CdlOptions::default());
    assert_eq!(from(&text, "data:"), expected);
}

#[test]
fn enums_without_the_member() {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let sky = sky(&mut m, ROOT, &[("A", 1)]);
    let x = m.dim(ROOT, "x", 3, false);
    let ty = netcdf_core::model::DataType::User(sky);
    m.var(ROOT, "v", ty, &[x], enums(sky, &[0, 1, -5]));
    let text = cdl(&m, &CdlOptions::default());
    assert_eq!(from(&text, " v ="), " v = _UNDEFINED, A, -5 ;\n}\n");
}

#[test]
fn lists_of_characters_are_texts() {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let base = Atomic::Char.into();
    let list = m.user(ROOT, "chars", TypeKind::Vlen { base });
    let x = m.dim(ROOT, "x", 2, false);
    let lists = vec![text("a\"b\0"), text("")];
    let ty = netcdf_core::model::DataType::User(list);
    m.var(ROOT, "v", ty, &[x], Values::Vlen(list, lists));
    let text = cdl(&m, &CdlOptions::default());
    assert_eq!(from(&text, " v ="), " v = {\"a\\\"b\\000\"}, {} ;\n}\n");
}

#[test]
fn strings_and_nil() {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let x = m.dim(ROOT, "x", 2, false);
    let values = strings(&[Some("pl\u{e9}"), Some(""), None, Some("a\"\u{b}\nc")]);
    let v = m.var(ROOT, "name", Atomic::String, &[x, x], values);
    m.attribute(v, "s", strings(&[Some("one"), Some("tw\"o"), None]));
    m.attribute(v, "txt", text("line\nbreak"));
    let v = m.var(
        ROOT,
        "fl",
        Atomic::String,
        &[x],
        strings(&[Some("none"), Some("")]),
    );
    m.attribute(v, "_FillValue", strings(&[Some("none")]));
    let expected = concat!(
        "\tstring name(x, x) ;\n\t\tstring name:s = \"one\", \"tw\\\"o\", NIL ;\n",
        "\t\tname:txt = \"line\\nbreak\" ;\n\tstring fl(x) ;\n",
        "\t\tstring fl:_FillValue = \"none\" ;\ndata:\n",
        "\n name =\n  \"pl\u{e9}\", _,\n  NIL, \"a\\\"\\v\\nc\" ;\n\n fl = _, \"\" ;\n}\n",
    );
    assert_eq!(from(&cdl(&m, &CdlOptions::default()), "\tstring"), expected);
}

#[test]
fn inner_unlimited_dimensions_have_braces() {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let x = m.dim(ROOT, "x", 2, false);
    let t = m.dim(ROOT, "t", 2, true);
    let u = m.dim(ROOT, "u", 2, true);
    let fill = -2_147_483_647;
    let values = Values::Int(vec![1, 2, 3, fill, 4, fill, 5, 6]);
    m.var(ROOT, "m", Atomic::Int, &[x, t, u], values);
    m.var(ROOT, "c", Atomic::Char, &[x, t], text("abcd"));
    let expected = concat!(
        "data:\n\n m =\n  {{1, 2},\n  {3, _}},\n  {{4, _},\n  {5, 6}} ;\n",
        "\n c =\n  {\"ab\"},\n  {\"cd\"} ;\n}\n",
    );
    assert_eq!(from(&cdl(&m, &CdlOptions::default()), "data:"), expected);
}

#[test]
fn groups_are_nested() {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let root_sky = sky(&mut m, ROOT, &[("Clear", 0), ("Cumulus", 1)]);
    let root_x = m.dim(ROOT, "x", 2, false);
    let g = m.group(ROOT, "g 1");
    let own_sky = sky(&mut m, g, &[("A", 1)]);
    let x = m.dim(g, "x", 1, false);
    let y = m.dim(g, "y", 1, false);
    let user = netcdf_core::model::DataType::User;
    m.var(g, "c", user(own_sky), &[x], enums(own_sky, &[1]));
    m.var(g, "d", user(root_sky), &[root_x], enums(root_sky, &[0, 1]));
    let h = m.group(g, "h");
    m.var(h, "v", Atomic::Float, &[x], Values::Float(vec![1.5]));
    let other = m.group(ROOT, "other");
    m.var(other, "w", Atomic::Short, &[y], Values::Short(vec![1]));
    let expected = concat!(
        "\ngroup: g\\ 1 {\n  types:\n    byte enum sky {A = 1} ;\n",
        "  dimensions:\n  \tx = 1 ;\n  \ty = 1 ;\n",
        "  variables:\n  \tsky c(x) ;\n  \t/sky d(/x) ;\n",
        "  data:\n\n   c = A ;\n\n   d = Clear, Cumulus ;\n",
        "\n  group: h {\n    variables:\n    \tfloat v(x) ;\n    data:\n\n     v = 1.5 ;\n",
        "    } // group h\n  } // group g\\ 1\n",
        "\ngroup: other {\n  variables:\n  \tshort w(/g\\ 1/y) ;\n  data:\n\n   w = 1 ;\n",
        "  } // group other\n}\n",
    );
    assert_eq!(
        from(&cdl(&m, &CdlOptions::default()), "\ngroup: g"),
        expected
    );
}

fn special(filters: SpecialAttributes) -> String {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let x = m.dim(ROOT, "x", 2, false);
    let v = m.var(ROOT, "data", Atomic::Short, &[x], Values::Short(vec![1, 2]));
    let spec = |id, params: &[u32]| FilterSpec {
        id,
        params: params.to_vec(),
    };
    let storage = &mut m.variable(v).storage;
    storage.layout = Some(StorageLayout::Chunked(vec![2]));
    storage.filters = vec![spec(2, &[2]), spec(1, &[4]), spec(307, &[9]), spec(3, &[])];
    storage.endianness = Some(Endianness::Big);
    storage.fill = FillMode::NoFill;
    let b = m.var(ROOT, "b", Atomic::Byte, &[], Values::Byte(vec![1]));
    m.variable(b).storage.layout = Some(StorageLayout::Compact);
    m.variable(b).storage.endianness = Some(Endianness::Little);
    m.provenance = Provenance {
        properties: Some(b"version=2".to_vec()),
        superblock: Some(2),
        is_netcdf4: Some(true),
        ..Provenance::default()
    };
    let options = CdlOptions {
        data: None,
        special: filters,
        ..CdlOptions::default()
    };
    from(&cdl(&m, &options), "\tshort").to_owned()
}

#[test]
fn special_attributes() {
    let expected = concat!(
        "\tshort data(x) ;\n\t\tdata :_Storage = \"chunked\" ;\n\t\tdata :_ChunkSizes = 2 ;\n",
        "\t\tdata :_Fletcher32 = \"true\" ;\n\t\tdata :_Shuffle = \"true\" ;\n",
        "\t\tdata :_DeflateLevel = 4 ;\n\t\tdata :_Filter = \"307,9\" ;\n",
        "\t\tdata :_Endianness = \"big\" ;\n\t\tdata :_NoFill = \"true\" ;\n",
        "\tbyte b ;\n\t\tb:_Storage = \"compact\" ;\n\n// global attributes:\n",
        "\t\t:_NCProperties = \"version=2\" ;\n\t\t:_SuperblockVersion = 2 ;\n",
        "\t\t:_IsNetcdf4 = 1 ;\n\t\t:_Format = \"netCDF-4\" ;\n}\n",
    );
    assert_eq!(special(SpecialAttributes::Shown), expected);
    let all = special(SpecialAttributes::Filters);
    assert!(all.contains("_ChunkSizes = 2 ;\n\t\tdata :_Filter = \"2,2|1,4|307,9|3\" ;\n"));
}
