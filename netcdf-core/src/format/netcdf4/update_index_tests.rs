//! Changes in place of netCDF-4 files whose chunks are in arrays. `testdata/hdf5/make_records.py` makes the files.

use std::collections::BTreeMap;
use std::ops::Range;

use super::update_tests::*;
use super::*;
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::scatter::Block;
use crate::chunk::visit::Locate;
use crate::chunk::{MetadataExtent, Placement};
use crate::io::memory::MemorySource;
use crate::io::patched::recorded_file::RecordedFile;
use crate::model::{DimId, FillMode, Region, VarId};

/// Chunks of one element in a fixed array.
const FEW: VarId = VarId(4);
/// As `FEW`, in pages.
const WIDE: VarId = VarId(5);

/// Files by number of records per chunk.
const FILES: [(&str, u64); 4] = [
    ("records_v110_1", 1),
    ("records_v110_16_deflated", 16),
    ("records_v200_1", 1),
    ("records_v200_16_deflated", 16),
];

fn file(name: &str) -> Vec<u8> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/hdf5");
    std::fs::read(format!("{root}/{name}.h5")).unwrap()
}

/// Returns the location of each stored chunk of a variable, by its number.
fn stored(reader: &dyn Reader, var: VarId) -> BTreeMap<u64, Range<u64>> {
    let mut all = BTreeMap::new();
    let grid = reader.layout(var).unwrap().grid();
    let visited = reader.locate(var, &Block::whole(&grid), Locate::Stored, &mut |chunk| {
        all.insert(chunk.index, chunk.range);
        Ok(())
    });
    crate::chunk::visit::ended(visited).unwrap();
    all
}

/// Checks that no two chunks share bytes, that no metadata is in a chunk, and that everything is in the file.
fn check_locations(bytes: &[u8]) {
    let source: Arc<dyn crate::io::Source> = Arc::new(MemorySource::new("m", bytes.to_vec()));
    let env = Env {
        survey: true,
        ..Env::default()
    };
    let reader = open(Container::Source(source), &env).unwrap();
    let vars: Vec<VarId> = reader.schema().var_ids().collect();
    let chunks = vars
        .iter()
        .flat_map(|var| stored(&*reader, *var).into_values());
    let mut all: Vec<Range<u64>> = chunks.collect();
    let Ok(Some(MetadataExtent::File(metadata))) = reader.metadata(&env) else {
        panic!("no metadata");
    };
    all.extend(metadata.ranges.unwrap());
    all.sort_by_key(|range| range.start);
    for pair in all.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{pair:?}");
    }
    assert!(all.last().unwrap().end <= bytes.len() as u64);
}

#[test]
fn records_are_appended_to_arrays() {
    for (name, chunk) in FILES {
        let raw = RecordedFile::new(&file(name));
        let mut update = opened(&raw);
        for len in 1..=600 {
            append(&mut *update, chunk, len);
            update.commit(FillMode::Fill).unwrap();
            if len % 97 == 0 || len < 7 {
                check(update.reader(), len);
                check(&*reopened(&raw.bytes()), len);
            }
            if len % 210 == 0 {
                drop(update);
                update = opened(&raw);
            }
        }
        check_locations(&raw.bytes());
    }
}

/// A sequence of numbers below a limit.
fn numbers(mut seed: u64, below: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    })
}

/// Chunks anywhere in an array: in the index block, in data blocks of the index block and of super blocks, and in pages.
#[test]
fn chunks_are_stored_in_all_blocks_of_an_array() {
    const LEN: u64 = 400_000;
    for (name, _) in FILES.into_iter().filter(|(_, chunk)| *chunk == 1) {
        let raw = RecordedFile::new(&file(name));
        let mut update = opened(&raw);
        in_place(update.set_len(DimId(0), LEN));
        let borders = [
            0,
            3,
            4,
            19,
            20,
            243,
            244,
            131_059,
            131_060,
            132_083,
            132_084,
            LEN - 1,
        ];
        let all = borders.into_iter().chain(numbers(7, LEN).take(300));
        let mut expected = BTreeMap::new();
        for (n, at) in all.enumerate() {
            in_place(update.put_chunk(TIME, at, 0, &encoded(vec![at as f64])));
            in_place(update.put_chunk(TURNED, at * 3 % (3 * LEN), 0, &encoded(vec![-1.0])));
            expected.insert(at, at as f64);
            if n % 40 == 39 {
                update.commit(FillMode::Fill).unwrap();
            }
        }
        update.commit(FillMode::Fill).unwrap();
        let reader = reopened(&raw.bytes());
        let found = stored(&*reader, TIME);
        assert!(found.keys().eq(expected.keys()), "{name}");
        let values = read(&*reader, TIME);
        let values = (0..).zip(values).filter(|(_, value)| *value != 0.0);
        let own = expected.into_iter().filter(|(_, value)| *value != 0.0);
        assert!(values.eq(own), "{name}");
        check_locations(&raw.bytes());
    }
}

#[test]
fn abandoned_changes_of_arrays_leave_the_file() {
    for (name, chunk) in FILES {
        let raw = RecordedFile::new(&file(name));
        let mut update = opened(&raw);
        // The first time, the arrays do not exist.
        for begun in [0, 5, 270] {
            append(&mut *update, chunk, begun);
            update.commit(FillMode::Fill).unwrap();
            let before = raw.bytes();
            append(&mut *update, chunk, begun + 300);
            update.abandon().unwrap();
            // Slots that the committed file does not use may have other bytes.
            assert!(chunk > 1 || raw.bytes() == before, "{name} {begun}");
            assert_eq!(raw.bytes().len(), before.len());
            check(update.reader(), begun);
        }
        append(&mut *update, chunk, 280);
        update.commit(FillMode::Fill).unwrap();
        check(&*reopened(&raw.bytes()), 280);
    }
}

#[test]
fn a_reader_of_arrays_sees_the_old_or_the_new_state_at_every_moment() {
    // New arrays; new data blocks of the index block; a new super block; chunks in slots.
    let plain: [&[u64]; 4] = [&[0, 1], &[3, 6], &[18, 22], &[242, 246]];
    let filtered: [&[u64]; 4] = [&[0, 3], &[2, 3], &[14, 15, 17], &[15, 17, 33, 34]];
    for ((name, chunk), all) in [(FILES[0], plain), (FILES[3], filtered)] {
        for lens in all {
            check_every_moment(&file(name), chunk, lens);
        }
    }
}

#[test]
fn a_damaged_array_is_not_changed() {
    let (name, chunk) = FILES[0];
    let raw = RecordedFile::new(&file(name));
    let mut update = opened(&raw);
    append(&mut *update, chunk, 300);
    update.commit(FillMode::Fill).unwrap();
    drop(update);
    let sound = raw.bytes();
    let find = |signature, from: usize| {
        let mut all = sound.windows(4).enumerate().skip(from);
        all.find(|(_, four)| *four == signature).unwrap().0
    };
    // The data block with record 300 follows the first super block.
    let upper = find(b"EASB", 0);
    let blocks = [
        find(b"EAHD", 0),
        find(b"EAIB", 0),
        upper,
        find(b"EADB", upper),
    ];
    for at in blocks {
        raw.change(|file| {
            file.clone_from(&sound);
            file[at + 16] ^= 1;
        });
        let mut update = opened(&raw);
        in_place(update.set_len(DimId(0), 301));
        let put = update.put_chunk(TIME, 300, 0, &encoded(vec![300.0]));
        // The reader does not look at blocks beyond the last element.
        let e = put.and_then(|_| update.commit(FillMode::Fill)).unwrap_err();
        assert_eq!(e.kind(), crate::ErrorKind::Checksum, "{at}: {e}");
        drop(update);
        assert_eq!(raw.bytes().len(), sound.len());
    }
}

/// Stores chunks of one element, with filters if the file has them.
fn put_one(update: &mut dyn Update, var: VarId, at: u64, values: Vec<f64>) {
    let layout = update.reader().layout(var).unwrap();
    let target = (update.reader().schema(), update.rules(var));
    let encoder = ChunkEncoder::of(target, &Env::default(), var, &layout).unwrap();
    let stored = encoder.encode(&Region::whole(&layout.chunk), encoded(values));
    let stored = stored.unwrap();
    in_place(update.put_chunk(var, at, stored.mask, &stored.bytes));
}

#[test]
fn chunks_of_fixed_arrays_and_single_chunks_change() {
    for (name, _) in FILES {
        let raw = RecordedFile::new(&file(name));
        let mut update = opened(&raw);
        let (mut few, mut wide) = (vec![0.0; 3], vec![0.0; 2500]);
        let places = [1023, 1024, 2048, 2499, 0].into_iter();
        for (n, at) in places.chain(numbers(3, 2500).take(40)).enumerate() {
            let value = n as f64;
            put_one(&mut *update, WIDE, at, vec![value]);
            put_one(&mut *update, FEW, at % 3, vec![value]);
            put_one(&mut *update, FIXED, 0, vec![value, 8.0, 9.0]);
            (wide[at as usize], few[at as usize % 3]) = (value, value);
            if n % 5 == 4 {
                update.commit(FillMode::Fill).unwrap();
                let reader = reopened(&raw.bytes());
                for reader in [&*reader, update.reader()] {
                    assert_eq!(read(reader, WIDE), wide, "{name} {n}");
                    assert_eq!(read(reader, FEW), few, "{name} {n}");
                    assert_eq!(read(reader, FIXED), [value, 8.0, 9.0], "{name} {n}");
                }
            }
        }
        check_locations(&raw.bytes());
    }
}

/// A file of h5py without dimension scales: readers recognise dimensions by their length.
#[test]
fn dimensions_without_scales_grow_to_lengths_of_their_own() {
    let raw = RecordedFile::new(&file("records_without_scales"));
    let mut update = opened(&raw);
    let dims = |reader: &dyn Reader| reader.schema().vars[0].dims.clone();
    let [time, x] = dims(update.reader())[..] else {
        panic!("two dimensions");
    };
    let before = dims(update.reader());
    for taken in [3, 7] {
        assert!(
            matches!(update.set_len(time, taken).unwrap(), Placement::Anew(_)),
            "{taken}"
        );
    }
    assert_eq!(update.reader().schema().dims[x.index()].len, 3);
    for len in [4, 5, 40] {
        in_place(update.set_len(time, len));
        in_place(update.put_chunk(VarId(0), len - 1, 0, &encoded(vec![1.0, 2.0, len as f64])));
        update.commit(FillMode::Fill).unwrap();
        let reader = reopened(&raw.bytes());
        assert_eq!(dims(&*reader), before);
        assert_eq!(reader.schema().dims[time.index()].len, len);
        let values = read(&*reader, VarId(0));
        assert_eq!(values[values.len() - 3..], [1.0, 2.0, len as f64]);
    }
}
