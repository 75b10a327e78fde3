//! The elements of virtual datasets: those of other datasets, found by their mappings.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::files::Files;
use super::links::{self, may_be_left_out};
use super::reader::Netcdf4Reader;
use super::virtual_copy::Job;
use crate::chunk::scatter::Block;
use crate::env::{Env, Note};
use crate::error::{Error, ErrorKind, Result};
use crate::format::Reader;
use crate::format::hdf5::File;
use crate::format::hdf5::dataset::Dataset;
use crate::format::hdf5::message::layout::Layout;
use crate::format::hdf5::virtual_dataset::{self, Mapping, Reach};
use crate::limits::room;
use crate::model::{Region, VarId};

/// The sources of a virtual dataset.
#[derive(Debug)]
pub struct Virtual {
    file: Arc<File>,
    mappings: OnceLock<Vec<Mapping>>,
    /// Open sources by file and path; `None` for those that are not there.
    sources: Mutex<HashMap<Names, Option<Arc<Netcdf4Reader>>>>,
    nesting: Nesting,
}

/// Virtual datasets within virtual datasets.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    depth: u32,
    /// Sources of inner ones that were read for the present region of the outermost one: each may
    /// be wanted by many mappings, on every level.
    reads: Arc<AtomicU64>,
}

impl Nesting {
    fn deeper(&self) -> Self {
        Self {
            depth: self.depth + 1,
            reads: Arc::clone(&self.reads),
        }
    }

    /// Counts a read of a source.
    fn read(&self) -> Result<()> {
        if self.depth == 0 {
            self.reads.store(0, Ordering::Relaxed);
        } else if self.reads.fetch_add(1, Ordering::Relaxed) > READS {
            let what = "virtual datasets within virtual datasets with too many sources";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        Ok(())
    }
}

/// Names of a file and of a dataset in it.
type Names = (Arc<[u8]>, Arc<[u8]>);

/// Sources that are kept open.
const KEPT: usize = 64;
/// Sources that are virtual datasets themselves, one within the other.
const DEPTH: u32 = 8;
/// Sources of inner virtual datasets that are read for one of the outermost.
const READS: u64 = 1 << 16;
/// Mappings that have the same elements of a virtual dataset, on the average.
const OVERLAP: u64 = 4;
/// Sources that are counted to find the length of an unlimited virtual dataset.
const COUNTED: u64 = 1 << 16;

impl Virtual {
    /// The sources of a dataset of this file.
    #[must_use]
    pub fn new(file: Arc<File>, nesting: Nesting) -> Self {
        Self {
            file,
            mappings: OnceLock::new(),
            sources: Mutex::default(),
            nesting,
        }
    }

    fn mappings(&self, dataset: &Dataset) -> Result<&[Mapping]> {
        if let Some(mappings) = self.mappings.get() {
            return Ok(mappings);
        }
        let mut mappings = vec![];
        if let Layout::Virtual {
            heap: Some(heap),
            index,
        } = dataset.layout
            && let Some(object) = self.file.heap_object(heap, index)?
        {
            mappings = virtual_dataset::parse(&self.file, &object, object.address())?;
        }
        Ok(self.mappings.get_or_init(|| mappings))
    }

    /// The shape that the sources give: a length that is unlimited is as long as they reach.
    ///
    /// # Errors
    /// Those of reading the mappings.
    pub fn extent(&self, dataset: &Dataset, env: &Env) -> Result<Vec<u64>> {
        let mut dims = dataset.dataspace.dims.clone();
        let mut reached: HashMap<usize, u64> = HashMap::new();
        for mapping in self.mappings(dataset)? {
            let found = if mapping.counts() {
                mapping.reach(Reach::Sources(self.count(mapping, env)?))
            } else if mapping.target.unlimited().is_some() {
                match self.known(mapping, 0, env)? {
                    Some(source) => mapping.reach(Reach::Shape(&source.schema().shape(VarId(0)))),
                    None => None,
                }
            } else {
                None
            };
            if let Some((dim, end)) = found {
                let most = reached.entry(dim).or_insert(0);
                *most = end.max(*most);
            }
        }
        for (dim, len) in dims.iter_mut().enumerate() {
            *len = reached.get(&dim).copied().unwrap_or(*len);
        }
        Ok(dims)
    }

    /// Number of sources of a mapping that counts them: up to the first that is missing.
    fn count(&self, mapping: &Mapping, env: &Env) -> Result<u64> {
        for number in 0..COUNTED {
            if self.known(mapping, number, env)?.is_none() {
                return Ok(number);
            }
        }
        Ok(COUNTED)
    }

    /// A source whose shape counts; none also if it must not be opened: that is an error once its data are wanted.
    fn known(
        &self,
        mapping: &Mapping,
        number: u64,
        env: &Env,
    ) -> Result<Option<Arc<Netcdf4Reader>>> {
        match self.source(mapping, number, env) {
            Err(e) if may_be_left_out(&e) => Ok(None),
            other => other,
        }
    }

    /// A source; none if it is not there. What is there and cannot be opened, or must not be, is not to be taken for nothing.
    fn source(
        &self,
        mapping: &Mapping,
        number: u64,
        env: &Env,
    ) -> Result<Option<Arc<Netcdf4Reader>>> {
        let names = mapping.names(number);
        let lock = || self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&names) {
            return Ok(known.clone());
        }
        let opened = match self.open(&names, env) {
            Ok(reader) => Some(Arc::new(reader)),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::Io) => {
                if !mapping.counts() {
                    say_missing(&names, &e, env);
                }
                None
            }
            Err(e) if may_be_left_out(&e) => return Err(named(e, &names)),
            Err(e) => return Err(e),
        };
        let mut sources = lock();
        if sources.len() >= KEPT {
            sources.clear();
        }
        sources.insert(names, opened.clone());
        Ok(opened)
    }

    fn open(&self, (name, path): &Names, env: &Env) -> Result<Netcdf4Reader> {
        if self.nesting.depth >= DEPTH {
            let what = "virtual datasets are nested too deep";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let mut files = Files::of(Arc::clone(&self.file));
        let number = if **name == *b"." {
            0
        } else {
            files.sibling(0, name, env)?
        };
        let file = files.get(number)?;
        Netcdf4Reader::single(file, path, self.nesting.deeper(), env)
    }

    /// The elements of a box, in the stored form of the virtual dataset.
    ///
    /// # Errors
    /// Those of reading mappings and sources; [`ErrorKind::Unsupported`] for a source of another type
    /// that cannot be converted.
    pub fn read(
        &self,
        dataset: &Dataset,
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
        let mappings = self.mappings(dataset)?;
        check_overlap(mappings, &wanted)?;
        for mapping in mappings {
            for number in mapping.sources(&wanted) {
                match self.source(mapping, number, env)? {
                    Some(source) => {
                        self.nesting.read()?;
                        let job = Job {
                            source: &source,
                            file: &self.file,
                            dataset,
                            wanted: &wanted,
                            env,
                        };
                        let copied = job.copy((mapping, number), &mut out);
                        copied.map_err(|e| match e.kind() {
                            ErrorKind::Unsupported => named(e, &mapping.names(number)),
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

/// Whether reading a box takes a time that is in proportion to it.
fn check_overlap(mappings: &[Mapping], wanted: &Region) -> Result<()> {
    let elements = mappings.iter().map(|m| m.elements(wanted));
    let mapped = elements.fold(0, u64::saturating_add);
    let most = wanted.elements().unwrap_or(u64::MAX);
    if mapped > most.saturating_mul(OVERLAP).saturating_add(READS) {
        let what = "too many mappings of a virtual dataset for the same elements";
        return Err(Error::new(ErrorKind::Limit, what));
    }
    Ok(())
}

fn shown((file, path): &Names) -> String {
    format!("{}:{}", links::shown(file), links::shown(path))
}

/// The error with the source that it is about.
fn named(e: Error, names: &Names) -> Error {
    e.within(&format!("the source {}", shown(names)))
}

fn say_missing(names: &Names, e: &Error, env: &Env) {
    env.notes.say(Note {
        object: shown(names),
        what: format!("this source of a virtual dataset is missing, fill values stand for it: {e}"),
        remedy: None,
    });
}
