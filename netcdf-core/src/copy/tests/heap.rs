//! Heap data of written and unwritten elements: no two elements may share it.

use std::collections::HashSet;

use super::*;
use crate::chunk::scatter::Block;
use crate::chunk::{Assembler, Dataset};
use crate::model::{DataType, Field, FilterSpec, StorageLayout, TypeKind, UserType};

const RECORDS: u64 = 10;
const WIDTH: u64 = 5;

/// Returns the heap references of all stored elements, also of elements beyond the extent. `offset` is the position in an element.
fn references(reader: &dyn Reader, var: VarId, offset: usize) -> Vec<Vec<u8>> {
    let (env, layout) = (Env::default(), reader.layout(var).unwrap());
    let size = usize::try_from(layout.element.size).unwrap();
    let set = Dataset::new(reader, &env);
    let mut all = vec![];
    let within = Block::whole(&layout.grid());
    let chunk = |_: &_, bytes| Ok(bytes);
    let collect = |_, bytes: Vec<u8>| {
        let elements = bytes.chunks_exact(size);
        all.extend(elements.map(|one| one[offset + 4..offset + 16].to_vec()));
        Ok(())
    };
    set.chunks(var, &within, chunk, collect).unwrap();
    all
}

/// Checks that no two elements refer to the same heap data. Returns the number of elements with heap data.
pub(super) fn check_references(reader: &dyn Reader, var: VarId, offset: usize) -> usize {
    let all = references(reader, var, offset);
    let mut seen = HashSet::new();
    for reference in all.iter().filter(|one| ***one != [0; 12]) {
        assert!(seen.insert(reference), "two elements share heap data");
    }
    seen.len()
}

fn user(s: &mut Schema, name: &[u8], kind: TypeKind) -> DataType {
    DataType::User(s.add_type(UserType {
        name: Name::stored(name),
        group: GroupId::ROOT,
        kind,
    }))
}

fn text(text: &str) -> Values {
    Values::String(vec![Some(text.as_bytes().into())])
}

fn list_type(s: &mut Schema) -> DataType {
    let base = Atomic::Int.into();
    user(s, b"list", TypeKind::Vlen { base })
}

/// Adds a compound of a number and a string.
fn pair_type(s: &mut Schema) -> DataType {
    let field = |name: &[u8], ty: DataType, offset| Field {
        name: Name::stored(name),
        ty,
        offset,
        dims: vec![],
    };
    let number = field(b"n", Atomic::Int.into(), 0);
    let fields = vec![number, field(b"s", Atomic::String.into(), 8)];
    user(s, b"pair", TypeKind::Compound { size: 16, fields })
}

/// Returns variables with heap data, each with a written value and the position of the reference in an element.
fn heap_schema() -> (Schema, Vec<(Values, usize)>) {
    let mut s = dataset(Kind::NETCDF4, &[0, WIDTH]);
    let (list, pair) = (list_type(&mut s), pair_type(&mut s));
    let (DataType::User(list_id), DataType::User(pair_id)) = (list, pair) else {
        panic!()
    };
    let numbers = |all: &[i32]| Values::Vlen(list_id, vec![Values::Int(all.to_vec())]);
    let pairs = |n, s: &str| Values::Compound {
        ty: pair_id,
        len: 1,
        columns: vec![Values::Int(vec![n]), text(s)],
    };
    let mut all = vec![];
    for (name, ty, fill, value, offset) in [
        (
            "filled",
            Atomic::String.into(),
            Some(text("none")),
            text("a"),
            0,
        ),
        ("plain", Atomic::String.into(), None, text("b"), 0),
        ("lists", list, Some(numbers(&[7, 8])), numbers(&[1]), 0),
        ("pairs", pair, Some(pairs(7, "p")), pairs(1, "q"), 8),
    ] {
        let id = add(&mut s, name.as_bytes(), Atomic::Int, &[0, 1]);
        let var = &mut s.vars[id.index()];
        var.ty = ty;
        var.storage.layout = Some(StorageLayout::Chunked(vec![4, 3]));
        if name == "plain" {
            let (id, params) = (1, vec![1]);
            var.storage.filters = vec![FilterSpec { id, params }];
        }
        let name = Name::stored(b"_FillValue");
        let attribute = |values| Attribute { name, ty, values };
        var.attributes.extend(fill.map(attribute));
        all.push((value, offset));
    }
    (s, all)
}

/// Writes two elements of each variable through an assembler with this memory.
fn assembled(schema: &Schema, values: &[(Values, usize)], memory: u64) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("made");
    let (env, options) = (Env::default(), CreateOptions::default());
    let mut w = format::create(Box::new(target), schema.clone(), options, &env).unwrap();
    w.set_len(DimId(0), RECORDS).unwrap();
    for (var, (value, _)) in schema.var_ids().zip(values) {
        let limits = (&env, memory);
        let mut all = Assembler::new(&*w, var, &[RECORDS, WIDTH], limits).unwrap();
        for element in [2, 31] {
            let bytes = w.put_heap(var, value).unwrap();
            all.put_run(element, &bytes, &mut *w).unwrap();
        }
        all.finish(&mut *w).unwrap();
    }
    w.finish().unwrap();
    out.lock().unwrap().take().unwrap()
}

#[test]
fn assembled_elements_share_no_heap_data() {
    let (schema, written) = heap_schema();
    let mut all = vec![];
    for memory in [0, 100, 1 << 20] {
        let bytes = assembled(&schema, &written, memory);
        let reader = open(&bytes, &Env::default()).unwrap();
        for (var, (_, offset)) in schema.var_ids().zip(&written) {
            // Two rows of two chunks.
            assert_eq!(check_references(&*reader, var, *offset), 2 * 2 * 12);
        }
        all.push(values(&bytes));
    }
    assert!(all.windows(2).all(|w| w[0] == w[1]));
    for ((_, read), ((value, _), var)) in all[0].iter().zip(written.iter().zip(&schema.vars)) {
        let fill = var.unwritten().unwrap();
        for n in 0..50 {
            let expected = if [2, 31].contains(&n) { value } else { &fill };
            assert_eq!(&read.slice(n..n + 1), expected, "{n}");
        }
    }
}

/// The chunks of a copy have elements beyond the extent, also if they have other shapes.
#[test]
fn copied_elements_share_no_heap_data() {
    let (schema, written) = heap_schema();
    let bytes = assembled(&schema, &written, 1 << 20);
    for chunk in [[4, 3], [8, 5], [16, 4], [1, 2]] {
        let mut options = to(Kind::NETCDF4);
        options.storage.chunks.dims = (0..).map(DimId).zip(chunk).collect();
        let copy = copied(&bytes, &options, &Env::default()).unwrap();
        assert_eq!(values(&copy), values(&bytes));
        let reader = open(&copy, &Env::default()).unwrap();
        for (var, (_, offset)) in schema.var_ids().zip(&written) {
            let layout = reader.layout(var).unwrap();
            let chunks = layout.grid().iter().product::<u64>();
            let elements = layout.chunk.iter().product::<u64>() * chunks;
            assert_eq!(check_references(&*reader, var, *offset) as u64, elements);
        }
    }
}
