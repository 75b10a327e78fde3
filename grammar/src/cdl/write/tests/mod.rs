//! Tests of whole datasets, compared with the output of the C tool.

pub(crate) mod enhanced;
mod missing;
mod numeric;

use netcdf_core::chunk::Dataset;
use netcdf_core::env::Env;
use netcdf_core::error::ErrorKind;
use netcdf_core::runtime::Runtime;
use netcdf_core::testing::MemoryDataset;

use super::{Annotation, CdlOptions, DataSelection, SpecialAttributes, write};
use crate::number::Precision;

impl Default for CdlOptions<'_> {
    fn default() -> Self {
        Self {
            name: Vec::new(),
            data: Some(DataSelection::default()),
            annotation: Annotation::default(),
            line_length: 80,
            float: Precision::Digits(7),
            double: Precision::Digits(15),
            special: SpecialAttributes::Hidden,
            fill_type: false,
            forms: None,
            damaged: false,
        }
    }
}

/// Returns the dataset as CDL; checks that the number of threads does not change it.
fn cdl(memory: &MemoryDataset, options: &CdlOptions<'_>) -> String {
    let one = |threads| {
        let env = Env {
            runtime: Runtime::sized(threads, 1 << 20).sharing_all(),
            ..Env::default()
        };
        let mut out = vec![];
        let set = Dataset::new(memory, &env);
        let mut omitted = vec![];
        write(&set, options, &mut omitted, &mut out).unwrap();
        assert!(omitted.is_empty());
        String::from_utf8(out).unwrap()
    };
    let text = one(1);
    assert_eq!(one(3), text);
    text
}

/// Returns the part of a text from a line on.
fn from<'a>(text: &'a str, line: &str) -> &'a str {
    let start = text
        .find(line)
        .unwrap_or_else(|| panic!("no {line:?} in {text}"));
    &text[start..]
}

#[test]
fn cancellation_keeps_the_written_text() {
    use netcdf_core::model::{Atomic, GroupId, Kind, Values};
    let mut memory = MemoryDataset::new(Kind::CLASSIC);
    let root = GroupId::ROOT;
    let x = memory.dim(root, "x", 3, false);
    memory.var(root, "a", Atomic::Int, &[x], Values::Int(vec![1, 2, 3]));
    memory.var(root, "b", Atomic::Int, &[x], Values::Int(vec![1, 2]));
    let env = Env::default();
    env.cancel.0.store(2, std::sync::atomic::Ordering::Relaxed);
    let mut out = vec![];
    let set = Dataset::new(&memory, &env);
    let e = write(&set, &CdlOptions::default(), &mut vec![], &mut out).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Cancelled);
    assert!(out.ends_with(b"data:\n\n a = "));
}
