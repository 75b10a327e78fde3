use super::*;
use crate::model::{Attribute, Endianness, Name};
use crate::sum::tests::memory::{FILL, Form, dataset, env};
use crate::testing::MemoryDataset;

const SHAPE: [u64; 3] = [6, 8, 10];

/// Returns the element with this number: every seventh element is missing.
fn element(n: u64) -> i32 {
    match n % 7 {
        3 => FILL,
        _ => i32::try_from((n * 7919) % 1009).unwrap() - 500,
    }
}

fn forms() -> Vec<Form> {
    let chunks = [
        vec![6, 8, 10],
        vec![1, 8, 10],
        vec![2, 3, 4],
        vec![6, 1, 1],
        vec![1, 1, 1],
    ];
    let forms = chunks.into_iter().flat_map(|chunk| {
        [(false, Endianness::Big), (true, Endianness::Little)].map(|(filtered, order)| Form {
            chunk: chunk.clone(),
            filtered,
            order,
            sparse: filtered,
        })
    });
    forms.collect()
}

fn of(memory: &MemoryDataset, threads: usize, unpack: bool) -> Statistics {
    let env = env(threads, 4000);
    statistics(Dataset::new(memory, &env), VarId(0), unpack)
        .unwrap()
        .unwrap()
}

fn with(mut memory: MemoryDataset, attributes: &[(&str, Values)]) -> MemoryDataset {
    for (name, values) in attributes {
        let name = Name::stored(name.as_bytes());
        memory.schema.vars[0]
            .attributes
            .extend(Attribute::atomic(name, values.clone()));
    }
    memory
}

fn index(n: u64) -> Vec<u64> {
    vec![n / 80, n / 10 % 8, n % 10]
}

#[test]
fn all_ways_to_store_have_the_same_statistics() {
    let all: Vec<(u64, i32)> = (0..480)
        .map(|n| (n, element(n)))
        .filter(|(_, x)| *x != FILL)
        .collect();
    let least = all.iter().min_by_key(|(n, x)| (*x, *n)).unwrap();
    let most = all
        .iter()
        .max_by_key(|(n, x)| (*x, std::cmp::Reverse(*n)))
        .unwrap();
    let number = all.len() as f64;
    let mean = all.iter().map(|(_, x)| f64::from(*x)).sum::<f64>() / number;
    let squares = all.iter().map(|(_, x)| (f64::from(*x) - mean).powi(2));
    let deviation = (squares.sum::<f64>() / number).sqrt();
    let first = of(&dataset(&SHAPE, &forms()[0], element), 1, false);
    assert_eq!((first.count, first.missing), (480, 480 - all.len() as u64));
    let extreme = |(n, x): &(u64, i32)| Extreme {
        value: Values::Int(vec![*x]),
        index: index(*n),
    };
    assert_eq!(first.least, Some(extreme(least)));
    assert_eq!(first.most, Some(extreme(most)));
    assert!((first.mean.unwrap() - mean).abs() < 1e-12);
    assert!((first.deviation.unwrap() - deviation).abs() < 1e-12);
    let histogram = first.histogram.clone().unwrap();
    assert_eq!(histogram.counts.iter().sum::<u64>(), all.len() as u64);
    for form in forms() {
        for threads in [1, 3] {
            let memory = dataset(&SHAPE, &form, element);
            assert_eq!(of(&memory, threads, false), first, "{form:?}");
            let read = memory.take_counts().fetched;
            let most = read.values().max().copied().unwrap_or(0);
            // Twice: once for the extremes, once for the bins. Elements without filters are read directly from the source.
            assert!(most <= 2 || !form.filtered, "{form:?}: {most}");
        }
    }
}

#[test]
fn packed_values_are_unpacked() {
    let form = &forms()[1];
    let packed = of(&dataset(&SHAPE, form, element), 1, false);
    let scale = [
        ("scale_factor", Values::Double(vec![-0.5])),
        ("add_offset", Values::Float(vec![3.0])),
    ];
    let memory = with(dataset(&SHAPE, form, element), &scale);
    assert_eq!(of(&memory, 1, false), packed);
    let unpacked = of(&memory, 2, true);
    let value = |extreme: &Option<Extreme>| match &extreme.as_ref().unwrap().value {
        Values::Int(all) => f64::from(all[0]),
        Values::Double(all) => all[0],
        other => panic!("{other:?}"),
    };
    assert_eq!(value(&unpacked.least), value(&packed.most) * -0.5 + 3.0);
    assert_eq!(unpacked.least.unwrap().index, packed.most.unwrap().index);
    assert_eq!(unpacked.mean.unwrap(), packed.mean.unwrap() * -0.5 + 3.0);
    assert_eq!(unpacked.deviation.unwrap(), packed.deviation.unwrap() * 0.5);
    let (turned, counts) = (
        unpacked.histogram.unwrap(),
        packed.histogram.unwrap().counts,
    );
    assert!(turned.counts.iter().eq(counts.iter().rev()));
    assert!(turned.edges.is_sorted());
}

#[test]
fn signed_numbers_may_be_unsigned_ones() {
    let memory = with(
        dataset(&SHAPE, &forms()[0], |n| if n == 0 { -1 } else { 5 }),
        &[("_Unsigned", Values::Char(b"true".to_vec()))],
    );
    let most = of(&memory, 1, true).most.unwrap();
    assert_eq!(most.value, Values::UInt(vec![u32::MAX]));
    assert_eq!(
        of(&memory, 1, false).most.unwrap().value,
        Values::Int(vec![5])
    );
}

#[test]
fn nothing_but_missing_elements() {
    let made = of(&dataset(&SHAPE, &forms()[3], |_| FILL), 2, true);
    assert_eq!((made.count, made.missing), (480, 480));
    assert_eq!(
        (made.mean, made.deviation, made.least, made.histogram),
        (None, None, None, None)
    );
    let same = of(&dataset(&SHAPE, &forms()[2], |_| 7), 2, true);
    assert_eq!((same.mean, same.deviation), (Some(7.0), Some(0.0)));
    assert_eq!(
        same.histogram.unwrap().counts,
        [0, 0, 0, 0, 0, 480, 0, 0, 0, 0]
    );
}
