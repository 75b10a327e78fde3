//! Surveys, and the shortcomings that rule sets report.

use std::sync::Arc;

use super::*;
use crate::chunk::{FilePages, OtherData};
use crate::env::Env;
use crate::format;
use crate::io::Container;
use crate::io::memory::{MemorySource, MemoryTarget};
use crate::io::memory_store::MemoryStore;
use crate::model::{
    Atomic, Attribute, CreateOptions, Dimension, GroupId, Kind, Name, Schema, Storage,
    StorageLayout, Values, VarId, Variable,
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn name(text: &str) -> Name {
    Name::stored(text.as_bytes())
}

/// A dataset of doubles: names, lengths of the one dimension, and of chunks.
fn schema(kind: Kind, vars: &[(&str, u64, Option<u64>)]) -> Schema {
    let mut schema = Schema::new(kind);
    for &(var, len, chunk) in vars {
        let dim = schema.add_dim(Dimension {
            name: name(&format!("d_{var}")),
            group: GroupId::ROOT,
            len,
            unlimited: false,
        });
        let bounds = Attribute::atomic(name("bounds"), Values::Char(b"edges".to_vec()));
        schema.add_var(Variable {
            name: name(var),
            group: GroupId::ROOT,
            ty: Atomic::Double.into(),
            dims: vec![dim],
            attributes: if var == "time" {
                vec![bounds.unwrap()]
            } else {
                vec![]
            },
            storage: Storage {
                layout: chunk.map(|chunk| StorageLayout::Chunked(vec![chunk])),
                ..Storage::default()
            },
        });
    }
    schema
}

/// The bytes of a file with these variables.
fn file(kind: Kind, vars: &[(&str, u64, Option<u64>)]) -> Vec<u8> {
    let (target, out) = MemoryTarget::new("made");
    let env = Env::default();
    let schema = schema(kind, vars);
    let options = CreateOptions::default();
    let mut writer = format::create(Box::new(target), schema, options, &env).unwrap();
    for (n, &(_, len, chunk)) in vars.iter().enumerate() {
        let (var, ones) = (VarId(n as u32), |len: u64| vec![1; (8 * len) as usize]);
        match chunk {
            None => writer.put_run(var, 0, &ones(len)).unwrap(),
            Some(chunk) => (0..len.div_ceil(chunk))
                .for_each(|index| writer.put_chunk(var, index, 0, &ones(chunk)).unwrap()),
        }
    }
    writer.finish().unwrap();
    out.lock().unwrap().take().unwrap()
}

fn surveyed(bytes: Vec<u8>) -> (Survey, Schema) {
    let env = Env {
        survey: true,
        ..Env::default()
    };
    let container = Container::Source(Arc::new(MemorySource::new("m", bytes)));
    let size = size(&container).unwrap();
    let reader = format::open(container, &env).unwrap();
    let survey = survey(Dataset::new(&*reader, &env), size).unwrap();
    (survey, reader.schema().clone())
}

#[test]
fn chunks_are_counted() {
    let vars = [("a", 100, Some(30)), ("b", 7, None)];
    let (survey, schema) = surveyed(file(Kind::NETCDF4, &vars));
    let [a, b] = &survey.vars[..] else {
        panic!("two variables");
    };
    assert_eq!(a.form, LayoutClass::Chunked(vec![30]));
    let chunks = ChunkSizes {
        count: 4,
        smallest: 240,
        largest: 240,
    };
    assert_eq!(a.chunks, Some(chunks));
    assert_eq!(
        (a.raw(), a.stored, a.chunk_bytes()),
        (Some(800), 960, Some(240))
    );
    assert_eq!((&b.form, b.chunks), (&LayoutClass::Contiguous, None));
    assert_eq!((b.raw(), b.stored, b.chunk_bytes()), (Some(56), 56, None));
    let file = survey.file().unwrap();
    let metadata = survey.metadata_bytes().unwrap();
    let known = metadata + file.heaps.unwrap() + 960 + 56;
    let unused = survey.unused(&schema).unwrap();
    assert_eq!(Some(known + unused), survey.size.bytes);
    assert!(metadata > 500 && file.end > file.last, "{file:?}");
}

/// Classic files begin with their header.
#[test]
fn classic_files_are_explained() {
    let vars = [("a", 100, None), ("b", 7, None)];
    let (survey, schema) = surveyed(file(Kind::CLASSIC, &vars));
    assert_eq!(survey.in_front(), Some(true));
    assert_eq!(survey.unused(&schema), Some(0));
    assert_eq!(survey.data_within(), 856);
    assert_eq!(survey.first_data(), survey.metadata_bytes());
    let missed = RuleSet::ALL.map(|rules| rules.shortcomings(&survey, &schema).len());
    assert_eq!(missed, [0, 1, 1]);
}

#[test]
fn keys_are_counted() {
    let store = MemoryStore::new("m");
    for (key, len) in [
        (".zgroup", 3),
        ("v/.zarray", 5),
        ("v/0.0", 7),
        ("v/.nczarray", 11),
    ] {
        crate::io::Store::put(&store, key, &vec![0; len]).unwrap();
    }
    let want = DatasetSize {
        bytes: Some(26),
        keys: Some(4),
        metadata: Some(19),
    };
    assert_eq!(size(&Container::Store(Arc::new(store))).unwrap(), want);
}

/// Returns a survey of variables with chunks of these numbers of elements.
fn made(vars: &[(u64, u64)]) -> Survey {
    let var = |(n, &(chunk, count)): (usize, &(u64, u64))| VariableSurvey {
        var: VarId(n as u32),
        shape: vec![chunk * count],
        form: LayoutClass::Chunked(vec![chunk]),
        element: Some(8),
        stored: 8 * chunk * count,
        chunks: Some(ChunkSizes {
            count,
            smallest: 8 * chunk,
            largest: 8 * chunk,
        }),
        first: Some(5000 + n as u64),
    };
    Survey {
        vars: vars.iter().enumerate().map(var).collect(),
        size: DatasetSize {
            bytes: Some(1 << 30),
            ..DatasetSize::default()
        },
        metadata: Some(MetadataExtent::File(FileMetadata {
            ranges: Some(std::iter::once(0..4096).collect()),
            last: 4000,
            end: 4096,
            ..FileMetadata::default()
        })),
        mixed: None,
    }
}

/// Returns the shortcomings of variables `time`, `edges` and `x` with chunks as in [`made`].
fn said(rules: RuleSet, survey: &Survey) -> Vec<String> {
    let vars = [("time", 9, None), ("edges", 9, None), ("x", 9, None)];
    let schema = schema(Kind::NETCDF4, &vars);
    let missed = rules.shortcomings(survey, &schema).into_iter();
    let said = missed.map(|one| match one.var {
        Some(var) => format!("{}: {}", schema.var_path(var), one.what),
        None => one.what,
    });
    said.collect()
}

#[test]
fn time_and_its_bounds_are_one_chunk_each() {
    let few = made(&[(1, 1), (2, 1), (MIB, 3)]);
    assert_eq!(said(RuleSet::Cmip7, &few), [""; 0]);
    assert_eq!(said(RuleSet::Cloud, &few), [""; 0]);
    let many = made(&[(1 << 20, 2), (1 << 20, 3), (1, 1)]);
    let want = [
        "/time: 2 chunks, expected one",
        "/edges: 3 chunks, expected one",
    ];
    assert_eq!(said(RuleSet::Cmip7, &many), want);
    assert_eq!(said(RuleSet::Cloud, &many), [""; 0]);
}

#[test]
fn chunks_are_large_or_alone() {
    let survey = made(&[(1, 1), (1, 1), (512 * KIB - 1, 2)]);
    let want = "/x: 2 chunks of 4194296 bytes before filters, expected one chunk or at least 4194304 bytes";
    assert_eq!(said(RuleSet::Cmip7, &survey), [want]);
    assert_eq!(said(RuleSet::Cloud, &survey), [""; 0]);
    let least = made(&[(1, 1), (1, 1), (512 * KIB, 2)]);
    assert_eq!(said(RuleSet::Cmip7, &least), [""; 0]);
    let small = made(&[(128 * KIB, 2), (1, 1), (128 * KIB - 1, 2)]);
    let want = "/x: 2 chunks of 1048568 bytes before filters, expected one chunk or at least 1048576 bytes";
    assert_eq!(said(RuleSet::Cloud, &small), [want]);
}

/// `check_cmip7_packing` accepts a chunk that would reach the size with one more element along the first dimension.
#[test]
fn chunks_of_cmip7_may_miss_one_row() {
    let with = |rows: u64| {
        let mut survey = made(&[(1, 1), (1, 1), (1, 2)]);
        survey.vars[2].form = LayoutClass::Chunked(vec![rows, 100_000]);
        said(RuleSet::Cmip7, &survey)
    };
    // 4 MiB are 5.2 rows of 800,000 bytes.
    assert_eq!(with(6), [""; 0]);
    assert_eq!(with(5), [""; 0]);
    let want = "/x: 2 chunks of 3200000 bytes before filters, expected one chunk or at least 3394304 bytes";
    assert_eq!(with(4), [want]);
}

#[test]
fn metadata_lies_before_all_data() {
    let mut survey = made(&[(1, 1)]);
    let Some(MetadataExtent::File(file)) = &mut survey.metadata else {
        panic!("a file");
    };
    file.last = 5000;
    let want = "metadata at byte 5000 follows the first data at byte 5000";
    assert_eq!(said(RuleSet::Cloud, &survey), [want]);
    assert_eq!(said(RuleSet::Cmip7, &survey), [want]);
    assert_eq!(survey.in_front(), Some(false));
    // Object data outside variables counts as data.
    let mut survey = made(&[(1, 1)]);
    let Some(MetadataExtent::File(file)) = &mut survey.metadata else {
        panic!("a file");
    };
    file.others = OtherData {
        first: Some(3000),
        bytes: 10,
    };
    let want = "metadata at byte 4000 follows the first data at byte 3000";
    assert_eq!(said(RuleSet::Cloud, &survey), [want]);
    survey.metadata = None;
    assert_eq!(
        said(RuleSet::Cloud, &survey),
        ["the location of the metadata is unknown"]
    );
}

#[test]
fn consolidated_metadata_is_required_where_it_exists() {
    let vars = [("x", 9, None)];
    for (kind, consolidated, want) in [
        (Kind::PURE_ZARR, Some(true), 0),
        (Kind::NCZARR3, Some(false), 1),
        (Kind::NCZARR, None, 0),
    ] {
        let mut survey = made(&[(1, 1)]);
        survey.metadata = Some(MetadataExtent::Keys { consolidated });
        let schema = schema(kind, &vars);
        let missed = |rules: RuleSet| rules.shortcomings(&survey, &schema).len();
        assert_eq!(RuleSet::ALL.map(missed), [want, 1, 1]);
    }
}

#[test]
fn pages_are_large_whole_and_of_one_sort() {
    let with = |size: u64, base: u64, bytes: u64, mixed: Option<u64>| {
        let mut survey = made(&[(1, 9)]);
        let Some(MetadataExtent::File(file)) = &mut survey.metadata else {
            panic!("a file");
        };
        file.pages = Some(FilePages { base, size });
        survey.size.bytes = Some(bytes);
        survey.mixed = mixed;
        said(RuleSet::Paged, &survey)
    };
    assert_eq!(
        said(RuleSet::Paged, &made(&[(1, 1)])),
        ["not stored in pages"]
    );
    assert_eq!(with(64 * KIB, 0, 256 * KIB, None), [""; 0]);
    assert_eq!(with(64 * KIB, 512, 512 + 256 * KIB, None), [""; 0]);
    let want = [
        "pages of 4096 bytes, expected at least 65536",
        "the file does not end at the end of a page",
        "the page at byte 8192 contains both metadata and data",
    ];
    assert_eq!(with(4096, 0, 10_000, Some(8192)), want);
    assert_eq!(with(0, 0, 10_000, None).len(), 1);
}
