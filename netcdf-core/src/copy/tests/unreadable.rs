//! Inputs that cannot be read to their end, or that are changed meanwhile.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::*;
use crate::copy::options::{ChunkShapes, StorageOptions};
use crate::io::dir::DirStore;
use crate::io::zip::{ZipStore, ZipTarget};
use crate::io::{Source, Store, StoreTarget};
use crate::limits::Limits;

/// A dataset on a disk that fails from a byte offset on, or whose file is truncated after opening.
#[derive(Debug)]
struct Failing {
    bytes: MemorySource,
    from: AtomicU64,
    shorter: bool,
    changed: AtomicBool,
}

impl Source for Failing {
    fn name(&self) -> &Arc<str> {
        self.bytes.name()
    }
    fn len(&self) -> u64 {
        self.bytes.len()
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        let (end, from) = (offset + buf.len() as u64, self.from.load(Relaxed));
        if end <= from {
            return self.bytes.read_at(offset, buf);
        }
        if self.shorter {
            let have = from.saturating_sub(offset);
            let e = crate::io::source::truncated(self.name(), offset, buf.len() as u64, have);
            return Err(e);
        }
        let e = std::io::Error::from_raw_os_error(5);
        Err(Error::io("cannot read", self.name(), e).at(self.name(), offset))
    }
    fn has_changed(&self) -> bool {
        self.changed.load(Relaxed)
    }
}

/// Copies a source that breaks after it was opened; returns the error, and checks that no output is visible.
fn spoiled(bytes: &[u8], shorter: bool, options: &CopyOptions, from: u64) -> Error {
    let env = Env::default();
    let source = Arc::new(Failing {
        bytes: MemorySource::new("in.nc", bytes.to_vec()),
        from: AtomicU64::new(u64::MAX),
        shorter,
        changed: AtomicBool::new(false),
    });
    let reader = format::open(Container::Source(Arc::clone(&source) as _), &env).unwrap();
    let plan = plan(reader.schema(), options).unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let create = CreateOptions {
        no_fill: true,
        ..CreateOptions::default()
    };
    let writer = format::create(Box::new(target), plan.schema.clone(), create, &env).unwrap();
    source.from.store(from, Relaxed);
    let e = run(Dataset::new(&*reader, &env), &plan, writer).unwrap_err();
    assert_eq!(*out.lock().unwrap(), None);
    e
}

/// To other kinds, filters and chunks.
fn options() -> [CopyOptions; 4] {
    let deflated = StorageOptions {
        deflate: Some(1),
        ..StorageOptions::default()
    };
    let chunked = StorageOptions {
        chunks: ChunkShapes {
            dims: [(DimId(1), 7)].into(),
            ..ChunkShapes::default()
        },
        min_chunk: Some(0),
        ..StorageOptions::default()
    };
    let with = |storage| CopyOptions {
        kind: Some(Kind::NETCDF4),
        storage,
        ..CopyOptions::default()
    };
    [
        to(Kind::CDF5),
        to(Kind::NETCDF4),
        with(deflated),
        with(chunked),
    ]
}

#[test]
fn an_error_of_the_disk_names_file_and_byte() {
    for (kind, options) in [Kind::CLASSIC, Kind::NETCDF4]
        .into_iter()
        .flat_map(|k| options().map(|o| (k, o)))
    {
        let mut s = dataset(Kind::CLASSIC, &[0, 300]);
        add(&mut s, b"fixed", Atomic::Int, &[1]);
        add(&mut s, b"last", Atomic::Short, &[0, 1]);
        let bytes = copied(&make(s, 40), &to(kind), &Env::default()).unwrap();
        for shorter in [false, true] {
            let e = spoiled(&bytes, shorter, &options, bytes.len() as u64 - 20_000);
            let wanted = if shorter {
                ErrorKind::Truncated
            } else {
                ErrorKind::Io
            };
            assert_eq!(e.kind(), wanted, "{kind:?} {options:?} {e}");
            assert_eq!(e.resource(), Some("in.nc"), "{kind:?} {options:?} {e}");
            // Records of several variables may be read at once.
            let object = e.object();
            assert!(
                object.is_none_or(|o| o == "/last"),
                "{kind:?} {options:?} {e}"
            );
            assert!(e.offset().is_some_and(|at| at > 100), "{e}");
        }
    }
}

#[test]
fn a_file_that_changed_is_not_copied() {
    let mut s = dataset(Kind::CLASSIC, &[3]);
    add(&mut s, b"v", Atomic::Int, &[0]);
    let env = Env::default();
    for verified in [false, true] {
        let source = Arc::new(Failing {
            bytes: MemorySource::new("in.nc", make(s.clone(), 0)),
            from: AtomicU64::new(u64::MAX),
            shorter: false,
            changed: AtomicBool::new(!verified),
        });
        let reader = format::open(Container::Source(Arc::clone(&source) as _), &env).unwrap();
        let plan = plan(reader.schema(), &CopyOptions::default()).unwrap();
        let (target, out) = MemoryTarget::new("out.nc");
        let (target, kept) = crate::io::deferred::defer_commit(Box::new(target));
        let create = CreateOptions {
            no_fill: true,
            ..CreateOptions::default()
        };
        let writer = format::create(target, plan.schema.clone(), create, &env).unwrap();
        let ran = run(Dataset::new(&*reader, &env), &plan, writer);
        source.changed.store(true, Relaxed);
        let e = match verified {
            true => {
                ran.and_then(|_| verify(Dataset::new(&*reader, &env), &plan, &kept).map(|_| ()))
            }
            false => ran.map(|_| ()),
        };
        assert_eq!(
            e.unwrap_err().to_string(),
            "in.nc: the file changed while it was copied (copy it again when no program writes to it)"
        );
        assert!(verified || kept.take().is_err(), "not even finished");
        assert_eq!(*out.lock().unwrap(), None);
    }
}

/// The keys of a store of one variable.
fn keys() -> [(&'static str, &'static [u8]); 3] {
    let array = br#"{"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|i1", "order": "C", "compressor": null,
        "filters": null, "fill_value": null}"#;
    [
        (".zgroup", br#"{"zarr_format": 2}"#),
        ("v/.zarray", array),
        ("v/0", b"\x01\x02\x03\x04"),
    ]
}

/// Copies a store that `change` alters after it was opened and its data read; returns the error.
fn changed(store: Arc<dyn Store>, change: &dyn Fn()) -> Option<Error> {
    let env = Env::default();
    let reader = format::open(Container::Store(store), &env).unwrap();
    let values = crate::chunk::Dataset::new(&*reader, &env).read(VarId(0), &Region::whole(&[4]));
    assert_eq!(values.unwrap(), Values::Byte(vec![1, 2, 3, 4]));
    change();
    let plan = plan(reader.schema(), &to(Kind::CLASSIC)).unwrap();
    let (target, out) = MemoryTarget::new("out.nc");
    let create = CreateOptions::default();
    let writer = format::create(Box::new(target), plan.schema.clone(), create, &env).unwrap();
    let e = run(Dataset::new(&*reader, &env), &plan, writer).err();
    assert_eq!(out.lock().unwrap().is_some(), e.is_none());
    e
}

#[test]
fn a_store_that_changed_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = |key: &str| folder.path().join(key);
    std::fs::create_dir(path("v")).unwrap();
    for (key, bytes) in keys() {
        std::fs::write(path(key), bytes).unwrap();
    }
    let store = || Arc::new(DirStore::open(folder.path()).unwrap());
    assert!(changed(store(), &|| {}).is_none());
    let touch = |key: &str| {
        let file = std::fs::File::options()
            .write(true)
            .open(path(key))
            .unwrap();
        let day = std::time::Duration::from_secs(86_400);
        let time = file.metadata().unwrap().modified().unwrap() - day;
        file.set_modified(time).unwrap();
    };
    // Metadata with the same content is no change.
    for key in [".zgroup", "v/.zarray"] {
        assert!(changed(store(), &|| touch(key)).is_none(), "{key}");
    }
    let e = changed(store(), &|| touch("v/0")).unwrap();
    assert_eq!(e.kind(), ErrorKind::Io, "{e}");
    assert_eq!(e.what(), "the file changed while it was copied");
    assert!(e.resource().unwrap().ends_with("v/0"), "{e}");
    let e = changed(store(), &|| {
        std::fs::write(path("v/.zattrs"), r#"{"a": 1}"#).unwrap()
    });
    assert!(e.unwrap().resource().unwrap().ends_with("v/.zattrs"));
}

#[test]
fn a_zip_file_that_changed_is_not_copied() {
    let (target, out) = MemoryTarget::new("s.zip");
    let target = Box::new(ZipTarget::new(Box::new(target), ""));
    for (key, bytes) in keys() {
        target.store().put(key, bytes).unwrap();
    }
    target.commit().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    let source = Arc::new(Failing {
        bytes: MemorySource::new("s.zip", bytes),
        from: AtomicU64::new(u64::MAX),
        shorter: false,
        changed: AtomicBool::new(false),
    });
    let limits = Limits::default();
    let store = || Arc::new(ZipStore::open(Arc::clone(&source) as _, &limits).unwrap());
    assert!(changed(store(), &|| {}).is_none());
    let e = changed(store(), &|| source.changed.store(true, Relaxed)).unwrap();
    assert_eq!((e.kind(), e.resource()), (ErrorKind::Io, Some("s.zip")));
}
