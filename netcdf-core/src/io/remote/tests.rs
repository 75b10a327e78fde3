//! Tests of stores in an in-memory service.

use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStoreExt as _;
use object_store::memory::InMemory;
use object_store::path::Path;

use super::bucket::Bucket;
use super::store::ObjectStore;
use super::wait::wait;
use crate::io::network::Network;
use crate::io::store::{Hints, Store};

/// A store with these keys, and its request counter.
fn store(keys: &[&str]) -> (ObjectStore, Arc<Network>) {
    let objects = Arc::new(InMemory::new());
    for key in keys {
        let path = Path::from(format!("s/{key}"));
        wait(async { Ok(objects.put(&path, "text".into()).await.unwrap()) }).unwrap();
    }
    let network = Arc::new(Network::default());
    let by = (&network, Duration::from_secs(60));
    let bucket = Bucket::new(objects, ("s3://b", "no credentials"), by);
    (
        ObjectStore::new(Arc::new(bucket), "s", Hints::default()),
        network,
    )
}

/// The keys below a prefix. The visitor reads each key.
fn walked(store: &ObjectStore, prefix: &str) -> Vec<String> {
    let mut found = vec![];
    store
        .walk(prefix, &mut |key, size| {
            assert_eq!(store.get(key)?.unwrap().len() as u64, size);
            found.push(key.to_owned());
            Ok(())
        })
        .unwrap();
    found
}

#[test]
fn visitors_may_ask() {
    let (store, network) = store(&["a/0", "a/1", "b/0"]);
    assert_eq!(walked(&store, "a/"), ["a/0", "a/1"]);
    assert_eq!(network.traffic().requests, 3);
}

#[test]
fn keys_are_listed_once() {
    let (store, network) = store(&["a/0", "a/1", "b/0"]);
    assert_eq!(walked(&store, ""), ["a/0", "a/1", "b/0"]);
    assert_eq!(network.traffic().requests, 4);
    assert_eq!(walked(&store, "b/"), ["b/0"]);
    assert_eq!(walked(&store, "").len(), 3);
    assert_eq!(network.traffic().requests, 8, "no list after the first");
}
