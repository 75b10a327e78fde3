//! The elements of virtual datasets, read from source datasets.

use std::iter::repeat;
use std::sync::{Arc, PoisonError};

use super::links::is_skippable;
use super::reader::Netcdf4Reader;
use super::virtual_copy::SourceCopy;
use super::virtual_mappings::{OpenSource, Virtual};
use super::virtual_sources::{HEADER, READS, SourceNames, named};
use crate::chunk::Dataset as Engine;
use crate::chunk::scatter::Block;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::virtual_dataset::Mapping;
use crate::limits::room;
use crate::model::region::product;
use crate::model::{Region, VarId};
use crate::notes::Note;

/// Maximum number of open sources.
const MAX_OPEN: usize = 64;
/// Maximum average number of mappings per element of a virtual dataset.
const OVERLAP: u64 = 4;

impl Virtual {
    /// Returns a source, or `None` with a note if the source is missing.
    fn source(&self, mapping: &Mapping, number: u64, env: &Env) -> Result<Option<Arc<OpenSource>>> {
        match self.find_source(mapping, number, env)? {
            Ok(source) => Ok(Some(source)),
            Err(e) => {
                if !mapping.counts() {
                    note_missing_source(&mapping.names(number), &e, env);
                }
                Ok(None)
            }
        }
    }

    /// Opens a source. The inner error is for a source that may be missing.
    fn find_source(
        &self,
        mapping: &Mapping,
        number: u64,
        env: &Env,
    ) -> Result<Result<Arc<OpenSource>>> {
        let names = mapping.names(number);
        match self.open(&names, env) {
            Ok(source) => Ok(Ok(source)),
            Err(e) if e.is_missing() => {
                match mapping.counts() || !env.missing_data.refuse_missing {
                    true => Ok(Err(e)),
                    false => Err(about(e, &names)
                        .with_remedy("use --fill-missing to write fill values instead")),
                }
            }
            Err(e) if is_skippable(&e) => Err(about(e, &names)),
            Err(e) => Err(e),
        }
    }

    fn open(&self, names: &SourceNames, env: &Env) -> Result<Arc<OpenSource>> {
        let (file, address) = self.nesting.find(&self.file, names, env)?;
        let object = (Arc::clone(file.name()), address);
        let lock = || self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&object) {
            return Ok(Arc::clone(known));
        }
        self.nesting.spend(HEADER, 0, &self.file)?;
        let name = Arc::clone(file.name());
        let reader = Netcdf4Reader::single(file, address, self.nesting.deeper(), env)?;
        let opened = Arc::new(OpenSource {
            datatype: reader.datatype(),
            reader: Box::new(reader),
            file: name,
        });
        let mut sources = lock();
        if sources.len() >= MAX_OPEN {
            sources.clear();
        }
        sources.insert(object, Arc::clone(&opened));
        Ok(opened)
    }

    /// Returns the elements of a block, in the stored form of the virtual dataset.
    ///
    /// # Errors
    /// Returns errors from reading mappings and sources, or [`ErrorKind::Unsupported`] for a source with a different type that cannot be
    /// converted.
    pub(super) fn read(
        &self,
        dataset: &Hdf5Dataset,
        (fill, part): (&[u8], &Block),
        env: &Env,
    ) -> Result<Vec<u8>> {
        let wanted = Region::boxed(part.start.clone(), part.count.clone());
        let beyond = || Error::new(ErrorKind::Limit, "a region of 2^64 bytes");
        let bytes = wanted
            .elements()
            .and_then(|n| n.checked_mul(fill.len() as u64))
            .ok_or_else(beyond)?;
        let size = env.limits.item(bytes, "a region")?;
        room(size, "a region")?;
        let mut out = Vec::with_capacity(size);
        while out.len() < size {
            out.extend_from_slice(fill);
        }
        self.nesting.start();
        let mappings = self.mappings(dataset)?;
        check_overlap(mappings, &wanted)?;
        let counted = self.counted.iter().copied().chain(repeat(u64::MAX));
        for (mapping, most) in mappings.iter().zip(counted) {
            let numbers = mapping.sources(&wanted);
            for number in numbers.start..numbers.end.min(most) {
                match self.source(mapping, number, env)? {
                    Some(source) => {
                        self.nesting.read()?;
                        let job = SourceCopy {
                            source: &source,
                            file: &self.file,
                            dataset,
                            wanted: &wanted,
                            env,
                        };
                        let copied = job.copy((mapping, number), &mut out);
                        copied.map_err(|e| match e.kind() {
                            ErrorKind::Unsupported => about(e, &mapping.names(number)),
                            _ => e,
                        })?;
                    }
                    None if mapping.counts() => break,
                    None => {}
                }
            }
        }
        Ok(out)
    }
}

impl Virtual {
    /// Opens all sources and data files. Ignores sources that cannot be opened: the read reports them.
    ///
    /// # Errors
    /// Returns errors of reading mappings, and [`ErrorKind::Cancelled`].
    pub(super) fn open_files(
        &self,
        (dataset, whole): (&Hdf5Dataset, &Region),
        env: &Env,
    ) -> Result<()> {
        self.nesting.start();
        let counted = self.counted.iter().copied().chain(repeat(u64::MAX));
        for (mapping, most) in self.mappings(dataset)?.iter().zip(counted) {
            let numbers = mapping.sources(whole);
            for number in numbers.start..numbers.end.min(most) {
                env.cancel.check()?;
                match self.open(&mapping.names(number), env) {
                    Ok(source) => {
                        if let Some(files) = source.reader.named_files(VarId(0)) {
                            files.open(VarId(0), env)?;
                        }
                    }
                    // Numbered sources end at the first missing source.
                    Err(_) if mapping.counts() => break,
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Counts the stored elements of all sources. The count stops at `enough`.
    ///
    /// # Errors
    /// Returns errors from reading mappings, and from locating the chunks of sources.
    pub(super) fn stored(
        &self,
        (dataset, whole): (&Hdf5Dataset, &Region),
        enough: u64,
        env: &Env,
    ) -> Result<u64> {
        let mut found = 0u64;
        self.nesting.start();
        let counted = self.counted.iter().copied().chain(repeat(u64::MAX));
        for (mapping, most) in self.mappings(dataset)?.iter().zip(counted) {
            let mapped = mapping.elements(whole);
            let numbers = mapping.sources(whole);
            for number in numbers.start..numbers.end.min(most) {
                env.cancel.check()?;
                if found >= enough {
                    return Ok(found);
                }
                // A later read of the elements reports missing sources.
                let Ok(source) = self.find_source(mapping, number, env)? else {
                    break;
                };
                self.nesting.read()?;
                let stored = stored_in(&source, enough, env)?;
                found = found.saturating_add(stored.min(mapped));
            }
        }
        Ok(found)
    }
}

/// Counts the stored elements of a source. The count may stop at `enough`.
fn stored_in(source: &OpenSource, enough: u64, env: &Env) -> Result<u64> {
    let (var, reader) = (VarId(0), &*source.reader);
    let engine = Engine::new(reader, env);
    let all = product(&reader.schema().shape(var)).unwrap_or(u64::MAX);
    let stored = match reader.assembly(var) {
        Some(assembly) => assembly.stored(var, enough, env)?,
        None => {
            let chunk = product(&engine.layout(var)?.chunk).unwrap_or(u64::MAX);
            engine.chunks_stored(var)?.saturating_mul(chunk)
        }
    };
    Ok(stored.min(all))
}

/// Checks that the read time of a block is proportional to the block size.
fn check_overlap(mappings: &[Mapping], wanted: &Region) -> Result<()> {
    let elements = mappings.iter().map(|m| m.elements(wanted));
    let mapped = elements.fold(0, u64::saturating_add);
    let most = wanted.elements().unwrap_or(u64::MAX);
    if mapped > most.saturating_mul(OVERLAP).saturating_add(READS) {
        let what = "too many mappings of a virtual dataset have the same elements";
        return Err(Error::new(ErrorKind::Limit, what));
    }
    Ok(())
}

/// Returns the error with the source name.
fn about(e: Error, names: &SourceNames) -> Error {
    e.within(&format!("the source {}", named(names)))
}

fn note_missing_source(names: &SourceNames, e: &Error, env: &Env) {
    env.notes.say(Note {
        object: named(names),
        what: format!("replaced with fill values: missing source of a virtual dataset: {e}"),
        remedy: None,
    });
}
