use std::collections::BTreeMap;
use std::sync::Arc;

use netcdf_core::chunk::view::{DimSelection, IndexRun};
use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::memory::{MemorySource, MemoryTarget};
use netcdf_core::model::{
    Attribute, CreateOptions, DimId, Dimension, GroupId, Kind, Name, Schema, Storage, Values,
    Variable,
};

use super::*;

fn parsed(text: &str) -> Result<Hyperslab> {
    Hyperslab::parse(text)
}

#[test]
fn words_are_limits() {
    use Limit::{Index, Time, Value};
    let time = |text: &str| Some(Time(text.as_bytes().to_vec()));
    let value = |text: &str| Value(UserDecimal::parse(text).unwrap());
    let cases = [
        ("x,2", IndexSpan::One(Index(2)), 1),
        ("x,-2", IndexSpan::One(Index(-2)), 1),
        ("x,2.", IndexSpan::One(value("2.")), 1),
        ("x,.5", IndexSpan::One(value(".5")), 1),
        ("x,2,", IndexSpan::Range(Some(Index(2)), None), 1),
        ("x,,2", IndexSpan::Range(None, Some(Index(2))), 1),
        ("x", IndexSpan::Range(None, None), 1),
        ("x,,,3", IndexSpan::Range(None, None), 3),
        (
            "x,1,+7,3",
            IndexSpan::Range(Some(Index(1)), Some(Index(7))),
            3,
        ),
        (
            "x,1e2,-2E2",
            IndexSpan::Range(Some(value("1e2")), Some(value("-2E2"))),
            1,
        ),
        (
            "x,2001-01,2001-02-03 04:05:06",
            IndexSpan::Range(time("2001-01"), time("2001-02-03 04:05:06")),
            1,
        ),
        (
            "x,2001-01-01,5.",
            IndexSpan::Range(time("2001-01-01"), Some(value("5."))),
            1,
        ),
    ];
    for (text, span, stride) in cases {
        let slab = parsed(text).unwrap();
        assert_eq!(
            (slab.dim.as_slice(), &slab.span, slab.stride),
            (&b"x"[..], &span, stride),
            "{text}"
        );
    }
    assert_eq!(parsed(r"a\,b,2").unwrap().dim, b"a,b");
}

#[test]
fn invalid_selections_are_rejected() {
    for text in [
        "",
        ",1",
        "x,1,2,0",
        "x,1,2,-1",
        "x,1,2,3,4",
        "x,a",
        "x,nan",
        "x,inf",
        "x,1,2.",
        "x,2.,1",
        "x,5_",
        "x,99999999999999999999",
        "x,1,2,1.5",
    ] {
        let e = parsed(text).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Argument, "{text}: {e}");
    }
}

/// Dimensions with the values and units of their coordinate; empty units mean no coordinate.
type Axes<'a> = [(&'a str, &'a [f64], &'a str)];

const AXES: &Axes<'_> = &[
    (
        "lon",
        &[0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0],
        "degrees_east",
    ),
    ("lat", &[90.0, 45.0, 0.0, -45.0, -90.0], "degrees_north"),
    ("time", &[0.0, 31.0, 59.0, 90.0], "days since 2001-01-01"),
    ("n", &[1.0, 3.0, 5.0, 7.0, 9.0, 11.0], "1"),
    ("bumpy", &[1.0, 3.0, 2.0], "1"),
    ("same", &[1.0, 1.0, 2.0], "1"),
    ("one", &[7.0], "1"),
    ("plain", &[0.0, 0.0, 0.0], ""),
    ("west", &[300.0, 200.0, 100.0, 0.0], "degrees_east"),
];

/// Returns the dataset of [`AXES`].
fn dataset() -> Box<dyn Reader> {
    let double = |values: &[f64]| Values::Double(values.to_vec());
    let axes = AXES
        .iter()
        .map(|(name, values, units)| (*name, double(values), *units));
    dataset_of(&axes.collect::<Vec<_>>())
}

/// Returns a dataset with these dimensions and coordinates. Without units, a dimension has no coordinate.
fn dataset_of(axes: &[(&str, Values, &str)]) -> Box<dyn Reader> {
    let mut schema = Schema::new(Kind::CDF5);
    let group = GroupId::ROOT;
    let mut vars = vec![];
    for (name, values, units) in axes {
        let name = Name::stored(name.as_bytes());
        let dim = schema.add_dim(Dimension {
            name: name.clone(),
            group,
            len: values.len() as u64,
            unlimited: false,
        });
        if !units.is_empty() {
            let units = Values::Char(units.as_bytes().to_vec());
            let units = Attribute::atomic(Name::stored(b"units"), units).unwrap();
            let var = schema.add_var(Variable {
                name,
                group,
                ty: values.data_type().unwrap().into(),
                dims: vec![dim],
                attributes: vec![units],
                storage: Storage::default(),
            });
            vars.push((var, values));
        }
    }
    let env = Env::default();
    let (target, out) = MemoryTarget::new("axes");
    let options = CreateOptions::default();
    let mut writer = format::create(Box::new(target), schema, options, &env).unwrap();
    for (var, values) in vars {
        writer.put_run(var, 0, &big_endian(values)).unwrap();
    }
    writer.finish().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    format::open(
        Container::Source(Arc::new(MemorySource::new("axes", bytes))),
        &env,
    )
    .unwrap()
}

fn big_endian(values: &Values) -> Vec<u8> {
    match values {
        Values::Double(v) => v.iter().flat_map(|x| x.to_be_bytes()).collect(),
        Values::Float(v) => v.iter().flat_map(|x| x.to_be_bytes()).collect(),
        Values::Int64(v) => v.iter().flat_map(|x| x.to_be_bytes()).collect(),
        Values::UInt64(v) => v.iter().flat_map(|x| x.to_be_bytes()).collect(),
        Values::Short(v) => v.iter().flat_map(|x| x.to_be_bytes()).collect(),
        other => panic!("{other:?}"),
    }
}

fn resolved(selections: &[&str]) -> Result<BTreeMap<DimId, DimSelection>> {
    Ok(resolved_in(&*dataset(), selections)?.0)
}

/// Resolves selections and returns indices and notes.
fn resolved_in(
    reader: &dyn Reader,
    selections: &[&str],
) -> Result<(BTreeMap<DimId, DimSelection>, Vec<String>)> {
    let env = Env::default();
    let selections: Vec<Hyperslab> = selections
        .iter()
        .map(|text| parsed(text).unwrap())
        .collect();
    let taken = resolve(Dataset::new(reader, &env), &selections)?;
    let notes = env.notes.take();
    Ok((taken, notes.iter().map(ToString::to_string).collect()))
}

/// Returns the selected indices of one dimension.
fn indices(selections: &[&str]) -> Vec<u64> {
    let taken = resolved(selections).unwrap();
    assert_eq!(taken.len(), 1, "{selections:?}");
    indices_of(&taken)
}

fn indices_of(taken: &BTreeMap<DimId, DimSelection>) -> Vec<u64> {
    let runs: Vec<IndexRun> = taken
        .values()
        .flat_map(|taken| taken.runs().to_vec())
        .collect();
    let each = |run: IndexRun| (0..run.count).map(move |n| run.start + n * run.stride);
    runs.into_iter().flat_map(each).collect()
}

/// Checks selections against the recorded results of `ncks` 5.1, except for rejected selections.
#[test]
fn selections_are_those_of_nco() {
    let cases: &[(&[&str], &[u64])] = &[
        (&["lon,2,4"], &[2, 3, 4]),
        (&["lon,-2,-1"], &[6, 7]),
        (&["lon,6,1"], &[6, 7, 0, 1]),
        (&["lon,1,0"], &[1, 2, 3, 4, 5, 6, 7, 0]),
        (&["lon,2"], &[2]),
        (&["lon,2,"], &[2, 3, 4, 5, 6, 7]),
        (&["lon,,3"], &[0, 1, 2, 3]),
        (&["lon,,,2"], &[0, 2, 4, 6]),
        (&["lon,1,7,3"], &[1, 4, 7]),
        (&["lon,6,2,2"], &[6, 0, 2]),
        (&["lon,90.,200."], &[2, 3, 4]),
        (&["lon,1e2,2e2"], &[3, 4]),
        (&["lon,90.,"], &[2, 3, 4, 5, 6, 7]),
        (&["lon,,90."], &[0, 1, 2]),
        (&["lon,300.,100."], &[7, 0, 1, 2]),
        (&["lon,300.,100.,2"], &[7, 1]),
        (&["lon,-90.,90."], &[0, 1, 2]),
        (&["lon,100."], &[2]),
        (&["lon,112.5"], &[2]),
        (&["lon,112.6"], &[3]),
        (&["lat,-50.,50."], &[1, 2, 3]),
        (&["lat,10."], &[2]),
        (&["time,2001-01-15,2001-03-15"], &[1, 2]),
        (&["time,2001-01-15 12:00,2001-03-15"], &[1, 2]),
        (&["time,2001-02-15T12"], &[2]),
        (&["time,2001-02-01"], &[1]),
        (&["n,3.,8."], &[1, 2, 3]),
        (&["n,4."], &[1]),
        (&["n,1,2", "n,4,5"], &[1, 2, 4, 5]),
        (&["n,4,5", "n,1,2"], &[1, 2, 4, 5]),
        (&["n,1,3", "n,2,4"], &[1, 2, 3, 4]),
        (&["n,0,5,3", "n,3,4"], &[0, 3, 4]),
        (&["n"], &[0, 1, 2, 3, 4, 5]),
        (&["one,7."], &[0]),
        (&["plain,1"], &[1]),
        (&["bumpy,1,2"], &[1, 2]),
        // A decreasing longitude also wraps around.
        (&["west,250.,50."], &[3, 0]),
    ];
    for (selections, want) in cases {
        assert_eq!(&indices(selections), want, "{selections:?}");
    }
}

#[test]
fn missing_indices_and_values_are_errors() {
    let cases = [
        ("lon,9,10", "the indices 0 to 7"),
        ("lon,2,9", "the indices 0 to 7"),
        ("lon,-9,-1", "the indices 0 to 7"),
        ("lon,50.,80.", "lon has no value"),
        ("lon,-100.,-50.", "--select lon,260.,310."),
        ("lon,400.,500.", "lon has no value"),
        ("lat,50.,-50.", "lat is not a longitude"),
        ("bumpy,1.,2.", "neither increase nor decrease"),
        ("same,1.", "neither increase nor decrease"),
        ("plain,1.", "no numeric coordinate"),
        ("lon,2001-01-01", "lon is not a time coordinate"),
        ("time,2001-02-30", "is not a time in the calendar"),
        ("time,2001-03-01,2001-01-15", "time has no value"),
        (
            "time,1990-01-01,1990-12-31",
            "values from 2001-01-01 to 2001-04-01",
        ),
        (
            "time,1.,2.",
            "values from 0 (2001-01-01) to 90 (2001-04-01)",
        ),
        ("time,2001-05", "the nearest is 2001-04-01, index 3"),
        ("time,2001-03-02", "the nearest is 2001-03-01, index 2"),
        ("lo,1", "no dimension lo"),
    ];
    for (text, part) in cases {
        let e = resolved(&[text]).unwrap_err().to_string();
        assert!(e.contains(part), "{text}: {e}");
    }
}

#[test]
fn no_limit_takes_a_value_that_is_not_a_number() {
    let reader = dataset_of(&[
        ("x", Values::Double(vec![f64::NAN]), "days since 2000-01-01"),
        ("y", Values::Float(vec![f32::NAN]), "m"),
    ]);
    for text in ["x,1.,2.", "x,1.", "x,2000-01", "y,,5.", "y,1."] {
        let e = resolved_in(&*reader, &[text]).unwrap_err().to_string();
        assert!(e.contains("neither increase nor decrease"), "{text}: {e}");
    }
    assert!(resolved_in(&*reader, &["x,0"]).is_ok());
}

/// Checks months and days as limits; daily means are at noon.
#[test]
fn limits_are_months_and_days() {
    let days = Values::Double((0..731).map(|n| f64::from(n) + 0.5).collect());
    let hours = Values::Int64((0..96).collect());
    let falls = Values::Float((0..96u8).rev().map(|n| f32::from(n) / 4.0).collect());
    let reader = dataset_of(&[
        ("day", days, "days since 2000-01-01"),
        ("hour", hours, "hours since 2000-02-27_00:00:00"),
        ("past", falls, "days since 2000-01-01"),
    ]);
    let cases = [
        ("day,2001-01-01,2001-12-31", 366..731),
        ("day,2001-06", 517..547),
        ("day,2001-06,2001-06", 517..547),
        ("day,2001-06-01", 517..518),
        ("day,2001-06-01,2001-06-01", 517..518),
        ("day,2000-02,2000-02", 31..60),
        ("day,2001-12,", 700..731),
        ("day,,2000-01-02", 0..2),
        ("day,2000-01-02T12,2000-01-04T12:00", 1..4),
        ("day,2000-01-02T12:01,2000-01-04T11:59", 2..3),
        ("day,2000-01-02T13", 1..2),
        ("hour,2000-02-28", 24..48),
        ("hour,,2000-02-28", 0..48),
        ("hour,2000-02-28T23,2000-02-29", 47..72),
        ("hour,2000-02-28T14,2000-02-28T14", 38..39),
        ("hour,2000-02-28 14,2000-02-28_16:30", 38..41),
        ("hour,2000-02", 0..72),
        ("past,2000-01-02", 88..92),
        ("past,2000-01-02,2000-01-03T00", 87..92),
        ("past,,2000-01-01", 92..96),
    ];
    for (text, want) in cases {
        let (taken, notes) = resolved_in(&*reader, &[text]).unwrap();
        assert_eq!(indices_of(&taken), want.collect::<Vec<u64>>(), "{text}");
        assert_eq!(notes, [""; 0], "{text}");
    }
}

/// Checks numbers beyond the precision of doubles.
#[test]
fn whole_numbers_are_compared_in_their_type() {
    const SIGNED: i64 = 1 << 53;
    const UNSIGNED: u64 = u64::MAX - 8;
    const TIME: i64 = 1_704_067_200_000_000_000;
    let steps = || 0..8;
    let reader = dataset_of(&[
        (
            "i",
            Values::Int64(steps().map(|n| SIGNED + n).collect()),
            "1",
        ),
        (
            "f",
            Values::Int64(steps().map(|n| -SIGNED - n).collect()),
            "1",
        ),
        (
            "u",
            Values::UInt64((0..8).map(|n| UNSIGNED + n).collect()),
            "1",
        ),
        (
            "ns",
            Values::Int64(steps().map(|n| TIME + n).collect()),
            "nanoseconds since 1970-01-01",
        ),
        ("s", Values::Short(vec![-3, 0, 3, 6]), "1"),
    ]);
    let cases: [(&str, &[u64]); 14] = [
        ("i,9007199254740993.,9007199254740993.", &[1]),
        ("i,9007199254740995.,9007199254740997.", &[3, 4, 5]),
        ("i,9007199254740994.0", &[2]),
        ("i,9007199254740994.5", &[2]),
        ("i,9007199254740993.5,9.007199254740996e15", &[2, 3, 4]),
        ("f,-9007199254740994.5,-9007199254740993.", &[1, 2]),
        ("f,-9007199254740994.", &[2]),
        ("u,18446744073709551608.,18446744073709551609.", &[1, 2]),
        ("u,18446744073709551611.,", &[4, 5, 6, 7]),
        ("u,,1.8446744073709551608e19,2", &[0]),
        (
            "ns,2024-01-01T00:00:00.000000003,2024-01-01T00:00:00.000000005",
            &[3, 4, 5],
        ),
        ("ns,2024-01-01T00:00:00.000000001", &[1]),
        ("ns,2024-01-01,2024-01-01T00:00:00.000000002", &[0, 1, 2]),
        ("s,-0.5,5.5", &[1, 2]),
    ];
    for (text, want) in cases {
        let (taken, _) = resolved_in(&*reader, &[text]).unwrap();
        assert_eq!(indices_of(&taken), want, "{text}");
    }
    let e = resolved_in(&*reader, &["u,1.,2."]).err().unwrap();
    let ends = "from 18446744073709551607 to 18446744073709551614";
    assert!(e.to_string().contains(ends), "{e}");
}

/// Checks that NCO selects the same indices, and that the note gives the selection of the whole interval.
#[test]
fn longitudes_outside_of_the_coordinate() {
    let cases: [(&str, &[u64], Option<&str>); 14] = [
        ("lon,-90.,90.", &[0, 1, 2], Some("-90 to 0|lon,270.,90.")),
        ("lon,-90.,90.,2", &[0, 2], Some("-90 to 0|lon,270.,90.,2")),
        (
            "lon,180.,400.",
            &[4, 5, 6, 7],
            Some("315 to 400|lon,180.,40."),
        ),
        ("lon,-45.5,-10.,", &[], None),
        ("lon,-180.,180.", &[0, 1, 2, 3, 4], Some("-180 to 0|lon")),
        ("lon,-180.,180.,3", &[0, 3], Some("-180 to 0|lon,,,3")),
        ("lon,-20.,400.", &[0, 1, 2, 3, 4, 5, 6, 7], None),
        ("lon,0.,359.", &[0, 1, 2, 3, 4, 5, 6, 7], None),
        ("lon,-10.,90.", &[0, 1, 2], None),
        ("lon,350.,-10.", &[], None),
        ("lon,-90.", &[0], Some("-90 is outside|lon,270.")),
        ("lon,358.", &[7], Some("358 is outside|lon,0.")),
        ("lon,330.", &[7], None),
        ("west,-160.,10.", &[3], Some("-160 to 0|west,200.,10.")),
    ];
    let reader = dataset();
    for (text, want, note) in cases {
        let found = resolved_in(&*reader, &[text]);
        let Ok((taken, notes)) = found else {
            assert!(want.is_empty(), "{text}");
            continue;
        };
        assert_eq!(indices_of(&taken), want, "{text}");
        let Some((part, command)) = note.and_then(|note| note.split_once('|')) else {
            assert_eq!(notes, [""; 0], "{text}");
            continue;
        };
        let [note] = notes.as_slice() else {
            panic!("{text}: {notes:?}");
        };
        let end = format!(": --select {command})");
        assert!(
            note.contains(part) && note.ends_with(&end),
            "{text}: {note}"
        );
        let (_, more) = resolved_in(&*reader, &[command]).unwrap();
        assert_eq!(more, [""; 0], "{command}");
    }
}

#[test]
fn indices_for_another_process() {
    let reader = dataset();
    let texts = [
        "lon,300.,100.,2",
        "time,2001-02,2001-03",
        "n,0,5,3",
        "n,3,4",
    ];
    let (taken, _) = resolved_in(&*reader, &texts).unwrap();
    let env = Env::default();
    let indices = selected(reader.schema(), &taken).unwrap();
    let slabs: Vec<Hyperslab> = indices.into_iter().map(Hyperslab::of_indices).collect();
    assert_eq!(slabs[0].dim, b"/lon");
    let again = resolve(Dataset::new(&*reader, &env), &slabs).unwrap();
    assert_eq!(again, taken);
}
