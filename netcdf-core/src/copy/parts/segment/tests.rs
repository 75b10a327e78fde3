use std::sync::Arc;

use super::*;
use crate::ErrorKind;
use crate::cancel::Cancel;
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::source::read_range;
use crate::io::target::PAGE;

/// Returns a segment of two variables, and its length and digest.
fn made() -> (Vec<u8>, SegmentContent) {
    let (target, out) = MemoryTarget::new("segment");
    let mut writer = SegmentWriter::new(Box::new(target));
    let long = vec![7; 3 << 20];
    for (var, kind, bytes) in [
        (1, chunk(5, 2, false), &b"abc"[..]),
        (1, chunk(9, 0, true), &long),
        (4, SegmentPieceKind::Run { element: 11 }, b""),
    ] {
        let var = VarId(var);
        let moved = kind == chunk(9, 0, true);
        let origin = moved.then_some(3 * PAGE + 17);
        writer
            .add(SegmentPiece { var, kind }, origin, bytes)
            .unwrap();
    }
    let written = writer.finish().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    (bytes, written)
}

fn chunk(index: u64, mask: u32, moved: bool) -> SegmentPieceKind {
    SegmentPieceKind::Chunk { index, mask, moved }
}

fn opened(bytes: Vec<u8>) -> crate::Result<Segment> {
    Segment::open(Arc::new(MemorySource::new("segment", bytes)))
}

#[test]
fn pieces_come_back_by_variable() {
    let (bytes, written) = made();
    assert_eq!(written.bytes, bytes.len() as u64);
    let segment = opened(bytes).unwrap();
    assert_eq!(segment.written(), written);
    segment.verify(&Cancel::default()).unwrap();
    let pieces = |var| {
        let pieces = segment.pieces(VarId(var)).map(Result::unwrap);
        pieces.collect::<Vec<_>>()
    };
    let of_one = pieces(1);
    assert_eq!(of_one.len(), 2);
    assert_eq!(of_one[0].0.kind, chunk(5, 2, false));
    assert_eq!(of_one[1].0.kind, chunk(9, 0, true));
    assert_eq!(of_one[1].1.start % PAGE, 17);
    let source = segment.source();
    assert_eq!(read_range(&**source, &of_one[0].1).unwrap(), b"abc");
    assert_eq!(of_one[1].1.end - of_one[1].1.start, 3 << 20);
    assert!(pieces(0).is_empty());
    assert_eq!(pieces(4)[0].0.kind, SegmentPieceKind::Run { element: 11 });
}

#[test]
fn damage_is_an_error() {
    let (bytes, written) = made();
    for cut in [0, 7, 8, 55, 56, bytes.len() - 1] {
        assert!(opened(bytes[..cut].to_vec()).is_err(), "{cut}");
    }
    // For any wrong byte, the reader does not panic, and the digest differs.
    let places = (0..48).chain(bytes.len() - 100..bytes.len());
    for at in places {
        let mut other = bytes.clone();
        other[at] ^= 0x81;
        let Ok(segment) = opened(other) else { continue };
        for var in [1, 4, 0] {
            let _ = segment.pieces(VarId(var)).collect::<Vec<_>>();
        }
        let same = segment.written() == written;
        let e = segment.verify(&Cancel::default()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Corrupt, "{at} {same}");
    }
}
