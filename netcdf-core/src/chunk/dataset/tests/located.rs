//! How often reads ask for places of chunks.

use crate::env::Env;
use std::sync::Mutex;

use super::*;
use crate::chunk::Engine;

/// 10^8 chunks of one byte, all stored: what they hold is the last digit of their number. It records how many places it found,
/// and how often.
struct Many {
    schema: Schema,
    index: bool,
    found: Mutex<(usize, u64)>,
}

const LEN: u64 = 10_000;

impl Many {
    fn new(index: bool) -> Self {
        let mut schema = Chunked::new(vec![]).schema;
        schema.dims.iter_mut().for_each(|dim| dim.len = LEN);
        schema.vars[0].ty = Atomic::Byte.into();
        let found = Mutex::default();
        Self {
            schema,
            index,
            found,
        }
    }

    fn taken(&self) -> (usize, u64) {
        std::mem::take(&mut *self.found.lock().unwrap())
    }
}

impl Reader for Many {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn provenance(&self) -> Provenance {
        Provenance::default()
    }

    fn layout(&self, _: VarId) -> Result<Layout> {
        Ok(Layout {
            extent: vec![LEN; 2],
            chunk: vec![1, 1],
            element: Element {
                ty: Atomic::Byte.into(),
                size: 1,
                order: Endianness::Little,
                plain: true,
            },
            filters: vec![],
            fill: Some(vec![99]),
            quantize: None,
        })
    }

    fn locate(
        &self,
        _: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        self.found.lock().unwrap().0 += 1;
        let [rows, cells] = [0, 1].map(|d| chunks.start[d]..chunks.start[d] + chunks.count[d]);
        for index in rows.flat_map(|y| cells.clone().map(move |x| y * LEN + x)) {
            self.found.lock().unwrap().1 += 1;
            visit(ChunkRef {
                index,
                object: 0,
                range: index..index + 1,
                mask: 0,
            })?;
        }
        Ok(())
    }

    fn has_index(&self, _: VarId) -> bool {
        self.index
    }

    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        Ok(chunks.iter().map(|c| vec![(c.index % 10) as u8]).collect())
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

fn bands(set: Dataset<'_>, region: &Region) -> Vec<u8> {
    let mut all = vec![];
    let sink = |bytes: Vec<u8>| {
        all.extend(bytes);
        Ok(())
    };
    let bands = InBands::new(region.clone(), 100);
    set.bands(VarId(0), bands, |_, bytes| Ok(bytes), sink)
        .unwrap();
    all
}

#[test]
fn bands_walk_each_part_of_an_index_once() {
    let reader = Many::new(true);
    for threads in [1, 4] {
        for requests in [None, Some(2)] {
            let mut runtime = Runtime::sized(threads, 1 << 26).sharing_all();
            if let Some(requests) = requests {
                runtime = runtime.with_requests(requests);
            }
            let env = Env {
                runtime,
                ..Env::default()
            };
            let engine = Engine::new(&env);
            let set = Dataset::new(&reader, &env).with(&engine);
            let window = Region::boxed(vec![5000, 100], vec![3, 2000]);
            let want = (0..3).flat_map(|_| (0..2000).map(|x| x % 10));
            let want: Vec<u8> = want.map(|x| x as u8).collect();
            assert_eq!(bands(set, &window), want);
            let (_, found) = reader.taken();
            // Each row is a section. Before it was clear that there are more bands, some found only their own.
            let own = found.checked_sub(3 * LEN).unwrap();
            assert!(own <= 2000, "{own}, {threads} threads");
            assert_eq!(bands(set, &window), want);
            let layout = reader.layout(VarId(0)).unwrap();
            assert_eq!(set.read_stored(VarId(0), &layout, &window).unwrap(), want);
            assert!(set.is_stored(VarId(0), &layout, &window).unwrap());
            assert_eq!(reader.taken(), (0, 0));
            assert!(engine.located_bytes() <= 3 * 12 * LEN + 1000);
            // Without an engine, each pass walks it.
            let alone = Dataset::new(&reader, &env);
            assert_eq!(bands(alone, &window), want);
            assert!(reader.taken().1 >= 6000);
        }
    }
}

#[test]
fn chunks_that_are_visited_in_batches_are_found_once() {
    let reader = Many::new(true);
    let env = Env::default();
    let engine = Engine::new(&env);
    let set = Dataset::new(&reader, &env).with(&engine);
    let mut next = 0;
    let all = Block::whole(&set.layout(VarId(0)).unwrap().grid());
    let stop = set.each_chunk(VarId(0), &all, |chunk| {
        assert_eq!(chunk.index, next);
        next += 1;
        match next {
            250_000 => Err(Error::new(ErrorKind::Cancelled, "enough")),
            _ => Ok(()),
        }
    });
    assert_eq!(stop.unwrap_err().kind(), ErrorKind::Cancelled);
    let (walks, found) = reader.taken();
    assert_eq!((walks, found), (25, 250_000));
    env.cancel.0.store(2, Ordering::Relaxed);
    let e = set.is_stored(
        VarId(0),
        &reader.layout(VarId(0)).unwrap(),
        &Region::boxed(vec![9000, 0], vec![1, 10_000]),
    );
    assert_eq!(e.unwrap_err().kind(), ErrorKind::Cancelled);
    assert!(reader.taken().1 <= 1);
}

#[test]
fn without_an_index_only_what_is_wanted_is_found() {
    let reader = Many::new(false);
    let env = Env::default();
    let engine = Engine::new(&env);
    let set = Dataset::new(&reader, &env).with(&engine);
    for _ in 0..2 {
        bands(set, &Region::boxed(vec![7, 7], vec![2, 300]));
        assert_eq!(reader.taken().1, 600);
    }
    assert_eq!(engine.located_bytes(), 0);
}
