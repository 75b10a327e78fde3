//! Tests of data with unavailable filters.

use netcdf_core::chunk::Dataset;
use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::memory::MemorySource;
use netcdf_core::model::{Atomic, FilterSpec, GroupId, Kind, Values, VarId};
use netcdf_core::testing::MemoryDataset;

use super::from;
use crate::cdl::write::{CdlOptions, write};

/// Returns a dataset with three variables; the data of the second one, in a group, has an unknown filter.
fn memory() -> MemoryDataset {
    let mut m = MemoryDataset::new(Kind::NETCDF4);
    let x = m.dim(GroupId::ROOT, "x", 2, false);
    let ints = || Values::Int(vec![1, 2]);
    m.var(GroupId::ROOT, "a", Atomic::Int, &[x], ints());
    let g = m.group(GroupId::ROOT, "g");
    let b = m.var(g, "b c", Atomic::Int, &[x], ints());
    m.layout_mut(b).filters = vec![FilterSpec {
        id: 40000,
        params: vec![7, 8],
    }];
    m.var(g, "d", Atomic::Int, &[x], ints());
    m
}

fn dump(memory: &MemoryDataset) -> (Result<()>, Vec<Error>, String) {
    let (env, mut omitted, mut out) = (Env::default(), vec![], vec![]);
    let set = Dataset::new(memory, &env);
    let done = write(&set, &CdlOptions::default(), &mut omitted, &mut out);
    (done, omitted, String::from_utf8(out).unwrap())
}

#[test]
fn a_comment_stands_for_the_data() {
    let (done, omitted, text) = dump(&memory());
    done.unwrap();
    let expected = concat!(
        "data:\n\n a = 1, 2 ;\n\ngroup: g {\n  variables:\n  \tint b\\ c(x) ;\n  \tint d(x) ;\n  data:\n",
        "\n   // b\\ c: data omitted: filter 40000 (not registered: the number is for private use) is not available\n",
        "\n   d = 1, 2 ;\n  } // group g\n}\n",
    );
    assert_eq!(from(&text, "data:"), expected);
    let [e] = omitted.as_slice() else {
        panic!("{omitted:?}")
    };
    assert_eq!(
        (e.kind(), e.object()),
        (ErrorKind::FilterUnavailable, Some("/g/b c"))
    );
    assert!(e.to_string().contains("parameters 7,8;"), "{e}");
}

#[test]
fn the_text_is_whole_without_the_data() {
    let (_, _, text) = dump(&memory());
    let source = MemorySource::new("dump", text.into_bytes());
    let cdl = crate::cdl::read(&source, &crate::cdl::ReadOptions::default()).unwrap();
    let with_data: Vec<_> = cdl.data.iter().map(|list| list.var.0).collect();
    assert_eq!(with_data, [0, 2]);
}

#[test]
fn a_filter_that_no_chunk_went_through_is_not_missed() {
    let mut m = memory();
    m.put(VarId(1), 0, 1, &[1, 0, 0, 0, 2, 0, 0, 0]);
    let (done, omitted, text) = dump(&m);
    done.unwrap();
    assert!(omitted.is_empty());
    assert!(text.contains("\n   b\\ c = 1, 2 ;\n"), "{text}");
}

/// Checks a variable without stored bytes.
#[test]
fn damage_of_one_variable_does_not_end_the_text() {
    let mut m = memory();
    let last = m.group(GroupId::ROOT, "h");
    let x = netcdf_core::model::DimId(0);
    m.var(last, "e", Atomic::Int, &[x], Values::Int(vec![1]));
    let (done, omitted, text) = dump(&m);
    done.unwrap();
    let objects: Vec<_> = omitted.iter().filter_map(Error::object).collect();
    assert_eq!(objects, ["/g/b c", "/h/e"]);
    let end = "data:\n\n   // e: data omitted: chunk (0), bytes 0..4: fewer bytes than the 8 of its shape\n  } // group h\n}\n";
    assert!(text.ends_with(end), "{text}");
}

/// Some filters only get all parameters from the chunk, and data may come from other files.
#[test]
fn missing_filters_found_while_reading() {
    use netcdf_core::filter::{FilterEntry, FilterTable, Policy};
    let m = memory();
    let row = FilterEntry {
        id: 40000,
        name: "container",
        codec: None,
        policy: Policy::PLAIN,
        named: &[],
        prepare: |_, params| Ok(params.to_vec()),
        build: |_, _| Err(Error::new(ErrorKind::FilterUnavailable, "nothing within")),
    };
    let env = Env {
        filters: FilterTable::new(vec![row]),
        ..Env::default()
    };
    let (mut omitted, mut out) = (vec![], vec![]);
    let set = Dataset::new(&m, &env);
    write(&set, &CdlOptions::default(), &mut omitted, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let expected = "\n   // b\\ c: data omitted: nothing within\n\n   d = 1, 2 ;\n";
    assert!(text.contains(expected), "{text}");
    assert_eq!(omitted.len(), 1);
}
