//! Tests that read written files back.

use std::sync::Arc;

use super::writer::Netcdf4Writer;
use crate::chunk::{ChunkIndexWriter as _, Dataset, Reader, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format;
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::{Container, Source};
use crate::model::{
    Atomic, Attribute, CreateOptions, DataType, DimId, Dimension, Endianness, Field, FileSpace,
    FillMode, FilterSpec, GroupId, Kind, Name, Region, Schema, Storage, StorageLayout, TypeId,
    TypeKind, UserType, Values, VarId, Variable,
};

const ROOT: GroupId = GroupId::ROOT;

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

fn schema() -> Schema {
    Schema::new(Kind::NETCDF4)
}

/// Adds a dimension. Length 0 means unlimited.
fn dim(s: &mut Schema, group: GroupId, text: &str, len: u64) -> DimId {
    s.add_dim(Dimension {
        name: name(text),
        group,
        len,
        unlimited: len == 0,
    })
}

fn var(s: &mut Schema, group: GroupId, text: &str, ty: DataType, dims: &[DimId]) -> VarId {
    s.add_var(Variable {
        name: name(text),
        group,
        ty,
        dims: dims.to_vec(),
        attributes: vec![],
        storage: Storage::default(),
    })
}

fn int(s: &mut Schema, text: &str, dims: &[DimId]) -> VarId {
    var(s, ROOT, text, Atomic::Int.into(), dims)
}

fn user(s: &mut Schema, group: GroupId, text: &str, kind: TypeKind) -> TypeId {
    s.add_type(UserType {
        name: name(text),
        group,
        kind,
    })
}

fn attribute(text: &str, values: Values) -> Attribute {
    let ty = match &values {
        Values::Enum(id, _) | Values::Vlen(id, _) => DataType::User(*id),
        Values::Opaque { ty, .. } | Values::Compound { ty, .. } => DataType::User(*ty),
        atomic => atomic.data_type().unwrap().into(),
    };
    Attribute {
        name: name(text),
        ty,
        values,
    }
}

fn strings(all: &[Option<&str>]) -> Values {
    let one = |s: &Option<&str>| s.map(|s| s.as_bytes().into());
    Values::String(all.iter().map(one).collect())
}

fn create(schema: &Schema, target: MemoryTarget) -> Result<Netcdf4Writer> {
    create_in(FileSpace::Mixed, schema, target)
}

fn create_in(space: FileSpace, schema: &Schema, target: MemoryTarget) -> Result<Netcdf4Writer> {
    let options = CreateOptions {
        space,
        ..CreateOptions::default()
    };
    Netcdf4Writer::create(Box::new(target), schema.clone(), options, &Env::default())
}

fn refused(schema: &Schema) -> Error {
    create(schema, MemoryTarget::new("t.nc").0).unwrap_err()
}

/// Returns an open file with this schema and the data from `fill`.
fn written(schema: &Schema, fill: impl FnOnce(&mut dyn Writer)) -> Box<dyn Reader> {
    let (target, bytes) = MemoryTarget::new("t.nc");
    let mut writer = Box::new(create(schema, target).unwrap());
    fill(&mut *writer);
    writer.finish().unwrap();
    let bytes = bytes.lock().unwrap().take().unwrap();
    let source: Arc<dyn Source> = Arc::new(MemorySource::new("t.nc", bytes));
    let env = Env::default();
    let reader = format::open(Container::Source(source), &env).unwrap();
    assert_eq!(env.notes.take(), []);
    reader
}

fn read(reader: &dyn Reader, id: VarId) -> Values {
    let shape = reader.schema().shape(id);
    let env = Env::default();
    Dataset::new(reader, &env)
        .read(id, &Region::whole(&shape))
        .unwrap()
}

/// Removes storage settings that a reader reports and a new schema does not define.
fn without_storage(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    schema
        .vars
        .iter_mut()
        .for_each(|v| v.storage = Storage::default());
    schema
}

/// Adds every type, in groups.
fn all_types(s: &mut Schema) -> Vec<(TypeId, Values)> {
    let g = s.add_group(ROOT, name("types"));
    let members = vec![(name("no"), 0), (name("yes"), -1)];
    let base = Atomic::Short;
    let e = user(s, ROOT, "e", TypeKind::Enum { base, members });
    let o = user(s, ROOT, "o", TypeKind::Opaque { size: 3 });
    let base = Atomic::String.into();
    let v = user(s, g, "v", TypeKind::Vlen { base });
    let field = |text, ty, dims: &[u64], offset| Field {
        name: name(text),
        ty,
        dims: dims.to_vec(),
        offset,
    };
    let fields = vec![
        field("a", Atomic::Byte.into(), &[], 0),
        field("b", Atomic::Double.into(), &[2, 2], 8),
        field("s", Atomic::String.into(), &[2], 40),
        field("l", DataType::User(v), &[], 72),
        field("c", Atomic::Char.into(), &[5], 88),
        field("e", DataType::User(e), &[], 94),
    ];
    let c = user(s, g, "c", TypeKind::Compound { fields, size: 96 });
    let base = DataType::User(c);
    let w = user(s, g, "w", TypeKind::Vlen { base });
    let lists = |n: usize| {
        let one = |n: usize| strings(&vec![Some("x"); n]);
        (0..n).map(one).collect()
    };
    let compound = |n: usize| Values::Compound {
        ty: c,
        len: n,
        columns: vec![
            Values::Byte((0..n).map(|x| x as i8 - 1).collect()),
            Values::Double((0..4 * n).map(|x| x as f64 / 2.0).collect()),
            strings(&[Some("text"), None].repeat(n)),
            Values::Vlen(v, lists(n)),
            Values::Char(b"hello".repeat(n)),
            Values::Enum(e, Box::new(Values::Short(vec![-1; n]))),
        ],
    };
    let bytes = vec![1, 2, 3, 4, 5, 6];
    vec![
        (e, Values::Enum(e, Box::new(Values::Short(vec![0, -1])))),
        (
            o,
            Values::Opaque {
                ty: o,
                size: 3,
                bytes,
            },
        ),
        (
            v,
            Values::Vlen(v, vec![strings(&[Some("a"), None, Some("")]), strings(&[])]),
        ),
        (c, compound(2)),
        (w, Values::Vlen(w, vec![compound(0), compound(3)])),
    ]
}

fn atomic_values() -> Vec<Values> {
    vec![
        Values::Byte(vec![-1, 2]),
        Values::Char(b"text".into()),
        Values::Short(vec![-300]),
        Values::Int(vec![1, 2, 3]),
        Values::Float(vec![1.5, f32::INFINITY]),
        Values::Double(vec![-0.0]),
        Values::UByte(vec![255]),
        Values::UShort(vec![65535]),
        Values::UInt(vec![1 << 31]),
        Values::Int64(vec![i64::MIN]),
        Values::UInt64(vec![u64::MAX]),
        strings(&[Some("a"), None, Some(""), Some("\u{e9}")]),
    ]
}

#[test]
fn attributes_of_every_type() {
    let mut s = schema();
    let v = int(&mut s, "v", &[]);
    let users = all_types(&mut s).into_iter().map(|(_, values)| values);
    let all: Vec<_> = atomic_values().into_iter().chain(users).collect();
    let empty = [
        Values::Char(vec![]),
        Values::Int(vec![]),
        Values::String(vec![]),
        Values::Char(vec![0]),
        Values::Char(vec![b'x'; 70_000]),
        Values::Double(vec![0.5; 9000]),
    ];
    for (n, values) in all.into_iter().chain(empty).enumerate() {
        let one = attribute(&format!("a{n}"), values);
        s.vars[v.index()].attributes.push(one.clone());
        s.groups[n % 2].attributes.push(one);
    }
    let back = written(&s, |_| {});
    assert_eq!(without_storage(back.schema()), without_storage(&s));
}

#[test]
fn data_of_every_type() {
    let mut s = schema();
    let users = all_types(&mut s);
    let x = dim(&mut s, ROOT, "x", 2);
    let u = dim(&mut s, ROOT, "u", 0);
    let mut all = vec![];
    for (id, values) in users {
        let fixed = var(
            &mut s,
            ROOT,
            &format!("f{}", id.0),
            DataType::User(id),
            &[x],
        );
        let grows = var(
            &mut s,
            ROOT,
            &format!("u{}", id.0),
            DataType::User(id),
            &[u],
        );
        all.push((fixed, grows, values));
    }
    for values in atomic_values().into_iter().map(|v| repeated(&v)) {
        let ty = values.data_type().unwrap();
        let fixed = var(&mut s, ROOT, &format!("f{}", ty.name()), ty.into(), &[x]);
        let grows = var(&mut s, ROOT, &format!("u{}", ty.name()), ty.into(), &[u]);
        s.vars[grows.index()].storage.endianness = Some(Endianness::Big);
        all.push((fixed, grows, values));
    }
    for v in &mut s.vars {
        if v.dims == [u] {
            v.storage.layout = Some(StorageLayout::Chunked(vec![2]));
        }
    }
    let back = written(&s, |w| {
        w.set_len(u, 4).unwrap();
        for (fixed, grows, values) in &all {
            let bytes = stored(w, *fixed, values);
            w.put_run(*fixed, 0, &bytes).unwrap();
            let bytes = stored(w, *grows, values);
            w.put_chunk(*grows, 1, 0, &bytes).unwrap();
        }
    });
    for (fixed, grows, values) in &all {
        assert_eq!(read(&*back, *fixed), *values);
        assert_eq!(read(&*back, *grows).slice(2..4), *values);
    }
}

/// Returns two copies of these values.
fn repeated(values: &Values) -> Values {
    let ty = values.data_type().unwrap();
    if ty == Atomic::String {
        return strings(&[Some("a"), None]);
    }
    let mut bytes = vec![];
    crate::chunk::elements::encode(&values.slice(0..1), Endianness::Big, &mut bytes).unwrap();
    crate::chunk::elements::decode(ty, Endianness::Big, &bytes.repeat(2)).unwrap()
}

fn stored(w: &mut dyn Writer, id: VarId, values: &Values) -> Vec<u8> {
    let element = w.layout(id).unwrap().element;
    if !element.plain {
        return w.put_heap(id, values).unwrap();
    }
    let mut bytes = vec![];
    crate::chunk::elements::encode(values, element.order, &mut bytes).unwrap();
    bytes
}

#[test]
fn groups_dimensions_and_names() {
    let mut s = schema();
    let t = dim(&mut s, ROOT, "t", 0);
    let x = dim(&mut s, ROOT, "x", 3);
    let y = dim(&mut s, ROOT, "y", 4);
    let z = dim(&mut s, ROOT, "z", 5);
    int(&mut s, "first", &[z]);
    int(&mut s, "y", &[y, x]); // a scale of two dimensions
    int(&mut s, "x", &[y]); // called as a dimension, but not its scale
    int(&mut s, "t", &[t]);
    int(&mut s, "z", &[]);
    let g = s.add_group(ROOT, name("g"));
    let own = dim(&mut s, g, "x", 2);
    let u = dim(&mut s, g, "u", 0);
    var(&mut s, g, "y", Atomic::Int.into(), &[y]);
    var(&mut s, g, "x", Atomic::Int.into(), &[own]);
    var(&mut s, g, "both", Atomic::Int.into(), &[u, t, x, x, own]);
    let h = s.add_group(g, name("h\u{e9}"));
    var(&mut s, h, "deep", Atomic::Int.into(), &[u, t]);
    s.add_group(ROOT, name("empty"));
    let back = written(&s, |_| {});
    assert_eq!(without_storage(back.schema()), without_storage(&s));
}

#[test]
fn groups_are_nested_as_deep_as_is_read() {
    let mut s = schema();
    let mut group = ROOT;
    for n in 0..255 {
        group = s.add_group(group, name(&format!("g{n}")));
        let d = dim(&mut s, group, "d", 2);
        var(&mut s, group, "v", Atomic::Int.into(), &[d]);
    }
    let back = written(&s, |_| {});
    assert_eq!(without_storage(back.schema()), without_storage(&s));
}

#[test]
fn unlimited_dimensions_keep_their_lengths() {
    let mut s = schema();
    let t = dim(&mut s, ROOT, "t", 0);
    let u = dim(&mut s, ROOT, "u", 0);
    let tv = int(&mut s, "t", &[t]);
    let a = int(&mut s, "a", &[t, u]);
    let b = int(&mut s, "b", &[t]);
    let back = written(&s, |w| {
        w.set_len(t, 2000).unwrap();
        w.set_len(u, 7).unwrap();
        let chunk: Vec<u8> = (0..1024i32).flat_map(i32::to_le_bytes).collect();
        w.put_chunk(b, 0, 0, &chunk).unwrap();
    });
    let lens: Vec<_> = back
        .schema()
        .dims
        .iter()
        .map(|d| (d.len, d.unlimited))
        .collect();
    assert_eq!(lens, [(2000, true), (7, true)]);
    let Values::Int(values) = read(&*back, b) else {
        panic!()
    };
    assert_eq!((values[1023], values[1024]), (1023, -2_147_483_647));
    assert_eq!(back.layout(a).unwrap().extent, [2000, 7]);
    assert_eq!(back.layout(tv).unwrap().extent, [2000]);
    let back = written(&s, |w| {
        w.set_len(t, 3).unwrap();
        w.put_chunk(b, 0, 0, &[1; 4096]).unwrap();
    });
    assert_eq!(back.layout(a).unwrap().extent, [0, 0], "never written");
}

#[test]
fn fill_values() {
    let mut s = schema();
    let x = dim(&mut s, ROOT, "x", 3);
    let own = int(&mut s, "own", &[x]);
    let fill = attribute("_FillValue", Values::Int(vec![-1]));
    s.vars[own.index()].attributes.push(fill);
    let none = int(&mut s, "none", &[x]);
    s.vars[none.index()].storage.fill = FillMode::NoFill;
    let text = var(&mut s, ROOT, "text", Atomic::String.into(), &[x]);
    let fill = attribute("_FillValue", strings(&[Some("-")]));
    s.vars[text.index()].attributes.push(fill);
    let plain = var(&mut s, ROOT, "plain", Atomic::String.into(), &[x]);
    let back = written(&s, |w| {
        assert!(w.rules(text).heap_fill);
        let bytes = w.put_heap(text, &strings(&[Some("b")])).unwrap();
        w.put_run(text, 1, &bytes).unwrap();
    });
    assert_eq!(read(&*back, own), Values::Int(vec![-1; 3]));
    assert_eq!(
        read(&*back, text),
        strings(&[Some("-"), Some("b"), Some("-")])
    );
    assert_eq!(read(&*back, plain), strings(&[Some(""); 3]));
    let fills: Vec<_> = back.schema().vars.iter().map(|v| v.storage.fill).collect();
    assert_eq!(
        fills,
        [
            FillMode::Fill,
            FillMode::NoFill,
            FillMode::Fill,
            FillMode::Fill
        ]
    );
}

/// libhdf5 frees the heap data of an element that it overwrites.
#[test]
fn unwritten_elements_share_no_heap_data() {
    let mut s = schema();
    let x = dim(&mut s, ROOT, "x", 6);
    let mut vars = vec![];
    for layout in [StorageLayout::Contiguous, StorageLayout::Compact] {
        for written in [false, true] {
            let text = format!("{layout:?} {written}");
            let id = var(&mut s, ROOT, &text, Atomic::String.into(), &[x]);
            let fill = attribute("_FillValue", strings(&[Some("-")]));
            s.vars[id.index()].attributes.push(fill);
            s.vars[id.index()].storage.layout = Some(layout.clone());
            vars.push((id, written));
        }
    }
    let back = written(&s, |w| {
        for (id, _) in vars.iter().filter(|(_, written)| *written) {
            for element in [1, 4] {
                let bytes = w.put_heap(*id, &strings(&[Some("b")])).unwrap();
                w.put_run(*id, element, &bytes).unwrap();
            }
        }
    });
    let (env, mut seen) = (Env::default(), std::collections::HashSet::new());
    for (id, written) in vars {
        let mut expected = [Some("-"); 6];
        if written {
            (expected[1], expected[4]) = (Some("b"), Some("b"));
        }
        assert_eq!(read(&*back, id), strings(&expected));
        let layout = back.layout(id).unwrap();
        let set = Dataset::new(&*back, &env);
        let bytes = set.read_stored(id, &layout, &Region::whole(&[6])).unwrap();
        let is_missing = layout.fill == Some(bytes[..16].to_vec());
        for reference in bytes.chunks(16) {
            assert!(seen.insert(reference[4..].to_vec()) || is_missing);
        }
    }
    // 18 stored elements, and the fill value of the variable without storage.
    assert_eq!(seen.len(), 18 + 1);
}

#[test]
fn storage_is_as_asked() {
    let mut s = schema();
    let x = dim(&mut s, ROOT, "x", 100);
    let t = dim(&mut s, ROOT, "t", 0);
    let filter = |id, params: &[u32]| FilterSpec {
        id,
        params: params.to_vec(),
    };
    let chunked = |shape: &[u64]| Some(StorageLayout::Chunked(shape.to_vec()));
    let cases = [
        (vec![x], None, vec![], Some(StorageLayout::Contiguous)),
        (
            vec![x],
            Some(StorageLayout::Compact),
            vec![],
            Some(StorageLayout::Compact),
        ),
        (vec![x], chunked(&[]), vec![], chunked(&[100])),
        (
            vec![t, x],
            chunked(&[2, 50]),
            vec![filter(3, &[]), filter(2, &[])],
            chunked(&[2, 50]),
        ),
        (
            vec![x],
            Some(StorageLayout::Contiguous),
            vec![filter(1, &[1])],
            chunked(&[100]),
        ),
        (vec![x], None, vec![filter(1, &[0])], chunked(&[100])),
        (vec![t], None, vec![filter(1, &[9])], chunked(&[1024])),
        (vec![], None, vec![], Some(StorageLayout::Contiguous)),
    ];
    let ids = (0..9).zip(&cases).map(|(n, (dims, layout, filters, _))| {
        let id = int(&mut s, &format!("v{n}"), dims);
        s.vars[id.index()].storage.layout.clone_from(layout);
        s.vars[id.index()].storage.filters.clone_from(filters);
        id
    });
    let ids: Vec<_> = ids.collect();
    let mut layouts = vec![];
    let back = written(&s, |w| {
        layouts.extend(
            ids.iter()
                .map(|&id| (w.layout(id).unwrap(), w.rules(id).chunks)),
        );
    });
    for ((id, case), (layout, takes_chunks)) in ids.iter().zip(&cases).zip(&layouts) {
        let storage = &back.schema().vars[id.index()].storage;
        assert_eq!(storage.layout, case.3);
        assert_eq!(layout.filters, storage.filters);
        assert_eq!(
            *takes_chunks,
            matches!(case.3, Some(StorageLayout::Chunked(_)))
        );
    }
    assert_eq!(layouts[3].0.filters[1].params, [4], "size of an element");
}

#[test]
fn storage_that_cannot_be_is_refused() {
    let compact = || Some(StorageLayout::Compact);
    let chunked = |shape: &[u64]| Some(StorageLayout::Chunked(shape.to_vec()));
    let cases: [(&[u64], _, _, _); 6] = [
        (
            &[0],
            Some(StorageLayout::Contiguous),
            vec![],
            ErrorKind::Argument,
        ),
        (&[0], compact(), vec![], ErrorKind::Argument),
        (&[], chunked(&[1]), vec![], ErrorKind::Argument),
        (&[], None, vec![1], ErrorKind::Scalar),
        (&[3], chunked(&[4]), vec![], ErrorKind::Argument),
        (&[20_000], compact(), vec![], ErrorKind::VarSize),
    ];
    for (lens, layout, filters, kind) in cases {
        let mut s = schema();
        let dims: Vec<_> = lens.iter().map(|&n| dim(&mut s, ROOT, "x", n)).collect();
        let v = int(&mut s, "v", &dims);
        s.vars[v.index()].storage.layout.clone_from(&layout);
        let filter = |&id| FilterSpec { id, params: vec![] };
        s.vars[v.index()].storage.filters = filters.iter().map(filter).collect();
        let e = refused(&s);
        assert_eq!(
            (e.kind(), e.object()),
            (kind, Some("/v")),
            "{lens:?} {layout:?}"
        );
    }
}

#[test]
fn the_classic_model_lists_what_it_lacks() {
    let mut s = Schema::new(Kind::NETCDF4_CLASSIC);
    dim(&mut s, ROOT, "t", 0);
    let v = int(&mut s, "v", &[]);
    let text = attribute("text", Values::Char(b"x".into()));
    s.vars[v.index()].attributes.push(text);
    let back = written(&s, |_| {});
    assert_eq!(without_storage(back.schema()), without_storage(&s));
    dim(&mut s, ROOT, "u", 0);
    let g = s.add_group(ROOT, name("g"));
    user(&mut s, g, "o", TypeKind::Opaque { size: 1 });
    var(&mut s, ROOT, "w", Atomic::UInt.into(), &[]);
    let text = attribute("s", strings(&[None]));
    s.groups[0].attributes.push(text);
    let e = refused(&s);
    assert_eq!(e.kind(), ErrorKind::Strict);
    let lacking = "netCDF-4 classic model files cannot hold group /g, type o, a second unlimited \
                   dimension u, the type uint of /w, the type string of :s";
    assert_eq!(e.what(), lacking);
}

#[test]
fn names_that_cannot_be_are_refused() {
    let mut s = schema();
    let x = dim(&mut s, ROOT, "x", 1);
    let v = int(&mut s, "v", &[x]);
    for hidden in ["NAME", "_Netcdf4Dimid"] {
        let one = attribute(hidden, Values::Int(vec![1]));
        s.vars[v.index()].attributes.push(one);
    }
    let e = refused(&s);
    assert_eq!(e.kind(), ErrorKind::BadName);
    assert!(e.what().ends_with(": /v:NAME, /v:_Netcdf4Dimid"), "{e}");
    s.vars[v.index()].attributes.clear();
    let twice = || attribute("a", Values::Int(vec![1]));
    s.groups[0].attributes = vec![twice(), twice()];
    assert_eq!(refused(&s).object(), Some(":a"));
    s.groups[0].attributes.clear();
    s.add_group(ROOT, name("x"));
    let e = refused(&s);
    assert_eq!((e.kind(), e.object()), (ErrorKind::Exists, Some("/x")));
}

#[test]
fn the_same_bytes_every_time() {
    let mut s = schema();
    all_types(&mut s);
    let t = dim(&mut s, ROOT, "t", 0);
    int(&mut s, "t", &[t]);
    let bytes = || {
        let (target, bytes) = MemoryTarget::new("t.nc");
        Box::new(create(&s, target).unwrap()).finish().unwrap();
        let bytes = bytes.lock().unwrap().take();
        bytes.unwrap()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn who_made_it() {
    let back = written(&schema(), |_| {});
    let made = back.provenance();
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!("version=2,netcdf-tools={version}");
    assert_eq!(made.properties, Some(expected.into_bytes()));
    assert_eq!((made.superblock, made.is_netcdf4), (Some(2), Some(true)));
}

#[test]
fn many_of_everything() {
    let mut s = schema();
    let x = dim(&mut s, ROOT, "x", 2);
    let t = dim(&mut s, ROOT, "t", 0);
    for n in 0..3000 {
        let dims = [t, x];
        let v = int(&mut s, &format!("v{n}"), &dims[(n % 2) as usize..]);
        let one = |a: i32| attribute(&format!("a{a}"), Values::Int(vec![a, n]));
        s.vars[v.index()].attributes.extend((0..10).map(one));
    }
    let one = |a: i32| attribute(&format!("a{a}"), Values::Int(vec![a; 9]));
    s.groups[0].attributes.extend((0..1000).map(one));
    let mut g = ROOT;
    for n in 0..60 {
        g = s.add_group(g, name(&format!("g{n}")));
        let own = dim(&mut s, g, "own", 1);
        var(&mut s, g, "v", Atomic::Byte.into(), &[t, own]);
    }
    let back = written(&s, |_| {});
    assert_eq!(without_storage(back.schema()), without_storage(&s));
}

fn is_signature(four: &[u8]) -> bool {
    let signatures = [
        b"OHDR", b"TREE", b"FRHP", b"FHDB", b"FHIB", b"BTHD", b"BTLF",
    ];
    signatures.iter().any(|s| *s == four)
}

/// Returns the offset of the last metadata signature, and of the first `DATA` in the file.
fn last_and_first(bytes: &[u8]) -> (usize, usize) {
    let last = bytes.windows(4).rposition(is_signature);
    let first = bytes.windows(4).position(|four| four == DATA);
    (last.unwrap(), first.unwrap())
}

const DATA: [u8; 4] = [0xEE; 4];

#[test]
fn indexes_of_expected_chunks_lie_before_all_data() {
    let mut s = schema();
    let t = dim(&mut s, ROOT, "t", 0);
    let vars = ["a", "b", "c"].map(|name| int(&mut s, name, &[t]));
    for v in vars {
        s.vars[v.index()].storage.layout = Some(StorageLayout::Chunked(vec![1]));
    }
    let bytes = |expected: Option<u64>| {
        let (target, bytes) = MemoryTarget::new("t.nc");
        let mut writer = Box::new(create(&s, target).unwrap());
        writer.set_len(t, 300).unwrap();
        if let Some(n) = expected {
            writer.expect_chunks(&vars.map(|v| (v, n))).unwrap();
        }
        for (n, v) in (0..300).flat_map(|n| vars.map(|v| (n, v))) {
            writer.put_chunk(v, n, 0, &DATA).unwrap();
        }
        writer.finish().unwrap();
        bytes.lock().unwrap().take().unwrap()
    };
    let (last, first) = last_and_first(&bytes(Some(300)));
    assert!(last < first, "{last} {first}");
    let (last, first) = last_and_first(&bytes(Some(299)));
    assert!(last < first, "space for the same number of nodes");
    for fewer in [None, Some(100)] {
        let (last, first) = last_and_first(&bytes(fewer));
        assert!(last > first, "{fewer:?}");
    }
}

/// Metadata has separate pages, even with more chunks than expected, and no structure straddles two pages.
#[test]
fn pages_hold_metadata_or_data() {
    let mut s = schema();
    let t = dim(&mut s, ROOT, "t", 0);
    let vars: Vec<_> = (0..30)
        .map(|n| int(&mut s, &format!("v{n}"), &[t]))
        .collect();
    for v in &vars {
        let var = &mut s.vars[v.index()];
        var.storage.layout = Some(StorageLayout::Chunked(vec![1]));
        let one = |a: i32| attribute(&format!("a{a}"), Values::Int(vec![a; 40]));
        var.attributes.extend((0..20).map(one));
    }
    for (size, expected) in [(512, 300), (2048, 300), (4096, 70), (1 << 16, 0)] {
        let (target, bytes) = MemoryTarget::new("t.nc");
        let space = FileSpace::Paged(Some(size));
        let mut writer = Box::new(create_in(space, &s, target).unwrap());
        writer.set_len(t, 300).unwrap();
        let chunks: Vec<_> = vars.iter().map(|&v| (v, expected)).collect();
        writer.expect_chunks(&chunks).unwrap();
        for (n, &v) in (0..300).flat_map(|n| vars.iter().map(move |v| (n, v))) {
            writer.put_chunk(v, n, 0, &DATA).unwrap();
        }
        writer.finish().unwrap();
        let bytes = bytes.lock().unwrap().take().unwrap();
        assert_eq!(bytes.len() as u64 % size, 0);
        for page in bytes.chunks(size as usize) {
            let data = page.windows(4).any(|four| four == DATA);
            let metadata = page.windows(4).any(is_signature);
            assert!(!(data && metadata), "{size}");
        }
        let nodes: Vec<_> = bytes
            .windows(4)
            .enumerate()
            .filter_map(|(at, four)| (four == b"TREE").then_some(at as u64))
            .collect();
        assert_eq!(nodes.len(), 30 * 6);
        let node = 24 + 64 * 8 + 65 * 24;
        let fits = |at: u64| at.is_multiple_of(size) || at % size + node <= size;
        assert!(nodes.into_iter().all(fits), "{size}");
        let source: Arc<dyn Source> = Arc::new(MemorySource::new("t.nc", bytes));
        let back = format::open(Container::Source(source), &Env::default()).unwrap();
        assert_eq!(without_storage(back.schema()).vars.len(), 30);
    }
}

/// Elements of one gigabyte cause an error before memory is allocated.
#[test]
fn fill_values_that_no_header_takes() {
    let mut s = schema();
    let x = dim(&mut s, ROOT, "x", 3);
    let wide = user(&mut s, ROOT, "wide", TypeKind::Opaque { size: 1 << 30 });
    var(&mut s, ROOT, "v", DataType::User(wide), &[x]);
    let e = refused(&s);
    assert_eq!(e.kind(), ErrorKind::Limit);
    assert!(
        e.to_string().contains("fill value of 1073741824 bytes"),
        "{e}"
    );
}

/// Writing headers of many variables takes time, and must stop on cancellation.
#[test]
fn a_cancelled_run_is_not_finished() {
    let schema = Schema::new(Kind::NETCDF4);
    let env = Env::default();
    let (target, bytes) = MemoryTarget::new("t.nc");
    let options = CreateOptions::default();
    let writer = Netcdf4Writer::create(Box::new(target), schema, options, &env).unwrap();
    env.cancel.0.store(15, std::sync::atomic::Ordering::Relaxed);
    let e = Box::new(writer).finish().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Cancelled);
    assert!(bytes.lock().unwrap().is_none());
}
