//! Planted faults: each row of the tables is a sound store, one change, and the expected findings. Each row also checks that the store has
//! no findings without the change.

mod complete;
mod consolidated;
mod many;
mod nczarr;
mod run;
mod sound;
mod stores;
mod v2;
mod v3;

use std::collections::BTreeMap;
use std::sync::Arc;

use netcdf_core::env::Env;
use netcdf_core::io::Store;
use netcdf_core::io::memory_store::MemoryStore;
use netcdf_core::runtime::Runtime;

use super::context::CheckedStore;
use super::report::{CheckReport, StoreCounts};
use netcdf_core::format::zarr::survey::StoreSurvey;

/// The keys of a store.
type Keys = BTreeMap<String, Vec<u8>>;

fn put(keys: &mut Keys, key: &str, bytes: impl AsRef<[u8]>) {
    keys.insert(key.to_owned(), bytes.as_ref().to_vec());
}

fn remove(keys: &mut Keys, key: &str) {
    assert!(keys.remove(key).is_some(), "{key}");
}

fn rename(keys: &mut Keys, from: &str, to: &str) {
    let bytes = keys.remove(from).unwrap_or_else(|| panic!("{from}"));
    put(keys, to, bytes);
}

/// Replaces a text in a key.
fn swap(keys: &mut Keys, key: &str, from: &str, to: &str) {
    let text = keys.get(key).unwrap_or_else(|| panic!("{key}"));
    let text = String::from_utf8(text.clone()).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    put(keys, key, text.replace(from, to));
}

/// Changes a byte of a key.
fn flip(keys: &mut Keys, key: &str, at: usize) {
    keys.get_mut(key).unwrap_or_else(|| panic!("{key}"))[at] ^= 0x55;
}

fn store(keys: &Keys) -> Arc<dyn Store> {
    let store = MemoryStore::new("m");
    for (key, bytes) in keys {
        store.put(key, bytes).unwrap();
    }
    Arc::new(store)
}

fn look(keys: &Keys, deep: bool, threads: usize) -> (CheckReport, StoreCounts) {
    let (store, mut env) = (store(keys), Env::default());
    env.runtime = Runtime::new(threads).sharing_all();
    let survey = StoreSurvey::read(&store, &env).unwrap();
    let (store, survey, env) = (&store, &survey, &env);
    let report = super::look(CheckedStore { store, survey, env }, (deep, false)).unwrap();
    let counts = report.counts;
    (report, counts)
}

/// Returns `rule key` of all findings.
fn found(keys: &Keys, deep: bool) -> Vec<String> {
    let (mut report, _) = look(keys, deep, 2);
    let findings = report.sorted().iter();
    findings
        .map(|f| format!("{} {}", f.rule.name(), f.key))
        .collect()
}

/// Returns `what` of all findings.
fn said(keys: &Keys) -> String {
    let (mut report, _) = look(keys, true, 2);
    let said: Vec<_> = report.sorted().iter().map(|f| f.what.clone()).collect();
    said.join("\n")
}

/// A change of a store, and the expected findings.
type Row = (&'static str, fn(&mut Keys), &'static [&'static str]);

/// Checks rows of faults. With `deep`, only decoding the chunks finds the faults.
fn faults(base: fn() -> Keys, deep: bool, rows: &[Row]) {
    assert_eq!(found(&base(), true), [""; 0], "the store is sound");
    for (name, change, expected) in rows {
        let mut keys = base();
        change(&mut keys);
        assert_eq!(found(&keys, deep), *expected, "{name}: {}", said(&keys));
        if deep {
            assert_eq!(found(&keys, false), [""; 0], "{name}");
        }
    }
}

#[test]
fn every_rule_is_broken_by_a_fault() {
    let tables = [
        include_str!("complete.rs"),
        include_str!("consolidated.rs"),
        include_str!("nczarr.rs"),
        include_str!("run.rs"),
        include_str!("v2.rs"),
        include_str!("v3.rs"),
        // Entries that are not keys, in generated zip files.
        include_str!("../../../../tests/tests/zarr/odd_keys.rs"),
    ];
    for rule in super::rule::Rule::ALL {
        let name = rule.name();
        let lines = [
            format!("\"{name} "),
            format!(" {name}: "),
            format!("error {name}\""),
        ];
        let planted = tables
            .iter()
            .any(|t| lines.iter().any(|line| t.contains(line)));
        assert!(planted, "{}", rule.name());
    }
}
