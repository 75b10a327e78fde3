//! References in JSON, with sources in memory.

use std::sync::Arc;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::memory::MemorySource;
use netcdf_core::io::references::{self, MissingSource, ReferenceRules, SourceOpener};
use netcdf_core::io::store::Hints;
use netcdf_core::io::{Container, Source, Store};

use crate::{limits, read, source};

/// Maximum bytes of a chunk.
const MOST: u64 = 1 << 22;

/// Opens sources of 4096 bytes. Some names have no source.
#[derive(Debug)]
struct Opener;

impl SourceOpener for Opener {
    fn open(&self, url: &str) -> Result<Arc<dyn Source>> {
        match url.len() % 7 {
            0 => Err(Error::new(ErrorKind::NotFound, "no source")),
            _ => Ok(Arc::new(MemorySource::new(url, vec![1; 4096]))),
        }
    }

    fn is_remote(&self, url: &str) -> bool {
        url.starts_with("http")
    }
}

/// References in JSON: all keys, then the store. The first byte selects the treatment of missing sources.
pub fn references(input: &[u8]) {
    let Some((first, text)) = input.split_first() else {
        return;
    };
    let rules = ReferenceRules {
        opener: Box::new(Opener),
        missing: match first & 1 {
            0 => MissingSource::Error,
            _ => MissingSource::Skip,
        },
        hints: Hints::default(),
        notes: Arc::default(),
    };
    let Ok(Some(store)) = references::open_json(&*source(text), &limits(), rules) else {
        return;
    };
    let mut keys = vec![];
    let _ = store.walk("", &mut |key, size| {
        keys.push((key.to_owned(), size));
        Ok(())
    });
    for (key, size) in keys.iter().take(64) {
        if let Ok(Some(bytes)) = store.get(key) {
            assert!(*size == u64::MAX || bytes.len() as u64 == *size);
        }
    }
    read(Container::Store(Arc::new(store)), MOST);
}
