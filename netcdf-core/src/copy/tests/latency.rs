//! Copies of stores with latency, where it is not known which chunks are stored.

use super::*;
use crate::copy::options::VarLayout;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::io::rounds::Rounds;
use crate::io::{Store, StoreTarget};

/// Returns an array of 6 × 5 chunks with checksums. Some chunks are missing; one chunk has only fill values.
fn input() -> Arc<dyn Store> {
    let text = r#"{"zarr_format":2,"shape":[18,20],"chunks":[3,4],"dtype":"<i2","fill_value":7,"order":"C","filters":null,
        "compressor":{"id":"fletcher32"}}"#;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new("in.zarr"));
    store.put(".zgroup", br#"{"zarr_format":2}"#).unwrap();
    store.put("v/.zarray", text.as_bytes()).unwrap();
    store.put("v/.zattrs", br#"{"_FillValue":7}"#).unwrap();
    for n in (0..30i16).filter(|n| n % 5 != 2 && n % 7 != 0) {
        let value = if n == 11 { 7 } else { n };
        let mut chunk = value.to_le_bytes().repeat(12);
        let sum = u16::try_from((0..12i32).map(|_| i32::from(value)).sum::<i32>()).unwrap();
        let second = u16::try_from((1..=12i32).map(|k| k * i32::from(value)).sum::<i32>()).unwrap();
        chunk.extend(sum.to_le_bytes());
        chunk.extend(second.to_le_bytes());
        store
            .put(&format!("v/{}.{}", n / 5, n % 5), &chunk)
            .unwrap();
    }
    store
}

/// All keys of a copy, with their bytes.
fn copy(store: &Arc<dyn Store>, options: &CopyOptions, threads: usize) -> Vec<(String, Vec<u8>)> {
    let env = Env {
        runtime: Runtime::new(threads),
        ..Env::default()
    };
    let reader = format::open(Container::Store(Arc::clone(store)), &env).unwrap();
    let plan = plan(reader.schema(), options).unwrap();
    let out: Arc<dyn Store> = Arc::new(MemoryStore::new("out.zarr"));
    let target: Box<dyn StoreTarget> = Box::new(MemoryStoreTarget::new(Arc::clone(&out)).0);
    let writer = format::create(target, plan.schema.clone(), CreateOptions::default(), &env);
    run(Dataset::new(&*reader, &env), &plan, writer.unwrap()).unwrap();
    let mut all = vec![];
    let mut one = |key: &str, _| {
        all.push((key.to_owned(), out.get(key)?.unwrap()));
        Ok(())
    };
    out.walk("", &mut one).unwrap();
    all
}

#[test]
fn copies_are_the_same_as_of_other_stores() {
    let store = input();
    for kind in [Kind::PURE_ZARR, Kind::NCZARR, Kind::PURE_ZARR3] {
        for chunk in [
            None,
            Some([3, 4]),
            Some([6, 4]),
            Some([2, 3]),
            Some([18, 1]),
        ] {
            let mut options = to(kind);
            let shape = chunk.map(|chunk| VarLayout::Chunked(chunk.to_vec()));
            options
                .storage
                .chunks
                .vars
                .extend(shape.map(|shape| (VarId(0), shape)));
            for threads in [1, 3] {
                let slow: Arc<dyn Store> = Rounds::of(Arc::clone(&store));
                let expected = copy(&store, &options, threads);
                assert_eq!(
                    copy(&slow, &options, threads),
                    expected,
                    "{kind:?} {chunk:?}"
                );
            }
        }
    }
}
