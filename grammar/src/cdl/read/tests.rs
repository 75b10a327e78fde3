use super::*;
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{
    Atomic, Attribute, DataType, Endianness, FillMode, StorageLayout, TypeKind, Values, VarId,
};
use proptest::prelude::*;

fn read_as(text: &[u8], kind: Option<Kind>) -> Result<CdlDataset, String> {
    let source = MemorySource::new("x.cdl", text.to_vec());
    let options = ReadOptions {
        kind,
        ..ReadOptions::default()
    };
    read(&source, &options).map_err(|e| e.to_string())
}

fn good(text: &str) -> CdlDataset {
    read_as(text.as_bytes(), Some(Kind::NETCDF4)).unwrap()
}

/// Returns the first line of each message without the file name.
fn bad(text: &str) -> Vec<String> {
    bad_as(text.as_bytes(), Some(Kind::NETCDF4))
}

fn bad_as(text: &[u8], kind: Option<Kind>) -> Vec<String> {
    let all = read_as(text, kind).expect_err("an error");
    let firsts = all.lines().filter_map(|l| l.strip_prefix("x.cdl:"));
    firsts.map(|l| l.replace(" error:", "")).collect()
}

fn global<'a>(cdl: &'a CdlDataset, name: &str) -> &'a Attribute {
    cdl.schema
        .root()
        .attributes
        .iter()
        .find(|a| a.name.is(name))
        .unwrap()
}

#[test]
fn a_small_dataset() {
    let text = "netcdf a\u{1} b {\ndimensions:\n\tt = UNLIMITED, x = 3 ;\nvariables:\n\tfloat v(t, x), s ;\n\
                \t\tv:units = \"m\" ;\n:title = \"T\" ;\ndata:\n v = 1, 2 ;\n s = 3 ;\n}\n";
    let cdl = read_as(text.as_bytes(), None).unwrap();
    assert_eq!(cdl.name, b"ab");
    assert_eq!(cdl.schema.kind, Kind::CLASSIC);
    let dims: Vec<_> = cdl
        .schema
        .dims
        .iter()
        .map(|d| (d.len, d.unlimited))
        .collect();
    assert_eq!(dims, [(0, true), (3, false)]);
    let vars: Vec<_> = cdl
        .schema
        .vars
        .iter()
        .map(|v| (v.name.to_string(), v.dims.len()))
        .collect();
    assert_eq!(vars, [("v".to_owned(), 2), ("s".to_owned(), 0)]);
    let units = cdl.schema.vars[0].attribute("units").unwrap();
    assert_eq!(units.values, Values::Char(b"m".to_vec()));
    let lists = cdl.data.iter().map(|d| {
        (
            &text[d.bytes.start as usize..d.bytes.end as usize],
            d.var.0,
            d.line,
        )
    });
    let lists: Vec<_> = lists.collect();
    assert_eq!(lists, [(" 1, 2 ", 0, 9), (" 3 ", 1, 10)]);
}

#[test]
fn dimension_sizes() {
    let cdl = good("netcdf x { dimensions: a = 4 ; b = 1e3 ; c = 010, d = 0, e = 5L, f = 3ull ; }");
    let sizes: Vec<_> = cdl
        .schema
        .dims
        .iter()
        .map(|d| (d.len, d.unlimited))
        .collect();
    assert_eq!(
        sizes,
        [
            (4, false),
            (1000, false),
            (8, false),
            (0, true),
            (5, false),
            (3, false)
        ]
    );
    assert_eq!(
        bad("netcdf x { dimensions: a = 1.5 ; b = -1 ; c = \"x\" ; d = 1x ; }"),
        [
            "1:28: the size of a dimension must be a whole number, found `1.5`",
            "1:38: the size of a dimension cannot be negative",
            "1:47: expected `UNLIMITED` or a number, found a string",
            "1:57: the size of a dimension must be a whole number, found `1x`",
        ]
    );
}

#[test]
fn whole_messages() {
    let text =
        b"netcdf x {\ndimensions:\n\tlat = 4 ;\nvariables:\n\tfloat v(lta) ;\n\tflaot w ;\n}\n";
    assert_eq!(
        read_as(text, None).unwrap_err(),
        "x.cdl:5:10: error: dimension `lta` is not defined\n  \tfloat v(lta) ;\n  \t        ^\n  \
         hint: there is a dimension `lat`\n\
         x.cdl:6:2: error: type `flaot` is not defined\n  \tflaot w ;\n  \t^\n  \
         hint: there is a type `float`"
    );
}

#[test]
fn defined_twice() {
    let text = "netcdf x { types: opaque(1) o ; opaque(2) o ; int enum e {A=1, A=2, B=1} ; \
                compound c { int a ; int a ; } ; dimensions: d = 1 ; d = 2 ; \
                variables: int v ; int v ; group: g { } group: g { } }";
    assert_eq!(
        bad(text),
        [
            "1:43: type `o` is defined twice",
            "1:64: enum member `A` is defined twice",
            "1:71: two members of the enum have the value 1",
            "1:101: field `a` is defined twice",
            "1:129: dimension `d` is defined twice",
            "1:160: variable `v` is defined twice",
            "1:184: group `g` is defined twice",
        ]
    );
}

#[test]
fn undefined_names_are_reported_once() {
    let text = "netcdf x { dimensions: a = 4 b = 5 ; variables: int v(b), w(zz), u(zz) ; q:a = 1 ; \
                data: w = 1 ; nix = 2 ; }";
    assert_eq!(
        bad(text),
        [
            "1:30: expected `,` or `;`, found `b`",
            "1:61: dimension `zz` is not defined",
            "1:74: variable `q` is not defined",
            "1:98: variable `nix` is not defined",
        ]
    );
}

#[test]
fn order_of_sections() {
    let order = "`dimensions:` must come before `variables:`";
    assert_eq!(
        bad("netcdf x { variables: int v; dimensions: n = 2 ; }"),
        [format!("1:30: {order}")]
    );
    let text = "netcdf x { data: data: group: g { } variables: }";
    assert_eq!(
        bad(text),
        [
            "1:18: `data:` appears twice in this group",
            "1:37: `variables:` must come before the groups in this group",
        ]
    );
    assert_eq!(
        bad("netcdf x { int v ; }"),
        [
            "1:12: expected an attribute, `types:`, `dimensions:`, `variables:`, `data:`, `group:` or `}`"
        ]
    );
}

#[test]
fn missing_and_superfluous_marks() {
    assert_eq!(
        bad("netcdf x { dimensions: a = 1 variables: int v(a\ndata: v = 1, 2\n v = 3 ; } x"),
        [
            "1:29: expected `;`",
            "1:48: expected `)` or `,`, found the end of the declaration",
            "3:2: expected `;` at the end of the list",
            "3:12: unexpected text after the dataset's `}`",
        ]
    );
    assert_eq!(
        bad("netcdf x { :a = 1 ;\n"),
        ["2:1: expected `}`, found the end of the text"]
    );
    assert_eq!(
        bad("netcdf x { :a = \"1 ; }"),
        ["1:17: the string has no closing quote"]
    );
    assert_eq!(
        bad("netcdf x { /* }"),
        ["1:12: the comment has no closing `*/`"]
    );
    assert_eq!(bad("hello"), ["1:1: CDL begins with `netcdf NAME {`"]);
    assert_eq!(
        bad("netcdf x"),
        ["1:9: expected `{` after the name of the dataset"]
    );
    assert_eq!(bad(""), ["1:1: CDL begins with `netcdf NAME {`"]);
}

#[test]
fn no_more_than_twenty() {
    let mut text = "netcdf x { variables:\n".to_owned();
    for i in 0..100 {
        text.push_str(&format!("nope_{i} v{i} ;\n"));
    }
    let all = read_as(text.as_bytes(), None).unwrap_err();
    assert_eq!(all.matches(": error: ").count(), 20);
    assert!(all.ends_with("x.cdl: stopped after 20 errors"), "{all}");
}

#[test]
fn types_of_atomic_types_come_first() {
    let text = "netcdf x { types: int(*) a; a(*) b; compound c { b f; } ; float(*) d; int enum e { y = 1 }; }";
    let schema = good(text).schema;
    let types = schema.root().types.iter();
    let names: Vec<String> = types
        .filter_map(|&id| schema.user_type(id))
        .map(|t| t.name.to_string())
        .collect();
    assert_eq!(names, ["a", "d", "e", "b", "c"]);
}

#[test]
fn byte_order_marks() {
    assert!(read_as(b"\xef\xbb\xbfnetcdf x {}", None).is_ok());
    for text in [&b"\xff\xfen\0"[..], b"\xfe\xff\0n", b"\0n"] {
        let found = bad_as(text, None);
        assert_eq!(
            found,
            ["1:1: the text is in UTF-16 or UTF-32; CDL must be in UTF-8"]
        );
    }
}

#[test]
fn texts_and_comments_of_any_encoding() {
    let text = b"netcdf x { // \xe9\n variables: int /* \xe9 */ v ; v:a = \"\xff\xe9\" ; }";
    let cdl = read_as(text, None).unwrap();
    assert_eq!(
        cdl.schema.vars[0].attributes[0].values,
        Values::Char(b"\xff\xe9".to_vec())
    );
    let found = bad_as(
        b"netcdf x { variables: int v\xff ; int /* \xe9 */ w\xe9 ; }",
        None,
    );
    assert_eq!(
        found[0],
        "1:28: byte 0xff is not UTF-8; in a name, write it as `\\%ff`"
    );
    assert!(found[1].contains("byte 0xe9"), "{found:?}");
}

#[test]
fn names() {
    let cdl =
        good("netcdf x { dimensions: \\9a\\ b = 1 ; e\u{301} = 2 ; caf\\%e9 = 3 ; a%b = 4; }");
    let names: Vec<_> = cdl
        .schema
        .dims
        .iter()
        .map(|d| d.name.as_bytes().to_vec())
        .collect();
    assert_eq!(
        names,
        [&b"9a b"[..], "\u{e9}".as_bytes(), b"caf\xe9", b"a%b"]
    );
    let long = "v".repeat(257);
    assert!(bad(&format!("netcdf x {{ variables: int {long} ; }}"))[0].contains("longer than 256"));
    assert_eq!(
        bad("netcdf x { variables: int a/b ; }"),
        ["1:28: expected `(`, `,` or `;`, found `/`"]
    );
}

#[test]
fn keywords_as_names() {
    let text = b"netcdf x { dimensions: string = 2 ; int64 = 3 ; variables: int string(string), uint(int64) ; \
                 string:x = 17 ; int :string = 17 ; data: string = 1 ; }";
    for kind in [None, Some(Kind::CLASSIC)] {
        let cdl = read_as(text, kind).unwrap();
        assert_eq!(
            cdl.schema.vars[0].attributes[0].values,
            Values::Int(vec![17])
        );
        assert_eq!(cdl.schema.root().attributes[0].ty, Atomic::Int.into());
        assert_eq!(cdl.data.len(), 1);
    }
    let found = bad_as(text, Some(Kind::NETCDF4));
    assert_eq!(
        found[0],
        "1:24: `string` is a keyword and cannot be the name of a dimension"
    );
    let found = bad_as(b"netcdf x { dimensions: int = 2 ; }", None);
    assert_eq!(
        found,
        ["1:24: `int` is a keyword and cannot be the name of a dimension"]
    );
    let cdl = good("netcdf x { dimensions: \\int = 2 ; variables: int v(\\int) ; v:short = 1 ; }");
    assert_eq!(cdl.schema.dims[0].name.as_bytes(), b"int");
}

#[test]
fn variables_called_like_sections() {
    let cdl = good(
        "netcdf x { variables: int data, group ; data:units = \"m\" ; group:a = 1 ;\ndata: data = 3 ; }",
    );
    assert_eq!(cdl.schema.vars[0].attributes.len(), 1);
    assert_eq!(cdl.schema.vars[1].attributes.len(), 1);
    assert_eq!(cdl.data.len(), 1);
}

#[test]
fn aliases_of_types() {
    let text = b"netcdf x { variables: real a ; long b ; integer c ; ulong d ; uinteger e ; }";
    let cdl = read_as(text, None).unwrap();
    let types: Vec<_> = cdl
        .schema
        .vars
        .iter()
        .map(|v| v.ty.atomic().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            Atomic::Float,
            Atomic::Int,
            Atomic::Int,
            Atomic::UInt,
            Atomic::UInt
        ]
    );
}

#[test]
fn attribute_owners() {
    let text = "netcdf x { variables: int v ; v:x = 1 ; int v:t = 2.0 ; double :g = 1 ; \
                group: g { variables: int w ; /v:y = 2 ; /g/w:z = 3 ; :own = 4 ; } :after = 5 ; }";
    let cdl = good(text);
    let names = |list: &[Attribute]| list.iter().map(|a| a.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&cdl.schema.vars[0].attributes), ["x", "t", "y"]);
    assert_eq!(names(&cdl.schema.vars[1].attributes), ["z"]);
    assert_eq!(names(&cdl.schema.root().attributes), ["g", "after"]);
    assert_eq!(names(&cdl.schema.groups[1].attributes), ["own"]);
    assert_eq!(
        cdl.schema.vars[0].attributes[1].values,
        Values::Int(vec![2])
    );
    assert_eq!(
        bad("netcdf x { variables: int v ; int int:a = 1 ; int nix:b = 1 ; zz:c = 1 ; }"),
        [
            "1:35: attribute `a` has two types",
            "1:51: variable `nix` is not defined",
            "1:63: variable `zz` is not defined",
        ]
    );
}

#[test]
fn later_attributes_win_and_keep_the_place() {
    let mut text = "netcdf x { :a = 1 ; :b = 2 ; :a = 3 ;".to_owned();
    for i in 0..100 {
        text.push_str(&format!(" :n{} = {i} ;", i % 50));
    }
    let cdl = good(&format!("{text} }}"));
    assert_eq!(cdl.schema.root().attributes.len(), 52);
    assert_eq!(cdl.schema.root().attributes[0].values, Values::Int(vec![3]));
    assert_eq!(global(&cdl, "n7").values, Values::Int(vec![57]));
}

#[test]
fn values_of_attributes() {
    let cdl = good(
        "netcdf x { :e = ; :s = \"\" ; :j = \"x\\n\", \"y\" ; string :t = \"a\", NIL ; byte :b = 255, -1 ; \
         :d = 1.f, 2.5 ; int :i = 0x10, 010 ; :big = 3000000000, 2 ; }",
    );
    assert_eq!(global(&cdl, "e").values, Values::Char(vec![0]));
    assert_eq!(global(&cdl, "s").values, Values::Char(vec![0]));
    assert_eq!(global(&cdl, "j").values, Values::Char(b"x\ny".to_vec()));
    assert_eq!(
        global(&cdl, "t").values,
        Values::String(vec![Some(b"a"[..].into()), None])
    );
    assert_eq!(global(&cdl, "b").values, Values::Byte(vec![-1, -1]));
    assert_eq!(global(&cdl, "d").values, Values::Double(vec![1.0, 2.5]));
    assert_eq!(global(&cdl, "i").values, Values::Int(vec![16, 8]));
    assert_eq!(
        global(&cdl, "big").values,
        Values::UInt(vec![3_000_000_000, 2])
    );
    assert_eq!(
        bad(
            "netcdf x {\n:u = _ ;\nint :e = ;\n:m = 1, \"a\" ;\n:n = NIL ;\n:c = 1,, 2 ;\n:x = \"\\x1\" ;\nchar :y = 65 ;\n}"
        ),
        [
            "2:6: attributes cannot have the fill value `_`",
            "3:6: only attributes of type char can be empty",
            "4:6: strings and numbers are mixed in an attribute without a type",
            "5:6: NIL needs `string` before the attribute's name",
            "6:8: expected a value, found `,`",
            "7:7: `\\x` needs two hexadecimal digits, as in `\\x0a`",
            "8:11: expected text, found a number",
        ]
    );
}

#[test]
fn fill_values() {
    let text = "netcdf x { variables: int v ; float v:_FillValue = 3.5 ; char c ; c:_FillValue = \"\" ; \
                string s ; s:_FillValue = \"ab\" ; }";
    let cdl = good(text);
    assert_eq!(
        cdl.schema.vars[0].attributes[0].values,
        Values::Int(vec![3])
    );
    assert_eq!(cdl.warnings.list.len(), 1);
    assert_eq!(
        cdl.schema.vars[1].attributes[0].values,
        Values::Char(vec![0])
    );
    assert_eq!(cdl.schema.vars[2].attributes[0].ty, Atomic::String.into());
    let of_group = good("netcdf x { :_FillValue = 1 ; }");
    assert_eq!(global(&of_group, "_FillValue").values, Values::Int(vec![1]));
    assert_eq!(of_group.warnings.list.len(), 1);
}

#[test]
fn longer_fill_values_of_text_are_ordinary_attributes() {
    let cdl = good("netcdf x { variables: char c ; c:_FillValue = \"-9999\" ; }");
    let text = Values::Char(b"-9999".to_vec());
    assert_eq!(cdl.schema.vars[0].attributes[0].values, text);
    let warnings = cdl.warnings.to_string();
    let what = "_FillValue must have one character, found 5; stored as an ordinary attribute";
    assert!(warnings.contains(what), "{warnings}");
    assert_eq!(
        bad("netcdf x { variables: int v ; v:_FillValue = 1, 2 ; }"),
        ["1:49: _FillValue must have one value, found 2"]
    );
}

#[test]
fn special_attributes() {
    let text = "netcdf x { dimensions: x = 4 ; variables: int v(x) ; v:_Storage = \"chunked\" ; \
                v:_ChunkSizes = 2 ; v:_DeflateLevel = 5 ; v:_Shuffle = \"true\" ; v:_Fletcher32 = 1 ; \
                v:_Endianness = \"big\" ; v:_NoFill = \"1\" ; v:_Filter = \"307,9|32015,3\" ; \
                v:_Codecs = \"[{}]\" ; :_Format = \"netCDF-4\" ; :_IsNetcdf4 = 1 ; \
                :_NCProperties = \"a\" ; :_SuperblockVersion = 2 ; }";
    let cdl = read_as(text.as_bytes(), None).unwrap();
    let v = &cdl.schema.vars[0];
    assert!(v.attributes.is_empty() && cdl.schema.root().attributes.is_empty());
    assert_eq!(v.storage.layout, Some(StorageLayout::Chunked(vec![2])));
    let filters: Vec<_> = v
        .storage
        .filters
        .iter()
        .map(|f| (f.id, f.params.clone()))
        .collect();
    let expected = [
        (3, vec![]),
        (2, vec![]),
        (1, vec![5]),
        (307, vec![9]),
        (32015, vec![3]),
    ];
    assert_eq!(filters, expected);
    assert_eq!(v.storage.endianness, Some(Endianness::Big));
    assert_eq!(v.storage.fill, FillMode::NoFill);
    assert_eq!(v.storage.codecs.as_deref(), Some(&b"[{}]"[..]));
    assert_eq!(
        (cdl.format, cdl.schema.kind),
        (Some(Kind::NETCDF4), Kind::NETCDF4)
    );
}

#[test]
fn wrong_special_attributes() {
    let text = "netcdf x { dimensions: x = 4 ; variables: int v(x) ;\nv:_Storage = \"x\" ;\nv:_ChunkSizes = -1 ;\n\
                v:_ChunkSizes = 5 ;\nv:_DeflateLevel = 10 ;\nv:_Shuffle = \"yes\" ;\nv:_Endianness = \"middle\" ;\n\
                v:_Filter = \"abc\" ;\n:_Format = \"foo\" ;\nv:_Format = \"classic\" ;\n:_Shuffle = 1 ;\n\
                int v:_Shuffle = 1 ;\nv:_Fletcher32 = 2 ;\n}";
    assert_eq!(
        bad(text),
        [
            "2:14: _Storage expects \"contiguous\", \"compact\" or \"chunked\"",
            "3:17: _ChunkSizes expects sizes of at least 1, or 0 for the default",
            "4:17: a chunk of 5 is larger than dimension `x`, which has 4",
            "5:19: _DeflateLevel expects a number from 0 to 9",
            "6:14: _Shuffle expects \"true\" or \"false\"",
            "7:17: _Endianness expects \"little\" or \"big\"",
            "8:14: _Filter: no filter is called `abc`",
            "9:12: _Format expects the name of a kind, as in \"classic\"",
            "10:3: _Format belongs to the dataset, not to a variable",
            "11:2: _Shuffle belongs to a variable",
            "12:1: _Shuffle takes no type",
            "13:17: _Fletcher32 expects \"true\" or \"false\"",
        ]
    );
}

#[test]
fn user_types() {
    let text = "netcdf x { types: ubyte enum e {A = 1, B = 255} opaque(3) o ; e(*) l ; \
                compound c { char a ; double b ; e d(2, 3) ; } ; c(*) k ; variables: c v ; \
                e v:m = A, e.B, /e.A ; c v:n = {'a', 2, {A, B}} ; l :q = {A}, {} ; o :r = 0x0102 ; }";
    let cdl = good(text);
    let kinds: Vec<_> = cdl.schema.types.iter().map(|t| &t.kind).collect();
    let TypeKind::Compound { fields, size } = kinds[3] else {
        panic!()
    };
    let offsets: Vec<_> = fields.iter().map(|f| f.offset).collect();
    assert_eq!((offsets, *size), (vec![0, 8, 16], 24));
    assert_eq!(fields[2].dims, [2, 3]);
    let m = &cdl.schema.vars[0].attributes[0];
    let DataType::User(id) = m.ty else { panic!() };
    assert_eq!(
        m.values,
        Values::Enum(id, Box::new(Values::UByte(vec![1, 255, 1])))
    );
    let Values::Compound { columns, .. } = &cdl.schema.vars[0].attributes[1].values else {
        panic!()
    };
    assert_eq!(columns[1], Values::Double(vec![2.0]));
    assert_eq!(columns[2].len(), 6);
    assert!(matches!(&global(&cdl, "q").values, Values::Vlen(_, lists) if lists.len() == 2));
    let r = &global(&cdl, "r").values;
    assert!(matches!(r, Values::Opaque { bytes, .. } if bytes == &[1, 2, 0]));
}

#[test]
fn wrong_types() {
    let text = "netcdf x { types: compound c { c x ; } ; c(*) d ; v(*) v ; float enum e {A = 1} ; \
                ubyte enum f {A = 300} ; opaque(0) o ; compound g { int a(0) ; } ; int enum h {B = 1} ;\n\
                h :a = C ; h :b = 1.5 ; c :d = {1} ; }";
    assert_eq!(
        bad(text),
        [
            "1:32: type `c` cannot be part of itself",
            "1:51: type `v` cannot be part of itself",
            "1:60: the values of an enum must be integers, not `float`",
            "1:101: 300 does not fit type ubyte",
            "1:115: the size of an opaque type must be from 1 to 4294967295 bytes",
            "1:141: the size of a field must be from 1 to 2147483647",
            "2:8: expected a member of enum h, found `C`",
            "2:19: expected a member of enum h, found a number",
        ]
    );
}

#[test]
fn references_to_later_groups() {
    let text = "netcdf x { variables: int a(/g/d, /g/h/d) ; /g/h/t b ; int data ; data:units = \"m\" ; \
                /g/h/t :c = {1, 2} ; data: b = {3} ; \
                group: g { dimensions: d = 3 ; variables: int v(d) ; \
                group: h { types: int(*) t ; dimensions: d = 4 ; } } }";
    let cdl = good(text);
    let schema = &cdl.schema;
    assert_eq!(schema.shape(VarId(0)), [3, 4]);
    assert_eq!(
        schema.var(VarId(1)).unwrap().ty,
        DataType::User(netcdf_core::model::TypeId(0))
    );
    let names: Vec<_> = schema.vars.iter().map(|v| v.name.to_string()).collect();
    assert_eq!(names, ["a", "b", "data", "v"]);
    assert_eq!((schema.groups.len(), cdl.data.len()), (3, 1));
    assert_eq!(
        bad("netcdf x { variables: int a(/g/d) ; group: g { dimensions: e = 1, e = 2 ; } }"),
        [
            "1:29: dimension `/g/d` is not defined",
            "1:67: dimension `e` is defined twice"
        ]
    );
}

#[test]
fn names_that_end_in_a_keyword() {
    let text =
        "netcdf x { variables: int x\\ data ; x\\ data:units = \"m\" ; data: x\\ data = 1 ; }";
    let cdl = good(text);
    assert_eq!((cdl.schema.vars.len(), cdl.data.len()), (1, 1));
}

#[test]
fn names_that_netcdf_does_not_allow() {
    let text = "netcdf x { dimensions: \\.x = 1 ; variables: int \\!y(\\.x), a\\/b ; }";
    let cdl = good(text);
    let names: Vec<_> = cdl.schema.vars.iter().map(|v| v.name.as_bytes()).collect();
    assert_eq!(names, [&b"!y"[..], b"a/b"]);
    let said = cdl.warnings.to_string();
    assert_eq!(said.matches("accepted, because").count(), 3, "{said}");
}

#[test]
fn empty_attributes_of_user_types() {
    let text =
        "netcdf x { types: byte enum e {a = 1} ; int(*) l ; e :none = \"\" ; l :nothing = \"\" ; }";
    let cdl = good(text);
    for name in ["none", "nothing"] {
        assert!(global(&cdl, name).values.is_empty());
    }
}

#[test]
fn scopes() {
    let text = "netcdf x { types: int(*) t ; dimensions: d = 1 ; \
                group: g { types: float(*) t ; opaque(1) only ; dimensions: d = 2 ; variables: t v(d) ; /t w(/d) ; } \
                group: h { variables: only u(d) ; /g/t z(/g/d) ; } }";
    let cdl = good(text);
    let found = cdl.schema.vars.iter().map(|v| {
        let DataType::User(id) = v.ty else { panic!() };
        (id.0, v.dims[0].0)
    });
    let found: Vec<_> = found.collect();
    assert_eq!(found, [(1, 1), (0, 0), (2, 0), (1, 1)]);
    let text = "netcdf x { group: a { types: int(*) t ; } group: b { types: int(*) t ; } \
                group: c { variables: t v ; /a/q w ; /z/t u ; int n(d) ; } }";
    assert_eq!(
        bad(text),
        [
            "1:96: several groups have a type `t`",
            "1:102: type `/a/q` is not defined",
            "1:111: group `/z` is not defined",
            "1:126: dimension `d` is not defined",
        ]
    );
}

#[test]
fn needed_kind() {
    for (body, kind) in [
        ("variables: int v ;", Kind::CLASSIC),
        ("variables: ubyte v ;", Kind::CDF5),
        (":a = 3000000000 ;", Kind::CDF5),
        ("variables: string v ;", Kind::NETCDF4),
        ("string :a = \"x\" ;", Kind::NETCDF4),
        ("group: g { }", Kind::NETCDF4),
        ("types: opaque(1) o ;", Kind::NETCDF4),
        ("dimensions: a = UNLIMITED ; b = UNLIMITED ;", Kind::NETCDF4),
        (
            "dimensions: a = UNLIMITED ; b = 2 ; variables: int v(b, a) ;",
            Kind::NETCDF4,
        ),
        (
            "variables: int v ; v:_Endianness = \"big\" ;",
            Kind::NETCDF4,
        ),
        (":_Format = \"64-bit offset\" ;", Kind::OFFSET64),
    ] {
        let cdl = read_as(format!("netcdf x {{ {body} }}").as_bytes(), None).unwrap();
        assert_eq!(cdl.schema.kind, kind, "{body}");
        assert_eq!(cdl.needs.conflict(kind), None);
    }
}

#[test]
fn features_that_a_kind_lacks() {
    let text = b"netcdf x {\nvariables:\n ubyte v ;\n v:_Shuffle = 1 ;\n group: g { } }";
    let needs = read_as(text, Some(Kind::CLASSIC)).unwrap().needs;
    let conflict = |kind| {
        needs
            .conflict(kind)
            .map(|n| (n.what.as_str(), n.anchor.line, n.offset))
    };
    assert_eq!(conflict(Kind::CLASSIC), Some(("a group", 5, 59)));
    assert_eq!(conflict(Kind::CDF5), Some(("a group", 5, 59)));
    assert_eq!(conflict(Kind::NETCDF4), None);
    let text = b"netcdf x {\nvariables:\n ubyte v ;\n v:_Shuffle = 1 ; }";
    let needs = read_as(text, Some(Kind::CLASSIC)).unwrap().needs;
    let conflict = |kind| needs.conflict(kind).map(|n| n.what.as_str());
    assert_eq!(conflict(Kind::OFFSET64), Some("type ubyte"));
    assert_eq!(conflict(Kind::CDF5), Some("_Shuffle"));
    assert_eq!(conflict(Kind::NETCDF4_CLASSIC), Some("type ubyte"));
}

#[test]
fn int64_variables_of_the_classic_model_become_int() {
    let text = b"netcdf x { variables: int64 v ; v:_FillValue = 3 ; }";
    let cdl = read_as(text, Some(Kind::CLASSIC)).unwrap();
    assert_eq!(cdl.schema.vars[0].ty, Atomic::Int.into());
    assert_eq!(cdl.warnings.list.len(), 1);
    let cdl = read_as(text, Some(Kind::CDF5)).unwrap();
    assert_eq!(cdl.schema.vars[0].ty, Atomic::Int64.into());
}

#[test]
fn later_list_takes_precedence() {
    let cdl = good("netcdf x { variables: int v, w ; data: v = 1 ; w = 2 ; v = 3 ; }");
    assert_eq!(cdl.data.len(), 2);
    assert_eq!(cdl.data[0].bytes, 58..61);
    assert_eq!(cdl.warnings.list.len(), 1);
}

#[test]
fn nesting_is_bounded() {
    let text = format!(
        "netcdf x {{ {} {} }}",
        "group: g { ".repeat(100_000),
        "}".repeat(100_000)
    );
    assert!(bad(&text)[0].contains("groups nested more than 255 deep"));
    let text = format!(
        "netcdf x {{ :a = {}1{} ; }}",
        "{".repeat(100_000),
        "}".repeat(100_000)
    );
    assert!(bad(&text)[0].contains("braces nested more than 64 deep"));
    let mut text = "netcdf x { types: compound c0 { int a ; int b ; } ;".to_owned();
    for i in 1..10 {
        text.push_str(&format!("compound c{i} {{ c{} a(1000) ; }} ;", i - 1));
    }
    assert!(bad(&format!("{text} }}"))[0].contains("the compound type is too large"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Checks that reading any text succeeds or ends with messages.
    #[test]
    fn never_panics(body in "(types:|dimensions:|variables:|data:|group:|g|int|v|a|1|,|;|=|:|\\{|\\}|\\(|\\)|\\*|\"|enum| |\n|_|compound|opaque|/|\\\\|'){0,40}") {
        let text = format!("netcdf x {{ variables: int v ; {body} }}");
        for kind in [None, Some(Kind::NETCDF4)] {
            let _ = read_as(text.as_bytes(), kind).map_err(|e| assert!(!e.is_empty()));
        }
    }

    /// Checks that blanks and comments do not change the meaning of a text.
    #[test]
    fn blanks_do_not_matter(gaps in proptest::collection::vec("( |\n|\t|/\\* ; \" \\*/|// = \\{\n){1,2}", 24)) {
        let words = [
            "dimensions:", "x", "=", "3", ";", "variables:", "float", "v", "(", "x", ")", ";", "v:a", "=", "1.5", ",", "2",
            ";", "data:", "v", "=", "1", ";", "}",
        ];
        let mut text = "netcdf x {".to_owned();
        for (word, gap) in words.iter().zip(&gaps) {
            text.push_str(gap);
            text.push_str(word);
        }
        let cdl = read_as(text.as_bytes(), None).unwrap();
        let plain = read_as(format!("netcdf x {{ {} ", words.join(" ")).as_bytes(), None).unwrap();
        prop_assert_eq!(cdl.schema, plain.schema);
        prop_assert_eq!(cdl.data.len(), 1);
    }
}
