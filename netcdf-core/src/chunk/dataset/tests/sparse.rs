//! Grids of very many chunks, few of which are stored.

use super::*;
use crate::env::Env;

/// One variable of 2^40 bytes in chunks of one byte, with these chunks stored. It counts how often it is asked for places of
/// chunks.
struct Sparse {
    schema: Schema,
    stored: Vec<u64>,
    asked: AtomicUsize,
}

const SHAPE: [u64; 2] = [1 << 25, 1 << 15];

impl Sparse {
    fn new(stored: &[u64]) -> Self {
        let mut schema = Chunked::new(vec![]).schema;
        for (dim, len) in schema.dims.iter_mut().zip(SHAPE) {
            dim.len = len;
        }
        schema.vars[0].ty = Atomic::Byte.into();
        Self {
            schema,
            stored: stored.to_vec(),
            asked: AtomicUsize::new(0),
        }
    }
}

impl Reader for Sparse {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        Provenance::default()
    }

    fn layout(&self, _: VarId) -> Result<Layout> {
        Ok(Layout {
            extent: SHAPE.to_vec(),
            chunk: vec![1, 1],
            element: Element {
                ty: Atomic::Byte.into(),
                size: 1,
                order: Endianness::Little,
                plain: true,
            },
            filters: vec![],
            fill: Some(vec![7]),
            quantize: None,
        })
    }

    fn locate(
        &self,
        _: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        for &index in &self.stored {
            let place = [index / SHAPE[1], index % SHAPE[1]];
            let mut lines = place.iter().zip(chunks.start.iter().zip(&chunks.count));
            if lines.all(|(at, (start, count))| at >= start && at - start < *count) {
                visit(ChunkRef {
                    index,
                    object: 0,
                    range: 0..1,
                    mask: 0,
                })?;
            }
        }
        Ok(())
    }

    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        Ok(chunks.iter().map(|c| vec![c.index as u8]).collect())
    }

    fn object(&self, _: u32) -> Option<&Arc<dyn Source>> {
        None
    }

    fn has_sources(&self) -> bool {
        false
    }

    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        Err(Error::new(ErrorKind::Unsupported, "no heap"))
    }
}

#[test]
fn chunks_that_are_not_stored_are_not_asked_for() {
    let mut many: Vec<u64> = (1 << 30..(1 << 30) + 10_000).collect();
    many.extend([1 << 35, (1 << 40) - 1]);
    for stored in [vec![], vec![0], vec![5, (1 << 40) - 1], many] {
        let reader = Sparse::new(&stored);
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
        let asked = reader.asked.load(Ordering::Relaxed);
        assert!(asked < 200, "{asked}");
    }
}

/// A region of many chunks is fill, except where one is stored.
#[test]
fn a_sparse_region_is_filled_at_once() {
    let reader = Sparse::new(&[2, (1 << 15) + 3]);
    let env = Env::default();
    let region = Region::boxed(vec![0, 0], vec![2, 1 << 15]);
    let values = Dataset::new(&reader, &env).read(VarId(0), &region).unwrap();
    let mut expected = vec![7i8; 1 << 16];
    (expected[2], expected[(1 << 15) + 3]) = (2, 3);
    assert_eq!(values, Values::Byte(expected));
    assert_eq!(reader.asked.load(Ordering::Relaxed), 2);
}
