//! States of classic files during changes, for other programs.

use super::update_tests::{CHANGES, changed, file};
use crate::io::patched::recorded_file::RecordedFile;
use crate::io::patched::state_files::StateFolder;
use crate::model::{FillMode, Kind};

const KINDS: [(&str, Kind); 3] = [
    ("cdf1", Kind::CLASSIC),
    ("cdf2", Kind::OFFSET64),
    ("cdf5", Kind::CDF5),
];

/// Writes the states for `.ci/moments`.
#[test]
#[ignore = "writes files for .ci/moments"]
fn states_for_other_programs() {
    let folder = StateFolder::new();
    for (label, kind) in KINDS {
        for (name, change, is_append) in CHANGES {
            let old = file(kind, 4);
            let steps = changed(&RecordedFile::new(&old), change, FillMode::Fill);
            let form = if is_append { "appended" } else { "changed" };
            let case = format!("{label} {form} {name}");
            let states = folder.write(&case, &old, &steps);
            assert!(states >= 2, "{case}: {states}");
        }
    }
}
