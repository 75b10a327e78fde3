//! Parsed value lists: constants and lists in braces.

use netcdf_core::model::Atomic;

use crate::cdl::constant::{Constant, ConstantToken, Lexer, number_type};
use crate::number::{Literal, Suffix};

/// Maximum nesting depth of braces.
const DEPTH: usize = 64;

/// An error message with its position in the text.
pub(in crate::cdl) type Problem = (usize, String);

/// A constant or a list, with its position.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cdl) enum Item<'t> {
    One(Constant<'t>, usize),
    Many(Vec<Item<'t>>, usize),
}

impl Item<'_> {
    pub(in crate::cdl) fn at(&self) -> usize {
        match self {
            Self::One(_, at) | Self::Many(_, at) => *at,
        }
    }
}

/// Parses the items of the list at position `at` of `text`.
pub(in crate::cdl) fn items(text: &[u8], at: usize) -> Result<Vec<Item<'_>>, Problem> {
    let mut lexer = Lexer::new(text, at);
    let mut open: Vec<(Vec<Item<'_>>, usize)> = vec![];
    let (mut list, mut expects_item) = (vec![], true);
    let mut began = true;
    while let Some(token) = lexer
        .next_token()
        .map_err(|e| (e.range.start, e.to_string()))?
    {
        let ConstantToken { constant, range } = token;
        let start = range.start;
        match constant {
            Constant::Comma if expects_item => {
                return Err((start, "expected a value, found `,`".into()));
            }
            Constant::Comma => expects_item = true,
            Constant::Close => {
                let Some((outer, brace)) = open.pop() else {
                    return Err((start, "`}` without `{`".into()));
                };
                if expects_item && !began {
                    return Err((start, "expected a value, found `}`".into()));
                }
                let inner = std::mem::replace(&mut list, outer);
                list.push(Item::Many(inner, brace));
                expects_item = false;
            }
            _ if !expects_item => {
                return Err((start, "expected `,` or `;` before the next value".into()));
            }
            Constant::Open if open.len() >= DEPTH => {
                return Err((start, format!("braces nested more than {DEPTH} deep")));
            }
            Constant::Open => open.push((std::mem::take(&mut list), start)),
            constant => {
                list.push(Item::One(constant, start));
                expects_item = false;
            }
        }
        began = constant == Constant::Open;
    }
    match open.pop() {
        Some((_, brace)) => Err((brace, "`{` without `}`".into())),
        None if expects_item && !list.is_empty() => {
            Err((text.len(), "expected a value after `,`".into()))
        }
        None => Ok(list),
    }
}

/// Infers the type of a list without a declared type.
pub(super) fn infer(list: &[Item<'_>]) -> Result<Atomic, Problem> {
    let mut types = Vec::with_capacity(list.len());
    let mut strings = 0;
    for item in list {
        match item {
            Item::One(Constant::String(_), _) => strings += 1,
            Item::One(Constant::Number(number), _) => types.push(number_type(number)),
            Item::One(Constant::Char(_), _) => types.push(Atomic::Byte),
            Item::One(Constant::Opaque(digits), _) => {
                types.push(smallest([opaque(digits)].into_iter()).unwrap_or(Atomic::UInt64))
            }
            Item::One(..) | Item::Many(..) => return Err(no_type(item)),
        }
    }
    match list.first() {
        None => return Ok(Atomic::Char),
        Some(_) if strings == list.len() => return Ok(Atomic::Char),
        Some(first) if strings > 0 => {
            let message = "strings and numbers are mixed in an attribute without a type";
            return Err((first.at(), message.into()));
        }
        Some(_) => {}
    }
    for real in [Atomic::Double, Atomic::Float] {
        if types.contains(&real) {
            return Ok(real);
        }
    }
    integer_type(list, &types)
}

/// Returns the type that netCDF-C infers: the wider of two types, or the later of two equally wide types. If a number without suffix does
/// not fit this type, netCDF-C reinterprets its bits; this function returns the smallest type that fits all numbers.
fn integer_type(list: &[Item<'_>], types: &[Atomic]) -> Result<Atomic, Problem> {
    let later = |a: Atomic, b: Atomic| if width(a) <= width(b) { b } else { a };
    let found = types.iter().copied().reduce(later).unwrap_or(Atomic::Int);
    let free = list.iter().filter_map(|item| match item {
        Item::One(Constant::Number(Literal::Integer(integer, Suffix::None)), _) => integer.value(),
        Item::One(Constant::Opaque(digits), _) => Some(opaque(digits)),
        Item::One(..) | Item::Many(..) => None,
    });
    let free: Vec<i128> = free.collect();
    if free.iter().all(|&value| holds(found, value)) {
        return Ok(found);
    }
    let none = || {
        (
            list.first().map_or(0, Item::at),
            "no integer type can hold all of these values".to_owned(),
        )
    };
    smallest(free.into_iter())
        .filter(|&ty| width(ty) >= width(found))
        .ok_or_else(none)
}

fn no_type(item: &Item<'_>) -> Problem {
    let message = match item {
        Item::Many(..) => "lists in braces need a type before the attribute's name",
        Item::One(Constant::Name(_), _) => {
            "text must be in quotes (for members of an enum, put the name of their type before the attribute's name)"
        }
        Item::One(Constant::Nil, _) => "NIL needs `string` before the attribute's name",
        Item::One(..) => "attributes cannot have the fill value `_`",
    };
    (item.at(), message.into())
}

fn opaque(digits: &[u8]) -> i128 {
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    i128::from_str_radix(digits, 16).unwrap_or(i128::MAX)
}

fn smallest(values: impl Iterator<Item = i128> + Clone) -> Option<Atomic> {
    let all = [Atomic::Int, Atomic::UInt, Atomic::Int64, Atomic::UInt64];
    all.into_iter()
        .find(|&ty| values.clone().all(|value| holds(ty, value)))
}

fn holds(ty: Atomic, value: i128) -> bool {
    let (low, high) = super::types::range(ty);
    (low..=high).contains(&value)
}

fn width(ty: Atomic) -> usize {
    ty.size().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(text: &str) -> Result<Atomic, String> {
        infer(&items(text.as_bytes(), 0).map_err(|e| e.1)?).map_err(|e| e.1)
    }

    #[test]
    fn types_of_lists() {
        for (text, ty) in [
            ("", Atomic::Char),
            ("\"a\", \"b\"", Atomic::Char),
            ("'a', 'b'", Atomic::Byte),
            ("1b, 2", Atomic::Int),
            ("1b, 2ub", Atomic::UByte),
            ("1us, -2s", Atomic::Short),
            ("1, 2.5f", Atomic::Float),
            ("1.f, 2.5", Atomic::Double),
            ("1ull, 2", Atomic::UInt64),
            ("-3000000000", Atomic::Int64),
            ("5000000000", Atomic::UInt64),
            ("18446744073709551615", Atomic::UInt64),
            ("0x10", Atomic::Int),
        ] {
            assert_eq!(inferred(text), Ok(ty), "{text}");
        }
    }

    #[test]
    fn inferred_type_fits_all_values() {
        assert_eq!(inferred("3000000000, 2"), Ok(Atomic::UInt));
        assert_eq!(inferred("3000000000, -1"), Ok(Atomic::Int64));
        assert!(inferred("18446744073709551615, -1").is_err());
    }

    #[test]
    fn lists_without_a_type() {
        for text in ["1, \"a\"", "{1}", "NIL", "_", "name", "\"a\", 'b'"] {
            assert!(inferred(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nesting() {
        let found = items(b"1, {2, {}}", 0).unwrap();
        let Some(Item::Many(inner, 3)) = found.get(1) else {
            panic!("{found:?}")
        };
        assert_eq!(inner.get(1), Some(&Item::Many(vec![], 7)));
        for bad in ["1 2", "1,", ",1", "{1,}", "{1", "1}", "1,,2"] {
            assert!(items(bad.as_bytes(), 0).is_err(), "{bad}");
        }
        assert!(items(&[b'{'; 100_000], 0).is_err());
    }
}
