//! Copies in parts have the same bytes as copies in one process, for any number of parts in any order, and for repeated parts.

use proptest::prelude::*;

use super::*;
use crate::cancel::Cancel;
use crate::chunk::rechunk::{InParts, StageChunks};
use crate::copy::options::{ChunkShapes, Filtering, StorageOptions, VarLayout, VariableFilters};
use crate::copy::parts::{
    self, Division, IntermediatePlan, PartOrigin, PartOutput, PartSize, Segment,
};
use crate::env::Memory;
use crate::filter::ids::{DEFLATE, SHUFFLE};
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::{Container, Output, Store};
use crate::model::{FilterSpec, StorageLayout};

/// The output of a copy.
enum Made {
    File(Arc<std::sync::Mutex<Option<Vec<u8>>>>),
    Store(Arc<dyn Store>),
}

impl Made {
    fn target(kind: Kind) -> (Output, Self) {
        if format::traits(kind).keys {
            let store: Arc<dyn Store> = Arc::new(MemoryStore::new("s.zarr"));
            let (target, _) = MemoryStoreTarget::new(Arc::clone(&store));
            return (Output::Store(Box::new(target)), Self::Store(store));
        }
        let (target, out) = MemoryTarget::new("out.nc");
        (Output::from(Box::new(target)), Self::File(out))
    }

    /// All keys with their bytes; a file has one.
    fn contents(self) -> Vec<(String, Vec<u8>)> {
        let store = match self {
            Self::File(out) => {
                let bytes = out.lock().unwrap().take().unwrap();
                return vec![(String::new(), bytes)];
            }
            Self::Store(store) => store,
        };
        let mut keys = vec![];
        store
            .walk("", &mut |key, _| {
                keys.push(key.to_owned());
                Ok(())
            })
            .unwrap();
        let bytes = |key: String| (key.clone(), store.get(&key).unwrap().unwrap());
        keys.into_iter().map(bytes).collect()
    }
}

/// A copy: its input, options and means.
#[derive(Clone, Copy)]
struct Case<'a> {
    input: &'a [u8],
    options: &'a CopyOptions,
    memory: u64,
}

impl Case<'_> {
    fn env(&self, threads: usize) -> Env {
        Env {
            runtime: Runtime::sized(threads, self.memory).sharing_all(),
            memory: Memory(self.memory),
            ..Env::default()
        }
    }

    /// Calls `copy` with the open input, the plan of the copy, and a writer for the output. Returns the output.
    fn run(
        &self,
        threads: usize,
        copy: impl FnOnce(Dataset<'_>, &Plan, Box<dyn Writer>) -> Result<()>,
    ) -> Vec<(String, Vec<u8>)> {
        let env = self.env(threads);
        let reader = open(self.input, &env).unwrap();
        let set = Dataset::new(&*reader, &env);
        let mut plan = plan(reader.schema(), self.options).unwrap();
        plan::keep_fill_values(set, &mut plan).unwrap();
        plan::size_strings(set, &mut plan).unwrap();
        let (target, made) = Made::target(plan.schema.kind);
        let no_fill = !format::traits(plan.schema.kind).settings;
        let create = CreateOptions {
            no_fill,
            ..CreateOptions::default()
        };
        let writer = format::create(target, plan.schema.clone(), create, &env).unwrap();
        copy(set, &plan, writer).unwrap();
        match &made {
            Made::File(out) if out.lock().unwrap().is_none() => vec![],
            Made::File(_) | Made::Store(_) => made.contents(),
        }
    }

    fn at_once(&self) -> Vec<(String, Vec<u8>)> {
        self.run(2, |set, plan, writer| run(set, plan, writer).map(|_| ()))
    }

    /// Runs the first stage of a copy in `parts` parts. Returns the store between the stages.
    fn first_stage(&self, through: &IntermediatePlan, parts: u64) -> Arc<dyn Store> {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new("between"));
        let env = self.env(2);
        let reader = open(self.input, &env).unwrap();
        let set = Dataset::new(&*reader, &env);
        let data = plan(reader.schema(), self.options).unwrap().data;
        let first = through.first(set, &data).unwrap();
        let target = Output::Store(Box::new(MemoryStoreTarget::new(Arc::clone(&store)).0));
        let (schema, create) = (first.schema.clone(), CreateOptions::default());
        let mut writer = format::create(target, schema, create, &env).unwrap();
        let divided = through.divided((set, &first), parts, &mut *writer);
        let division = divided.unwrap();
        for part in (0..parts).rev() {
            let origin = PartOrigin { set, between: None };
            parts::make(origin, &division, part, &mut *writer).unwrap();
        }
        writer.finish().unwrap();
        store
    }

    /// Like [`Case::at_once`], in `parts` parts.
    fn in_parts(&self, parts: u64) -> Vec<(String, Vec<u8>)> {
        self.in_stages(parts, &|_| None)
    }

    /// As [`Case::in_parts`], in two stages for variables that `between` has chunks for.
    fn in_stages(
        &self,
        parts: u64,
        between: &dyn Fn(InParts<'_>) -> Option<StageChunks>,
    ) -> Vec<(String, Vec<u8>)> {
        let mut same_fills = vec![];
        let mut through = None;
        self.run(2, |set, plan, mut writer| {
            let jobs = jobs(set, plan, &mut *writer)?;
            let division = Division::new((set.reader, jobs), &*writer, PartSize::Number(parts));
            assert_eq!(division.parts(), parts);
            let all: u64 = (0..parts).map(|part| division.bytes_of(part)).sum();
            assert_eq!(all, division.bytes());
            same_fills = division.shares().map(|share| share.same_fill).collect();
            through = division.stages(set, between);
            Ok(())
        });
        let store = through
            .as_ref()
            .map(|through| self.first_stage(through, parts));
        let env = self.env(2);
        let first = store.map(|store| format::open(Container::Store(store), &env).unwrap());
        let first = first.as_deref().map(|reader| Dataset::new(reader, &env));
        let divided = |set: Dataset<'_>, plan: &Plan, writer: &mut dyn Writer| {
            let jobs = parts::jobs(set, plan, &same_fills, writer)?;
            Ok::<_, Error>(Division::new(
                (set.reader, jobs),
                writer,
                PartSize::Number(parts),
            ))
        };
        let one = |part: u64, threads| {
            let (target, out) = MemoryTarget::new("segment");
            self.run(threads, |set, plan, writer| {
                let mut output = PartOutput::new(writer, Box::new(target));
                let mut division = divided(set, plan, &mut output)?;
                if let Some(through) = &through {
                    division = division.through(through);
                }
                let origin = PartOrigin {
                    set,
                    between: first,
                };
                parts::make(origin, &division, part, &mut output)?;
                output.complete().map(|_| ())
            });
            out.lock().unwrap().take().unwrap()
        };
        let mut segments: Vec<_> = (0..parts).rev().map(|part| one(part, 2)).collect();
        segments.reverse();
        for part in (0..parts).step_by(3) {
            assert!(one(part, 1) == segments[part as usize], "{part} again");
        }
        let open = |part: u64| {
            let bytes = segments[part as usize].clone();
            Segment::open(Arc::new(MemorySource::new("segment", bytes)))
        };
        (0..parts).for_each(|part| open(part).unwrap().verify(&Cancel::default()).unwrap());
        self.run(2, |set, plan, mut writer| {
            let division = divided(set, plan, &mut *writer)?;
            parts::join(set, plan, (&division, &open), writer).map(|_| ())
        })
    }

    #[track_caller]
    fn check(&self) {
        let want = self.at_once();
        for parts in [1, 7, 50] {
            let made = self.in_parts(parts);
            assert!(made == want, "{parts} parts of {:?}", self.options);
        }
    }
}

#[track_caller]
fn check(input: &[u8], options: &CopyOptions) {
    let memory = 1 << 20;
    Case {
        input,
        options,
        memory,
    }
    .check();
}

/// The same options with chunks of one variable, and its filters.
fn stored(mut options: CopyOptions, chunk: &[u64], filters: &[(u32, &[u32])]) -> CopyOptions {
    let specs = filters.iter().map(|(id, params)| FilterSpec {
        id: *id,
        params: params.to_vec(),
    });
    let filtering = Filtering {
        filters: specs.collect(),
        by_name: true,
    };
    let layout = VarLayout::Chunked(chunk.to_vec());
    options.storage = StorageOptions {
        filters: VariableFilters {
            none: false,
            vars: [(VarId(0), filtering)].into(),
        },
        chunks: ChunkShapes {
            vars: [(VarId(0), layout)].into(),
            ..ChunkShapes::default()
        },
        ..options.storage
    };
    options
}

const KINDS: [Kind; 5] = [
    Kind::CLASSIC,
    Kind::CDF5,
    Kind::NETCDF4,
    Kind::NCZARR,
    Kind::PURE_ZARR3,
];

#[test]
fn variables_of_all_types_and_records() {
    for from in [Kind::CLASSIC, Kind::CDF5] {
        let bytes = make(mixed(from), 40);
        for kind in KINDS {
            check(&bytes, &to(kind));
            let fixed = CopyOptions {
                fix_unlimited: true,
                ..to(kind)
            };
            check(&bytes, &fixed);
        }
    }
}

/// Uses the planner's chunks, and chunks without a fit.
#[test]
fn two_stages() {
    let bytes = with_gaps(&[4, 5, 9]);
    for kind in KINDS {
        let mut options = vec![to(kind)];
        if format::traits(kind).settings {
            let deflated: &[(u32, &[u32])] = &[(DEFLATE, &[4])];
            options = vec![
                stored(to(kind), &[24, 3, 2], deflated),
                stored(to(kind), &[1, 20, 9], &[]),
            ];
        }
        for options in &options {
            let case = Case {
                input: &bytes,
                options,
                memory: 1 << 20,
            };
            let want = case.at_once();
            let met = std::cell::Cell::new(0);
            let chosen = |parts: InParts<'_>| {
                met.set(met.get() + 1);
                Some(parts.between(7000))
            };
            let odd = |_: InParts<'_>| {
                Some(StageChunks {
                    chunk: vec![5, 2, 2],
                    shard: vec![5, 6, 4],
                })
            };
            assert!(case.in_stages(7, &chosen) == want, "{options:?}");
            assert!(case.in_stages(3, &odd) == want, "{options:?}");
            assert!(met.get() > 0, "{options:?}");
        }
    }
}

/// Adjacent large and small records, which a netCDF-4 file stores in the order of a sweep.
#[test]
fn records_of_any_size() {
    let mut s = dataset(Kind::OFFSET64, &[0, 70_001]);
    add(&mut s, b"small", Atomic::Short, &[0]);
    add(&mut s, b"large", Atomic::Byte, &[0, 1]);
    add(&mut s, b"other", Atomic::Double, &[0]);
    let bytes = make(s, 7);
    for kind in [Kind::NETCDF4, Kind::CDF5] {
        let fixed = CopyOptions {
            fix_unlimited: true,
            ..to(kind)
        };
        check(&bytes, &fixed);
    }
}

/// Returns a netCDF-4 file of 24 × 20 × 9 numbers in chunks. Every third chunk is missing.
fn with_gaps(chunk: &[u64]) -> Vec<u8> {
    chunks_of(&[24, 20, 9], chunk)
}

fn chunks_of(shape: &[u64], chunk: &[u64]) -> Vec<u8> {
    let mut s = dataset(Kind::NETCDF4, shape);
    let v = add(&mut s, b"v", Atomic::Int, &[0, 1, 2]);
    s.vars[0].storage.layout = Some(StorageLayout::Chunked(chunk.to_vec()));
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    let layout = w.layout(v).unwrap();
    let elements = chunk.iter().product::<u64>();
    for index in 0..layout.grid().iter().product::<u64>() {
        if index % 3 != 1 {
            let numbers = (0..elements).flat_map(|n| ((index * 1000 + n) as i32).to_le_bytes());
            let bytes: Vec<u8> = numbers.collect();
            w.put_chunk(v, index, 0, &bytes).unwrap();
        }
    }
    w.finish().unwrap();
    let bytes = out.lock().unwrap().take();
    bytes.unwrap()
}

#[test]
fn chunks_that_are_moved_recoded_and_made_anew() {
    let bytes = with_gaps(&[4, 5, 9]);
    let deflated: &[(u32, &[u32])] = &[(SHUFFLE, &[]), (DEFLATE, &[4])];
    for kind in KINDS {
        check(&bytes, &to(kind));
    }
    for kind in [Kind::NETCDF4, Kind::NCZARR, Kind::PURE_ZARR3] {
        check(&bytes, &stored(to(kind), &[4, 5, 9], deflated));
        check(&bytes, &stored(to(kind), &[1, 20, 9], deflated));
        check(&bytes, &stored(to(kind), &[24, 3, 2], &[]));
    }
    let mut sharded = stored(to(Kind::PURE_ZARR3), &[4, 5, 3], deflated);
    let shard = VarLayout::Chunked(vec![8, 10, 9]);
    sharded.storage.shards.vars = [(VarId(0), shard)].into();
    check(&bytes, &sharded);
    let cloud = CopyOptions {
        storage: StorageOptions {
            cloud: true,
            ..StorageOptions::default()
        },
        ..to(Kind::NETCDF4)
    };
    check(&bytes, &cloud);
}

/// The offset of a moved large chunk in a netCDF-4 file depends on its offset in the input.
#[test]
fn large_chunks() {
    let bytes = chunks_of(&[40, 111, 97], &[4, 111, 97]);
    check(&bytes, &to(Kind::NETCDF4));
    check(&bytes, &stored(to(Kind::NETCDF4), &[40, 10, 97], &[]));
}

/// Strings go to the heap when the parts are joined; to NCZarr, they are copied in parts.
#[test]
fn strings_and_numbers() {
    let mut s = dataset(Kind::NETCDF4, &[30]);
    add(&mut s, b"text", Atomic::String, &[0]);
    add(&mut s, b"number", Atomic::Int64, &[0]);
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let mut w = format::create(Box::new(target), s, CreateOptions::default(), &env).unwrap();
    let text = |n: usize| Some("x".repeat(n % 7).into_bytes().into());
    let texts = Values::String((0..30).map(text).collect());
    let stored = w.put_heap(VarId(0), &texts).unwrap();
    w.put_run(VarId(0), 0, &stored).unwrap();
    let numbers: Vec<u8> = (0..30i64).flat_map(i64::to_le_bytes).collect();
    w.put_run(VarId(1), 0, &numbers).unwrap();
    w.finish().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    for kind in [Kind::NETCDF4, Kind::NCZARR, Kind::PURE_ZARR3] {
        check(&bytes, &to(kind));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Chunks of any shape are rechunked to any shape, with memory for few chunks.
    #[test]
    fn any_shapes_and_numbers_of_parts(
        from in [1..25u64, 1..21u64, 1..10u64],
        chunk in [1..25u64, 1..21u64, 1..10u64],
        parts in 1..40u64,
        memory in 1000..200_000u64,
        kind in prop::sample::select(vec![Kind::NETCDF4, Kind::PURE_ZARR]),
    ) {
        let bytes = with_gaps(&from);
        let options = stored(to(kind), &chunk, &[(DEFLATE, &[1])]);
        let case = Case { input: &bytes, options: &options, memory };
        let want = case.at_once();
        prop_assert!(case.in_parts(parts) == want);
        let chosen = |parts: InParts<'_>| Some(parts.between(memory));
        prop_assert!(case.in_stages(parts, &chosen) == want);
    }
}
