//! Locates the sources of virtual datasets, and limits the cost. All virtual datasets of a file share the state, at any nesting depth.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::Files;
use super::links::{LinkPath, shown};
use super::paths::Paths;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::Hdf5File;

/// The name of a file and the path of a dataset in the file.
pub(super) type SourceNames = (Arc<[u8]>, Arc<[u8]>);

/// A located source: the file, and the address of the object header.
pub(super) type SourceDataset = (Arc<Hdf5File>, u64);

/// The identity of an object, independent of links: file name and object header address.
pub(super) type SourceObject = (Arc<str>, u64);

/// Virtual datasets within virtual datasets.
#[derive(Debug, Clone, Default)]
pub(super) struct Nesting {
    depth: u32,
    shared: Arc<SharedSources>,
}

#[derive(Debug, Default)]
struct SharedSources {
    /// The number of inner source reads for the current region of the outermost virtual dataset. Many mappings, on every
    /// level, may refer to the same source.
    reads: AtomicU64,
    /// The cost of source lookups so far.
    cost: AtomicU64,
    ways: Mutex<Ways>,
    /// Shapes of sources that are virtual datasets.
    shapes: Mutex<HashMap<SourceObject, Vec<u64>>>,
}

/// Maximum number of cached shapes.
const SHAPES: usize = 1 << 16;

/// Maximum nesting depth of virtual datasets as sources of virtual datasets.
const DEPTH: u32 = 8;
/// Maximum number of inner source reads per source of the outermost virtual dataset.
pub(super) const READS: u64 = 1 << 16;
/// Maximum cost of source lookups while a file is opened, or while one source of a region is read. A file with a million sources stays
/// below this limit.
const COST: u64 = 1 << 22;
/// Extra cost of the first lookup of a source, because the header is read.
pub(super) const HEADER: u64 = 3;
/// Cost factor for sources of inner virtual datasets. The number of these sources can grow exponentially with [`DEPTH`].
const WITHIN: u64 = 8;
/// The number of mapping or name bytes with the cost of one lookup.
const BYTES: usize = 256;
/// Maximum number of open files for source lookups.
const OPEN: usize = 64;
/// Maximum file name length in bytes. No system supports longer names.
const NAME: usize = 4096;

impl Nesting {
    /// Returns the nesting of the sources, one level deeper.
    pub(super) fn deeper(&self) -> Self {
        Self {
            depth: self.depth + 1,
            shared: Arc::clone(&self.shared),
        }
    }

    /// Resets the counts, for a region of the outermost dataset or for one source.
    pub(super) fn start(&self) {
        if self.depth == 0 {
            self.shared.reads.store(0, Ordering::Relaxed);
            self.shared.cost.store(0, Ordering::Relaxed);
            self.ways(|ways| ways.paths.start());
        }
    }

    /// Counts a read of a source.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for too many reads of sources of inner virtual datasets.
    pub(super) fn read(&self) -> Result<()> {
        self.start();
        let reads = &self.shared.reads;
        if self.depth > 0 && reads.fetch_add(1, Ordering::Relaxed) > READS {
            let what = "nested virtual datasets with too many sources";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        Ok(())
    }

    /// Counts the cost of source lookups for a dataset in `file`: `units`, and a cost for `bytes` of mappings or names.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] if the total exceeds the limit.
    pub(super) fn spend(&self, units: u64, bytes: usize, file: &Hdf5File) -> Result<()> {
        let bytes = u64::try_from(bytes / BYTES).unwrap_or(u64::MAX);
        let weight = if self.depth == 0 { 1 } else { WITHIN };
        let cost = units.saturating_add(bytes).saturating_mul(weight);
        let more = |so_far: u64| so_far.checked_add(cost).filter(|sum| *sum <= COST);
        let counter = &self.shared.cost;
        let counted = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        counted.map(|_| ()).map_err(|_| {
            let what = "virtual datasets with too many sources, or nested too often";
            Error::new(ErrorKind::Limit, what).of(file.name())
        })
    }

    /// Locates a source of a dataset in the file `own`.
    ///
    /// # Errors
    /// Returns errors from opening the file and resolving links. [`Error::is_missing`] recognizes missing sources.
    pub(super) fn find(
        &self,
        own: &Arc<Hdf5File>,
        names: &SourceNames,
        env: &Env,
    ) -> Result<SourceDataset> {
        if self.depth >= DEPTH {
            let what = "virtual datasets are nested too deeply";
            return Err(Error::new(ErrorKind::Unsupported, what));
        }
        let bytes = names.0.len().min(NAME).saturating_add(names.1.len());
        self.spend(1, bytes, own)?;
        self.ways(|ways| ways.find(own, names, env))
    }

    /// Returns the shape of a virtual dataset, if cached.
    pub(super) fn shape(&self, object: &SourceObject) -> Option<Vec<u64>> {
        self.shapes(|shapes| shapes.get(object).cloned())
    }

    /// Caches the shape of a virtual dataset.
    pub(super) fn keep(&self, object: SourceObject, shape: Vec<u64>) {
        self.shapes(|shapes| {
            if shapes.len() >= SHAPES {
                shapes.clear();
            }
            shapes.insert(object, shape);
        });
    }

    fn shapes<T>(&self, with: impl FnOnce(&mut HashMap<SourceObject, Vec<u64>>) -> T) -> T {
        let shapes = self.shared.shapes.lock();
        with(&mut shapes.unwrap_or_else(PoisonError::into_inner))
    }

    fn ways<T>(&self, with: impl FnOnce(&mut Ways) -> T) -> T {
        let ways = self.shared.ways.lock();
        with(&mut ways.unwrap_or_else(PoisonError::into_inner))
    }
}

/// Files and groups along the paths to sources. All sources share the cached contents.
#[derive(Debug, Default)]
struct Ways {
    /// The files by name of the file with the virtual dataset.
    origins: HashMap<Arc<str>, SourceFiles>,
    /// The number of files in `origins`.
    open: usize,
    paths: Paths,
}

/// The file of a virtual dataset (number 0) and the source files.
#[derive(Debug)]
struct SourceFiles {
    files: Files,
    /// File numbers by the names in mappings.
    numbers: HashMap<Arc<[u8]>, u32>,
}

impl Ways {
    fn find(
        &mut self,
        own: &Arc<Hdf5File>,
        (name, path): &SourceNames,
        env: &Env,
    ) -> Result<SourceDataset> {
        if self.open > OPEN {
            self.origins.clear();
            self.open = 0;
        }
        let origin = self.origins.entry(Arc::clone(own.name()));
        let origin = origin.or_insert_with(|| {
            self.open += 1;
            SourceFiles::of(own)
        });
        let before = origin.files.all().len();
        let found = origin.find((name, path), &mut self.paths, env);
        self.open += origin.files.all().len().saturating_sub(before);
        found
    }
}

impl SourceFiles {
    fn of(own: &Arc<Hdf5File>) -> Self {
        Self {
            files: Files::of(Arc::clone(own)),
            numbers: HashMap::new(),
        }
    }

    fn find(
        &mut self,
        (name, path): (&Arc<[u8]>, &[u8]),
        paths: &mut Paths,
        env: &Env,
    ) -> Result<SourceDataset> {
        let file = self.number(name, env)?;
        let mut way = LinkPath {
            files: &mut self.files,
            paths,
            env,
        };
        let root = way.root(file)?;
        let place = way.lookup(root, path, 0)?;
        Ok((self.files.get(place.file)?, place.address))
    }

    /// Returns the number of the file that mappings name `name`.
    fn number(&mut self, name: &Arc<[u8]>, env: &Env) -> Result<u32> {
        if **name == *b"." {
            return Ok(0);
        }
        if let Some(&known) = self.numbers.get(name) {
            return Ok(known);
        }
        if name.len() > NAME {
            let what = format!("a file name of {} bytes is too long", name.len());
            return Err(Error::new(ErrorKind::NotFound, what));
        }
        let number = self.files.sibling(0, name, env)?;
        if self.numbers.len() >= OPEN {
            self.numbers.clear();
        }
        self.numbers.insert(Arc::clone(name), number);
        Ok(number)
    }
}

/// Returns the names of a source, as shown in messages.
pub(super) fn named((file, path): &SourceNames) -> String {
    format!("{}:{}", shown(file), shown(path))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::io::file::FileSource;

    fn names(file: &str, path: &str) -> SourceNames {
        (file.as_bytes().into(), path.as_bytes().into())
    }

    /// Groups and files that thousands of sources share are read once.
    #[test]
    fn groups_and_files_are_read_once() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5/virtual_v110.h5");
        let env = Env::default();
        let source = Arc::new(FileSource::open(&path).unwrap());
        let own = Arc::new(Hdf5File::open(source, &env.limits).unwrap());
        let nesting = Nesting::default();
        let spent = || nesting.ways(|ways| ways.paths.spent());
        let find = |names: &SourceNames| nesting.find(&own, names, &env).unwrap();
        let (a, b) = (names(".", "a"), names("virtual_source.h5", "b"));
        let first = [find(&a), find(&b)];
        assert!(Arc::ptr_eq(&first[0].0, &own) && !Arc::ptr_eq(&first[1].0, &own));
        let before = spent();
        assert!(before > 20, "{before}");
        for _ in 0..1000 {
            for (names, known) in [&a, &b, &names(".", "//./a")].into_iter().zip([0, 1, 0]) {
                let found = find(names);
                assert!(Arc::ptr_eq(&found.0, &first[known].0));
                assert_eq!(found.1, first[known].1);
            }
        }
        assert_eq!(spent() - before, 3000);
        assert_eq!(nesting.ways(|ways| ways.open), 2);
    }

    #[test]
    fn files_are_not_kept_open_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5");
        let env = Env::default();
        for n in 0..150 {
            let copy = folder.path().join(format!("{n}.h5"));
            std::fs::copy(testdata.join("virtual_source.h5"), copy).unwrap();
        }
        let source = FileSource::open(&folder.path().join("0.h5")).unwrap();
        let own = Arc::new(Hdf5File::open(Arc::new(source), &env.limits).unwrap());
        let nesting = Nesting::default();
        for n in (0..150).chain(0..150) {
            let found = nesting.find(&own, &names(&format!("{n}.h5"), "b"), &env);
            assert!(found.unwrap().0.name().ends_with(&format!("/{n}.h5")));
            assert!(nesting.ways(|ways| ways.open) <= OPEN + 1);
        }
    }

    #[test]
    fn long_names_are_cut_in_messages_and_no_files() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/hdf5/virtual_v110.h5");
        let env = Env::default();
        let source = Arc::new(FileSource::open(&path).unwrap());
        let own = Arc::new(Hdf5File::open(source, &env.limits).unwrap());
        let long = names(&"f".repeat(1 << 20), &"d".repeat(1 << 20));
        assert!(named(&long).len() < 600);
        let e = Nesting::default().find(&own, &long, &env).unwrap_err();
        assert!(e.is_missing() && e.to_string().len() < 600, "{e}");
    }
}
