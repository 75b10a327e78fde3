//! Changes in place of netCDF-4 files.

use super::*;
use crate::chunk::encode::ChunkEncoder;
use crate::chunk::{Dataset, Placement, elements};
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::patched::recorded_file::{RecordedFile, every_moment};
use crate::model::{
    Atomic, DimId, Dimension, Endianness, FillMode, FilterSpec, GroupId, Name, Region, Storage,
    StorageLayout, Values, VarId, Variable,
};
use crate::notes::Notes;

/// The number of random subsets of unsynced sectors.
const TRIES: usize = 12;

pub(super) const TIME: VarId = VarId(0);
pub(super) const T: VarId = VarId(1);
/// Its unlimited dimension is not the slowest.
pub(super) const TURNED: VarId = VarId(2);
pub(super) const FIXED: VarId = VarId(3);

/// The values of a variable, which depend on the record.
pub(super) fn values(var: VarId, records: std::ops::Range<u64>) -> Vec<f64> {
    match var {
        TIME => records.map(|n| n as f64).collect(),
        T => records
            .flat_map(|n| [n as f64, n as f64 + 0.25, n as f64 + 0.5])
            .collect(),
        _ => vec![],
    }
}

/// Returns the schema, with deflated chunks of records.
pub(super) fn deflated(chunk: u64) -> Schema {
    let mut schema = schema(chunk);
    let id = 1;
    for var in [TIME, T, TURNED] {
        let filter = FilterSpec {
            id,
            params: vec![1],
        };
        schema.vars[var.index()].storage.filters = vec![filter];
    }
    schema
}

pub(super) fn schema(chunk: u64) -> Schema {
    let mut schema = Schema::new(Kind::NETCDF4);
    let dim = |schema: &mut Schema, name: &str, len| {
        let (name, group) = (Name::stored(name.as_bytes()), GroupId::ROOT);
        schema.add_dim(Dimension {
            name,
            group,
            len,
            unlimited: len == 0,
        })
    };
    let (time, x) = (dim(&mut schema, "time", 0), dim(&mut schema, "x", 3));
    let mut var = |name: &str, dims: &[DimId], chunks: Option<Vec<u64>>| {
        let layout = chunks.map(StorageLayout::Chunked);
        schema.add_var(Variable {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            ty: Atomic::Double.into(),
            dims: dims.to_vec(),
            attributes: vec![],
            storage: Storage {
                layout,
                ..Storage::default()
            },
        });
    };
    var("time", &[time], Some(vec![chunk]));
    var("t", &[time, x], Some(vec![chunk, 3]));
    var("turned", &[x, time], Some(vec![1, chunk]));
    var("fixed", &[x], Some(vec![3]));
    schema
}

pub(super) fn encoded(values: Vec<f64>) -> Vec<u8> {
    let mut bytes = vec![];
    elements::encode(&Values::Double(values), Endianness::Little, &mut bytes).unwrap();
    bytes
}

/// Returns a file without records.
fn empty(chunk: u64) -> Vec<u8> {
    made(schema(chunk))
}

pub(super) fn made(schema: Schema) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("t");
    let env = Env::default();
    let output = crate::io::Output::from(Box::new(target) as Box<dyn crate::io::Target>);
    let mut writer = create(output, schema, CreateOptions::default(), &env).unwrap();
    writer
        .put_chunk(FIXED, 0, 0, &encoded(vec![7.0, 8.0, 9.0]))
        .unwrap();
    writer.finish().unwrap();
    let bytes = out.lock().unwrap().take();
    bytes.unwrap()
}

pub(super) fn opened(raw: &RecordedFile) -> Box<dyn Update> {
    let file = PatchedFile::open(Box::new(raw.clone()), &Notes::default()).unwrap();
    open_update(Arc::new(file), &Env::default())
        .unwrap()
        .unwrap()
}

pub(super) fn in_place(placed: Result<Placement>) {
    assert_eq!(placed.unwrap(), Placement::InPlace);
}

/// Returns the values of the chunk `n` along the records; elements beyond `len` are fill values.
fn chunk_of(var: VarId, n: u64, chunk: u64, len: u64) -> Vec<u8> {
    let range = n * chunk..len.min((n + 1) * chunk);
    let mut all = values(var, range);
    let per = if var == TIME { 1 } else { 3 };
    all.resize((chunk * per) as usize, 0.0);
    encoded(all)
}

/// Appends records up to `len`, and writes the chunks that change.
pub(super) fn append(update: &mut dyn Update, chunk: u64, len: u64) {
    let old = update.reader().schema().dims[0].len;
    in_place(update.set_len(DimId(0), len));
    for n in old / chunk..len.div_ceil(chunk) {
        // The first row of TURNED has the values of TIME, the other rows have no chunks.
        for (var, like) in [(TIME, TIME), (T, T), (TURNED, TIME)] {
            let layout = update.reader().layout(var).unwrap();
            let target = (update.reader().schema(), update.rules(var));
            let encoder = ChunkEncoder::of(target, &Env::default(), var, &layout).unwrap();
            let region = Region::whole(&layout.chunk);
            let stored = encoder
                .encode(&region, chunk_of(like, n, chunk, len))
                .unwrap();
            in_place(update.put_chunk(var, n, stored.mask, &stored.bytes));
        }
    }
}

pub(super) fn read(reader: &dyn Reader, var: VarId) -> Vec<f64> {
    let env = Env::default();
    let set = Dataset::new(reader, &env);
    let shape = reader.schema().shape(var);
    match set.read(var, &Region::whole(&shape)).unwrap() {
        Values::Double(values) => values,
        other => panic!("{other:?}"),
    }
}

/// Checks all values of a reader with `len` records.
pub(super) fn check(reader: &dyn Reader, len: u64) {
    assert_eq!(reader.schema().dims[0].len, len);
    for var in [TIME, T] {
        assert_eq!(read(reader, var), values(var, 0..len), "{var:?} {len}");
    }
    let turned = read(reader, TURNED);
    let first = turned.get(..len as usize).unwrap();
    assert_eq!(first, values(TIME, 0..len), "turned {len}");
    assert_eq!(read(reader, FIXED), [7.0, 8.0, 9.0]);
}

pub(super) fn reopened(bytes: &[u8]) -> Box<dyn Reader> {
    let source: Arc<dyn crate::io::Source> = Arc::new(MemorySource::new("m", bytes.to_vec()));
    open(Container::Source(source), &Env::default()).unwrap()
}

#[test]
fn records_are_appended_one_by_one() {
    for chunk in [1, 4] {
        let raw = RecordedFile::new(&empty(chunk));
        let mut update = opened(&raw);
        for len in 1..=300 {
            append(&mut *update, chunk, len);
            if len % 7 == 0 {
                check(update.reader(), len);
            }
            update.commit(FillMode::Fill).unwrap();
            if len % 29 == 0 || len < 5 {
                check(update.reader(), len);
                check(&*reopened(&raw.bytes()), len);
            }
        }
        drop(update);
        let mut again = opened(&raw);
        append(&mut *again, chunk, 303);
        again.commit(FillMode::Fill).unwrap();
        check(&*reopened(&raw.bytes()), 303);
    }
}

#[test]
fn chunks_that_fill_step_by_step_use_little_space() {
    for every in [1, 7, 1000] {
        let raw = RecordedFile::new(&made(deflated(64)));
        let mut update = opened(&raw);
        for len in 1..=1000 {
            append(&mut *update, 64, len);
            update.commit(FillMode::Fill).unwrap();
            if len % every == 0 {
                drop(update);
                update = opened(&raw);
            }
            if len % 61 == 0 {
                check(update.reader(), len);
                check(&*reopened(&raw.bytes()), len);
            }
        }
        let at_once = RecordedFile::new(&made(deflated(64)));
        let mut update = opened(&at_once);
        append(&mut *update, 64, 1000);
        update.commit(FillMode::Fill).unwrap();
        let [stepwise, at_once] = [raw, at_once].map(|file| file.bytes().len());
        // Each commit moves the end by 8 bytes. Two raw chunks of each variable are in `at_once`, too, and marks take 32 bytes each.
        let most = at_once + at_once / 10 + 1000 * 8 + 3 * 16 * 32;
        assert!(
            stepwise <= most,
            "every {every}: {stepwise}, at once {at_once}"
        );
    }
}

#[test]
fn slots_that_another_program_used_are_not_used_again() {
    let raw = RecordedFile::new(&made(deflated(64)));
    let mut update = opened(&raw);
    for len in [3, 4, 5] {
        append(&mut *update, 64, len);
        update.commit(FillMode::Fill).unwrap();
    }
    let var = update.reader();
    let mut place = 0;
    let block = crate::chunk::scatter::Block::whole(&[1]);
    let _ = var.locate(
        TIME,
        &block,
        crate::chunk::visit::Locate::Stored,
        &mut |chunk| {
            place = chunk.range.end;
            Ok(())
        },
    );
    drop(update);
    // Bytes of another program, behind the chunk in its slot.
    let at = place as usize + 100;
    raw.change(|file| file[at] = 77);
    let mut update = opened(&raw);
    for len in 6..=70 {
        append(&mut *update, 64, len);
        update.commit(FillMode::Fill).unwrap();
    }
    check(&*reopened(&raw.bytes()), 70);
    assert_eq!(raw.bytes()[at], 77);
}

#[test]
fn trees_grow_by_levels() {
    let raw = RecordedFile::new(&empty(1));
    let mut update = opened(&raw);
    for len in [63, 64, 65, 128, 129, 4096, 4097, 4200] {
        append(&mut *update, 1, len);
        update.commit(FillMode::Fill).unwrap();
        check(&*reopened(&raw.bytes()), len);
    }
}

#[test]
fn abandoned_records_leave_the_file() {
    for (schema, chunk) in [(schema(2), 2), (deflated(2), 2), (deflated(16), 16)] {
        for begun in [1, 3, 17] {
            let raw = RecordedFile::new(&made(schema.clone()));
            let mut update = opened(&raw);
            append(&mut *update, chunk, begun);
            update.commit(FillMode::Fill).unwrap();
            let before = raw.bytes();
            append(&mut *update, chunk, 90);
            update.abandon().unwrap();
            assert_eq!(raw.bytes().len(), before.len());
            check(&*reopened(&raw.bytes()), begun);
            check(update.reader(), begun);
            for len in begun + 1..begun + 40 {
                append(&mut *update, chunk, len);
                update.commit(FillMode::Fill).unwrap();
            }
            check(&*reopened(&raw.bytes()), begun + 39);
        }
    }
}

/// A schema, its chunk length, and the lengths of commits before a change; the last length is the change.
pub(super) type Case = (Schema, u64, &'static [u64]);

/// Changes of files with chunks that are in the first slot or in the second slot, or have left their slots.
pub(super) fn cases() -> impl Iterator<Item = Case> {
    let plain: [&[u64]; 3] = [&[0, 1], &[2, 3, 4], &[63, 64, 66]];
    let filtered: [&[u64]; 9] = [
        &[0, 3],
        &[2, 3],
        &[7, 8, 9],
        &[15, 17],
        &[14, 15, 17],
        &[15, 50],
        &[14, 15, 50],
        &[15, 17, 18, 33],
        &[15, 17, 33, 34],
    ];
    let plain = plain.map(|lens| (schema(1), 1, lens));
    let filtered = filtered.map(|lens| (deflated(16), 16, lens));
    plain.into_iter().chain(filtered)
}

#[test]
fn a_reader_sees_the_old_or_the_new_state_at_every_moment() {
    for (schema, chunk, lens) in cases() {
        check_every_moment(&made(schema), chunk, lens);
    }
}

/// Appends records up to each length, and checks the state at every moment of the last change.
pub(super) fn check_every_moment(file: &[u8], chunk: u64, lens: &[u64]) {
    use super::files::open_sibling;
    use crate::io::patched::{FoundState, find_state};
    let raw = RecordedFile::new(file);
    let mut update = opened(&raw);
    let (&end, before) = lens.split_last().unwrap();
    let start = *before.last().unwrap();
    for &len in before {
        append(&mut *update, chunk, len);
        update.commit(FillMode::Fill).unwrap();
    }
    let before = raw.bytes();
    raw.take_steps();
    append(&mut *update, chunk, end);
    update.commit(FillMode::Fill).unwrap();
    drop(update);
    let mut seen = std::collections::BTreeSet::new();
    every_moment(&before, &raw.take_steps(), TRIES, &mut |bytes| {
        let source: Arc<dyn crate::io::Source> = Arc::new(MemorySource::new("m", bytes.to_vec()));
        // A virtual dataset or a link may name the file.
        let sibling = open_sibling(Arc::clone(&source), &Env::default());
        sibling.unwrap_or_else(|e| panic!("{start} {end} {} {e}", bytes.len()));
        let source = match find_state(&source)
            .unwrap_or_else(|e| panic!("{start} {end} {} {e}", bytes.len()))
        {
            FoundState::Replaced(source, _) => source,
            FoundState::Plain | FoundState::Ignored(_) => source,
        };
        let reader = open(Container::Source(source), &Env::default()).unwrap();
        let len = reader.schema().dims[0].len;
        assert!(len == start || len == end, "{len}");
        check(&*reader, len);
        seen.insert(len);
    });
    assert_eq!(seen.len(), 2);
}
