//! Changes in place of classic files, at every moment.

use super::*;
use crate::chunk::{Dataset, Placement, elements};
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::patched::recorded_file::{FileStep, RecordedFile, every_moment};
use crate::model::{
    Atomic, Attribute, DimId, Dimension, Endianness, FillMode, GroupId, Name, Region, Storage,
    Values, VarId, Variable,
};
use crate::notes::Notes;

/// The number of random subsets of unsynced sectors.
const TRIES: usize = 40;

const TIME: VarId = VarId(0);
const T: VarId = VarId(1);
const FIXED: VarId = VarId(3);
const SCALAR: VarId = VarId(4);

fn attribute(name: &str, text: &str) -> Attribute {
    Attribute {
        name: Name::stored(name.as_bytes()),
        ty: Atomic::Char.into(),
        values: Values::Char(text.as_bytes().to_vec()),
    }
}

/// Variables with and without padding, with records and without.
fn schema(kind: Kind) -> Schema {
    let mut schema = Schema::new(kind);
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
    let many = dim(&mut schema, "many", 700);
    let mut var = |name: &str, ty: Atomic, dims: &[DimId]| {
        schema.add_var(Variable {
            name: Name::stored(name.as_bytes()),
            group: GroupId::ROOT,
            ty: ty.into(),
            dims: dims.to_vec(),
            attributes: vec![attribute("units", &format!("units of {name}"))],
            storage: Storage::default(),
        });
    };
    var("time", Atomic::Double, &[time]);
    var("t", Atomic::Short, &[time, x]);
    var("c", Atomic::Char, &[time, x]);
    var("fixed", Atomic::Int, &[many]);
    var("scalar", Atomic::Float, &[]);
    schema.groups[0]
        .attributes
        .push(attribute("title", "the first title"));
    schema
}

/// Returns `count` values of a variable's type.
fn values(schema: &Schema, var: VarId, (start, count): (u64, u64)) -> Vec<u8> {
    let ty = schema.var(var).unwrap().ty.atomic().unwrap();
    let numbers = start..start + count;
    let values = match ty {
        Atomic::Double => Values::Double(numbers.map(|n| n as f64).collect()),
        Atomic::Short => Values::Short(numbers.map(|n| n as i16).collect()),
        Atomic::Char => Values::Char(numbers.map(|n| b'a' + (n % 26) as u8).collect()),
        Atomic::Int => Values::Int(numbers.map(|n| n as i32).collect()),
        _ => Values::Float(numbers.map(|n| n as f32).collect()),
    };
    let mut bytes = vec![];
    elements::encode(&values, Endianness::Big, &mut bytes).unwrap();
    bytes
}

/// Returns a file with `records` records.
pub(super) fn file(kind: Kind, records: u64) -> Vec<u8> {
    let schema = schema(kind);
    let (target, out) = MemoryTarget::new("t");
    let options = CreateOptions::default();
    let mut w = writer::ClassicWriter::create(Box::new(target), schema.clone(), options).unwrap();
    for (var, count) in [(TIME, records), (T, records * 3), (FIXED, 700), (SCALAR, 1)] {
        w.put_run(var, 0, &values(&schema, var, (0, count)))
            .unwrap();
    }
    Box::new(w).finish().unwrap();
    let bytes = out.lock().unwrap().take();
    bytes.unwrap()
}

/// A change, which also checks its placement.
pub(super) type Change = fn(&mut dyn Update);

fn in_place(placed: Result<Placement>) {
    assert_eq!(placed.unwrap(), Placement::InPlace);
}

fn put(update: &mut dyn Update, var: VarId, element: u64, count: u64) {
    let bytes = values(&schema(Kind::CLASSIC), var, (element + 1000, count));
    in_place(update.put_run(var, element, &bytes));
}

/// Appends a record with all variables.
pub(super) fn record(update: &mut dyn Update) {
    let records = update.reader().schema().dims[0].len;
    for (var, per) in [(TIME, 1), (T, 3), (VarId(2), 3)] {
        put(update, var, records * per, per);
    }
}

fn define(update: &mut dyn Update, change: impl FnOnce(&mut Schema)) {
    let mut schema = update.reader().schema().clone();
    change(&mut schema);
    in_place(update.define(&schema));
}

fn set_title(update: &mut dyn Update, text: &str) {
    define(update, |s| {
        s.groups[0].attributes[0] = attribute("title", text)
    });
}

/// Kinds of changes; `true`: only the count changes below the old end of the file.
pub(super) const CHANGES: [(&str, Change, bool); 20] = [
    ("one record", record, true),
    ("one of three variables", |u| put(u, T, 12, 3), true),
    ("part of a record", |u| put(u, T, 13, 1), true),
    ("ten records at once", |u| put(u, TIME, 4, 10), true),
    ("many records", |u| (0..200).for_each(|_| record(u)), true),
    ("a record far away", |u| put(u, T, 300, 2), true),
    (
        "only the length",
        |u| in_place(u.set_len(DimId(0), 9)),
        true,
    ),
    ("a scalar", |u| put(u, SCALAR, 0, 1), false),
    ("a value", |u| put(u, FIXED, 350, 1), false),
    ("many values", |u| put(u, FIXED, 5, 690), false),
    ("an old record", |u| put(u, T, 0, 6), false),
    ("an old and a new record", |u| put(u, T, 9, 6), false),
    (
        "a scalar and a record",
        |u| {
            put(u, SCALAR, 0, 1);
            record(u);
        },
        false,
    ),
    ("an attribute", |u| set_title(u, "the other title"), false),
    ("a shorter attribute", |u| set_title(u, ""), false),
    (
        "a name",
        |u| define(u, |s| s.vars[4].name = Name::stored(b"scale")),
        false,
    ),
    (
        "the name of a dimension",
        |u| define(u, |s| s.dims[0].name = Name::stored(b"t")),
        false,
    ),
    (
        "attributes of all variables",
        |u| {
            define(u, |s| {
                let vars = s.vars.iter_mut();
                vars.for_each(|v| v.attributes[0] = attribute("units", "m"));
            });
        },
        false,
    ),
    (
        "an attribute, values and records",
        |u| {
            put(u, FIXED, 0, 700);
            record(u);
            set_title(u, "changed");
            record(u);
        },
        false,
    ),
    (
        "values twice",
        |u| {
            put(u, FIXED, 7, 300);
            put(u, FIXED, 100, 300);
        },
        false,
    ),
];

/// The metadata and all values of a dataset.
pub(super) fn content(reader: &dyn Reader) -> Result<String> {
    let env = Env::default();
    let schema = reader.schema();
    let mut out = format!("{schema:?}");
    for var in schema.var_ids() {
        let region = Region::whole(&schema.shape(var));
        out += &format!("{:?}", Dataset::new(reader, &env).read(var, &region)?);
    }
    Ok(out)
}

pub(super) fn source_of(bytes: &[u8]) -> Arc<dyn Source> {
    Arc::new(MemorySource::new("m", bytes.to_vec()))
}

/// Returns the content for our readers.
pub(super) fn seen(bytes: &[u8]) -> Result<String> {
    let container = Container::Source(source_of(bytes));
    content(&*crate::format::open(container, &Env::default())?)
}

/// Returns the content for programs that do not know the journal.
fn seen_by_others(bytes: &[u8]) -> Result<String> {
    content(&reader::ClassicReader::open(
        source_of(bytes),
        &Env::default(),
    )?)
}

pub(super) fn open(raw: &RecordedFile) -> Result<Box<dyn Update>> {
    let file = PatchedFile::open(Box::new(raw.clone()), &Notes::default())?;
    let update = crate::format::update(&Arc::new(file), &Env::default())?;
    Ok(update.unwrap())
}

/// Changes a file. Returns the recorded calls.
pub(super) fn changed(raw: &RecordedFile, change: Change, fill: FillMode) -> Vec<FileStep> {
    let mut update = open(raw).unwrap();
    change(&mut *update);
    let pending = content(update.reader()).unwrap();
    update.commit(fill).unwrap();
    assert_eq!(content(update.reader()).unwrap(), pending);
    drop(update);
    assert_eq!(seen(&raw.bytes()).unwrap(), pending);
    assert_eq!(seen_by_others(&raw.bytes()).unwrap(), pending);
    raw.take_steps()
}

#[test]
fn every_moment_of_every_change_has_one_of_two_states() {
    let kinds = [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5];
    for (n, (name, change, is_append)) in CHANGES.into_iter().enumerate() {
        let old = file(kinds[n % 3], 4);
        let raw = RecordedFile::new(&old);
        let steps = changed(&raw, change, FillMode::Fill);
        let states = [&old, &raw.bytes()].map(|bytes| seen(bytes).unwrap());
        assert_ne!(states[0], states[1], "{name}");
        let syncs = steps.iter().filter(|s| **s == FileStep::Sync).count();
        assert!(
            syncs <= if is_append { 2 } else { 4 },
            "{name}: {syncs} syncs"
        );
        let (mut moments, mut refusals) = (0, 0);
        every_moment(&old, &steps, TRIES, &mut |bytes| {
            moments += 1;
            let found = seen(bytes).unwrap();
            assert!(states.contains(&found), "{name}, moment {moments}");
            match seen_by_others(bytes) {
                Ok(found) => assert!(states.contains(&found), "{name}, moment {moments}"),
                Err(_) => refusals += 1,
            }
        });
        assert!(!is_append || refusals == 0, "{name}: {refusals} refusals");
    }
}

/// Files of other programs, whose length or count differs from the rule.
#[test]
fn every_moment_of_odd_files() {
    type Damage = fn(&mut Vec<u8>);
    let odd: [(&str, Damage); 4] = [
        ("a count of STREAMING", |f| f[4..8].fill(0xff)),
        ("STREAMING and half a record", |f| {
            f[4..8].fill(0xff);
            f.extend([7; 9]);
        }),
        ("bytes after the last record", |f| f.extend([7; 999])),
        ("no padding at the end", |f| f.truncate(f.len() - 1)),
    ];
    for (name, make) in odd {
        let mut old = file(Kind::OFFSET64, 4);
        make(&mut old);
        let raw = RecordedFile::new(&old);
        let steps = changed(&raw, record, FillMode::Fill);
        let states = [&old, &raw.bytes()].map(|bytes| seen(bytes).unwrap());
        every_moment(&old, &steps, TRIES, &mut |bytes| {
            for found in [seen(bytes), seen_by_others(bytes)] {
                assert!(states.contains(&found.unwrap()), "{name}");
            }
        });
        let clean = RecordedFile::new(&file(Kind::OFFSET64, 4));
        changed(&clean, record, FillMode::Fill);
        assert!(raw.bytes() == clean.bytes(), "{name}");
    }
}

/// Programs without fill values can omit a part of the last record, or of the last variable. Other short files were cut off.
#[test]
fn truncated_files_get_no_records() {
    let record = 8 + 8 + 4;
    for (records, len_of_last) in [(4, record), (1, record), (0, 4)] {
        let whole = file(Kind::CLASSIC, records);
        let header = whole.len() - (records * record + 700 * 4 + 4) as usize;
        for len in (header..whole.len()).rev().step_by(3).chain([header]) {
            let missing = (whole.len() - len) as u64;
            let raw = RecordedFile::new(&whole[..len]);
            let mut update = open(&raw).unwrap();
            let schema = update.reader().schema().clone();
            let put = update.put_run(TIME, records, &values(&schema, TIME, (records, 1)));
            let is_short = missing <= len_of_last || (records == 0 && len == header);
            match put {
                Ok(_) => assert!(is_short, "{records} records, {missing} bytes are missing"),
                Err(e) => {
                    assert!(
                        !is_short,
                        "{records} records, {missing} bytes are missing: {e}"
                    );
                    assert_eq!(e.kind(), ErrorKind::Truncated);
                    drop(update);
                    assert!(raw.bytes() == whole[..len], "nothing is written");
                }
            }
        }
    }
}

#[test]
fn changes_in_place_make_the_file_of_a_writer() {
    let raw = RecordedFile::new(&file(Kind::CDF5, 1));
    let mut update = open(&raw).unwrap();
    let schema = schema(Kind::CDF5);
    for n in 1..50 {
        in_place(update.put_run(TIME, n, &values(&schema, TIME, (n, 1))));
        in_place(update.put_run(T, n * 3, &values(&schema, T, (n * 3, 3))));
        if n % 5 == 0 {
            update.commit(FillMode::Fill).unwrap();
            raw.take_steps();
        }
    }
    update.commit(FillMode::Fill).unwrap();
    assert!(raw.bytes() == file(Kind::CDF5, 50));
}

#[test]
fn abandoned_changes_leave_the_file() {
    let old = file(Kind::CLASSIC, 4);
    let state = seen(&old).unwrap();
    for (name, change, _) in CHANGES {
        let raw = RecordedFile::new(&old);
        let mut update = open(&raw).unwrap();
        change(&mut *update);
        content(update.reader()).unwrap();
        update.abandon().unwrap();
        assert_eq!(content(update.reader()).unwrap(), state, "{name}");
        change(&mut *update);
        content(update.reader()).unwrap();
        drop(update);
        assert!(raw.bytes() == old, "{name}");
    }
}

#[test]
fn what_does_not_fit_is_written_anew() {
    let raw = RecordedFile::new(&file(Kind::CLASSIC, 4));
    let mut update = open(&raw).unwrap();
    let mut schema = update.reader().schema().clone();
    schema.groups[0].attributes[0] = attribute("title", &"long".repeat(9));
    assert!(matches!(
        update.define(&schema).unwrap(),
        Placement::Anew(_)
    ));
    schema = update.reader().schema().clone();
    schema.vars.pop();
    assert!(matches!(
        update.define(&schema).unwrap(),
        Placement::Anew(_)
    ));
    let e = update.put_run(SCALAR, 1, &[0; 4]).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Argument);
    drop(update);
    assert_eq!(raw.take_steps(), []);
}
