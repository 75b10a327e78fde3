//! Appended records of strings, lists and user-defined types. `testdata/netcdf4/make.py` makes the files.

use std::collections::HashSet;

use super::heap::check_references;
use super::*;
use crate::chunk::{Dataset, Placement, Reader};
use crate::copy::append::{NewRecords, append};
use crate::io::patched::recorded_file::{RecordedFile, every_moment};
use crate::io::patched::{FoundState, PatchedFile, find_state};
use crate::notes::Notes;

const TIME: DimId = DimId(0);
/// The number of random subsets of unsynced sectors.
const TRIES: usize = 12;

fn file(count: u64) -> Vec<u8> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/netcdf4");
    std::fs::read(format!("{root}/values_{count}.nc")).unwrap()
}

fn reader(bytes: &[u8]) -> Box<dyn Reader> {
    let source: Arc<dyn crate::io::Source> = Arc::new(MemorySource::new("m", bytes.to_vec()));
    let found = find_state(&source).unwrap_or_else(|e| panic!("{e}"));
    let source = match found {
        FoundState::Replaced(source, _) => source,
        FoundState::Plain | FoundState::Ignored(_) => source,
    };
    format::open(Container::Source(source), &Env::default()).unwrap()
}

/// Returns the values of all variables in the first `len` records.
fn values(reader: &dyn Reader, len: u64) -> Vec<Values> {
    let (schema, env) = (reader.schema(), Env::default());
    let set = Dataset::new(reader, &env);
    let one = |var| {
        let mut region = Region::whole(&schema.shape(var));
        region.count[0] = len;
        set.read(var, &region).unwrap()
    };
    schema.var_ids().map(one).collect()
}

/// Appends the records of `from` up to each length.
fn grow(raw: &RecordedFile, from: &dyn Reader, lens: &[u64]) {
    let file = PatchedFile::open(Box::new(raw.clone()), &Notes::default()).unwrap();
    let env = Env::default();
    let mut update = format::update(&Arc::new(file), &env).unwrap().unwrap();
    for &len in lens {
        let records = NewRecords {
            dim: TIME,
            from: update.reader().schema().dims[0].len,
            len,
        };
        let placed = append(Dataset::new(from, &env), records, &mut *update);
        assert_eq!(placed.unwrap(), Placement::InPlace);
    }
}

/// Checks that no two elements of a variable refer to the same heap data.
fn check_all_references(reader: &dyn Reader) {
    let schema = reader.schema();
    for (var, variable) in schema.var_ids().zip(&schema.vars) {
        if ["text", "filled", "lists"].contains(&variable.name.to_string().as_str()) {
            check_references(reader, var, 0);
        }
    }
}

#[test]
fn values_are_appended_step_by_step() {
    let from = reader(&file(60));
    let steps: [&[u64]; 3] = [&[4, 5, 6, 7, 8, 9, 17, 60], &[60], &[8, 16, 24]];
    for lens in steps {
        let raw = RecordedFile::new(&file(3));
        grow(&raw, &*from, lens);
        let len = *lens.last().unwrap();
        let result = reader(&raw.bytes());
        assert_eq!(values(&*result, len), values(&*from, len));
        check_all_references(&*result);
    }
}

#[test]
fn values_are_old_or_new_at_every_moment() {
    let from = reader(&file(60));
    let expected = [3, 5].map(|len| values(&*from, len));
    let raw = RecordedFile::new(&file(3));
    grow(&raw, &*from, &[5]);
    let mut seen = HashSet::new();
    every_moment(&file(3), &raw.take_steps(), TRIES, &mut |bytes| {
        let result = reader(bytes);
        let len = result.schema().dims[0].len;
        assert_eq!(values(&*result, len), expected[usize::from(len == 5)]);
        seen.insert(len);
    });
    assert_eq!(seen.len(), 2);
}
