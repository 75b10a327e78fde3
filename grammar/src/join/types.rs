//! The common type of a variable in all inputs.

use netcdf_core::error::{Error, Result};
use netcdf_core::model::Atomic;

use super::facts::InputVariable;
use super::mismatch::mismatch;

/// Returns the smallest type that has all values of two types exactly.
fn common(a: Atomic, b: Atomic) -> Option<Atomic> {
    if a == b {
        return Some(a);
    }
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => INTEGERS.into_iter().find(|ty| {
            integer(*ty).is_some_and(|(least, most)| least <= a.0.min(b.0) && a.1.max(b.1) <= most)
        }),
        (Some((_, most)), None) => real(b, most),
        (None, Some((_, most))) => real(a, most),
        (None, None) => match (a, b) {
            (Atomic::Float, Atomic::Double) | (Atomic::Double, Atomic::Float) => {
                Some(Atomic::Double)
            }
            _ => None,
        },
    }
}

/// Integer types from small to large.
const INTEGERS: [Atomic; 8] = [
    Atomic::Byte,
    Atomic::UByte,
    Atomic::Short,
    Atomic::UShort,
    Atomic::Int,
    Atomic::UInt,
    Atomic::Int64,
    Atomic::UInt64,
];

/// Returns the minimum and maximum of an integer type.
fn integer(ty: Atomic) -> Option<(i128, i128)> {
    Some(match ty {
        Atomic::Byte => (i8::MIN.into(), i8::MAX.into()),
        Atomic::UByte => (0, u8::MAX.into()),
        Atomic::Short => (i16::MIN.into(), i16::MAX.into()),
        Atomic::UShort => (0, u16::MAX.into()),
        Atomic::Int => (i32::MIN.into(), i32::MAX.into()),
        Atomic::UInt => (0, u32::MAX.into()),
        Atomic::Int64 => (i64::MIN.into(), i64::MAX.into()),
        Atomic::UInt64 => (0, u64::MAX.into()),
        Atomic::Char | Atomic::String | Atomic::Float | Atomic::Double => return None,
    })
}

/// Returns the floating-point type that has a number type's values and integers up to `most`.
fn real(ty: Atomic, most: i128) -> Option<Atomic> {
    match ty {
        Atomic::Float if most < 1 << 24 => Some(Atomic::Float),
        Atomic::Float | Atomic::Double if most < 1 << 53 => Some(Atomic::Double),
        _ => None,
    }
}

/// Returns whether a variable has characters, apart from strings of pure Zarr.
fn has_characters(facts: &InputVariable) -> bool {
    facts.element.plain_type() == Some(Atomic::Char)
}

/// Returns whether one input has characters, and the other the strings that pure Zarr stores for characters.
pub(super) fn are_characters([a, b]: [&InputVariable; 2]) -> bool {
    (a.has_character_strings && has_characters(b)) || (has_characters(a) && b.has_character_strings)
}

/// Returns the common type of a variable, or `None` for types that are not atomic numbers. `grows`: the first input is extended.
///
/// # Errors
/// Returns an error for different types without a common type, with the names of two inputs.
pub(super) fn common_type<'a>(
    all: impl Iterator<Item = (&'a InputVariable, usize)>,
    name: impl Fn(usize) -> String,
    grows: bool,
) -> Result<Option<Atomic>> {
    let all: Vec<_> = all.collect();
    // An extended dataset of pure Zarr keeps strings of one byte, which a copy would widen.
    let in_characters = all.iter().any(|(facts, _)| has_characters(facts))
        || (grows && all.iter().all(|(facts, _)| facts.has_character_strings));
    let is_character = |facts: &InputVariable| {
        has_characters(facts) || (in_characters && facts.has_character_strings)
    };
    let mut found: Option<(&InputVariable, usize, Option<Atomic>)> = None;
    for (facts, input) in all {
        let own = match is_character(facts) {
            true => Some(Atomic::Char),
            false => facts.element.plain_type(),
        };
        let Some((first, first_input, ty)) = &mut found else {
            found = Some((facts, input, own));
            continue;
        };
        if first.ty == facts.ty && is_character(first) == is_character(facts) {
            continue;
        }
        match ty.zip(own).and_then(|(a, b)| common(a, b)) {
            Some(both) => *ty = Some(both),
            None => {
                let names = [name(*first_input), name(input)];
                return Err(different([first, facts], [&names[0], &names[1]]));
            }
        }
    }
    Ok(found.and_then(|(_, _, ty)| ty))
}

fn different([a, b]: [&InputVariable; 2], names: [&str; 2]) -> Error {
    let ty = |facts: &InputVariable| match facts.element.ty.atomic() {
        Some(ty) => ty.name().to_owned(),
        None => "a user-defined type".to_owned(),
    };
    let [a_ty, b_ty] = match [ty(a), ty(b)] {
        [x, y] if x == y => ["one definition".to_owned(), "another definition".to_owned()],
        other => other,
    };
    let what = format!("different types of {}: {a_ty} and {b_ty}", a.path);
    mismatch(names, &what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_have_all_values() {
        for (a, b, want) in [
            (Atomic::Byte, Atomic::UByte, Some(Atomic::Short)),
            (Atomic::Short, Atomic::Int, Some(Atomic::Int)),
            (Atomic::UInt, Atomic::Int, Some(Atomic::Int64)),
            (Atomic::UInt64, Atomic::Int, None),
            (Atomic::Short, Atomic::Float, Some(Atomic::Float)),
            (Atomic::Int, Atomic::Float, Some(Atomic::Double)),
            (Atomic::Int64, Atomic::Double, None),
            (Atomic::Float, Atomic::Double, Some(Atomic::Double)),
            (Atomic::Char, Atomic::Byte, None),
        ] {
            assert_eq!(common(a, b), want, "{a:?} {b:?}");
            assert_eq!(common(b, a), want, "{b:?} {a:?}");
        }
    }
}
