//! Opening, synchronising and closing datasets.

use std::ffi::{OsStr, c_int};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use netcdf_core::api::{Dataset, Options};
use netcdf_core::env::{Damage, Env};
use netcdf_core::error::{Error, ErrorKind};
use netcdf_core::io::Container;
use netcdf_core::io::memory::MemorySource;

use crate::border::{
    CallerMemory, InText, KeptImage, MemoryImage, OutArray, OutText, export, refuse,
};
use crate::dataset::{FileState, LoadedDataset, OpenArguments};
use crate::error_number::ErrorNumber;
use crate::handles;
use crate::plugins;
use crate::threads;

/// Opens for changes (`NC_WRITE`).
const WRITE: c_int = 1;

/// The environment of a dataset. As in netCDF-C, a damaged attribute does not prevent opening.
fn environment() -> Arc<Env> {
    Arc::new(Env {
        runtime: threads::runtime(),
        filters: plugins::filters(),
        damage: Damage::tolerated_in_attributes(),
        ..Env::default()
    })
}

/// Opens a dataset with `open`.
fn loaded(
    state: Option<FileState>,
    open: impl FnOnce(Options) -> Result<Dataset, ErrorNumber>,
) -> Result<LoadedDataset, ErrorNumber> {
    let env = environment();
    let data = open(Options {
        env: Some(Arc::clone(&env)),
        ..Options::default()
    })?;
    // C has no place for notes.
    drop(data.notes());
    let mut loaded = LoadedDataset::new(data, state);
    loaded.damaged = env.damage.take_owners();
    Ok(loaded)
}

fn opened(path: &[u8]) -> Result<LoadedDataset, ErrorNumber> {
    let path = Path::new(OsStr::from_bytes(path));
    loaded(FileState::of(path), |options| {
        Dataset::open_with(path, options).map_err(|e| open_error(e, FileSignature::read(path)))
    })
}

/// Returns the error number of a dataset that cannot be opened. As in netCDF-C, damaged HDF5 files have one number, and classic files with a
/// damaged header another.
fn open_error(e: Error, signature: FileSignature) -> ErrorNumber {
    match (e.kind(), signature) {
        (ErrorKind::Truncated | ErrorKind::Unsupported, FileSignature::Hdf5) => {
            ErrorNumber::EHDFERR
        }
        (ErrorKind::Corrupt | ErrorKind::Unknown, FileSignature::Classic) => ErrorNumber::ENOTNC,
        _ => e.into(),
    }
}

/// The first bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileSignature {
    Hdf5,
    Classic,
    Other,
}

impl FileSignature {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x89, b'H', b'D', b'F', b'\r', b'\n', 0x1a, b'\n', ..] => Self::Hdf5,
            [b'C', b'D', b'F', ..] => Self::Classic,
            _ => Self::Other,
        }
    }

    /// Reads the signature of a local file.
    fn read(path: &Path) -> Self {
        let mut bytes = [0; 8];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
        read.map_or(Self::Other, |()| Self::of(&bytes))
    }
}

fn open(path: InText, mode: c_int, ncid: OutArray<c_int>) -> Result<(), ErrorNumber> {
    let path = path.path()?;
    if mode & WRITE != 0 {
        return Err(ErrorNumber::EPERM);
    }
    let dataset = opened(path)?;
    let path = path.to_vec();
    ncid.set(handles::insert(OpenArguments { path, mode }, dataset)?);
    Ok(())
}

fn open_memory(
    path: InText,
    mode: c_int,
    (bytes, image): (Vec<u8>, KeptImage),
    ncid: OutArray<c_int>,
) -> Result<(), ErrorNumber> {
    if mode & WRITE != 0 {
        return Err(ErrorNumber::EPERM);
    }
    let path = path.path().unwrap_or_default().to_vec();
    let signature = FileSignature::of(&bytes);
    let source = MemorySource::new(&String::from_utf8_lossy(&path), bytes);
    let mut dataset = loaded(None, |options| {
        let dataset = Dataset::open_in(Container::Source(Arc::new(source)), options);
        dataset.map_err(|e| open_error(e, signature))
    })?;
    dataset.image = Some(image);
    ncid.set(handles::insert(OpenArguments { path, mode }, dataset)?);
    Ok(())
}

pub(crate) fn close(ncid: c_int) -> Result<(), ErrorNumber> {
    handles::close(ncid)?.into_iter().for_each(KeptImage::free);
    Ok(())
}

export! {
    fn nc_open(path: InText, mode: c_int, ncid: OutArray<c_int>) {
        open(path, mode, ncid)
    }

    fn nc__open(path: InText, mode: c_int, _hint: OutArray<usize>, ncid: OutArray<c_int>) {
        open(path, mode, ncid)
    }

    /// Copies the memory: the program may free it.
    fn nc_open_mem(
        path: InText,
        mode: c_int,
        size: usize,
        memory: CallerMemory,
        ncid: OutArray<c_int>,
    ) {
        let image = KeptImage::locked(memory, size);
        open_memory(path, mode, (memory.copied(size)?, image), ncid)
    }

    /// Copies the memory. As in netCDF-C, unlocked memory belongs to the library from now on.
    fn nc_open_memio(path: InText, mode: c_int, image: MemoryImage, ncid: OutArray<c_int>) {
        open_memory(path, mode, (image.copied()?, image.kept()?), ncid)
    }

    fn nc_close(ncid: c_int) {
        close(ncid)
    }

    /// Closes a dataset in memory, and returns the memory that the program passed. Other datasets return nothing.
    fn nc_close_memio(ncid: c_int, image: MemoryImage) {
        let own = handles::close(ncid)?;
        own.into_iter().for_each(|own| image.set(own));
        Ok(())
    }

    fn nc_abort(ncid: c_int) {
        close(ncid)
    }

    /// Reads the dataset again if it has grown.
    fn nc_sync(ncid: c_int) {
        handles::replace(ncid, |arguments, old| {
            let path = Path::new(OsStr::from_bytes(&arguments.path));
            match old.state.is_some() && FileState::of(path) != old.state {
                true => Ok(Some(opened(&arguments.path)?)),
                false => Ok(None),
            }
        })
    }

    fn nc_inq_path(ncid: c_int, len: OutArray<usize>, path: OutText) {
        handles::with(ncid, |group| {
            let own = &group.arguments.path;
            len.set(own.len());
            path.set(own);
            Ok(())
        })
    }
}

refuse!(nc_redef nc_enddef nc__enddef nc_create nc__create nc_create_mem nc_delete);
