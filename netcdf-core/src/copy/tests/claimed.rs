//! Files whose headers claim more records than exist.

use super::*;
use crate::chunk::visit::Locate;
use crate::copy::plan::keep_fill_values;

/// Returns a file with two record variables of 3 records, and a header that claims 2^37 records.
fn claimed() -> Vec<u8> {
    let mut s = dataset(Kind::CDF5, &[3, 2]);
    s.dims[0].unlimited = true;
    s.dims[0].len = 0;
    add(&mut s, b"v", Atomic::Float, &[0, 1]);
    add(&mut s, b"w", Atomic::Int, &[0]);
    let mut bytes = make(s, 3);
    bytes[4..12].copy_from_slice(&(1u64 << 37).to_be_bytes());
    bytes
}

#[test]
fn records_that_are_not_there_are_an_error_at_once() {
    let source = Container::Source(Arc::new(MemorySource::new("a.nc", claimed())));
    let env = Env::default();
    let reader = crate::format::open(source, &env).unwrap();
    for kind in [Kind::NETCDF4, Kind::CDF5] {
        let mut plan = plan(reader.schema(), &to(kind)).unwrap();
        keep_fill_values(Dataset::new(&*reader, &env), &mut plan).unwrap();
        let (target, out) = MemoryTarget::new("out.nc");
        let create = CreateOptions::default();
        let writer = crate::format::create(Box::new(target), plan.schema.clone(), create, &env);
        let e = run(Dataset::new(&*reader, &env), &plan, writer.unwrap()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated, "{kind:?}: {e}");
        assert!(out.lock().unwrap().take().is_none());
    }
}

/// Only existing records are visited, each once.
#[test]
fn records_that_are_not_there_are_not_visited() {
    let source = Container::Source(Arc::new(MemorySource::new("a.nc", claimed())));
    let env = Env::default();
    let reader = crate::format::open(source, &env).unwrap();
    let mut visited = 0;
    let set = Dataset::new(&*reader, &env);
    let grid = set.whole_grid(VarId(0)).unwrap();
    let all = set.locate_chunks(VarId(0), &grid, Locate::Stored, &mut |_| {
        visited += 1;
        Ok(())
    });
    assert_eq!(all.unwrap_err().kind(), ErrorKind::Truncated);
    assert_eq!(visited, 3);
}

#[test]
fn looking_for_chunks_can_be_stopped() {
    let source = Container::Source(Arc::new(MemorySource::new("a.nc", claimed())));
    let env = Env::default();
    let reader = crate::format::open(source, &env).unwrap();
    env.cancel.0.store(15, std::sync::atomic::Ordering::Relaxed);
    let set = Dataset::new(&*reader, &env);
    let stopped = set.chunks_stored(VarId(0)).unwrap_err();
    assert_eq!(stopped.kind(), ErrorKind::Cancelled);
}
