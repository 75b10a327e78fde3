//! Filter parameters: a tagged number becomes one or two unsigned 32-bit integers.

use super::words::words;
use crate::mistake::Mistake;

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// No tag: 32 bits, signed if there is a minus.
    None,
    /// `b`, `ub`: 8 bits.
    Byte,
    /// `s`, `us`: 16 bits.
    Short,
    /// `u`: 32 bits.
    Unsigned,
    /// `l`: 64 bits.
    Long,
    /// `ul`: 64 bits.
    UnsignedLong,
    /// `f`
    Float,
    /// `d`
    Double,
}

/// The tags in the order of the netCDF-C documentation.
const TAGS: [(&str, Tag); 9] = [
    ("b", Tag::Byte),
    ("ub", Tag::Byte),
    ("s", Tag::Short),
    ("us", Tag::Short),
    ("u", Tag::Unsigned),
    ("l", Tag::Long),
    ("ul", Tag::UnsignedLong),
    ("f", Tag::Float),
    ("d", Tag::Double),
];

impl Tag {
    /// Returns the tag for `text`, which begins at `at`, in any case.
    pub(super) fn from_text(at: usize, text: &str) -> Result<Self, Mistake> {
        let same = |(name, _): &&(&str, Self)| name.eq_ignore_ascii_case(text);
        if let Some((_, tag)) = TAGS.iter().find(same) {
            return Ok(*tag);
        }
        let names = TAGS.map(|(name, _)| name).join(", ");
        let message = format!("`{text}` is not a number type ({names})");
        let turned: String = text.chars().rev().collect();
        let meant = TAGS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(&turned));
        let hint = match meant {
            Some((name, _)) => Some(format!("did you mean `{name}`?")),
            None if text.starts_with(['x', 'X']) => Some("numbers are decimal".to_owned()),
            None => None,
        };
        Err(Mistake::new(at, message).with_hint(hint))
    }
}

/// Returns the words of an integer, which begins at `at`. As in the library, bytes and shorts are truncated without sign extension.
pub(super) fn integer(at: usize, digits: &str, tag: Tag) -> Result<Vec<u32>, Mistake> {
    let wide = |most: i128, least: i128, hint: Option<&str>| {
        let value = digits.parse::<i128>().ok();
        let value = value.filter(|v| (least..=most).contains(v));
        value.ok_or_else(|| {
            let bits = if most > i128::from(u32::MAX) { 64 } else { 32 };
            let hint = hint.map(str::to_owned);
            Mistake::new(at, format!("{digits} does not fit into {bits} bits")).with_hint(hint)
        })
    };
    let (ul, l) = (i128::from(u64::MAX), i128::from(i64::MIN));
    let word = |value: i128| u32::try_from(value & 0xffff_ffff).unwrap_or(0);
    Ok(match tag {
        Tag::Byte => vec![word(wide(ul, l, None)? & 0xff)],
        Tag::Short => vec![word(wide(ul, l, None)? & 0xffff)],
        Tag::None | Tag::Unsigned => {
            let (most, least) = (u32::MAX.into(), i32::MIN.into());
            let hint = "append L or UL for a 64-bit number, which becomes two parameters";
            vec![word(wide(most, least, Some(hint))?)]
        }
        Tag::Long => {
            let hint = "append UL for an unsigned number";
            two(wide(i64::MAX.into(), l, Some(hint))?)
        }
        Tag::UnsignedLong => two(wide(ul, l, None)?),
        Tag::Float | Tag::Double => real(at, digits, tag)?,
    })
}

/// Returns the words of a real number.
pub(super) fn real(at: usize, digits: &str, tag: Tag) -> Result<Vec<u32>, Mistake> {
    let value: f64 = digits.parse().unwrap_or(f64::NAN);
    match tag {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounded to the type of the tag"
        )]
        Tag::Float => Ok(vec![(value as f32).to_bits()]),
        Tag::Double => Ok(two(value.to_bits().into())),
        Tag::None | Tag::Byte | Tag::Short | Tag::Unsigned | Tag::Long | Tag::UnsignedLong => {
            let message = format!("{digits} is not an integer");
            let hint = "append f or d for a float or a double".to_owned();
            Err(Mistake::new(at, message).with_hint(Some(hint)))
        }
    }
}

/// Returns the lower and the upper 32-bit half of a value.
fn two(value: i128) -> Vec<u32> {
    let value = u64::try_from(value & i128::from(u64::MAX)).unwrap_or(0);
    words(value).to_vec()
}
