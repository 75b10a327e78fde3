//! Copies into chunks: any shapes, filters, budgets and threads.

use proptest::prelude::*;

use super::mock::{self, Form, Mock, Store};
use super::*;
use crate::env::Memory;
use crate::testing::stored_chunks;

pub(super) fn env(threads: usize, memory: u64) -> Env {
    Env {
        filters: mock::filters(),
        runtime: Runtime::sized(threads, memory.max(1000)).sharing_all(),
        memory: Memory(memory),
        ..Env::default()
    }
}

pub(super) fn form(chunk: &[u64], filters: &[u32], order: Endianness) -> Form {
    Form {
        chunk: chunk.to_vec(),
        filters: filters.to_vec(),
        order,
    }
}

/// A variable `v` of this shape, and its elements in a classic file. The first dimension is
/// unlimited if `records`.
pub(super) fn classic(shape: &[u64], ty: Atomic, records: bool) -> Vec<u8> {
    let mut s = dataset(Kind::CDF5, shape);
    if records {
        s.dims[0].unlimited = true;
        s.dims[0].len = 0;
    }
    let dims: Vec<u32> = (0..shape.len() as u32).collect();
    add(&mut s, b"v", ty, &dims);
    make(s, shape.first().copied().unwrap_or(0))
}

/// Copies into a store; the options change only the kind.
fn stored(reader: &dyn Reader, forms: &[Form], env: &Env) -> Result<(Store, CopyReport)> {
    let p = plan(reader.schema(), &to(Kind::NETCDF4))?;
    let (writer, store) = Mock::create(p.schema.clone(), forms.to_vec());
    let report = run(Dataset::new(reader, env), &p, writer)?;
    let store = store.lock().unwrap().clone();
    assert!(store.finished);
    let (done, total) = env.progress.get();
    assert_eq!(done, total);
    Ok((store, report))
}

pub(super) fn read(reader: &dyn Reader, env: &Env) -> Values {
    let shape = reader.schema().shape(VarId(0));
    let set = Dataset::new(reader, env);
    set.read(VarId(0), &Region::whole(&shape)).unwrap()
}

/// The method, and the resulting store.
pub(super) fn copy(reader: &dyn Reader, form: &Form, env: &Env) -> (Method, Store) {
    let (store, report) = stored(reader, std::slice::from_ref(form), env).unwrap();
    assert_eq!(read(&store.dataset(), env), read(reader, env), "{form:?}");
    let sizes = store.chunks.values().map(|(_, b)| b.len() as u64);
    assert_eq!(report.vars[0].after, sizes.sum::<u64>());
    (report.vars[0].method, store)
}

pub(super) const BE: Endianness = Endianness::Big;
pub(super) const LE: Endianness = Endianness::Little;

#[test]
fn the_cheapest_way_is_taken() {
    let env = env(2, 1 << 20);
    let bytes = classic(&[12, 10], Atomic::Int, false);
    let input = open(&bytes, &env).unwrap();
    let (method, first) = copy(&*input, &form(&[4, 5], &[3], LE), &env);
    assert!(matches!(method, Method::Rechunk(_)));
    let back = first.dataset();
    let (method, same) = copy(&back, &form(&[4, 5], &[3], LE), &env);
    assert_eq!((method, same.moved), (Method::Chunks, 6));
    assert_eq!(same.chunks, first.chunks);
    for form in [
        form(&[4, 5], &[], LE),
        form(&[4, 5], &[3, 8], LE),
        form(&[4, 5], &[3], BE),
    ] {
        let (method, _) = copy(&back, &form, &env);
        assert_eq!(method, Method::Recode);
    }
    for chunk in [[4, 6], [12, 10], [5, 5], [100, 1]] {
        let (method, _) = copy(&back, &form(&chunk, &[3], LE), &env);
        assert!(matches!(method, Method::Rechunk(_)));
    }
}

/// Chunks that are not stored stay missing if they read the same.
#[test]
fn missing_chunks_stay_missing_unless_the_fill_differs() {
    let env = env(2, 1 << 20);
    let bytes = classic(&[12, 10], Atomic::Short, false);
    let input = open(&bytes, &env).unwrap();
    let (_, mut store) = copy(&*input, &form(&[4, 5], &[3], LE), &env);
    store.chunks.remove(&(0, 2));
    store.chunks.remove(&(0, 3));
    let back = store.dataset();
    for (form, chunks) in [
        (form(&[4, 5], &[3], LE), 4),
        (form(&[4, 5], &[], BE), 4),
        (form(&[2, 10], &[3], LE), 4),
        (form(&[12, 2], &[3], LE), 5),
    ] {
        let (_, copy) = copy(&back, &form, &env);
        assert_eq!(copy.chunks.len(), chunks, "{form:?}");
    }
    // The output has another fill value.
    let mut p = plan(back.schema(), &to(Kind::NETCDF4)).unwrap();
    let fill = Attribute::atomic(Name::stored(b"_FillValue"), Values::Short(vec![7]));
    p.schema.vars[0].attributes.extend(fill);
    let same = form(&[4, 5], &[3], LE);
    let (writer, out) = Mock::create(p.schema.clone(), vec![same]);
    let report = run(Dataset::new(&back, &env), &p, writer).unwrap();
    assert!(matches!(report.vars[0].method, Method::Rechunk(_)));
    let out = out.lock().unwrap().clone();
    assert_eq!(out.chunks.len(), 6);
    assert_eq!(read(&out.dataset(), &env), read(&back, &env));
}

/// Elements of a chunk beyond the variable are fill values, in case the variable grows later.
#[test]
fn chunks_end_in_fill() {
    let env = env(1, 1 << 20);
    let input = open(&classic(&[3], Atomic::Short, true), &env).unwrap();
    let (_, store) = copy(&*input, &form(&[5], &[], LE), &env);
    let chunk = &store.chunks[&(0, 0)].1;
    assert_eq!(chunk[6..], [0x01, 0x80, 0x01, 0x80]);
}

#[test]
fn scalars_and_empty_variables_are_copied() {
    let env = env(2, 1 << 20);
    for (shape, records, chunks) in [(&[][..], false, 1), (&[0, 3], true, 0), (&[1], true, 1)] {
        let input = open(&classic(shape, Atomic::Double, records), &env).unwrap();
        let chunk: Vec<u64> = shape.iter().map(|_| 2).collect();
        let (_, first) = copy(&*input, &form(&chunk, &[1], LE), &env);
        assert_eq!(first.chunks.len(), chunks);
        let (_, again) = copy(&first.dataset(), &form(&chunk, &[1], LE), &env);
        assert_eq!(again.chunks, first.chunks);
    }
}

#[test]
fn a_chunk_that_is_cut_off_is_an_error() {
    let env = env(2, 1 << 20);
    let input = open(&classic(&[12, 10], Atomic::Int, false), &env).unwrap();
    let (_, mut store) = copy(&*input, &form(&[4, 5], &[], LE), &env);
    store.chunks.get_mut(&(0, 3)).unwrap().1.pop();
    for to in [
        form(&[4, 5], &[], LE),
        form(&[4, 5], &[1], LE),
        form(&[12, 1], &[], LE),
    ] {
        let e = stored(&store.dataset(), &[to], &env).unwrap_err();
        assert_eq!(
            (e.kind(), e.object()),
            (ErrorKind::Corrupt, Some("/v")),
            "{e}"
        );
    }
}

/// Heap values are written in chunk order for any number of threads.
#[test]
fn heap_data_is_written_in_order() {
    let input = open(&classic(&[6, 6], Atomic::Int, false), &env(1, 1 << 20)).unwrap();
    let (_, mut store) = copy(&*input, &form(&[2, 3], &[], LE), &env(1, 1 << 20));
    let schema = store.schema.as_mut().unwrap();
    schema.vars[0].ty = Atomic::String.into();
    let back = store.dataset();
    let run = |threads| {
        let to = [form(&[3, 2], &[4], LE)];
        stored(&back, &to, &env(threads, 1 << 20)).unwrap().0
    };
    let one = run(1);
    let mut numbers = vec![];
    for (mask, bytes) in one.chunks.values() {
        let add = if *mask == 0 { 4 } else { 0 };
        let bytes: Vec<u8> = bytes.iter().map(|b| b - add).collect();
        numbers.extend(bytes.chunks(4).map(|b| u32::from(b[0])));
    }
    assert_eq!(numbers, (0..36).collect::<Vec<_>>());
    assert_eq!(run(4).chunks, one.chunks);
}

/// Copies by a method of the caller's choice.
fn forced(reader: &dyn Reader, form: &Form, env: &Env, how: rechunk::RechunkPlan) -> Result<Store> {
    let p = plan(reader.schema(), &to(Kind::NETCDF4))?;
    let (mut writer, store) = Mock::create(p.schema.clone(), vec![form.clone()]);
    let mut jobs = jobs(Dataset::new(reader, env), &p, &mut *writer)?;
    jobs[0].method = Method::Rechunk(how);
    execute(Dataset::new(reader, env), jobs, &mut *writer)?;
    let store = store.lock().unwrap().clone();
    Ok(store)
}

pub(super) fn dimension() -> impl Strategy<Value = [u64; 3]> {
    (1u64..9, 1u64..11, 1u64..11).prop_map(|(n, a, b)| [n, a, b])
}

/// A chunked dataset with missing chunks, and other chunk shapes to copy it to.
fn case() -> impl Strategy<Value = (Store, Form)> {
    let dims = prop::collection::vec(dimension(), 0..5);
    let ty = prop::sample::select(vec![Atomic::Byte, Atomic::Short, Atomic::Double]);
    let other = (0usize..3, 0usize..3, any::<(bool, bool)>(), any::<u64>());
    (dims, ty, other).prop_map(|(dims, ty, (a, b, (big, records), seed))| {
        let column = |n: usize| dims.iter().map(|d| d[n]).collect::<Vec<u64>>();
        let bytes = classic(&column(0), ty, records && !dims.is_empty());
        let few = env(1, 0);
        let input = open(&bytes, &few).unwrap();
        let first = form(&column(1), &[5, 9][..a], LE);
        let (_, mut store) = copy(&*input, &first, &few);
        // Most chunks, few, none.
        let kept = [48, 4, 0][(seed >> 8) as usize % 3];
        let mut n = 0u64;
        store.chunks.retain(|_, _| {
            n = n
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(seed | 1);
            n >> 58 < kept
        });
        (
            store,
            form(&column(2), &[5, 9][..b], if big { BE } else { LE }),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// From a classic file to chunks to other chunks: the values stay, and the bytes depend neither
    /// on threads nor on memory.
    #[test]
    fn any_chunks_become_any_others((store, form) in case()) {
        let back = store.dataset();
        let (_, want) = copy(&back, &form, &env(1, 0));
        for (threads, memory) in [(2, 300), (1, 1000), (3, 2000), (2, 5000), (4, 1 << 20)] {
            let (_, got) = copy(&back, &form, &env(threads, memory));
            prop_assert_eq!(&got.chunks, &want.chunks, "{} {}", threads, memory);
        }
    }

    /// All ways lead to the same chunks.
    #[test]
    fn all_ways_are_one(
        (store, form) in case(),
        chunks in 1u64..20,
        slabs in prop::sample::select(vec![0u64, 30, 100, 400, 10_000]),
        threads in 1usize..4,
    ) {
        use rechunk::RechunkWay as Way;
        let back = store.dataset();
        let env = env(threads, 1 << 20);
        let plan = rechunk::RechunkPlan {
            way: Way::Direct,
            chunks: 1,
            passes: 1,
            slabs,
            work: 1000,
            disk: 0,
            raised: false,
        };
        let want = forced(&back, &form, &env, plan).unwrap();
        prop_assert_eq!(read(&want.dataset(), &env), read(&back, &env));
        for way in [Way::Memory { slabs: 1 }, Way::Memory { slabs: 2 }, Way::Spill] {
            let got = forced(&back, &form, &env, rechunk::RechunkPlan { way, chunks, ..plan }).unwrap();
            prop_assert_eq!(&got.chunks, &want.chunks, "{:?}", way);
        }
    }
}

#[test]
fn all_chunks_are_looked_at() {
    // Tests the mock itself: it does not find missing chunks.
    let env = env(1, 1 << 20);
    let input = open(&classic(&[4], Atomic::Byte, false), &env).unwrap();
    let (_, store) = copy(&*input, &form(&[2], &[], LE), &env);
    let back = store.dataset();
    assert_eq!(stored_chunks(Dataset::new(&back, &env), VarId(0)).len(), 2);
}

/// Small records of many variables are read in one sweep, and written variable by variable.
#[test]
fn small_records_are_swept() {
    let mut s = dataset(Kind::CLASSIC, &[0, 3]);
    for (n, ty) in [
        Atomic::Byte,
        Atomic::Short,
        Atomic::Int,
        Atomic::Double,
        Atomic::Char,
    ]
    .into_iter()
    .enumerate()
    {
        add(&mut s, format!("v{n}").as_bytes(), ty, &[0, 1][..1 + n % 2]);
    }
    let bytes = make(s, 40);
    let forms: Vec<Form> = (0..5)
        .map(|n| form(&[7, 2][..1 + n % 2], &[n as u32], LE))
        .collect();
    let mut all = vec![];
    for memory in [1 << 20, 10] {
        let env = env(2, memory);
        let input = open(&bytes, &env).unwrap();
        let p = plan(input.schema(), &to(Kind::NETCDF4)).unwrap();
        let (mut writer, _) = Mock::create(p.schema.clone(), forms.clone());
        let planned = jobs(Dataset::new(&*input, &env), &p, &mut *writer).unwrap();
        assert!(planned.iter().all(|job| job.swept));
        let (store, report) = stored(&*input, &forms, &env).unwrap();
        assert_eq!(report.vars.len(), 5);
        let back = store.dataset();
        for var in input.schema().var_ids() {
            let whole = Region::whole(&input.schema().shape(var));
            let had = Dataset::new(&*input, &env).read(var, &whole).unwrap();
            assert_eq!(Dataset::new(&back, &env).read(var, &whole).unwrap(), had);
        }
        all.push(store.chunks);
    }
    assert_eq!(all[0], all[1]);
    // Variables are read one by one if there are few.
    let env = env(2, 1 << 20);
    let input = open(&bytes, &env).unwrap();
    let mut p = plan(input.schema(), &to(Kind::NETCDF4)).unwrap();
    p.data.truncate(3);
    let (mut writer, _) = Mock::create(p.schema.clone(), forms);
    let planned = jobs(Dataset::new(&*input, &env), &p, &mut *writer).unwrap();
    assert!(!planned.iter().any(|job| job.swept));
}
