mod shared;

use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStoreExt as _;
use object_store::memory::InMemory;
use object_store::path::Path;

use super::claim::{self, StoreClaim};
use super::parts;
use super::place::ObjectPrefix;
use super::{BucketTarget, ObjectTarget};
use crate::cancel::Cancel;
use crate::error::{ErrorKind, Result};
use crate::io::network::{Network, OutputRun};
use crate::io::remote::bucket::Bucket;
use crate::io::remote::store::ObjectStore;
use crate::io::remote::wait::wait;
use crate::io::source::read_range;
use crate::io::store::{Hints, Store};
use crate::io::target::{StoreTarget, Target};
use crate::notes::Notes;

/// An in-memory service, and a run that writes to it.
struct Service {
    objects: Arc<InMemory>,
    run: OutputRun,
}

impl Service {
    fn new() -> Self {
        let run = OutputRun {
            cancel: Cancel::default(),
            notes: Arc::new(Notes::default()),
            network: Arc::new(Network::new(None, Some(4), &Cancel::default())),
            memory: 16 << 20,
        };
        let objects = Arc::new(InMemory::new());
        Self { objects, run }
    }

    fn bucket(&self) -> Bucket {
        let by = (&self.run.network, Duration::from_secs(60));
        Bucket::new(Arc::clone(&self.objects), ("s3://b", "no credentials"), by)
    }

    fn store(&self, overwrite: bool) -> Result<BucketTarget> {
        BucketTarget::create(self.bucket(), "a/s", overwrite, &self.run)
    }

    fn file(&self, key: &str) -> ObjectTarget {
        ObjectTarget::create(self.bucket(), key, &self.run).unwrap()
    }

    fn put(&self, key: &str, text: &str) {
        let path = Path::from(key);
        let put = self.objects.put(&path, text.to_owned().into());
        wait(async { Ok(put.await.unwrap()) }).unwrap();
    }

    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = Path::from(key);
        wait(async {
            let Ok(got) = self.objects.get(&path).await else {
                return Ok(None);
            };
            Ok(Some(got.bytes().await.unwrap().to_vec()))
        })
        .unwrap()
    }

    fn keys(&self) -> Vec<String> {
        let keys = ObjectStore::new(Arc::new(self.bucket()), "", Hints::default());
        let mut all = vec![];
        keys.walk("", &mut |key, _| {
            all.push(key.to_owned());
            Ok(())
        })
        .unwrap();
        all.sort();
        all
    }
}

/// Puts a small store.
fn fill(target: &BucketTarget) {
    let store = target.store();
    for n in 0..20 {
        store.put(&format!("v/{n}"), &[n; 10]).unwrap();
    }
    store.put_if_absent("v/.zarray", b"array").unwrap();
    store.put_if_absent(".zgroup", b"group").unwrap();
    store.put_if_absent(".zattrs", b"{}").unwrap();
}

fn boxed<T: StoreTarget + 'static>(target: T) -> Box<dyn StoreTarget> {
    Box::new(target)
}

const CLAIM: &str = "a/s/.netcdf-tools-writing";

#[test]
fn a_store_is_one_once_it_is_complete() {
    let service = Service::new();
    let target = service.store(false).unwrap();
    fill(&target);
    let store = Arc::clone(target.store());
    assert_eq!(store.get("v/3").unwrap().unwrap(), [3; 10]);
    assert_eq!(store.get(".zgroup").unwrap().unwrap(), b"group");
    assert_eq!(store.size(".zattrs").unwrap(), Some(2));
    assert_eq!(store.children("").unwrap(), [".zattrs", ".zgroup", "v"]);
    let mut seen = 0;
    store
        .walk("", &mut |_, _| {
            seen += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(seen, 23);
    assert_eq!(service.get("a/s/.zgroup"), None);
    assert!(service.get(CLAIM).is_some());
    drop(store);
    boxed(target).commit().unwrap();
    assert_eq!(service.get("a/s/.zgroup").unwrap(), b"group");
    assert_eq!(service.get(CLAIM), None);
    assert_eq!(service.keys().len(), 23);
    assert!(service.run.notes.take_all().notes().next().is_none());
}

#[test]
fn keys_of_metadata_are_stored_once() {
    let service = Service::new();
    let target = service.store(false).unwrap();
    fill(&target);
    for key in ["v/.zarray", ".zgroup"] {
        let e = target.store().put_if_absent(key, b"x").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Exists);
    }
    assert!(target.store().put("../x", b"x").is_err());
    target.store().delete(".zgroup").unwrap();
    target.store().delete("v/3").unwrap();
    assert_eq!(target.store().get("v/3").unwrap(), None);
    boxed(target).commit().unwrap();
    assert_eq!(service.get("a/s/.zgroup"), None);
}

#[test]
fn what_is_given_up_leaves_nothing() {
    let service = Service::new();
    service.put("a/other", "stays");
    let target = service.store(false).unwrap();
    fill(&target);
    drop(target);
    assert_eq!(service.keys(), ["a/other"]);
    let target = service.store(false).unwrap();
    fill(&target);
    service
        .run
        .cancel
        .0
        .store(15, std::sync::atomic::Ordering::Relaxed);
    let e = boxed(target).commit().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Cancelled);
    assert_eq!(service.keys(), ["a/other"]);
}

#[test]
fn two_runs_do_not_write_the_same_store() {
    let service = Service::new();
    let first = service.store(false).unwrap();
    fill(&first);
    first.store().get("v/1").unwrap();
    let e = service.store(false).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    assert!(e.to_string().contains("its claim is 0 s old"), "{e}");
    let second = service.store(true).unwrap();
    fill(&second);
    let e = boxed(first).commit().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{e}");
    boxed(second).commit().unwrap();
    assert_eq!(service.keys().len(), 23, "the first removes nothing");
}

#[test]
fn overwrite_replaces_existing_stores() {
    let service = Service::new();
    service.put("a/s/x", "data");
    let e = service.store(false).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    assert!(e.to_string().contains("a/s/x"), "{e}");
    let e = service.store(true).unwrap_err();
    assert!(e.to_string().contains("no Zarr store"), "{e}");
    assert_eq!(service.keys(), ["a/s/x"]);
    service.put("a/s/.zgroup", "old");
    service.put("a/s/v/0/0", "old");
    service.put("a/sibling", "stays");
    let target = service.store(true).unwrap();
    assert_eq!(service.keys(), [CLAIM, "a/sibling"]);
    fill(&target);
    boxed(target).commit().unwrap();
    assert_eq!(service.get("a/s/x"), None);
    assert_eq!(service.get("a/s/.zgroup").unwrap(), b"group");
}

#[test]
fn a_store_that_is_partly_removed_keeps_a_claim() {
    let service = Service::new();
    let place = ObjectPrefix::new(service.bucket(), "a/s");
    let fails = |claim: &StoreClaim| {
        wait(claim.take(true, &service.run)).unwrap();
        wait(place.give_back(claim, true)).unwrap();
    };
    let claim = |tag| StoreClaim::new(&place.bucket, &place.prefix, claim::text_of(tag));
    let (first, second) = (claim("1"), claim("2"));
    fails(&first);
    assert_eq!(service.keys(), [""; 0]);
    service.put("a/s/.zgroup", "old");
    service.put("a/s/v/0", "old");
    fails(&first);
    assert_eq!(service.keys(), ["a/s/.zgroup", "a/s/v/0"]);
    // Simulates a failure after the root metadata.
    wait(place.bucket.delete("a/s/.zgroup")).unwrap();
    for claim in [&first, &second] {
        fails(claim);
        assert_eq!(service.keys(), [CLAIM, "a/s/v/0"]);
        assert!(wait(claim.is_ours()).unwrap());
    }
    let e = service.store(false).unwrap_err();
    assert!(e.to_string().contains("its claim is 0 s old"), "{e}");
    let target = service.store(true).unwrap();
    assert_eq!(service.keys(), [CLAIM]);
    fill(&target);
    boxed(target).commit().unwrap();
    assert_eq!(service.keys().len(), 23);
}

#[test]
fn an_object_is_not_hidden_by_a_store() {
    let service = Service::new();
    service.put("a/s", "a file");
    let e = service.store(true).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Exists);
    assert_eq!(service.keys(), ["a/s"]);
}

/// Bytes that depend on their offset.
fn pattern(offset: u64, len: usize) -> Vec<u8> {
    let at = |n: usize| ((offset as usize + n) * 7 / 3 % 251) as u8;
    (0..len).map(at).collect()
}

#[test]
fn a_small_file_is_one_object() {
    let service = Service::new();
    let mut file = service.file("f.nc");
    file.write_at(3, b"body").unwrap();
    file.write_at(0, b"CDF").unwrap();
    file.set_len(9).unwrap();
    assert_eq!(service.get("f.nc"), None);
    let mut back = [1; 9];
    file.read_at(0, &mut back).unwrap();
    assert_eq!(&back, b"CDFbody\0\0");
    Box::new(file).commit().unwrap();
    assert_eq!(service.get("f.nc").unwrap(), b"CDFbody\0\0");
    let empty = service.file("empty");
    Box::new(empty).commit().unwrap();
    assert_eq!(service.get("empty").unwrap(), b"");
}

#[test]
fn a_file_is_sent_in_parts_and_changed_until_the_end() {
    let service = Service::new();
    let mut file = service.file("f.nc");
    let part = parts::span(0).end;
    let len = 3 * part + 100;
    let step = 1 << 20;
    let mut at = 0;
    while at < len {
        let size = step.min(len - at) as usize;
        file.write_at(at, &pattern(at, size)).unwrap();
        at += size as u64;
    }
    // Sent parts, and the first part.
    file.write_at(part + 5, b"changed").unwrap();
    file.write_at(0, b"head").unwrap();
    let source = file.written().unwrap();
    assert_eq!(read_range(&*source, &(0..4)).unwrap(), b"head");
    drop(source);
    assert_eq!(service.get("f.nc"), None);
    Box::new(file).commit().unwrap();
    let mut want = pattern(0, len as usize);
    want[..4].copy_from_slice(b"head");
    want[part as usize + 5..][..7].copy_from_slice(b"changed");
    assert!(service.get("f.nc").unwrap() == want);
    assert!(service.run.network.traffic().sent > len);
}

#[test]
fn a_file_can_become_shorter() {
    let service = Service::new();
    let mut file = service.file("f.nc");
    let part = parts::span(0).end;
    file.write_at(0, &pattern(0, 3 * part as usize)).unwrap();
    file.set_len(part + 10).unwrap();
    file.set_len(part + 20).unwrap();
    Box::new(file).commit().unwrap();
    let mut want = pattern(0, part as usize + 10);
    want.extend([0; 10]);
    assert!(service.get("f.nc").unwrap() == want);
}

#[test]
fn a_file_that_is_given_up_leaves_the_old_object() {
    let service = Service::new();
    service.put("f.nc", "old");
    let mut file = service.file("f.nc");
    let part = parts::span(0).end as usize;
    file.write_at(0, &pattern(0, 3 * part)).unwrap();
    drop(file);
    assert_eq!(service.get("f.nc").unwrap(), b"old");
    assert!(service.run.notes.take_all().notes().next().is_none());
}

#[test]
fn threads_write_to_the_same_file() {
    let service = Service::new();
    let file = service.file("f.nc");
    let hand = file.concurrent_writer().unwrap();
    let part = parts::span(0).end;
    let len = 3 * part;
    std::thread::scope(|scope| {
        for n in 0..3 {
            let hand = &hand;
            scope.spawn(move || {
                let from = n * part;
                hand.write_at(from, &pattern(from, part as usize)).unwrap();
            });
        }
    });
    drop(hand);
    Box::new(file).commit().unwrap();
    assert!(service.get("f.nc").unwrap() == pattern(0, len as usize));
}

#[test]
fn a_bucket_is_no_file() {
    let service = Service::new();
    let e = ObjectTarget::create(service.bucket(), "", &service.run).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
}
