//! States of netCDF-4 files during changes, for other programs.

use super::update_tests::{Case, FIXED, append, cases, encoded, in_place, made, opened, schema};
use crate::chunk::Update;
use crate::io::patched::recorded_file::RecordedFile;
use crate::io::patched::state_files::StateFolder;
use crate::model::FillMode;

/// Returns an update of a file with the records before a change.
pub(super) fn prepared((schema, chunk, lens): &Case) -> (RecordedFile, Box<dyn Update>) {
    let raw = RecordedFile::new(&made(schema.clone()));
    let mut update = opened(&raw);
    for &len in lens.split_last().unwrap().1 {
        append(&mut *update, *chunk, len);
        update.commit(FillMode::Fill).unwrap();
    }
    raw.take_steps();
    (raw, update)
}

/// Writes the states for `.ci/moments`.
#[test]
#[ignore = "writes files for .ci/moments"]
fn states_for_other_programs() {
    let folder = StateFolder::new();
    let write = |case: &str, raw: &RecordedFile, mut update: Box<dyn Update>, before: &[u8]| {
        update.commit(FillMode::Fill).unwrap();
        drop(update);
        let states = folder.write(case, before, &raw.take_steps());
        assert!(states >= 2, "{case}: {states}");
    };
    for case in cases() {
        let (_, chunk, lens) = &case;
        let (raw, mut update) = prepared(&case);
        let before = raw.bytes();
        append(&mut *update, *chunk, *lens.last().unwrap());
        let lens: Vec<_> = lens.iter().map(u64::to_string).collect();
        let name = format!("netcdf4 appended chunk {chunk} records {}", lens.join("-"));
        write(&name, &raw, update, &before);
    }
    let (raw, mut update) = prepared(&(schema(4), 4, &[5, 5]));
    let before = raw.bytes();
    let values = encoded(vec![70.0, 80.0, 90.0]);
    in_place(update.put_chunk(FIXED, 0, 0, &values));
    write("netcdf4 changed fixed", &raw, update, &before);
}
