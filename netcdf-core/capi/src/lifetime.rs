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

use crate::border::{CallerMemory, InText, KeptImage, MemoryImage, OutArray, OutText, export};
use crate::dataset::{FileState, LoadedDataset, OpenArguments};
use crate::error_number::ErrorNumber;
use crate::handles;
use crate::plugins;
use crate::threads;

/// Modes of `nc_open`.
mod mode {
    use std::ffi::c_int;

    /// Opens for changes (`NC_WRITE`).
    pub(super) const WRITE: c_int = 0x01;
    /// Reads the file into memory (`NC_DISKLESS`).
    pub(super) const DISKLESS: c_int = 0x08;
    /// Maps the file into memory (`NC_MMAP`).
    pub(super) const MMAP: c_int = 0x10;
    /// A format of the program (`NC_UDF0`, `NC_UDF1`).
    pub(super) const USER_DEFINED: c_int = 0x40 | 0x80;
}

/// The least size of a dataset in memory: the longest signature.
const LEAST_IMAGE: usize = 8;

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
        Dataset::open_with(path, options).map_err(|e| not_opened(e, path))
    })
}

/// Returns the error number of a path that cannot be opened. As in netCDF-C, missing Zarr stores have their own number.
fn not_opened(e: Error, path: &Path) -> ErrorNumber {
    match open_error(e, FileSignature::read(path)) {
        ErrorNumber(libc::ENOENT) if is_zarr_url(path) => ErrorNumber::ENOOBJECT,
        other => other,
    }
}

/// Returns whether a path is a URL with a Zarr mode.
fn is_zarr_url(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    let modes = text
        .split_once("://")
        .and_then(|(_, rest)| rest.split_once('#'));
    modes.is_some_and(|(_, modes)| modes.contains("zarr"))
}

/// Returns the error number of a dataset that cannot be opened. As in netCDF-C, damaged HDF5 files have one number, and files without a
/// whole classic header another.
fn open_error(e: Error, signature: FileSignature) -> ErrorNumber {
    match (e.kind(), signature) {
        (ErrorKind::Truncated, FileSignature::Classic | FileSignature::OnlyHdf5) => {
            ErrorNumber::ENOTNC
        }
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
    /// An HDF5 signature without a superblock.
    OnlyHdf5,
    Classic,
    Other,
}

impl FileSignature {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            b"\x89HDF\r\n\x1a\n" => Self::OnlyHdf5,
            [0x89, b'H', b'D', b'F', b'\r', b'\n', 0x1a, b'\n', ..] => Self::Hdf5,
            [b'C', b'D', b'F', ..] => Self::Classic,
            _ => Self::Other,
        }
    }

    /// Reads the signature of a local file.
    fn read(path: &Path) -> Self {
        let mut bytes = vec![];
        let file = File::open(path);
        let read = file.and_then(|file| file.take(9).read_to_end(&mut bytes));
        read.map_or(Self::Other, |_| Self::of(&bytes))
    }
}

/// Returns a path without leading blanks, which netCDF-C skips.
fn trimmed(path: &[u8]) -> Result<&[u8], ErrorNumber> {
    let first = path.iter().position(|&byte| byte > b' ');
    let rest = first.and_then(|first| path.get(first..));
    rest.ok_or(ErrorNumber::EURL)
}

/// Checks the mode of `nc_open` against the format. netCDF-C maps only classic files.
fn check_format(mode: c_int, dataset: &LoadedDataset) -> Result<(), ErrorNumber> {
    if mode & mode::USER_DEFINED != 0 {
        return Err(ErrorNumber::ENOTBUILT);
    }
    match mode & mode::MMAP != 0 && !dataset.is_classic() {
        true => Err(ErrorNumber::EINVAL),
        false => Ok(()),
    }
}

/// Checks the mode of `nc_open`.
fn check_mode(mode: c_int) -> Result<(), ErrorNumber> {
    if mode & mode::DISKLESS != 0 && mode & mode::MMAP != 0 {
        return Err(ErrorNumber::EDISKLESS);
    }
    match mode & mode::WRITE {
        0 => Ok(()),
        _ => Err(ErrorNumber::EPERM),
    }
}

fn open(path: InText, mode: c_int, ncid: OutArray<c_int>) -> Result<(), ErrorNumber> {
    let path = trimmed(path.path()?)?;
    check_mode(mode)?;
    let dataset = opened(path)?;
    check_format(mode, &dataset)?;
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
    if bytes.len() < LEAST_IMAGE || mode & mode::MMAP != 0 {
        return Err(ErrorNumber::EINVAL);
    }
    if mode & mode::DISKLESS != 0 {
        return Err(ErrorNumber::EDISKLESS);
    }
    let path = path.path()?.to_vec();
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
        if mode & mode::WRITE != 0 {
            return Err(ErrorNumber::EINVAL);
        }
        let image = KeptImage::locked(memory, size);
        open_memory(path, mode, (memory.copied(size)?, image), ncid)
    }

    /// Copies the memory. As in netCDF-C, unlocked memory belongs to the library from now on.
    fn nc_open_memio(path: InText, mode: c_int, image: MemoryImage, ncid: OutArray<c_int>) {
        check_mode(mode & mode::WRITE)?;
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

    /// Reads the dataset again if it has grown. A file that was removed stays open.
    fn nc_sync(ncid: c_int) {
        handles::replace(ncid, |arguments, old| {
            let path = Path::new(OsStr::from_bytes(&arguments.path));
            let now = FileState::of(path);
            match old.state.is_some() && now.is_some() && now != old.state {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_blanks_are_no_part_of_a_path() {
        assert_eq!(trimmed(b" \t a b ").unwrap(), b"a b ");
        assert_eq!(trimmed(b""), Err(ErrorNumber::EURL));
        assert_eq!(trimmed(b"  "), Err(ErrorNumber::EURL));
    }

    #[test]
    fn zarr_urls_have_a_mode() {
        assert!(is_zarr_url(Path::new("file:///a#mode=zarr,file")));
        assert!(!is_zarr_url(Path::new("file:///a.zarr#mode=bytes")));
        assert!(!is_zarr_url(Path::new("a#mode=zarr")));
    }

    #[test]
    fn short_files_have_a_signature() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let signature_of = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            FileSignature::read(&path)
        };
        assert!(signature_of(b"CDF\x01") == FileSignature::Classic);
        assert!(signature_of(b"\x89HDF\r\n\x1a\n") == FileSignature::OnlyHdf5);
        assert!(signature_of(b"\x89HDF\r\n\x1a\n\0") == FileSignature::Hdf5);
        assert!(signature_of(b"") == FileSignature::Other);
    }

    #[test]
    fn modes_exclude_each_other() {
        let status = |mode| check_mode(mode).err();
        assert_eq!(status(0), None);
        assert_eq!(status(mode::DISKLESS), None);
        assert_eq!(status(mode::WRITE), Some(ErrorNumber::EPERM));
        let both = mode::DISKLESS | mode::MMAP;
        assert_eq!(status(both), Some(ErrorNumber::EDISKLESS));
    }
}
