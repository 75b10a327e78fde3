//! Variables that are read into memory by several threads.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use netcdf_core::api::{Dataset, Options, Select};
use netcdf_core::model::{Atomic, GroupId, Kind, StorageLayout};

const ROOT: GroupId = GroupId::ROOT;

/// More than a band, so that several threads put their parts in place.
#[test]
fn large_variables_are_put_together_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let (rows, columns) = (700u64, 901u64);
    let wanted: Vec<f64> = (0..rows * columns).map(|n| n as f64 / 4.0).collect();
    for (kind, chunk) in [
        (Kind::CDF5, None),
        (Kind::NETCDF4, Some([64, 100])),
        (Kind::PURE_ZARR3, Some([33, 901])),
    ] {
        let path = dir.path().join(format!("{kind:?}"));
        let mut data = Dataset::create(&path, kind).unwrap();
        let y = data.define_dim(ROOT, "y", rows.into()).unwrap();
        let x = data.define_dim(ROOT, "x", columns.into()).unwrap();
        let v = data.define_var(ROOT, "v", Atomic::Double, &[y, x]).unwrap();
        if let Some(chunk) = chunk {
            data.define_chunking(v, StorageLayout::Chunked(chunk.to_vec()))
                .unwrap();
        }
        data.end_definition().unwrap();
        data.write(v, &Select::all(), &wanted).unwrap();
        data.close().unwrap();
        for threads in [1, 3] {
            let env = netcdf_core::env::Env::with_threads(std::num::NonZeroU16::new(threads));
            let options = Options {
                env: Some(std::sync::Arc::new(env)),
                ..Options::default()
            };
            let data = Dataset::open_with(&path, options).unwrap();
            assert!(
                data.read::<f64>(v, &Select::all()).unwrap() == wanted,
                "{kind:?}"
            );
            let as_floats = data.read::<f32>(v, &Select::all()).unwrap();
            assert!(
                as_floats
                    .iter()
                    .zip(&wanted)
                    .all(|(f, w)| f64::from(*f) == *w)
            );
            let part = Select::region(&[1, 2], &[349, 899]).stride(&[2, 1]);
            let expected = |row: usize, column: usize| wanted[(1 + 2 * row) * 901 + 2 + column];
            let got = data.read::<f64>(v, &part).unwrap();
            let mut places = (0..349).flat_map(|r| (0..899).map(move |c| (r, c)));
            assert!(
                got.iter()
                    .all(|g| places.next().is_some_and(|(r, c)| expected(r, c) == *g))
            );
            let mut into = vec![0.0; got.len()];
            data.read_into(v, &part, &mut into).unwrap();
            assert!(into == got, "{kind:?}");
        }
    }
}
