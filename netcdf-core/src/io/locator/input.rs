//! Opens the inputs of tools.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

use super::destination::{PARQUET, ends_in};
use super::modes::{AskedFormat, Modes};
use super::reference_sources::ReferenceOpener;
use super::{Location, consolidated_by_environment};
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::Address;
use crate::io::dir::{self, DirStore};
use crate::io::file::{FileSource, full};
use crate::io::memory::MemorySource;
use crate::io::network::Network;
use crate::io::references::{self, MissingSource, ReferenceRules};
use crate::io::siblings::SiblingAccess;
use crate::io::source::Source;
use crate::io::store::{Hints, Store};
use crate::io::trace::Trace;
use crate::io::zip::{self, ZipStore};
use crate::io::{Container, foreign_format, remote};
use crate::limits::Limits;
use crate::notes::Notes;

/// Options for opening inputs.
#[derive(Debug, Clone, Default)]
pub struct InputAccess {
    /// The trace of store operations.
    pub trace: Trace,
    /// Whether links may lead outside a store.
    pub allow_external: bool,
    /// Limits for memory allocations from sizes in a zip file.
    pub limits: Limits,
    /// Whether the input is text instead of a dataset.
    pub text: bool,
    /// Receives notes about opening an input.
    pub notes: Arc<Notes>,
    /// The network settings.
    pub network: Arc<Network>,
    /// The rules for files that references lead to.
    pub siblings: SiblingAccess,
    /// The treatment of missing sources of references.
    pub missing: MissingSource,
}

/// Opens an input. `stdin` is standard input, which is copied to a temporary file.
///
/// # Errors
/// Returns the errors of [`InputAccess::input`].
pub fn input(at: &Location, stdin: &mut dyn Read) -> Result<Container> {
    InputAccess::default().input(at, stdin)
}

impl InputAccess {
    /// Opens an input. `stdin` is standard input, which is copied to a temporary file. A directory or zip file with Zarr metadata is a
    /// store, and a URL can specify a store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::UnknownFormat`] for a directory that is not a store, and [`ErrorKind::Io`].
    pub fn input(&self, at: &Location, stdin: &mut dyn Read) -> Result<Container> {
        if at.is_standard() {
            let source = Arc::new(spool("(stdin)", stdin, self.wanted())?);
            return self.file(source, (None, None));
        }
        let (modes, path) = (at.modes().cloned().unwrap_or_default(), at.path());
        if let Some(address) = at.remote() {
            return self.elsewhere(address, &modes);
        }
        match modes.asked() {
            AskedFormat::Zarr { pure } => {
                let hints = asked_hints(&modes, pure);
                self.store(path, &modes, hints).map(Container::Store)
            }
            AskedFormat::File => Ok(Container::Source(Arc::new(open(path, self.wanted())?))),
            AskedFormat::Nothing => self.any(path),
        }
    }

    /// Opens a remote input.
    fn elsewhere(&self, address: &Address, modes: &Modes) -> Result<Container> {
        match modes.asked() {
            AskedFormat::Zarr { pure } => {
                let hints = asked_hints(modes, pure);
                self.store_elsewhere(address, modes, hints)
                    .map(Container::Store)
            }
            AskedFormat::File => {
                remote::source(address, &self.notes, &self.network).map(Container::Source)
            }
            AskedFormat::Nothing => {
                let name = address.short();
                if PARQUET.iter().any(|end| ends_in(Path::new(&name), end))
                    && let Some(store) = self.parquet_elsewhere(address)?
                {
                    return Ok(Container::Store(self.trace.store(store)));
                }
                match remote::any(address, plain(), &self.notes, &self.network)? {
                    Container::Source(source) => self.file(source, (None, Some(address))),
                    Container::Store(store) => Ok(Container::Store(self.trace.store(store))),
                }
            }
        }
    }

    fn store_elsewhere(
        &self,
        address: &Address,
        modes: &Modes,
        hints: Hints,
    ) -> Result<Arc<dyn Store>> {
        if modes.has("zip") {
            let source = remote::source(address, &self.notes, &self.network)?;
            return self.zip(source, hints).map(|(store, _)| store);
        }
        let store = remote::store(address, hints, &self.network)?;
        Ok(self.trace.store(store))
    }

    /// The check of the first bytes of a pipe, which decides whether to read the rest.
    fn wanted(&self) -> fn(&[u8]) -> bool {
        if self.text { is_text } else { is_dataset }
    }

    /// Opens any directory or zip file as a store of keys, with or without Zarr metadata.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownFormat`] for other files; [`ErrorKind::Io`].
    pub fn keys(&self, at: &Location, stdin: &mut dyn Read) -> Result<Arc<dyn Store>> {
        if at.is_standard() {
            let source = Arc::new(spool("(stdin)", stdin, self.wanted())?);
            return self.zip(source, plain()).map(|(store, _)| store);
        }
        let modes = at.modes().cloned().unwrap_or_default();
        let Some(address) = at.remote() else {
            return self.store(at.path(), &modes, plain());
        };
        match modes.asked() {
            AskedFormat::Nothing => {
                match remote::any(address, plain(), &self.notes, &self.network)? {
                    Container::Source(source) => match self.json(&source, (None, Some(address)))? {
                        Some(store) => Ok(store),
                        None => self.zip(source, plain()).map(|(store, _)| store),
                    },
                    Container::Store(store) => Ok(self.trace.store(store)),
                }
            }
            _ => self.store_elsewhere(address, &modes, plain()),
        }
    }

    /// Opens the store that a URL specifies: a directory or a zip file.
    fn store(&self, path: &Path, modes: &Modes, hints: Hints) -> Result<Arc<dyn Store>> {
        if path.is_dir()
            && let Some(store) = self.parquet(path)?
        {
            return Ok(self.trace.store(store));
        }
        if path.is_dir() || modes.has("file") {
            return self.directory(path, hints);
        }
        let source: Arc<dyn Source> = Arc::new(open(path, self.wanted())?);
        if let Some(store) = self.json(&source, (Some(path), None))? {
            return Ok(store);
        }
        if !modes.has("zip") && !zip::is_zip(&*source)? {
            return Err(foreign_format::refusal(
                &*source,
                "a Zarr store in a directory or zip file",
            ));
        }
        self.zip(source, hints).map(|(store, _)| store)
    }

    fn directory(&self, path: &Path, hints: Hints) -> Result<Arc<dyn Store>> {
        let store = DirStore::open(path)?.with_hints(hints);
        let store = store.allow_external(self.allow_external);
        Ok(self.trace.store(Arc::new(store)))
    }

    /// Opens the store in a zip file; also returns whether it has Zarr metadata.
    fn zip(&self, source: Arc<dyn Source>, hints: Hints) -> Result<(Arc<dyn Store>, bool)> {
        let store = ZipStore::open(source, &self.limits)?.with_hints(hints);
        let is_store = store.is_store();
        Ok((self.trace.store(Arc::new(store)), is_store))
    }

    /// Opens the dataset at a path.
    fn any(&self, path: &Path) -> Result<Container> {
        if !path.is_dir() {
            let source = Arc::new(open(path, self.wanted())?);
            return self.file(source, (Some(path), None));
        }
        if !dir::is_store(path) {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
            if let Some(e) = foreign_format::icechunk(&names.collect::<Vec<_>>()) {
                return Err(e.of(&path.to_string_lossy()));
            }
            let what = "a directory, but not a Zarr store: it has no .zgroup, .zarray, .zattrs or zarr.json";
            let e = Error::new(ErrorKind::UnknownFormat, what);
            return Err(e.of(&path.to_string_lossy()));
        }
        if let Some(store) = self.parquet(path)? {
            return Ok(Container::Store(self.trace.store(store)));
        }
        self.directory(path, plain()).map(Container::Store)
    }

    /// Opens the references in a directory of parquet files. Such a directory has no metadata but `.zmetadata`.
    fn parquet(&self, path: &Path) -> Result<Option<Arc<dyn Store>>> {
        let metadata = path.join(".zmetadata");
        if !metadata.is_file() || path.join(".zgroup").exists() {
            return Ok(None);
        }
        let store = DirStore::open(path)?.allow_external(self.allow_external);
        let store: Arc<dyn Store> = Arc::new(store);
        let beside: Arc<dyn Source> = Arc::new(FileSource::open(&metadata)?.found_at(path));
        let rules = self.references(&beside, (Some(path), None));
        let found = references::open_parquet(&store, rules)?;
        Ok(found.map(|store| Arc::new(store) as Arc<dyn Store>))
    }

    /// Opens remote references in parquet files.
    fn parquet_elsewhere(&self, address: &Address) -> Result<Option<Arc<dyn Store>>> {
        let store = remote::store(address, plain(), &self.network)?;
        let beside: Arc<dyn Source> = Arc::new(MemorySource::new(store.name(), vec![]));
        let rules = self.references(&beside, (None, Some(address)));
        let found = references::open_parquet(&store, rules)?;
        Ok(found.map(|store| Arc::new(store) as Arc<dyn Store>))
    }

    /// Opens a file, the store in a zip file, or references.
    fn file(
        &self,
        source: Arc<dyn Source>,
        at: (Option<&Path>, Option<&Address>),
    ) -> Result<Container> {
        if zip::is_zip(&*source)? {
            let (store, is_store) = self.zip(Arc::clone(&source), plain())?;
            if is_store {
                return Ok(Container::Store(store));
            }
        }
        Ok(match self.json(&source, at)? {
            Some(store) => Container::Store(store),
            None => Container::Source(source),
        })
    }

    /// Opens the references in a JSON file. Returns `None` for other files.
    fn json(
        &self,
        source: &Arc<dyn Source>,
        at: (Option<&Path>, Option<&Address>),
    ) -> Result<Option<Arc<dyn Store>>> {
        if self.text || !references::may_be_json(&**source)? {
            return Ok(None);
        }
        let rules = self.references(source, at);
        let found = references::open_json(&**source, &self.limits, rules)?;
        Ok(found.map(|store| self.trace.store(Arc::new(store))))
    }

    /// Returns the rules for references at a path or address.
    fn references(
        &self,
        source: &Arc<dyn Source>,
        (path, address): (Option<&Path>, Option<&Address>),
    ) -> ReferenceRules {
        let siblings = SiblingAccess {
            outside: self.allow_external || self.siblings.outside,
            ..self.siblings.clone()
        };
        let opener = ReferenceOpener {
            beside: Arc::clone(source),
            address: address.cloned(),
            path: path.map(Path::to_owned),
            siblings,
            notes: Arc::clone(&self.notes),
            network: Arc::clone(&self.network),
        };
        ReferenceRules {
            opener: Box::new(opener),
            missing: self.missing,
            hints: plain(),
            notes: Arc::clone(&self.notes),
        }
    }
}

/// The hints of a URL.
fn asked_hints(modes: &Modes, pure: bool) -> Hints {
    Hints {
        pure,
        no_xarray: modes.has("noxarray"),
        consolidated: modes.has("consolidated") || consolidated_by_environment(),
    }
}

/// The hints for a path.
fn plain() -> Hints {
    Hints {
        consolidated: consolidated_by_environment(),
        ..Hints::default()
    }
}

/// Opens a path as a source. A pipe is copied to a temporary file.
fn open(path: &Path, wanted: fn(&[u8]) -> bool) -> Result<FileSource> {
    let name = path.to_string_lossy();
    let mut file = File::open(path).map_err(|e| Error::io("cannot open", &name, e))?;
    let meta = file
        .metadata()
        .map_err(|e| Error::io("cannot open", &name, e))?;
    if meta.is_file() || meta.is_dir() {
        return FileSource::from_file(&name, file).map(|f| f.found_at(path));
    }
    spool(&name, &mut file, wanted)
}

/// The number of bytes that decide whether a pipe contains a dataset.
const FIRST: u64 = 64 << 10;

/// Checks whether bytes may be the start of a dataset.
fn is_dataset(first: &[u8]) -> bool {
    let hdf5 = |at: usize| {
        first
            .get(at..)
            .is_some_and(|b| b.starts_with(b"\x89HDF\r\n\x1a\n"))
    };
    let user_blocks = std::iter::successors(Some(512), |at| Some(at * 2));
    let mut places = [0]
        .into_iter()
        .chain(user_blocks)
        .take_while(|at| *at < first.len());
    let starts: [&[u8]; 3] = [b"CDF", b"PK", b"\x0e\x03\x13\x01"];
    starts.iter().any(|start| first.starts_with(start)) || places.any(hdf5)
}

/// Checks whether bytes may be the start of CDL: `netcdf` after blanks and comments.
fn is_text(first: &[u8]) -> bool {
    let mut rest = first
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(first)
        .trim_ascii_start();
    while rest.starts_with(b"//") {
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        rest = rest.get(end..).unwrap_or_default().trim_ascii_start();
    }
    let word = rest.get(..6.min(rest.len())).unwrap_or_default();
    !first.contains(&0) && b"netcdf".starts_with(&word.to_ascii_lowercase())
}

/// Copies `from` to an unnamed temporary file. If the first bytes are not `wanted`, copies only these bytes.
///
/// # Errors
/// [`ErrorKind::Io`].
fn spool(name: &str, from: &mut dyn Read, wanted: fn(&[u8]) -> bool) -> Result<FileSource> {
    let failed = |e| full::failed_temporary("cannot read", name, e);
    let mut first = vec![];
    from.take(FIRST).read_to_end(&mut first).map_err(failed)?;
    let mut file = tempfile::tempfile().map_err(|e| full::failed_to_make(name, e))?;
    file.write_all(&first).map_err(failed)?;
    // Unknown data must not fill the disk. The first bytes are enough to report the format.
    if wanted(&first) {
        std::io::copy(from, &mut file).map_err(failed)?;
    }
    file.rewind().map_err(failed)?;
    FileSource::from_file(name, file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::io::StoreTarget;
    use crate::io::dir::{DirTarget, Foreign, Replace};
    use crate::io::zip::ZipTarget;

    fn fill(target: Box<dyn StoreTarget>) {
        target.store().put(".zgroup", b"{}").unwrap();
        target.commit().unwrap();
    }

    fn opened(named: &str) -> Result<Container> {
        input(&Location::new(named)?, &mut std::io::empty())
    }

    fn hints(named: &str) -> Hints {
        match opened(named).unwrap() {
            Container::Store(store) => {
                assert_eq!(store.get(".zgroup").unwrap().unwrap(), b"{}");
                store.hints()
            }
            Container::Source(_) => panic!("{named} is a store"),
        }
    }

    #[test]
    fn stores_are_found_by_path_and_by_url() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        let any = Replace {
            foreign: |_, _| Ok(Foreign::default()),
            overwrite: false,
        };
        fill(Box::new(
            DirTarget::create(Path::new(&path("d")), false, any, &Cancel::default()).unwrap(),
        ));
        let zip = crate::io::file::FileTarget::create(Path::new(&path("z.zip")), false).unwrap();
        fill(Box::new(ZipTarget::new(Box::new(zip), "z/")));
        std::fs::create_dir(path("empty")).unwrap();
        std::fs::write(path("hi"), "hi").unwrap();
        for name in ["d", "z.zip"] {
            let path = path(name);
            assert!(!hints(&path).pure);
            assert!(!hints(&format!("file://{path}#mode=nczarr")).pure);
            assert!(hints(&format!("file://{path}#zarr")).pure);
            let said = hints(&format!("file://{path}#mode=noxarray,consolidated"));
            assert!(said.no_xarray && said.consolidated);
        }
        hints(&format!("file://{}#mode=zarr,zip", path("z.zip")));
        hints(&format!("file://{}#mode=zarr,file", path("d")));
        hints(&format!("file://{}", path("d")));
        for wrong in [
            path("empty"),
            path("nosuch"),
            format!("file://{}#mode=zarr,zip", path("hi")),
            format!("file://{}#mode=zarr", path("hi")),
            format!("file://{}#mode=zarr,file", path("z.zip")),
            format!("file://{}#mode=nczarr,zip", path("nosuch.zip")),
        ] {
            assert!(opened(&wrong).is_err(), "{wrong}");
        }
        assert!(matches!(opened(&path("hi")).unwrap(), Container::Source(_)));
    }

    /// An endless stream that counts the bytes read.
    struct Endless(u64, u8);

    impl Read for Endless {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            self.0 += buf.len() as u64;
            assert!(self.0 < 1 << 20, "read without an end");
            buf.fill(self.1);
            Ok(buf.len())
        }
    }

    #[test]
    fn what_is_no_dataset_does_not_fill_the_disk() {
        for (text, byte) in [(false, 0), (false, b'x'), (true, 0), (true, b'y')] {
            let access = InputAccess {
                text,
                ..InputAccess::default()
            };
            let opened = access
                .input(&Location::standard(), &mut Endless(0, byte))
                .unwrap();
            let Container::Source(source) = opened else {
                panic!("no store");
            };
            assert_eq!(source.len(), FIRST);
        }
        let mut hdf5 = vec![0; 4096];
        hdf5.extend(b"\x89HDF\r\n\x1a\n");
        assert!(is_text(b"// by me\n\n netcdf x {") && is_text(b"// cut") && is_text(b""));
        assert!(is_dataset(&hdf5) && is_dataset(b"CDF\x05") && !is_dataset(b"netcdf x {"));
    }

    #[test]
    fn a_zip_file_may_come_by_standard_input() {
        let (target, out) = crate::io::memory::MemoryTarget::new("m");
        fill(Box::new(ZipTarget::new(Box::new(target), "")));
        let bytes = out.lock().unwrap().take().unwrap();
        let opened = input(&Location::standard(), &mut &bytes[..]).unwrap();
        assert!(matches!(opened, Container::Store(_)));
    }
}
