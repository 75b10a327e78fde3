//! Texts: JSON, and the names of datasets and of keys.

use std::path::{Component, Path};

use netcdf_core::io::Store;
use netcdf_core::io::key;
use netcdf_core::io::locator::{OutputRequest, Destination, Location};
use netcdf_core::io::memory_store::MemoryStore;
use netcdf_core::json::Json;
use netcdf_core::model::Kind;

/// JSON: the output must read as the same value.
pub fn json(input: &[u8]) {
    let Ok(json) = Json::parse(input) else {
        return;
    };
    for (name, _) in json.members() {
        assert!(json.get(name).is_some());
    }
    let text = json.to_bytes();
    assert!(Json::parse(&text).is_ok_and(|again| again == json));
}

/// Names of a dataset and of a key; the first byte selects the kind of the output.
pub fn names(input: &[u8]) {
    let Some((number, name)) = input.split_first() else {
        return;
    };
    let Ok(name) = std::str::from_utf8(name) else {
        return;
    };
    let asked = OutputRequest {
        kind: kind(number & 7),
        consolidated: number & 8 != 0,
        zip_prefix: (number & 16 != 0).then_some(number & 32 != 0),
        ..OutputRequest::default()
    };
    let _ = Location::new(name);
    let _ = Location::new(name).and_then(|at| Destination::resolve(&at, asked));
    keys(name);
}

fn kind(number: u8) -> Option<Kind> {
    Some(match number {
        0 => Kind::NCZARR,
        1 => Kind::PURE_ZARR,
        2 => Kind::NCZARR3,
        3 => Kind::PURE_ZARR3,
        4 => netcdf_core::format::kind_named("classic")?,
        _ => return None,
    })
}

/// Lines as keys: no key leads out of a store, and all keys are found again.
fn keys(lines: &str) {
    let store = MemoryStore::new("fuzz");
    for key in lines.split('\n').take(16) {
        if key::check(key).is_err() {
            assert!(store.put(key, b"x").is_err());
            continue;
        }
        let inside = |part| matches!(part, Component::Normal(_));
        assert!(Path::new(key).components().all(inside));
        assert!(key::check_prefix(&format!("{key}/")).is_ok());
        if store.put(key, key.as_bytes()).is_ok() {
            assert!(store.get(key).is_ok_and(|bytes| bytes == Some(key.into())));
        }
    }
    let _ = store.walk("", &mut |key, size| {
        assert_eq!(key.len() as u64, size);
        let parts = key.match_indices('/').map(|(end, _)| &key[..end]);
        for (above, part) in std::iter::once("").chain(parts).zip(key.split('/')) {
            let prefix = match above {
                "" => String::new(),
                above => format!("{above}/"),
            };
            let names = store.children(&prefix).unwrap_or_default();
            assert!(names.iter().any(|name| name == part));
        }
        Ok(())
    });
}
