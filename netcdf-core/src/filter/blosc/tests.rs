use super::*;
use crate::error::ErrorKind;

/// Builds a chunk from flags, element size, decoded size, block size, and the bytes after the header.
fn chunk(flags: u8, element: u8, sizes: (u32, u32), body: &[u8]) -> Vec<u8> {
    let mut chunk = vec![2, 1, flags, element];
    let stored = u32::try_from(body.len() + 16).unwrap();
    for size in [sizes.0, sizes.1, stored] {
        chunk.extend(size.to_le_bytes());
    }
    chunk.extend(body);
    chunk
}

/// Converts words to bytes: offsets and stream sizes of a body.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn decode(chunk: &[u8], len: usize) -> Result<Vec<u8>> {
    crate::filter::tests::decode(ENTRY.id, &[], len, chunk)
}

fn kind(chunk: &[u8], len: usize) -> ErrorKind {
    decode(chunk, len).unwrap_err().kind()
}

#[test]
fn copied_chunks_have_no_blocks() {
    let plain = chunk(2, 4, (5, 5), b"abcde");
    assert_eq!(decode(&plain, 5).unwrap(), b"abcde");
    let shuffled = chunk(3, 4, (5, 5), b"abcde");
    assert_eq!(
        decode(&shuffled, 5).unwrap(),
        b"abcde",
        "a copy is not shuffled"
    );
    assert_eq!(kind(&plain[..20], 5), ErrorKind::Truncated);
    assert_eq!(kind(&plain, 4), ErrorKind::Corrupt);
    assert_eq!(decode(&chunk(2, 4, (0, 0), b""), 0).unwrap(), b"");
}

#[test]
fn incompressible_streams_are_stored() {
    let mut body = words(&[24, 32, 4]);
    body.extend(b"dcba");
    body.extend(words(&[1]));
    body.extend(b"e");
    assert_eq!(decode(&chunk(0, 1, (5, 4), &body), 5).unwrap(), b"dcbae");
}

#[test]
fn old_chunks_split_large_blocks() {
    // 2 planes of 128 bytes, the first uncompressed, the second by BloscLZ: a byte, then 127 repeats.
    let mut body = words(&[20, 128]);
    body.extend(0..128);
    body.extend(words(&[5]));
    body.extend([0, 7, 0xE0, 127 - 9, 0]);
    let expected: Vec<u8> = (0..128).flat_map(|n| [n, 7]).collect();
    assert_eq!(
        decode(&chunk(1, 2, (256, 256), &body), 256).unwrap(),
        expected
    );
    assert_eq!(
        kind(&chunk(0x11, 2, (256, 256), &body), 256),
        ErrorKind::Corrupt
    );
}

#[test]
fn far_repeats_add_to_the_largest_distance() {
    let mut stream = vec![0, 9, 0xE0];
    stream.extend([255; 40]);
    stream.extend([0, 0]); // 10200 + 9 more repeats
    stream.extend([1, 5, 6]);
    stream.extend([0x3F, 255, 0x07, 0xD0]); // 3 bytes from 8191 + 2000 + 1 before
    let mut output = Vec::new();
    blosclz::decode(&stream, 10_215, &mut output).unwrap();
    assert_eq!(output.len(), 10_215);
    assert_eq!(&output[10_208..], [9, 9, 5, 6, 9, 9, 9]);
    assert!(blosclz::decode(&stream, 10_216, &mut Vec::new()).is_err());
    assert!(blosclz::decode(&stream, 10_214, &mut Vec::new()).is_err());
}

#[test]
fn headers_are_checked() {
    let good = chunk(2, 4, (5, 5), b"abcde");
    let with = |at: usize, byte: u8| {
        let mut bad = good.clone();
        bad[at] = byte;
        kind(&bad, 5)
    };
    assert_eq!(with(0, 5), ErrorKind::Unsupported, "Blosc 2");
    assert_eq!(with(1, 2), ErrorKind::Unsupported, "version of the codec");
    assert_eq!(with(2, 0xA2), ErrorKind::Unsupported, "codec 5");
    assert_eq!(with(2, 0x0A), ErrorKind::Unsupported, "reserved flag");
    assert_eq!(with(3, 0), ErrorKind::Corrupt, "element size");
    assert_eq!(with(8, 0), ErrorKind::Corrupt, "block size");
    assert_eq!(with(12, 22), ErrorKind::Truncated, "stored size");
    assert_eq!(kind(&good[..15], 5), ErrorKind::Truncated);
}

/// Returns bytes with repeats.
fn sample(len: usize) -> Vec<u8> {
    (0..len).map(|n| (n * n / 7 % 113 % 256) as u8).collect()
}

/// Encodes and decodes a chunk, and checks the block layout that reference decoders need.
fn back(choice: &BloscSettings, len: usize) {
    let (input, mut stored) = (sample(len), vec![]);
    encode::chunk(choice, &input, &mut stored).unwrap();
    let header = BloscHeader::read(&stored).unwrap();
    let about = format!(
        "{len} bytes of {} in {:?} {:?} {}, block {}",
        choice.element, choice.codec, choice.shuffle, choice.level, header.block
    );
    assert_eq!(header.stored, stored.len(), "{about}");
    let whole = header.block.is_multiple_of(header.element);
    assert!(whole || len < header.element, "{about}");
    assert!(header.is_strict(), "{about}");
    let found = decode(&stored, len).map_err(|e| e.what().to_string());
    assert!(found.as_ref() == Ok(&input), "{about}: {:?}", found.err());
}

/// Lengths around whole elements, full blocks and the smallest split block.
fn lengths(element: usize) -> impl Iterator<Item = usize> {
    let split = if element > 17 { 16 } else { 128 };
    let boundaries = [0, element, 8 * element, split * element];
    let near = move |boundary: usize| {
        [
            boundary.saturating_sub(1),
            boundary,
            boundary + 1,
            boundary + element / 2,
        ]
    };
    boundaries.into_iter().flat_map(near)
}

const CODECS: [BloscCodec; 5] = [
    BloscCodec::BloscLz,
    BloscCodec::Lz4,
    BloscCodec::Snappy,
    BloscCodec::Zlib,
    BloscCodec::Zstd,
];
const SHUFFLES: [BloscShuffle; 3] = [BloscShuffle::None, BloscShuffle::Bytes, BloscShuffle::Bits];

#[test]
fn chunks_of_any_length_round_trip() {
    let choice = |codec, shuffle, element, block| BloscSettings {
        element,
        level: 1,
        shuffle,
        codec,
        block,
    };
    let sizes = [1, 2, 3, 8, 16, 17, 255];
    let some = CODECS.into_iter().flat_map(|c| sizes.map(|s| (c, s)));
    let all = (1..=255).map(|s| (BloscCodec::Lz4, s));
    for ((codec, element), shuffle) in some.chain(all).flat_map(|c| SHUFFLES.map(|s| (c, s))) {
        let choice = choice(codec, shuffle, element, 0);
        lengths(element.into()).for_each(|len| back(&choice, len));
    }
    // These lengths need several blocks.
    for ((codec, element), shuffle) in CODECS
        .into_iter()
        .flat_map(|c| [1, 3, 8, 17].map(|s| (c, s)))
        .flat_map(|c| SHUFFLES.map(|s| (c, s)))
    {
        let least = usize::from(element) * 128;
        for block in [1, least + 1] {
            let choice = choice(codec, shuffle, element, block);
            let near = [
                2 * least - 1,
                2 * least + 1,
                3 * least + usize::from(element) / 2,
            ];
            near.into_iter().for_each(|len| back(&choice, len));
        }
    }
}

#[test]
fn long_chunks_of_any_length_round_trip() {
    for (codec, shuffle) in CODECS.into_iter().flat_map(|c| SHUFFLES.map(|s| (c, s))) {
        for (element, level) in [(3, 1), (8, 0), (8, 5), (255, 1)] {
            let choice = BloscSettings {
                element,
                level,
                shuffle,
                codec,
                block: 0,
            };
            for len in [1_000_001, 1_048_576] {
                back(&choice, len);
            }
        }
    }
}
