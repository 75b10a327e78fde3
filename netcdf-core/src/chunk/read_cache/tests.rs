use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::decoded_chunks::ChunkKey;
use super::*;
use crate::chunk::layout::{ChunkHolder, ChunkRef};
use crate::error::{Error, ErrorKind};
use crate::model::VarId;
use crate::runtime::{Runtime, WorkItem};

fn env(memory: u64) -> Env {
    Env {
        runtime: Runtime::sized(2, memory).sharing_all(),
        ..Env::default()
    }
}

fn key(index: u64) -> ChunkKey {
    let range = 10 * index..10 * index + 10;
    let chunk = ChunkRef {
        variable: VarId(3),
        index,
        holder: ChunkHolder::Source(0),
        range,
        mask: 0,
    };
    ChunkKey::new(VarId(3), &chunk)
}

/// Reads a chunk of some bytes. Returns true if it was cached.
fn reads(chunks: &DecodedChunks, index: u64, len: usize, since: u64) -> bool {
    match chunks.claim(key(index), since) {
        ChunkLookup::Hit(bytes) => {
            assert_eq!(*bytes, vec![index as u8; len]);
            true
        }
        ChunkLookup::Miss(claim) => {
            let mut bytes = Vec::with_capacity(len);
            bytes.resize(len, index as u8);
            claim.publish(Ok(bytes)).unwrap();
            false
        }
        ChunkLookup::InFlight(_) => panic!("no other thread reads"),
    }
}

fn claimed(chunks: &DecodedChunks, index: u64) -> Claim<'_> {
    match chunks.claim(key(index), 0) {
        ChunkLookup::Miss(claim) => claim,
        ChunkLookup::Hit(_) | ChunkLookup::InFlight(_) => panic!("the chunk is cached"),
    }
}

fn flight(chunks: &DecodedChunks, index: u64) -> Arc<ChunkFlight> {
    match chunks.claim(key(index), 0) {
        ChunkLookup::InFlight(flight) => flight,
        ChunkLookup::Hit(_) | ChunkLookup::Miss(_) => panic!("no thread decodes the chunk"),
    }
}

#[test]
fn who_comes_second_gets_what_the_first_decodes() {
    let chunks = DecodedChunks::new(&env(1000), 100);
    let claim = claimed(&chunks, 1);
    let waits: Vec<_> = (0..3).map(|_| flight(&chunks, 1)).collect();
    std::thread::scope(|scope| {
        let waits: Vec<_> = waits
            .iter()
            .map(|flight| scope.spawn(|| flight.wait()))
            .collect();
        let made = claim.publish(Ok(vec![7; 10])).unwrap();
        for got in waits {
            let got = got.join().unwrap().unwrap().unwrap();
            assert!(Arc::ptr_eq(&got, &made));
        }
    });
    assert_eq!(chunks.find(&key(1)), Some(Arc::new(vec![7; 10])));
    assert_eq!(chunks.find(&key(2)), None);
}

#[test]
fn errors_reach_all_and_are_not_kept() {
    let chunks = DecodedChunks::new(&env(1000), 100);
    let claim = claimed(&chunks, 1);
    let wait = flight(&chunks, 1);
    let e = Error::new(ErrorKind::Corrupt, "odd");
    assert_eq!(
        claim.publish(Err(e)).unwrap_err().kind(),
        ErrorKind::Corrupt
    );
    let got = wait.wait().unwrap().unwrap_err();
    assert_eq!(got.to_string(), "odd");
    // The next reader tries again.
    assert!(!reads(&chunks, 1, 10, 0));
    assert!(reads(&chunks, 1, 10, 0));
}

#[test]
fn who_gives_up_lets_another_try() {
    let chunks = DecodedChunks::new(&env(1000), 100);
    let wait = std::thread::scope(|scope| {
        let claim = claimed(&chunks, 1);
        let wait = flight(&chunks, 1);
        let panics = scope.spawn(move || {
            let _claim = claim;
            panic!("a filter with a mistake");
        });
        assert!(panics.join().is_err());
        wait
    });
    assert!(wait.wait().is_none());
    assert!(!reads(&chunks, 1, 10, 0));
}

#[test]
fn what_was_not_used_for_the_longest_time_goes_first() {
    let chunks = DecodedChunks::new(&env(1000), 100);
    for n in 0..3 {
        assert!(!reads(&chunks, n, 30, 0));
    }
    assert!(reads(&chunks, 0, 30, 0));
    // A read evicts neither the chunks that it used itself, nor any chunk for an oversized chunk.
    assert!(!reads(&chunks, 5, 30, 0) && !reads(&chunks, 4, 51, u64::MAX));
    assert!(!reads(&chunks, 3, 30, chunks.now()));
    assert_eq!(chunks.bytes(), 90);
    assert!(!reads(&chunks, 1, 30, 0), "it was the oldest");
    assert!(reads(&chunks, 2, 30, 0) && reads(&chunks, 0, 30, 0) && reads(&chunks, 3, 30, 0));
}

#[test]
fn a_chunk_is_known_by_its_place() {
    let chunks = DecodedChunks::new(&env(1000), 100);
    assert!(!reads(&chunks, 1, 10, 0));
    let mut moved = ChunkRef {
        variable: VarId(3),
        index: 1,
        holder: ChunkHolder::Source(0),
        range: 10..20,
        mask: 0,
    };
    assert!(chunks.find(&ChunkKey::new(VarId(3), &moved)).is_some());
    assert!(chunks.find(&ChunkKey::new(VarId(2), &moved)).is_none());
    moved.mask = 1;
    assert!(chunks.find(&ChunkKey::new(VarId(3), &moved)).is_none());
}

#[test]
fn chunks_are_given_up_before_work_waits() {
    // Jobs may take 50 bytes; jobs and chunks together may take 100.
    let env = env(50);
    let (one, other) = (ReadCache::sized(&env, 80), ReadCache::sized(&env, 80));
    for n in 0..4 {
        assert!(!reads(&one.decoded, n, 20, 0));
    }
    for n in 0..2 {
        assert!(!reads(&other.decoded, n, 20, u64::MAX));
    }
    assert_eq!((one.decoded_bytes(), other.decoded_bytes()), (60, 40));
    assert!(!reads(&one.decoded, 0, 30, 0), "it was the oldest");
    assert_eq!(one.decoded_bytes(), 60, "no memory for the chunk");
    let counts = AtomicUsize::new(0);
    let most = AtomicUsize::new(0);
    let work = |()| {
        let now = counts.fetch_add(1, Ordering::Relaxed) + 1;
        most.fetch_max(now, Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(20));
        counts.fetch_sub(1, Ordering::Relaxed);
        Ok(())
    };
    let items = (0..4).map(|_| Ok(WorkItem::new(25, ())));
    env.runtime.ordered(items, work, Ok).unwrap();
    assert_eq!(most.into_inner(), 2, "both threads work");
    assert_eq!((one.decoded_bytes(), other.decoded_bytes()), (0, 40));
    assert_eq!(env.runtime.cached_bytes(), 40);
    drop(other);
    assert_eq!(env.runtime.cached_bytes(), 0);
}

#[test]
fn no_chunk_is_decoded_twice_at_a_time() {
    const CHUNKS: u64 = 6;
    let chunks = DecodedChunks::new(&env(1000), 70);
    let busy: Vec<AtomicBool> = (0..CHUNKS).map(|_| AtomicBool::new(false)).collect();
    let decode = |index: u64, fails: bool| {
        let own = &busy[index as usize];
        assert!(!own.swap(true, Ordering::SeqCst), "somebody decodes it");
        std::thread::yield_now();
        own.store(false, Ordering::SeqCst);
        match fails {
            true => Err(Error::new(ErrorKind::Corrupt, "odd")),
            false => Ok(vec![index as u8; 20]),
        }
    };
    let read = |index: u64, turn: u64| {
        loop {
            let got = match chunks.claim(key(index), chunks.now()) {
                ChunkLookup::Hit(bytes) => Some(Ok(bytes)),
                ChunkLookup::Miss(claim) if turn.is_multiple_of(11) => {
                    drop(claim);
                    None
                }
                ChunkLookup::Miss(claim) => {
                    Some(claim.publish(decode(index, turn.is_multiple_of(7))))
                }
                ChunkLookup::InFlight(flight) => flight.wait(),
            };
            match got {
                Some(Ok(bytes)) => return assert_eq!(*bytes, vec![index as u8; 20]),
                Some(Err(_)) => return,
                None if turn.is_multiple_of(11) => return,
                None => {}
            }
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..8u64 {
            let read = &read;
            scope.spawn(move || (0..2000).for_each(|n| read((n * n + thread * n) % CHUNKS, n)));
        }
    });
    assert!(chunks.bytes() <= 70);
}

/// Without memory, all workers share the last chunk.
#[test]
fn the_last_chunk_is_cached_without_room() {
    let chunks = DecodedChunks::new(&env(0), 100);
    assert!(!reads(&chunks, 1, 30, 0) && reads(&chunks, 1, 30, 0));
    assert!(!reads(&chunks, 2, 30, 0) && reads(&chunks, 2, 30, 0));
    assert!(!reads(&chunks, 1, 30, 0), "only one chunk");
    assert!(
        !reads(&chunks, 3, 51, 0) && !reads(&chunks, 3, 51, 0),
        "too large"
    );
    assert_eq!(chunks.bytes(), 0);
}
