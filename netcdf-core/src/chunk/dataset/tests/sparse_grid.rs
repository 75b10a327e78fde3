//! Grids of very many chunks with few stored chunks.

use super::*;

const SHAPE: [u64; 2] = [1 << 25, 1 << 15];

/// A variable with 2^40 one-byte chunks. Only the chunks `stored` exist.
fn sparse(stored: &[u64]) -> MemoryDataset {
    let mut made = MemoryDataset::new(Kind::NETCDF4);
    let dims = made.dims(&SHAPE);
    let var = made.define((GroupId::ROOT, "v"), Atomic::Byte, &dims);
    let layout = made.layout_mut(var);
    (layout.chunk, layout.fill) = (vec![1, 1], Some(vec![7]));
    for &index in stored {
        made.put(var, index, 0, &[index as u8]);
    }
    made
}

#[test]
fn chunks_that_are_not_stored_are_not_asked_for() {
    let mut many: Vec<u64> = (1 << 30..(1 << 30) + 10_000).collect();
    many.extend([1 << 35, (1 << 40) - 1]);
    for stored in [vec![], vec![0], vec![5, (1 << 40) - 1], many] {
        let reader = sparse(&stored);
        let env = Env::default();
        let mut seen = vec![];
        let set = Dataset::new(&reader, &env);
        let read = set.chunks(
            VarId(0),
            &Block::whole(&reader.layout(VarId(0)).unwrap().grid()),
            |chunk, bytes| Ok((chunk.index, bytes)),
            |_, (index, bytes)| {
                assert_eq!(bytes, [index as u8]);
                seen.push(index);
                Ok(())
            },
        );
        read.unwrap();
        assert_eq!(seen, stored);
        let asked = reader.take_counts().calls;
        assert!(asked < 200, "{asked}");
    }
}

/// A region of many chunks is filled, except where one chunk is stored.
#[test]
fn a_sparse_region_is_filled_at_once() {
    let reader = sparse(&[2, (1 << 15) + 3]);
    let env = Env::default();
    let region = Region::boxed(vec![0, 0], vec![2, 1 << 15]);
    let values = Dataset::new(&reader, &env).read(VarId(0), &region).unwrap();
    let mut expected = vec![7i8; 1 << 16];
    (expected[2], expected[(1 << 15) + 3]) = (2, 3);
    assert_eq!(values, Values::Byte(expected));
    assert_eq!(reader.take_counts().calls, 1);
}
