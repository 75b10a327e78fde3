//! Comparison of numbers of one type in blocks: equal bytes are skipped, and blocks of equal numbers need no decision per number.

use super::rule::{EqualityRule, ExactNumber, NumberVerdict};
use super::tally::DiffTally;
use crate::chunk::elements;
use crate::error::Result;
use crate::model::{Atomic, Endianness};

/// Numbers per block.
const BLOCK: usize = 512;

/// Stored elements of an atomic type of fixed size.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementSlice<'a> {
    pub(super) ty: Atomic,
    pub(super) order: Endianness,
    pub(super) bytes: &'a [u8],
}

impl ElementSlice<'_> {
    /// Returns the bits of floating-point numbers as integers.
    fn as_bits(self) -> Self {
        let ty = match self.ty {
            Atomic::Float => Atomic::UInt,
            Atomic::Double => Atomic::UInt64,
            other => other,
        };
        Self { ty, ..self }
    }
}

/// Compares the elements up to the shorter length: numbers of any types, or characters with characters.
pub(super) fn compare(
    a: ElementSlice<'_>,
    b: ElementSlice<'_>,
    rule: &EqualityRule,
) -> Result<DiffTally> {
    let mut tally = DiffTally::default();
    let alike = a.ty == b.ty && (a.order == b.order || a.ty.size() == Some(1));
    if alike && a.bytes == b.bytes {
        return Ok(tally);
    }
    if a.ty != b.ty {
        mixed(a, b, rule, &mut tally)?;
        return Ok(tally);
    }
    let [a, b] = match rule.exact {
        true => [a.as_bits(), b.as_bits()],
        false => [a, b],
    };
    match a.ty {
        Atomic::Byte => scan::<i8>(a, b, rule, &mut tally),
        Atomic::UByte => scan::<u8>(a, b, rule, &mut tally),
        Atomic::Short => scan::<i16>(a, b, rule, &mut tally),
        Atomic::UShort => scan::<u16>(a, b, rule, &mut tally),
        Atomic::Int => scan::<i32>(a, b, rule, &mut tally),
        Atomic::UInt => scan::<u32>(a, b, rule, &mut tally),
        Atomic::Int64 => scan::<i64>(a, b, rule, &mut tally),
        Atomic::UInt64 => scan::<u64>(a, b, rule, &mut tally),
        Atomic::Float => scan::<f32>(a, b, rule, &mut tally),
        Atomic::Double => scan::<f64>(a, b, rule, &mut tally),
        Atomic::Char | Atomic::String => characters(a.bytes, b.bytes, rule, &mut tally),
    }
    Ok(tally)
}

fn characters(a: &[u8], b: &[u8], rule: &EqualityRule, tally: &mut DiffTally) {
    for (n, (a, b)) in a.iter().zip(b).enumerate() {
        let number = |c: &u8| ExactNumber::Whole((*c).into());
        let fills = |[x, y]: [ExactNumber; 2]| number(a).is(x) && number(b).is(y);
        if a != b && !rule.fills.is_some_and(fills) {
            tally.add(n, None);
        }
    }
}

/// Compares numbers of two types.
fn mixed(
    a: ElementSlice<'_>,
    b: ElementSlice<'_>,
    rule: &EqualityRule,
    tally: &mut DiffTally,
) -> Result<()> {
    let decoded = |e: ElementSlice<'_>| elements::decode(e.ty, e.order, e.bytes);
    let (a, b) = (decoded(a)?, decoded(b)?);
    for n in 0..a.len().min(b.len()) {
        let (Some(a), Some(b)) = (ExactNumber::of(&a, n), ExactNumber::of(&b, n)) else {
            return Ok(());
        };
        judge(rule, tally, n, (a, b));
    }
    Ok(())
}

fn judge(
    rule: &EqualityRule,
    tally: &mut DiffTally,
    at: usize,
    (a, b): (ExactNumber, ExactNumber),
) {
    match rule.judge(a, b) {
        NumberVerdict::Same => {}
        NumberVerdict::Different(distance) => tally.add(at, distance),
    }
}

/// A numeric element type.
trait NumericElement: Copy + Default {
    /// Decodes stored numbers until the block is full.
    fn load(bytes: &[u8], order: Endianness, into: &mut [Self; BLOCK]);
    /// Returns true unless the numbers are equal, or NaN in each dataset.
    fn differs(self, other: Self) -> bool;
    fn number(self) -> ExactNumber;
}

macro_rules! stored {
    ($t:ty, $make:expr, $differs:expr) => {
        impl NumericElement for $t {
            #[inline(always)]
            fn load(bytes: &[u8], order: Endianness, into: &mut [Self; BLOCK]) {
                let parts = bytes.as_chunks::<{ size_of::<$t>() }>().0;
                let places = into.iter_mut().zip(parts);
                match order {
                    Endianness::Big => places.for_each(|(x, c)| *x = <$t>::from_be_bytes(*c)),
                    Endianness::Little => places.for_each(|(x, c)| *x = <$t>::from_le_bytes(*c)),
                }
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                $differs(self, other)
            }

            #[inline(always)]
            fn number(self) -> ExactNumber {
                $make(self.into())
            }
        }
    };
}

stored!(i8, ExactNumber::Whole, |a, b| a != b);
stored!(u8, ExactNumber::Whole, |a, b| a != b);
stored!(i16, ExactNumber::Whole, |a, b| a != b);
stored!(u16, ExactNumber::Whole, |a, b| a != b);
stored!(i32, ExactNumber::Whole, |a, b| a != b);
stored!(u32, ExactNumber::Whole, |a, b| a != b);
stored!(i64, ExactNumber::Whole, |a, b| a != b);
stored!(u64, ExactNumber::Whole, |a, b| a != b);
// Branch-free: a NaN is not less, equal or greater.
stored!(f32, ExactNumber::Real, |a: f32, b: f32| (a != b)
    & !(a.is_nan() & b.is_nan()));
stored!(f64, ExactNumber::Real, |a: f64, b: f64| (a != b)
    & !(a.is_nan() & b.is_nan()));

fn scan<T: NumericElement>(
    a: ElementSlice<'_>,
    b: ElementSlice<'_>,
    rule: &EqualityRule,
    tally: &mut DiffTally,
) {
    let step = BLOCK * size_of::<T>();
    let (mut left, mut right) = ([T::default(); BLOCK], [T::default(); BLOCK]);
    for (n, (p, q)) in a.bytes.chunks(step).zip(b.bytes.chunks(step)).enumerate() {
        if a.order == b.order && p == q {
            continue;
        }
        T::load(p, a.order, &mut left);
        T::load(q, b.order, &mut right);
        let len = p.len().min(q.len()) / size_of::<T>();
        let pairs = || left.iter().zip(&right).take(len);
        let any = pairs().fold(false, |any, (x, y)| any | x.differs(*y));
        if any {
            for (i, (x, y)) in pairs().enumerate().filter(|(_, (x, y))| x.differs(**y)) {
                judge(rule, tally, n * BLOCK + i, (x.number(), y.number()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Values;

    fn stored(values: &Values, order: Endianness) -> Vec<u8> {
        let mut bytes = vec![];
        elements::encode(values, order, &mut bytes).unwrap();
        bytes
    }

    fn compared(a: &Values, b: &Values, orders: [Endianness; 2]) -> DiffTally {
        let [x, y] = [stored(a, orders[0]), stored(b, orders[1])];
        let of = |values: &Values, order, bytes| ElementSlice {
            ty: values.data_type().unwrap(),
            order,
            bytes,
        };
        let (a, b) = (of(a, orders[0], &x), of(b, orders[1], &y));
        compare(a, b, &EqualityRule::default()).unwrap()
    }

    #[test]
    fn byte_order_and_type_make_no_difference() {
        let numbers: Vec<i32> = (0..1300).collect();
        let mut changed = numbers.clone();
        (changed[0], changed[700], changed[1299]) = (-3, 5, 1000);
        let expected = DiffTally {
            differing: 3,
            without_size: 0,
            first: Some(0),
            absolute: Some((695.0, 700)),
            relative: Some((1.0, 0)),
        };
        let (little, big) = (Endianness::Little, Endianness::Big);
        let doubles = |v: &[i32]| Values::Double(v.iter().map(|&n| n.into()).collect());
        let (a, b) = (Values::Int(numbers.clone()), Values::Int(changed.clone()));
        let (x, y) = (doubles(&numbers), doubles(&changed));
        for orders in [[little, little], [little, big], [big, big]] {
            assert_eq!(compared(&a, &b, orders), expected);
            assert_eq!(compared(&x, &y, orders), expected);
            assert_eq!(compared(&a, &y, orders), expected);
            assert_eq!(compared(&a, &x, orders), DiffTally::default());
        }
    }

    #[test]
    fn every_type_of_numbers_is_compared() {
        for ty in Atomic::ALL {
            let Ok(one) = crate::model::convert::convert(&Values::Int(vec![3, 4]), ty) else {
                continue;
            };
            let other = crate::model::convert::convert(&Values::Int(vec![3, 7]), ty).unwrap();
            let both = [Endianness::Big; 2];
            let tally = compared(&one, &other, both);
            assert_eq!(
                (tally.differing, tally.absolute),
                (1, Some((3.0, 1))),
                "{ty:?}"
            );
            assert_eq!(compared(&one, &one, both), DiffTally::default());
        }
        let text = |t: &[u8]| Values::Char(t.to_vec());
        let tally = compared(&text(b"abc"), &text(b"abd"), [Endianness::Big; 2]);
        assert_eq!(
            (tally.differing, tally.without_size, tally.first),
            (1, 1, Some(2))
        );
    }

    #[test]
    fn bits_are_compared_in_any_byte_order() {
        let a = [0.0, 1.0, f32::NAN].map(f32::to_le_bytes).concat();
        let b = [-0.0, 1.0, f32::NAN].map(f32::to_be_bytes).concat();
        let of = |order, bytes| ElementSlice {
            ty: Atomic::Float,
            order,
            bytes,
        };
        let both = (of(Endianness::Little, &a), of(Endianness::Big, &b));
        let tally = |rule| compare(both.0, both.1, &rule).unwrap();
        assert_eq!(tally(EqualityRule::default()).differing, 0);
        let exact = tally(EqualityRule::EXACT);
        assert_eq!((exact.differing, exact.first), (1, Some(0)));
    }

    #[test]
    fn not_a_number_is_one_thing() {
        let a = Values::Float(vec![f32::NAN, 0.0, 1.0, f32::NAN]);
        let b = Values::Float(vec![-f32::NAN, -0.0, f32::NAN, 1.0]);
        let tally = compared(&a, &b, [Endianness::Little; 2]);
        assert_eq!(
            (tally.differing, tally.without_size, tally.first),
            (2, 2, Some(2))
        );
    }
}
