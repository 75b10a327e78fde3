use super::*;
use crate::model::{GroupId, Name, Storage};

/// Returns a quantizer for a variable with this fill value, or the default fill value.
fn quantizer(algorithm: Algorithm, keep: u8, ty: Atomic, fill: Option<Values>) -> Quantizer {
    let fill = fill.map(|fill| {
        let name = Name::stored(b"_FillValue");
        crate::model::Attribute::atomic(name, fill).unwrap()
    });
    let var = Variable {
        name: Name::stored(b"v"),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims: vec![],
        attributes: fill.into_iter().collect(),
        storage: Storage {
            quantize: Some(Quantize { algorithm, keep }),
            ..Storage::default()
        },
    };
    Quantizer::new(&var, Endianness::Little).unwrap()
}

fn float(q: &Quantizer, first: u64, value: f32) -> f32 {
    let mut bytes = value.to_le_bytes();
    q.run(first, &mut bytes);
    f32::from_le_bytes(bytes)
}

/// The table from libnetcdf: type, algorithm, digits or bits, and the bits of numbers before and after. The first element has an even
/// index.
#[test]
fn bit_for_bit_as_in_c() {
    let mut lines = 0;
    for line in include_str!("c.txt").lines() {
        let words: Vec<_> = line.split(' ').collect();
        let [ty, algorithm, keep, before, after] = words[..] else {
            panic!("{line}");
        };
        let algorithm = Algorithm::from_name(algorithm).unwrap();
        let (ty, digits) = match ty {
            "float" => (Atomic::Float, 8),
            _ => (Atomic::Double, 16),
        };
        let q = quantizer(algorithm, keep.parse().unwrap(), ty, None);
        let bytes = |text: &str| -> Vec<u8> {
            let number = |at: usize| u64::from_str_radix(&text[at..at + digits], 16).unwrap();
            let numbers = (0..text.len()).step_by(digits).map(number);
            numbers
                .flat_map(|n| n.to_le_bytes()[..digits / 2].to_vec())
                .collect()
        };
        let mut made = bytes(before);
        q.run(0, &mut made);
        assert_eq!(made, bytes(after), "{line}");
        lines += 1;
    }
    assert!(lines >= 60, "{lines} lines");
}

#[test]
fn some_numbers_stay() {
    let fill = Some(Values::Float(vec![1.234_567_9]));
    for algorithm in Algorithm::ALL {
        let q = quantizer(algorithm, 2, Atomic::Float, fill.clone());
        for at in [0, 1] {
            assert_eq!(float(&q, at, 1.234_567_9), 1.234_567_9);
            assert_ne!(float(&q, at, 2.345_678_9), 2.345_678_9);
            assert_eq!(float(&q, at, -0.0).to_bits(), (-0.0_f32).to_bits());
            assert!(float(&q, at, f32::NAN).is_nan());
        }
        // The default fill value of the type.
        let q = quantizer(algorithm, 2, Atomic::Float, None);
        assert_eq!(float(&q, 1, 9.969_21e36), 9.969_21e36);
    }
}

#[test]
fn both_byte_orders() {
    let little = quantizer(Algorithm::GranularBitRound, 3, Atomic::Double, None);
    let big = Quantizer {
        order: Endianness::Big,
        ..little
    };
    let mut a = std::f64::consts::PI.to_le_bytes();
    let mut b = std::f64::consts::PI.to_be_bytes();
    little.run(0, &mut a);
    big.run(0, &mut b);
    assert_eq!(f64::from_le_bytes(a), f64::from_be_bytes(b));
    assert_ne!(f64::from_le_bytes(a), std::f64::consts::PI);
}

/// Quantizing box by box and quantizing the whole variable give the same result.
#[test]
fn turns_follow_the_place_in_the_variable() {
    let q = quantizer(Algorithm::BitGroom, 2, Atomic::Float, None);
    let shape = [3, 5, 7];
    let value = |n: u64| 1.234_567_9 + n as f32;
    let whole: Vec<f32> = (0..105).map(|n| float(&q, n, value(n))).collect();
    let part = Region::boxed(vec![1, 1, 2], vec![2, 3, 3]);
    let mut bytes = vec![];
    let mut want = vec![];
    for (i, j) in [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)] {
        for k in 2..5 {
            let n = (i * 5 + j) * 7 + k;
            bytes.extend(value(n).to_le_bytes());
            want.extend(whole[usize::try_from(n).unwrap()].to_le_bytes());
        }
    }
    q.boxed(&part, &shape, &mut bytes);
    assert_eq!(bytes, want);
    // A scalar counts as one row.
    let mut one = value(0).to_le_bytes();
    q.boxed(&Region::whole(&[]), &[], &mut one);
    assert_eq!(f32::from_le_bytes(one), whole[0]);
}
