//! Comparisons of datasets.

mod datasets;
mod schemas;

use super::*;
use crate::chunk::ReadCache;
use crate::env::{Env, Memory};
use crate::model::{Endianness, GroupId, Values, VarId};
use crate::runtime::Runtime;
use crate::testing::{MemoryDataset, add_table};
use datasets::{Form, damage, made, var};

const PLAIN: DiffOptions<'_> = DiffOptions {
    tolerance: Tolerance {
        absolute: 0.0,
        relative: 0.0,
    },
    layout: false,
    values: true,
    takes: &|_| true,
};

/// Returns the differences, and the errors of comparing values, with this many threads.
fn on_threads(
    [a, b]: [&MemoryDataset; 2],
    options: &DiffOptions<'_>,
    (threads, memory): (usize, u64),
) -> (Vec<Difference>, Vec<String>) {
    let env = Env {
        filters: add_table(),
        runtime: Runtime::new(threads).sharing_all(),
        memory: Memory(memory),
        ..Env::default()
    };
    let caches = [ReadCache::new(&env), ReadCache::new(&env)];
    let side = |made, n: usize, name| Compared {
        set: Dataset::new(made, &env).with(&caches[n]),
        name: Some(name),
    };
    let mut found = vec![];
    let mut visit = |difference| {
        found.push(difference);
        Ok(())
    };
    let failed = diff([side(a, 0, "a"), side(b, 1, "b")], options, &mut visit).unwrap();
    (found, failed.iter().map(ToString::to_string).collect())
}

fn both(sides: [&MemoryDataset; 2], options: &DiffOptions<'_>) -> (Vec<Difference>, Vec<String>) {
    let one = on_threads(sides, options, (1, 1 << 20));
    for run in [(2, 1 << 20), (4, 1 << 12), (1, 100)] {
        assert_eq!(on_threads(sides, options, run), one, "{run:?}");
    }
    one
}

/// Returns the value differences of the only variable with differences.
fn values(sides: [&MemoryDataset; 2]) -> Option<DifferentValues> {
    let (found, failed) = both(sides, &PLAIN);
    assert_eq!(failed, [""; 0]);
    let mut found = found.into_iter();
    let values = found.next().map(|one| match one.finding {
        DifferenceKind::Values(values) => *values,
        other => panic!("{other:?}"),
    });
    assert_eq!(found.next(), None);
    values
}

/// A variable of 30 × 40 elements.
fn grid(values: Values, form: Form) -> MemoryDataset {
    let mut made = made(&[("y", 30), ("x", 40)]);
    var(&mut made, ("v", 2), &values, form);
    made
}

fn numbers() -> Vec<i64> {
    (0..1200).collect()
}

#[test]
fn equal_data_is_equal_in_any_chunks_order_and_type() {
    let a = grid(Values::Int64(numbers()), Form::chunks(&[7, 11]));
    let doubles = numbers().iter().map(|&n| n as f64).collect();
    let big = Form {
        order: Endianness::Big,
        ..Form::chunks(&[10, 10])
    };
    let plain = Form {
        filtered: false,
        ..Form::chunks(&[30, 40])
    };
    for form in [Form::chunks(&[7, 11]), Form::chunks(&[30, 1]), big, plain] {
        assert_eq!(values([&a, &grid(Values::Int64(numbers()), form)]), None);
    }
    let (found, _) = both(
        [&a, &grid(Values::Double(doubles), Form::chunks(&[9, 9]))],
        &PLAIN,
    );
    let types = ["int64".to_owned(), "double".to_owned()];
    let findings: Vec<_> = found.into_iter().map(|d| d.finding).collect();
    assert_eq!(findings, [DifferenceKind::Type(types, true)]);
}

#[test]
fn differences_are_counted_and_placed_in_any_chunks() {
    let a = grid(Values::Int64(numbers()), Form::chunks(&[7, 11]));
    let mut changed = numbers();
    changed[0] = 100;
    changed[1199] = 1099;
    changed[600] = 601;
    let plain = Form {
        filtered: false,
        ..Form::chunks(&[5, 40])
    };
    for form in [
        Form::chunks(&[7, 11]),
        Form::chunks(&[4, 5]),
        Form::chunks(&[30, 40]),
        plain,
    ] {
        let found = values([&a, &grid(Values::Int64(changed.clone()), form)]).unwrap();
        assert_eq!(
            (found.differing, found.compared, found.without_size),
            (3, 1200, 0)
        );
        assert_eq!(found.first.index, [0, 0]);
        let most = found.absolute.unwrap();
        assert_eq!(
            (most.by, most.element.index),
            (100.0, vec![0, 0]),
            "the first of equal ones"
        );
        let most = found.relative.unwrap();
        assert_eq!(
            (most.by, most.element.values),
            (1.0, [Values::Int64(vec![0]), Values::Int64(vec![100])])
        );
    }
}

#[test]
fn chunks_with_equal_bytes_are_not_decoded() {
    let mut changed = numbers();
    changed[1199] = 0;
    let made = |values: Vec<i64>| {
        let mut made = grid(Values::Int64(values), Form::chunks(&[10, 10]));
        damage(&mut made, VarId(0), 0);
        made
    };
    let found = values([&made(numbers()), &made(changed)]).unwrap();
    assert_eq!((found.differing, found.first.index), (1, vec![29, 39]));
    // In different chunks, all have to be decoded.
    let other = grid(Values::Int64(numbers()), Form::chunks(&[10, 20]));
    let (found, failed) = both([&made(numbers()), &other], &PLAIN);
    assert_eq!((found.len(), failed.len()), (0, 1));
    assert!(
        failed[0].starts_with("made: ") || failed[0].starts_with("a: "),
        "{failed:?}"
    );
    assert!(failed[0].contains("in /v"), "{failed:?}");
}

#[test]
fn what_cannot_be_read_does_not_keep_the_rest_from_being_compared() {
    let made = |w: i64, damaged: bool| {
        let mut made = grid(Values::Int64(numbers()), Form::chunks(&[10, 10]));
        if damaged {
            damage(&mut made, VarId(0), 1);
        }
        let w = Values::Int64(vec![w]);
        var(&mut made, ("w", 0), &w, Form::chunks(&[]));
        made
    };
    let (found, failed) = both([&made(1, false), &made(2, true)], &PLAIN);
    assert_eq!(
        (found.len(), found[0].path.as_str(), failed.len()),
        (1, "/w", 1)
    );
}

#[test]
fn fill_values_are_equal_also_where_nothing_is_stored() {
    let form = |missing: &[u64]| Form {
        missing: missing.to_vec(),
        ..Form::chunks(&[10, 40])
    };
    let made = |fill: i32, values: Vec<i32>, missing: &[u64]| {
        let mut made = grid(Values::Int(values), form(missing));
        made.attribute(VarId(0), "_FillValue", Values::Int(vec![fill]));
        made
    };
    let ones = |other: i32| {
        let mut all = vec![1; 1200];
        all[400..800].fill(other);
        all
    };
    let fills = |sides: [&MemoryDataset; 2]| {
        let (found, failed) = both(sides, &PLAIN);
        assert_eq!(failed, [""; 0]);
        let values = found.into_iter().filter_map(|one| match one.finding {
            DifferenceKind::Values(values) => Some(values.differing),
            DifferenceKind::Attribute(_) => None,
            other => panic!("{other:?}"),
        });
        values.collect::<Vec<u64>>()
    };
    let (a, b) = (made(-1, ones(1), &[1]), made(-2, ones(1), &[1]));
    assert_eq!(fills([&a, &b]), [0; 0], "missing in both");
    assert_eq!(
        fills([&a, &made(-2, ones(-2), &[])]),
        [0; 0],
        "stored in one"
    );
    assert_eq!(
        fills([&a, &made(-2, ones(-1), &[])]),
        [0; 0],
        "equal as a number"
    );
    assert_eq!(fills([&a, &made(-2, ones(5), &[])]), [400]);
    assert_eq!(fills([&made(-1, ones(1), &[]), &b]), [400]);
}

/// A small file can claim this number of elements.
#[test]
fn what_is_stored_nowhere_is_not_read() {
    let made = |chunk: u64| {
        let form = Form {
            missing: vec![0],
            filtered: false,
            ..Form::chunks(&[1 << 40, chunk])
        };
        let mut made = made(&[("y", 1 << 40), ("x", 1 << 20)]);
        var(&mut made, ("v", 2), &Values::Int(vec![]), form);
        made
    };
    assert_eq!(values([&made(1 << 20), &made(1 << 21)]), None);
}

#[test]
fn the_common_part_is_compared() {
    let a = grid(Values::Int64(numbers()), Form::chunks(&[7, 11]));
    let longer = |last: i64| {
        let mut values: Vec<_> = (0..1400).collect();
        values[1199] = last;
        let (values, form) = (Values::Int64(values), Form::chunks(&[7, 11]));
        let mut made = made(&[("y", 35), ("x", 40)]);
        var(&mut made, ("v", 2), &values, form);
        made
    };
    let length = |d: &Difference| (d.path.clone(), d.finding.clone());
    let expected = ("/y".to_owned(), DifferenceKind::Length([30, 35]));
    let (found, _) = both([&a, &longer(1199)], &PLAIN);
    assert_eq!(found.iter().map(length).collect::<Vec<_>>(), [expected]);
    let (found, _) = both([&longer(0), &a], &PLAIN);
    let DifferenceKind::Values(values) = &found[1].finding else {
        panic!()
    };
    assert_eq!(
        (values.differing, values.common.as_deref()),
        (1, Some(&[30, 40][..]))
    );
}

#[test]
fn coordinates_and_tolerance() {
    let made = |x: f64| {
        let mut values: Vec<f64> = (0..12).map(f64::from).collect();
        values[5] += x;
        let (values, lat) = (
            Values::Double(values),
            Values::Float(vec![-10.0, 0.0, 10.0]),
        );
        let mut made = made(&[("lat", 3), ("lon", 4)]);
        var(&mut made, ("v", 2), &values, Form::chunks(&[3, 4]));
        var(&mut made, ("lat", 1), &lat, Form::chunks(&[3]));
        made
    };
    let found = values([&made(0.0), &made(0.5)]).unwrap();
    let at = &found.first.coordinates;
    assert_eq!((at.len(), at[0].name.as_str()), (1, "lat"));
    assert_eq!(at[0].value, Values::Float(vec![0.0]));
    for (tolerance, count) in [
        ((0.5, 0.0), 0),
        ((0.49, 0.0), 1),
        ((0.0, 0.1), 0),
        ((0.0, 0.05), 1),
    ] {
        let (absolute, relative) = tolerance;
        let options = DiffOptions {
            tolerance: Tolerance { absolute, relative },
            ..PLAIN
        };
        assert_eq!(
            both([&made(0.0), &made(0.5)], &options).0.len(),
            count,
            "{tolerance:?}"
        );
    }
    let options = DiffOptions {
        values: false,
        ..PLAIN
    };
    assert!(both([&made(0.0), &made(0.5)], &options).0.is_empty());
}
