//! How often a copy walks the chunk indexes of its input.

use crate::env::Env;
use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::chunk::layout::ChunkRef;
use crate::chunk::scatter::Block;
use crate::chunk::{Engine, Provenance};
use crate::copy::options::{ChunkShapes, StorageOptions};
use crate::copy::plan::keep_fill_values;
use crate::io::Source;

/// Counts the chunks that are visited.
struct Counting {
    reader: Box<dyn Reader>,
    visits: Mutex<BTreeMap<VarId, u64>>,
}

impl Reader for Counting {
    fn schema(&self) -> &Schema {
        self.reader.schema()
    }
    fn provenance(&self) -> Provenance {
        self.reader.provenance()
    }
    fn layout(&self, var: VarId) -> Result<Layout> {
        self.reader.layout(var)
    }
    fn locate(
        &self,
        var: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        self.reader.locate(var, chunks, &mut |chunk| {
            *self.visits.lock().unwrap().entry(var).or_default() += 1;
            visit(chunk)
        })
    }
    fn has_index(&self, var: VarId) -> bool {
        self.reader.has_index(var)
    }
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        self.reader.fetch(chunks)
    }
    fn object(&self, object: u32) -> Option<&Arc<dyn Source>> {
        self.reader.object(object)
    }
    fn resolve(&self, var: VarId, bytes: &[u8], env: &Env) -> Result<Values> {
        self.reader.resolve(var, bytes, env)
    }
}

fn storage(deflate: u8, lens: [u64; 2]) -> Options {
    let dims = [DimId(0), DimId(1)].into_iter().zip(lens).collect();
    Options {
        kind: Some(Kind::NETCDF4),
        storage: StorageOptions {
            deflate: Some(deflate),
            chunks: ChunkShapes {
                dims,
                ..ChunkShapes::default()
            },
            ..StorageOptions::default()
        },
        ..Options::default()
    }
}

/// Copies with these options, and returns the output and the visits of each variable.
fn counted(bytes: &[u8], options: &Options, reported: bool) -> (Vec<u8>, BTreeMap<VarId, u64>) {
    let env = Env::default();
    let reader = Counting {
        reader: open(bytes, &env).unwrap(),
        visits: Mutex::default(),
    };
    let engine = Engine::new(&env);
    let set = Dataset::new(&reader, &env).with(&engine);
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
    (bytes, reader.visits.into_inner().unwrap())
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
            // One more if it was only looked whether there are any.
            assert!(
                visits.values().all(|&n| n <= chunks + 1),
                "{options:?}: {visits:?}"
            );
        }
    }
}
