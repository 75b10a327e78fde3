//! Number of chunk index traversals by a copy.

use std::collections::BTreeMap;

use super::*;
use crate::chunk::ReadCache;
use crate::copy::options::{ChunkShapes, StorageOptions};
use crate::copy::plan::keep_fill_values;
use crate::testing::{MemoryDataset, stored_chunks};

/// Copies a dataset to memory, with an index that counts located chunks.
fn in_memory(reader: &dyn Reader, env: &Env) -> MemoryDataset {
    let mut made = MemoryDataset::new(Kind::NETCDF4);
    (made.schema, made.source) = (reader.schema().clone(), Some("in memory"));
    made.has_index = true;
    let set = Dataset::new(reader, env);
    for var in reader.schema().var_ids() {
        made.add_layout(reader.layout(var).unwrap());
        for chunk in stored_chunks(set, var) {
            let bytes = set.fetch_one(&chunk).unwrap();
            made.put(var, chunk.index, chunk.mask, &bytes);
        }
    }
    made
}

fn storage(deflate: u8, lens: [u64; 2]) -> CopyOptions {
    let dims = [DimId(0), DimId(1)].into_iter().zip(lens).collect();
    CopyOptions {
        kind: Some(Kind::NETCDF4),
        storage: StorageOptions {
            deflate: Some(deflate),
            chunks: ChunkShapes {
                dims,
                ..ChunkShapes::default()
            },
            ..StorageOptions::default()
        },
        ..CopyOptions::default()
    }
}

/// Copies with these options, and returns the output and the visits of each variable.
fn counted(bytes: &[u8], options: &CopyOptions, reported: bool) -> (Vec<u8>, BTreeMap<VarId, u64>) {
    let env = Env::default();
    let reader = in_memory(&*open(bytes, &env).unwrap(), &env);
    let cache = ReadCache::new(&env);
    let set = Dataset::new(&reader, &env).with(&cache);
    let mut plan = plan(reader.schema(), options).unwrap();
    keep_fill_values(set, &mut plan).unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let create = CreateOptions::default();
    let writer = format::create(Box::new(target), plan.schema.clone(), create, &env).unwrap();
    if reported {
        let before = report::before(set, &plan).unwrap();
        assert!(before.iter().all(|&bytes| bytes > 0));
    }
    run(set, &plan, writer).unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    (bytes, reader.take_counts().located)
}

#[test]
fn a_copy_walks_each_index_once() {
    let mut s = dataset(Kind::CDF5, &[0, 60]);
    for name in [b"a", b"b"] {
        add(&mut s, name, Atomic::Int, &[0, 1]);
    }
    let chunks = 10 * 20;
    let bytes = copied(&make(s, 40), &storage(1, [4, 3]), &Env::default()).unwrap();
    // The chunks are moved, recoded, or made anew.
    for options in [to(Kind::NETCDF4), storage(2, [4, 3]), storage(2, [8, 6])] {
        for reported in [false, true] {
            let (copy, visits) = counted(&bytes, &options, reported);
            assert_eq!(values(&copy), values(&bytes));
            assert_eq!(visits.len(), 2);
            // One additional traversal if the copy only checked whether any chunks exist.
            assert!(
                visits.values().all(|&n| n <= chunks + 1),
                "{options:?}: {visits:?}"
            );
        }
    }
}
