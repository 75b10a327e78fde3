use std::collections::BTreeMap;
use std::sync::Arc;

use netcdf_core::chunk::view::{IndexRun, Taken};
use netcdf_core::chunk::{Dataset, Reader};
use netcdf_core::env::Env;
use netcdf_core::format;
use netcdf_core::io::Container;
use netcdf_core::io::memory::{MemorySource, MemoryTarget};
use netcdf_core::model::{
    Atomic, Attribute, CreateOptions, DimId, Dimension, GroupId, Kind, Name, Schema, Storage,
    Values, Variable,
};

use super::*;

fn parsed(text: &str) -> Result<Hyperslab> {
    Hyperslab::parse(text)
}

#[test]
fn words_are_limits() {
    use Limit::{Index, Time, Value};
    let time = |text: &str| Some(Time(text.as_bytes().to_vec()));
    let value = |text: &str| Value(Decimal::parse(text).unwrap());
    let cases = [
        ("x,2", Span::One(Index(2)), 1),
        ("x,-2", Span::One(Index(-2)), 1),
        ("x,2.", Span::One(value("2.")), 1),
        ("x,.5", Span::One(value(".5")), 1),
        ("x,2,", Span::Range(Some(Index(2)), None), 1),
        ("x,,2", Span::Range(None, Some(Index(2))), 1),
        ("x", Span::Range(None, None), 1),
        ("x,,,3", Span::Range(None, None), 3),
        ("x,1,+7,3", Span::Range(Some(Index(1)), Some(Index(7))), 3),
        (
            "x,1e2,-2E2",
            Span::Range(Some(value("1e2")), Some(value("-2E2"))),
            1,
        ),
        (
            "x,2001-01,2001-02-03 04:05:06",
            Span::Range(time("2001-01"), time("2001-02-03 04:05:06")),
            1,
        ),
        (
            "x,2001-01-01,5.",
            Span::Range(time("2001-01-01"), Some(value("5."))),
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
fn what_is_no_selection_is_refused() {
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

/// Dimensions with a coordinate of these values and units, or without one.
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

/// A dataset with these dimensions.
fn dataset() -> Box<dyn Reader> {
    let mut schema = Schema::new(Kind::CDF5);
    let group = GroupId::ROOT;
    let mut vars = vec![];
    for (name, values, units) in AXES {
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
                ty: Atomic::Double.into(),
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
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_be_bytes())
            .collect();
        writer.put_run(var, 0, &bytes).unwrap();
    }
    writer.finish().unwrap();
    let bytes = out.lock().unwrap().take().unwrap();
    format::open(
        Container::Source(Arc::new(MemorySource::new("axes", bytes))),
        &env,
    )
    .unwrap()
}

fn resolved(selections: &[&str]) -> Result<BTreeMap<DimId, Taken>> {
    let (reader, env) = (dataset(), Env::default());
    let selections: Vec<Hyperslab> = selections
        .iter()
        .map(|text| parsed(text).unwrap())
        .collect();
    resolve(Dataset::new(&*reader, &env), &selections)
}

/// The indices that selections of one dimension take.
fn indices(selections: &[&str]) -> Vec<u64> {
    let taken = resolved(selections).unwrap();
    assert_eq!(taken.len(), 1, "{selections:?}");
    let runs: Vec<IndexRun> = taken
        .values()
        .flat_map(|taken| taken.runs().to_vec())
        .collect();
    let each = |run: IndexRun| (0..run.count).map(move |n| run.start + n * run.stride);
    runs.into_iter().flat_map(each).collect()
}

/// What `ncks` 5.1 takes, but for what is refused there.
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
        // A longitude that falls goes round, too.
        (&["west,250.,50."], &[3, 0]),
    ];
    for (selections, want) in cases {
        assert_eq!(&indices(selections), want, "{selections:?}");
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    let cases = [
        ("lon,9,10", "they go from 0 to 7"),
        ("lon,2,9", "they go from 0 to 7"),
        ("lon,-9,-1", "they go from 0 to 7"),
        ("lon,50.,80.", "no value of lon"),
        ("lon,400.,500.", "no value of lon"),
        ("lat,50.,-50.", "lat is no longitude"),
        ("bumpy,1.,2.", "neither rise nor fall"),
        ("same,1.", "neither rise nor fall"),
        ("plain,1.", "no coordinate of numbers"),
        ("lon,2001-01-01", "lon is no time"),
        ("time,2001-02-30", "no time in the calendar"),
        ("time,2001-03-01,2001-01-15", "no value of time"),
        ("lo,1", "no dimension lo"),
    ];
    for (text, part) in cases {
        let e = resolved(&[text]).unwrap_err().to_string();
        assert!(e.contains(part), "{text}: {e}");
    }
}
