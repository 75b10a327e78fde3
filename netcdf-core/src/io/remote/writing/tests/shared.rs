//! A store that several processes write concurrently.

use super::super::SharedStore;
use super::*;
use crate::io::lease::LeaseOwner;
use crate::io::sums::RunningSums;

const TAG: &str = "0123abcd";

/// The names of two processes.
const A: &str = "node/a";
const B: &str = "node/b";

fn owner(name: &str) -> LeaseOwner {
    LeaseOwner {
        name: name.to_owned(),
        length: Duration::from_secs(3600),
    }
}

impl Service {
    fn shared(&self) -> SharedStore<'_> {
        SharedStore::new(self.bucket(), ("a/s", TAG), &self.run)
    }

    fn part(&self) -> (Box<dyn StoreTarget>, RunningSums) {
        self.shared().part().unwrap()
    }

    /// Starts the last part in the process `name`.
    fn end(&self, name: &str) -> Result<Box<dyn StoreTarget>> {
        self.shared().end(&owner(name))
    }

    /// Begins a store with two parts. The second part is written twice.
    fn with_parts(&self) {
        self.shared().begin(false).unwrap();
        for from in [0, 10, 10] {
            let (part, _) = self.part();
            put_ten(&*part, from);
            part.commit().unwrap();
        }
    }
}

fn put_ten(target: &dyn StoreTarget, from: u8) {
    for n in from..from + 10 {
        let key = format!("v/{n}");
        target.store().put(&key, &[n; 10]).unwrap();
    }
}

/// Reads the chunks, then puts the metadata.
fn end(target: &dyn StoreTarget, group: &[u8]) {
    let store = target.store();
    for n in 0..20 {
        assert_eq!(store.size(&format!("v/{n}")).unwrap(), Some(10));
    }
    assert_eq!(store.size("v/20").unwrap(), None);
    store.put_if_absent("v/.zarray", b"array").unwrap();
    store.put_if_absent(".zgroup", group).unwrap();
    store.put_if_absent(".zattrs", b"{}").unwrap();
}

fn changed<T: std::fmt::Debug>(result: Result<T>) {
    let e = result.unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed, "{e}");
}

fn busy<T: std::fmt::Debug>(result: Result<T>) {
    let e = result.unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Busy, "{e}");
}

#[test]
fn the_last_one_makes_a_store_of_the_parts() {
    let service = Service::new();
    service.with_parts();
    assert_eq!(service.keys().len(), 21, "with the claim");
    let target = service.end(A).unwrap();
    let before = service.run.network.traffic().requests;
    end(&*target, b"group");
    let asked = service.run.network.traffic().requests - before;
    assert!(asked < 5, "{asked} requests: keys are listed");
    let all = target.store().children("").unwrap();
    assert_eq!(all, [".zattrs", ".zgroup", "v"]);
    assert_eq!(service.get("a/s/.zgroup"), None);
    target.commit().unwrap();
    assert_eq!(service.get("a/s/.zgroup").unwrap(), b"group");
    assert_eq!(service.get("a/s/v/13").unwrap(), [13; 10]);
    assert_eq!((service.get(CLAIM), service.keys().len()), (None, 23));
    changed(service.shared().part());
}

#[test]
fn sizes_are_known_or_asked_for() {
    let service = Service::new();
    service.with_parts();
    let (part, _) = service.part();
    let last = service.end(A).unwrap();
    for target in [part, last] {
        target.store().put(".zgroup", b"group").unwrap();
        let keys = ["v/3", "v/20", ".zgroup", "v/19"].map(str::to_owned);
        let sizes = target.store().sizes(&keys).into_iter();
        let sizes: Vec<_> = sizes.map(Result::unwrap).collect();
        assert_eq!(sizes, [Some(10), None, Some(5), Some(10)]);
    }
}

#[test]
fn an_end_that_is_repeated_changes_nothing() {
    let service = Service::new();
    service.with_parts();
    for _ in 0..2 {
        let target = service.end(A).unwrap();
        end(&*target, b"group");
        target.commit().unwrap();
    }
    let target = service.end(A).unwrap();
    end(&*target, b"other");
    changed(target.commit());
    let target = service.end(A).unwrap();
    target.store().put("v/3", b"other").unwrap();
    changed(target.commit());
    assert_eq!(service.get("a/s/.zgroup").unwrap(), b"group");
    assert_eq!(service.get("a/s/v/3").unwrap(), [3; 10]);
    assert!(!service.shared().remove(&owner(A)).unwrap());
    assert_eq!(service.keys().len(), 23);
}

#[test]
fn the_sums_are_those_of_a_directory() {
    let service = Service::new();
    service.shared().begin(false).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cancel = Cancel::default();
    let (here, want) =
        crate::io::dir::shared::SharedDirectoryTarget::create(folder.path(), false, &cancel)
            .unwrap();
    put_ten(&here, 5);
    for _ in 0..2 {
        let (part, sums) = service.part();
        put_ten(&*part, 5);
        part.commit().unwrap();
        assert_eq!(sums.get(), want.get());
        assert_eq!(sums.get().bytes, 100);
    }
}

#[test]
fn parts_that_are_given_up_remove_nothing() {
    let service = Service::new();
    service.with_parts();
    let (part, _) = service.part();
    put_ten(&*part, 0);
    drop(part);
    let target = service.end(A).unwrap();
    end(&*target, b"group");
    drop(target);
    assert_eq!(service.keys().len(), 22, "no root, but the array");
    assert!(service.get(CLAIM).is_some());
    let (part, _) = service.part();
    assert!(part.store().delete("v/3").is_err());
    drop(part);
    assert!(service.shared().remove(&owner(A)).unwrap());
    assert_eq!(service.keys(), [""; 0]);
}

#[test]
fn a_finished_store_whose_claim_is_left_stays() {
    let service = Service::new();
    service.with_parts();
    let claim = service.get(CLAIM).unwrap();
    let target = service.end(A).unwrap();
    end(&*target, b"group");
    target.commit().unwrap();
    service.put(CLAIM, std::str::from_utf8(&claim).unwrap());
    assert!(service.shared().remove(&owner(A)).unwrap());
    assert_eq!((service.get(CLAIM), service.keys().len()), (None, 23));
}

#[test]
fn whoever_has_lost_the_claim_stops() {
    let service = Service::new();
    changed(service.shared().part());
    changed(service.end(A));
    service.with_parts();
    let e = service.shared().begin(false).unwrap_err();
    assert!(e.to_string().contains("its claim is 0 s old"), "{e}");
    let (part, last) = (service.part().0, service.end(A).unwrap());
    put_ten(&*part, 0);
    end(&*last, b"group");
    service.put(CLAIM, "of others");
    changed(part.commit());
    // The next process reports the changed claim.
    busy(last.commit());
    changed(service.end(A));
    assert!(!service.shared().remove(&owner(A)).unwrap());
    assert_eq!(service.get(CLAIM).unwrap(), b"of others");
    assert_eq!(
        (service.get("a/s/.zgroup"), service.keys().len()),
        (None, 22)
    );
}

#[test]
fn a_place_that_is_refused_keeps_what_it_has() {
    let service = Service::new();
    service.put("a/s/x", "data");
    for overwrite in [false, true] {
        let e = service.shared().begin(overwrite).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Exists);
    }
    assert_eq!(service.keys(), ["a/s/x"]);
    service.put("a/s/.zgroup", "old");
    service.shared().begin(true).unwrap();
    assert_eq!(service.keys(), [CLAIM]);
}

#[test]
fn one_process_finishes_a_store_at_a_time() {
    let service = Service::new();
    service.with_parts();
    let plain = service.get(CLAIM).unwrap();
    let first = service.end(A).unwrap();
    let line = String::from_utf8(service.get(CLAIM).unwrap()).unwrap();
    assert!(line.contains("\nfinishing 1") && line.contains(A), "{line}");
    busy(service.end(B));
    busy(service.shared().remove(&owner(B)));
    // A late copy of a part has no effect.
    let (part, _) = service.part();
    put_ten(&*part, 0);
    part.commit().unwrap();
    // After a drop, the claim has its first content.
    drop(first);
    assert_eq!(service.get(CLAIM).unwrap(), plain);
    let target = service.end(B).unwrap();
    end(&*target, b"group");
    target.commit().unwrap();
    assert_eq!((service.get(CLAIM), service.keys().len()), (None, 23));
    let again = service.end(A).unwrap();
    end(&*again, b"group");
    again.commit().unwrap();
}

#[test]
fn a_process_whose_lease_was_taken_over_changes_nothing_more() {
    let service = Service::new();
    service.with_parts();
    let first = service.end(A).unwrap();
    first.store().put("v/.zarray", b"array").unwrap();
    first.store().get("v/.zarray").unwrap();
    // Simulates a lease that expired while its process was stopped.
    let text = String::from_utf8(service.get(CLAIM).unwrap()).unwrap();
    let begin = text.find("finishing ").unwrap();
    service.put(CLAIM, &format!("{}finishing 5 {A} x\n", &text[..begin]));
    let second = service.end(B).unwrap();
    first.store().put_if_absent(".zgroup", b"group").unwrap();
    busy(first.commit());
    assert_eq!(service.get("a/s/.zgroup"), None);
    busy(service.end(A));
    end(&*second, b"group");
    second.commit().unwrap();
    assert_eq!(service.get("a/s/.zgroup").unwrap(), b"group");
}

#[test]
fn the_next_process_of_the_same_directory_takes_over_at_once() {
    let service = Service::new();
    service.with_parts();
    let killed = service.end(A).unwrap();
    let target = service.end(A).unwrap();
    end(&*target, b"group");
    target.commit().unwrap();
    busy(killed.commit());
    assert_eq!((service.get(CLAIM), service.keys().len()), (None, 23));
}
