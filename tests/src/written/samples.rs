//! The files.

use netcdf_core::Result;
use netcdf_core::format::hdf5::datatype::{
    Charset, Endianness, Padding, ReferenceTarget, TypeClass,
};
use netcdf_core::format::hdf5::message::fill::{FillValue, Write};
use netcdf_core::format::hdf5::write::{
    ObjectId, Payload, PlannedData, PlannedGroup, PlannedObject, PlannedShape, PlannedType,
};
use netcdf_core::model::FilterSpec;

use super::parts::*;
use super::{Sample, create};

pub const ALL: &[Sample] = &[
    ("empty.h5", empty),
    ("places.h5", places),
    ("heaps.h5", heaps),
    ("types.h5", types),
    ("dense.h5", dense),
    ("chunks.h5", chunks),
    ("many.h5", many),
    ("complex.h5", complex),
];

fn empty(path: &str) -> Result<()> {
    create(path, plan())?.finish()
}

/// Every type, committed and in datasets, in attributes, and in objects with two links.
fn types(path: &str) -> Result<()> {
    let mut plan = plan();
    let sub = add(
        &mut plan,
        ObjectId::ROOT,
        "types",
        PlannedObject::Group(PlannedGroup::default()),
    );
    let members = |names: &[&str]| {
        let all = names.iter().zip(0u8..);
        all.map(|(n, v)| (n.as_bytes().to_vec(), vec![v])).collect()
    };
    let base = Box::new(int(1, true));
    let colour = of(
        1,
        TypeClass::Enum {
            base,
            members: members(&["red", "green"]),
        },
    );
    let nested = compound(&[
        ("i", int(2, true)),
        ("a", array(&[2, 3], float(Endianness::Little))),
        ("s", string()),
        ("colour", colour.clone()),
    ]);
    let big = compound(&[
        ("x", array(&[300], int(8, false))),
        ("inner", nested.clone()),
    ]);
    let (padding, charset) = (Padding::SpacePadded, Charset::Utf8);
    let all = [
        ("i8", int(1, true)),
        ("u8", int(1, false)),
        ("u64", int(8, false)),
        ("big-endian", float(Endianness::Big)),
        ("text", text(5)),
        ("padded", of(3, TypeClass::String { padding, charset })),
        ("string", string()),
        ("opaque", of(5, TypeClass::Opaque { tag: vec![] })),
        (
            "tagged",
            of(
                5,
                TypeClass::Opaque {
                    tag: b"what it is".to_vec(),
                },
            ),
        ),
        ("enum", colour),
        ("list", vlen(int(4, true))),
        ("list of compounds", vlen(nested.clone())),
        ("compound", nested),
        ("big", big),
        ("reference", reference()),
        (
            "region",
            of(12, TypeClass::Reference(ReferenceTarget::Region)),
        ),
    ];
    for (n, (name, ty)) in all.into_iter().enumerate() {
        let size = usize::try_from(ty.size).unwrap();
        let committed = add(&mut plan, sub, name, PlannedObject::Datatype(ty.clone()));
        let mut one = dataset(ty.clone(), &[2], PlannedData::Contiguous);
        if n % 2 == 1 {
            one.ty = PlannedType::Committed(committed, ty.clone());
        }
        let mut again = attribute(
            "value",
            ty.clone(),
            PlannedShape::Scalar,
            plain(&vec![0; size]),
        );
        if n % 3 == 1 {
            again.ty = PlannedType::Committed(committed, ty);
        }
        one.attributes.push(again);
        let id = add_dataset(&mut plan, name, one);
        if n == 0 {
            link(&mut plan, sub, "the same", id);
        }
    }
    create(path, plan)?.finish()
}

/// Compact, contiguous and chunked data, with and without fill values, written completely or in part.
fn places(path: &str) -> Result<()> {
    let mut plan = plan();
    let value = FillValue::User(7i32.to_le_bytes().to_vec());
    let mut compact = dataset(int(4, true), &[3, 2], PlannedData::Compact);
    compact.fill.value = value.clone();
    let compact = add_dataset(&mut plan, "compact", compact);
    let mut part = dataset(int(4, true), &[10], PlannedData::Contiguous);
    part.fill.value = value.clone();
    let part = add_dataset(&mut plan, "part", part);
    let mut never = dataset(int(4, true), &[10], PlannedData::Contiguous);
    never.fill.value = value.clone();
    never.fill.write = Some(Write::Never);
    add_dataset(&mut plan, "never", never);
    let scalar = add_dataset(
        &mut plan,
        "scalar",
        dataset(int(4, true), &[], PlannedData::Contiguous),
    );
    let mut null = dataset(int(4, true), &[], PlannedData::Contiguous);
    null.shape = PlannedShape::Null;
    add_dataset(&mut plan, "null", null);
    let mut grows = dataset(int(4, true), &[0, 5], PlannedData::Chunked(vec![2, 3]));
    grows.max = Some(vec![None, Some(5)]);
    grows.fill.value = value;
    let grows = add_dataset(&mut plan, "grows", grows);
    let shuffle = FilterSpec {
        id: 2,
        params: vec![4],
    };
    let deflate = FilterSpec {
        id: 1,
        params: vec![6],
    };
    let mut filtered = dataset(int(4, true), &[4], PlannedData::Chunked(vec![4]));
    filtered.filters = vec![(shuffle, true), (deflate, true)];
    let filtered = add_dataset(&mut plan, "filtered", filtered);
    let numbers =
        |range: std::ops::Range<i32>| range.flat_map(i32::to_le_bytes).collect::<Vec<u8>>();
    let mut writer = create(path, plan)?;
    writer.put_bytes(compact, 8, &numbers(0..2))?;
    writer.put_bytes(part, 12, &numbers(0..2))?;
    writer.put_bytes(part, 28, &numbers(2..3))?;
    writer.put_bytes(part, 0, &numbers(5..6))?;
    writer.put_bytes(scalar, 0, &numbers(9..10))?;
    writer.put_chunk(filtered, &[0], 3, &numbers(0..4))?;
    writer.put_chunk(grows, &[0, 0], 0, &numbers(0..6))?;
    writer.put_chunk(grows, &[0, 1], 0, &numbers(10..16))?;
    writer.put_chunk(grows, &[2, 1], 0, &numbers(20..26))?;
    writer.set_extent(grows, &[6, 5])?;
    writer.finish()
}

/// Text, lists in lists, references to objects in lists, in attributes and in data.
fn heaps(path: &str) -> Result<()> {
    let mut plan = plan();
    let mut fill = dataset(string(), &[4], PlannedData::Contiguous);
    fill.fill.value = FillValue::User(vec![0; 16]);
    fill.fill_heap = Some(strings(&[Some("filled")]));
    let fill = add_dataset(&mut plan, "fill", fill);
    let lists = add_dataset(
        &mut plan,
        "lists",
        dataset(vlen(int(4, true)), &[300], PlannedData::Contiguous),
    );
    let root = group(&mut plan, ObjectId::ROOT);
    let texts = strings(&[Some("a"), Some(""), None, Some("ä")]);
    root.attributes.push(attribute(
        "texts",
        string(),
        PlannedShape::Simple(vec![4]),
        texts,
    ));
    let long = "long ".repeat(20_000);
    let long = strings(&[Some(&long), Some("short")]);
    root.attributes.push(attribute(
        "long",
        string(),
        PlannedShape::Simple(vec![2]),
        long,
    ));
    let references = Payload {
        bytes: vec![0; 16],
        references: vec![(0, fill), (8, lists)],
        heap: vec![],
    };
    let mut nested = plain(&[0; 32]);
    nested.heap = vec![(0, 2, references.clone()), (16, 2, references)];
    let shape = PlannedShape::Simple(vec![2]);
    root.attributes.push(attribute(
        "references",
        vlen(reference()),
        shape.clone(),
        nested,
    ));
    let mut inner = plain(&[0; 16]);
    inner.heap = vec![(0, 2, plain(&[1, 0, 0, 0, 2, 0, 0, 0]))];
    let mut outer = plain(&[0; 32]);
    outer.heap = vec![(16, 1, inner)];
    let ty = vlen(vlen(int(4, true)));
    root.attributes.push(attribute("lists", ty, shape, outer));
    let mut writer = create(path, plan)?;
    let one = writer.put_heap(&[(3, b"one")])?;
    writer.put_bytes(fill, 16, &one)?;
    let all: Vec<Vec<u8>> = (0..300u32)
        .map(|n| (0..n).flat_map(|v| v.to_le_bytes()).collect())
        .collect();
    let objects: Vec<_> = (0..300u32)
        .zip(&all)
        .map(|(n, bytes)| (n, &bytes[..]))
        .collect();
    let references = writer.put_heap(&objects)?;
    writer.put_bytes(lists, 0, &references)?;
    writer.finish()
}

/// Numbers of links and attributes around the thresholds where structures change, and long ones.
fn dense(path: &str) -> Result<()> {
    let mut plan = plan();
    let leaf = add_dataset(
        &mut plan,
        "leaf",
        dataset(int(1, true), &[], PlannedData::Contiguous),
    );
    for count in [0, 1, 8, 9, 14, 15, 45, 46, 100, 1000, 1150] {
        let name = format!("links {count}");
        let to = add(
            &mut plan,
            ObjectId::ROOT,
            &name,
            PlannedObject::Group(PlannedGroup::default()),
        );
        for n in 0..count {
            link(&mut plan, to, &format!("link {n}"), leaf);
        }
    }
    let long = add(
        &mut plan,
        ObjectId::ROOT,
        "long links",
        PlannedObject::Group(PlannedGroup::default()),
    );
    for n in [1, 300, 4000, 5000, 30_000, 65_534, 2] {
        link(&mut plan, long, &"n".repeat(n), leaf);
    }
    for count in [1, 8, 9, 20, 1000] {
        let name = format!("attributes {count}");
        let to = add(
            &mut plan,
            ObjectId::ROOT,
            &name,
            PlannedObject::Group(PlannedGroup::default()),
        );
        for n in 0..count {
            group(&mut plan, to)
                .attributes
                .push(ints(&format!("attribute {n}"), &[n, -n]));
        }
    }
    let mut long = dataset(int(4, true), &[3], PlannedData::Contiguous);
    for n in [1, 900, 1100, 4000, 20_000, 40_000, 1] {
        let name = format!("attribute {}", long.attributes.len());
        long.attributes.push(ints(&name, &vec![n; n as usize]));
    }
    add_dataset(&mut plan, "long attributes", long);
    let mut wide = dataset(int(4, true), &[3], PlannedData::Contiguous);
    for n in 0..8 {
        wide.attributes
            .push(ints(&format!("attribute {n}"), &[n; 16_000]));
    }
    add_dataset(&mut plan, "long header", wide);
    create(path, plan)?.finish()
}

/// Chunk indexes with no, one and many chunks, with missing chunks, and with interleaved writes to several datasets.
fn chunks(path: &str) -> Result<()> {
    let mut plan = plan();
    let chunked = |len: u64| {
        let mut one = dataset(int(4, true), &[len], PlannedData::Chunked(vec![2]));
        one.max = Some(vec![None]);
        one
    };
    let counts = [0u64, 1, 2, 63, 64, 65, 128, 129, 4096, 4097, 10_000];
    let all = counts.map(|n| add_dataset(&mut plan, &format!("chunks {n:05}"), chunked(2 * n)));
    let sparse = add_dataset(&mut plan, "sparse", {
        let mut one = dataset(
            int(2, false),
            &[30, 140, 100],
            PlannedData::Chunked(vec![2, 7, 5]),
        );
        one.max = Some(vec![None; 3]);
        one.fill.value = FillValue::User(vec![1, 1]);
        one
    });
    let shape = [1; 32];
    let deep = add_dataset(
        &mut plan,
        "deep",
        dataset(int(1, true), &shape, PlannedData::Chunked(shape.to_vec())),
    );
    let mut writer = create(path, plan)?;
    for n in 0..10_000u64 {
        let bytes = [n * 2, n * 2 + 1]
            .map(|v| u32::try_from(v).unwrap().to_le_bytes())
            .concat();
        for (&count, &id) in counts.iter().zip(&all) {
            if n < count {
                writer.put_chunk(id, &[n], 0, &bytes)?;
            }
        }
    }
    for n in (0..15 * 20 * 20).step_by(7) {
        let place = [n / 400, n / 20 % 20, n % 20];
        let value = u16::try_from(n % 60_000).unwrap().to_le_bytes();
        writer.put_chunk(sparse, &place, 0, &value.repeat(70))?;
    }
    writer.put_chunk(deep, &[0; 32], 0, &[9])?;
    writer.finish()
}

/// 10 000 datasets in a group.
fn many(path: &str) -> Result<()> {
    let mut plan = plan();
    for n in 0..10_000 {
        let mut one = dataset(int(4, true), &[1], PlannedData::Contiguous);
        one.attributes.push(ints("n", &[n]));
        add_dataset(&mut plan, &format!("dataset {n}"), one);
    }
    create(path, plan)?.finish()
}

fn complex(path: &str) -> Result<()> {
    let mut plan = plan();
    let base = Box::new(float(Endianness::Little));
    let ty = of(8, TypeClass::Complex { base });
    let id = add_dataset(
        &mut plan,
        "complex",
        dataset(ty, &[2], PlannedData::Contiguous),
    );
    let mut writer = create(path, plan)?;
    let numbers = [1.0f32, 2.0, -3.0, 4.0];
    writer.put_bytes(id, 0, &numbers.map(f32::to_le_bytes).concat())?;
    writer.finish()
}
