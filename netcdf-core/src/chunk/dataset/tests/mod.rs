//! The engine on a made-up format: chunked, filtered, with missing chunks and a short extent.

mod kept;
mod located;
mod longer;
mod made;
mod properties;
mod sparse;

use crate::env::Env;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::chunk::InBands;
use crate::chunk::Provenance;
use crate::chunk::layout::ChunkRef;
use crate::chunk::plan::BandWay;
use crate::chunk::scatter::Block;
use crate::error::{Error, ErrorKind};
use crate::filter::{Context, Encoded, Filter, FilterEntry, Table};
use crate::io::Source;
use crate::model::{
    Atomic, Dimension, Element, Endianness, FilterSpec, GroupId, Kind, Name, Schema, Storage,
    Variable,
};
use crate::runtime::Runtime;

/// Adds its parameter to every byte.
struct Add(u8);

impl Filter for Add {
    fn decode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        output.extend(input.iter().map(|b| b.wrapping_sub(self.0)));
        Ok(())
    }
    fn encode(&self, _: &Context, input: &[u8], output: &mut Vec<u8>) -> Result<Encoded> {
        output.extend(input.iter().map(|b| b.wrapping_add(self.0)));
        Ok(Encoded::Applied)
    }
}

pub(in crate::chunk) fn table() -> Table {
    Table::new(vec![FilterEntry {
        id: 300,
        name: "add",
        codec: None,
        policy: crate::filter::Policy::PLAIN,
        named: &[],
        prepare: |_, user| Ok(user.to_vec()),
        build: |params, _| Ok(Box::new(Add(u8::try_from(params[0]).unwrap()))),
    }])
}

/// One variable (5, 7) of shorts with the values 10·row + column, in chunks of (2, 3); extent
/// (4, 7), so that the last row is fill; the chunk in the middle of the first row is missing.
pub(in crate::chunk) struct Chunked {
    schema: Schema,
    filters: Vec<FilterSpec>,
}

impl Chunked {
    fn new(filters: Vec<FilterSpec>) -> Self {
        let mut schema = Schema::new(Kind::NETCDF4);
        let group = GroupId::ROOT;
        let mut dim = |name: &[u8], len| {
            schema.add_dim(Dimension {
                name: Name::stored(name),
                group,
                len,
                unlimited: false,
            })
        };
        let dims = vec![dim(b"y", 5), dim(b"x", 7)];
        let (ty, storage) = (Atomic::Short.into(), Storage::default());
        let name = Name::stored(b"v");
        schema.add_var(Variable {
            name,
            group,
            ty,
            dims,
            attributes: vec![],
            storage,
        });
        Self { schema, filters }
    }
}

impl Reader for Chunked {
    fn schema(&self) -> &Schema {
        &self.schema
    }
    fn provenance(&self) -> Provenance {
        Provenance::default()
    }
    fn layout(&self, _: VarId) -> Result<Layout> {
        let element = Element {
            ty: Atomic::Short.into(),
            size: 2,
            order: Endianness::Little,
            plain: true,
        };
        Ok(Layout {
            extent: vec![4, 7],
            chunk: vec![2, 3],
            element,
            filters: self.filters.clone(),
            fill: None,
            quantize: None,
        })
    }
    fn locate(
        &self,
        _: VarId,
        chunks: &Block,
        visit: &mut dyn FnMut(ChunkRef) -> Result<()>,
    ) -> Result<()> {
        for y in chunks.start[0]..chunks.start[0] + chunks.count[0] {
            for x in chunks.start[1]..chunks.start[1] + chunks.count[1] {
                let index = y * 3 + x;
                let range = index * 12..index * 12 + 12;
                if index != 1 {
                    visit(ChunkRef {
                        index,
                        object: 0,
                        range,
                        mask: u32::from(index == 2),
                    })?;
                }
            }
        }
        Ok(())
    }
    fn fetch(&self, chunks: &[ChunkRef]) -> Result<Vec<Vec<u8>>> {
        let byte = |at: u64| {
            let (index, k) = (at / 12, at % 12 / 2);
            let (y, x) = (index / 3 * 2 + k / 3, index % 3 * 3 + k % 3);
            let plain = i16::try_from(10 * y + x).unwrap().to_le_bytes()[usize::from(at % 2 == 1)];
            let add = if index == 2 {
                0
            } else {
                self.filters.iter().map(|f| f.params[0]).sum()
            };
            plain.wrapping_add(u8::try_from(add).unwrap())
        };
        let bytes = |r: Range<u64>| r.map(byte).collect();
        Ok(chunks.iter().map(|c| bytes(c.range.clone())).collect())
    }
    fn object(&self, _: u32) -> Option<&Arc<dyn Source>> {
        None
    }

    fn has_sources(&self) -> bool {
        false
    }
    fn resolve(&self, _: VarId, _: &[u8], _: &Env) -> Result<Values> {
        unimplemented!()
    }
}

pub(in crate::chunk) fn expected(y: u64, x: u64) -> i16 {
    let missing = y == 4 || (y < 2 && (3..6).contains(&x));
    if missing {
        -32767
    } else {
        i16::try_from(10 * y + x).unwrap()
    }
}

pub(in crate::chunk) fn readers() -> [Chunked; 2] {
    [
        Chunked::new(vec![]),
        Chunked::new(vec![FilterSpec {
            id: 300,
            params: vec![3],
        }]),
    ]
}

#[test]
fn every_box_has_its_values() {
    let env = Env {
        filters: table(),
        ..Env::default()
    };
    for reader in readers() {
        let set = Dataset::new(&reader, &env);
        for (y, ny, x, nx) in (0..5)
            .flat_map(|y| (1..=5 - y).map(move |n| (y, n)))
            .flat_map(|(y, ny)| (0..7).flat_map(move |x| (1..=7 - x).map(move |nx| (y, ny, x, nx))))
        {
            let got = set
                .read(VarId(0), &Region::boxed(vec![y, x], vec![ny, nx]))
                .unwrap();
            let want = (y..y + ny).flat_map(|r| (x..x + nx).map(move |c| expected(r, c)));
            assert_eq!(got, Values::Short(want.collect()));
        }
    }
}

#[test]
fn strides_thin_out() {
    let env = Env {
        filters: table(),
        ..Env::default()
    };
    for reader in readers() {
        let set = Dataset::new(&reader, &env);
        let region = Region {
            start: vec![0, 1],
            count: vec![3, 3],
            stride: vec![2, 2],
        };
        let got = set.read(VarId(0), &region).unwrap();
        let want = [0, 2, 4]
            .into_iter()
            .flat_map(|y| [1, 3, 5].map(|x| expected(y, x)));
        assert_eq!(got, Values::Short(want.collect()));
    }
}

#[test]
fn bands_are_the_same_for_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let env = Env {
            filters: table(),
            runtime: Runtime::sized(threads, 100).sharing_all(),
            ..Env::default()
        };
        for reader in readers() {
            let set = Dataset::new(&reader, &env);
            let mut all = vec![];
            let region = Region::whole(&[5, 7]);
            let sink = |b: Vec<u8>| {
                all.extend(b);
                Ok(())
            };
            set.bands(VarId(0), InBands::new(region, 4), |_, b| Ok(b), sink)
                .unwrap();
            let want = (0..5).flat_map(|y| (0..7).map(move |x| expected(y, x).to_le_bytes()));
            assert_eq!(all, want.flatten().collect::<Vec<u8>>());
        }
    }
}

#[test]
fn a_missing_filter_names_the_variable() {
    let env = Env::default();
    let reader = Chunked::new(vec![FilterSpec {
        id: 999,
        params: vec![0],
    }]);
    let e = Dataset::new(&reader, &env)
        .read(VarId(0), &Region::whole(&[5, 7]))
        .unwrap_err();
    assert_eq!(
        (e.object(), e.kind()),
        (Some("/v"), ErrorKind::FilterUnavailable)
    );
    assert!(e.what().starts_with("filter 999 (not registered"), "{e}");
}

/// A damaged file may claim slabs of more parts than memory holds.
#[test]
fn parts_are_made_when_they_are_wanted() {
    let env = Env {
        filters: table(),
        runtime: Runtime::new(2).sharing_all(),
        ..Env::default()
    };
    let [_, reader] = readers();
    let set = Dataset::new(&reader, &env);
    let made = Arc::new(AtomicUsize::new(0));
    for slabs in [1, 2] {
        let parts = |slab: &Region| -> PartsOf {
            let part = slab.clone();
            let one = |part: &Region| Region::boxed(vec![0, 0], vec![1, part.count[1]]);
            let made = Arc::clone(&made);
            let count = move |_: &u32| {
                made.fetch_add(1, Ordering::Relaxed);
            };
            Box::new((0..100_000).inspect(count).map(move |_| one(&part)))
        };
        let cuts = Cuts {
            slabs: Box::new((0..2).map(|n| Region::boxed(vec![2 * n, 0], vec![2, 7]))),
            way: BandWay::Staged { slabs },
            parts: Box::new(parts),
            tile: None,
            memory: 1 << 20,
            copies: 4,
        };
        let stop = |_| Err(Error::new(ErrorKind::Cancelled, "enough"));
        let done = set.parts(VarId(0), cuts, |_, part| Ok(part.stored), stop);
        assert_eq!(done.unwrap_err().kind(), ErrorKind::Cancelled);
        let made = made.load(Ordering::Relaxed);
        assert!(made < 1000, "{made} parts");
    }
}

/// Memory for chunks is reused: after twenty slabs, as much is kept as after one.
#[test]
fn chunks_that_are_put_in_order_share_memory() {
    let made = made::Made::new(made::Shape {
        dims: vec![20, 130, 130],
        extent: vec![20, 130, 130],
        chunk: vec![1, 130, 130],
        size: 8,
        filters: 0,
        seed: 1,
        assembled: false,
    });
    let env = Env {
        runtime: Runtime::new(1),
        ..Env::default()
    };
    let grid = crate::chunk::grid::Grid::of(vec![20, 130, 130], vec![1, 10, 10]);
    let cuts = Cuts {
        slabs: Box::new(grid.boxes(169)),
        way: BandWay::Staged { slabs: 1 },
        parts: Box::new(|slab| Box::new(grid.chunks(slab))),
        tile: Some(grid.chunk().to_vec()),
        memory: 1 << 20,
        copies: 4,
    };
    let _kept = env.buffers.keep(64 << 20);
    let work = |part: &Region, got: BoxElements| Ok(got.bytes == made.model(part));
    let sink = |same: bool| {
        assert!(same);
        Ok(())
    };
    let set = Dataset::new(&made, &env);
    set.parts(VarId(0), cuts, work, sink).unwrap();
    let (kept, slab) = (env.buffers.bytes(), 130 * 130 * 8);
    assert!(kept < 4 * slab, "{kept}");
}
