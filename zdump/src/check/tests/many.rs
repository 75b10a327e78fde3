//! Stores of many chunks, and many findings.

use netcdf_core::model::ZarrVersion;

use super::stores::{V2_CODED, encoded, v2};
use super::{found, look, put, swap};

const CHUNKS: u64 = 100_000;

#[test]
fn a_hundred_thousand_chunks() {
    let mut keys = v2();
    swap(&mut keys, "v/.zarray", "[4, 6]", "[200000, 4]");
    for key in ["v/0.0", "v/0.1", "v/1.1"] {
        keys.remove(key);
    }
    for n in 0..CHUNKS {
        put(&mut keys, &format!("v/{n}.0"), [0; 32]);
    }
    let (mut report, counts) = look(&keys, false, 2);
    assert_eq!(report.sorted(), []);
    assert_eq!(counts.chunks, CHUNKS + 3);
}

#[test]
fn findings_without_end_are_not_all_kept() {
    let mut keys = v2();
    for n in 0..3000 {
        put(&mut keys, &format!("v/{n}.7"), [0; 32]);
    }
    let found = found(&keys, false);
    assert_eq!(found.len(), 1000);
    assert!(found.iter().all(|f| f.starts_with("chunk-outside v/")));
}

#[test]
fn findings_do_not_depend_on_threads() {
    let mut keys = v2();
    swap(&mut keys, "g/w/.zarray", "[3]", "[20000]");
    let chunk = encoded(V2_CODED, ZarrVersion::V2, vec![1; 16]);
    for n in 0..10_000 {
        let len = if n % 7 == 0 { 9 } else { chunk.len() };
        put(&mut keys, &format!("g/w/{n}"), &chunk[..len]);
    }
    let reports = [1, 2, 5].map(|threads| look(&keys, true, threads));
    let reports = reports.map(|(mut report, counts)| (report.sorted().to_vec(), counts.decoded));
    assert_eq!((reports[0].0.len(), reports[0].1), (1000, 10_004));
    assert!(reports[1] == reports[0] && reports[2] == reports[0]);
}
