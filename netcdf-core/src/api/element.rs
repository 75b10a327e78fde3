//! Element types in memory.

use crate::model::{Atomic, Endianness, Values};

mod sealed {
    pub trait Sealed {}
}

/// An element type in memory: numbers, [`Char`] and [`Text`]. Numbers convert to each other.
pub trait Element: sealed::Sealed + Clone + Default + Send {
    /// The netCDF type.
    const TYPE: Atomic;

    /// Returns values of this type as a list, or `None` for values of another type.
    #[doc(hidden)]
    fn list(values: Values) -> Option<Vec<Self>>;

    /// Converts a list to values.
    #[doc(hidden)]
    fn values(list: Vec<Self>) -> Values;

    /// Reads stored elements of this type into `out`. Returns `None` if the lengths differ, or if the elements are not stored in plain
    /// form.
    #[doc(hidden)]
    fn stored(bytes: &[u8], order: Endianness, out: &mut [Self]) -> Option<()>;
}

/// A character (`NC_CHAR`): a byte of text, not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Char(pub u8);

/// A string (`NC_STRING`): the bytes, or `None` for NIL.
pub type Text = Option<Box<[u8]>>;

macro_rules! element {
    ($($t:ty => $variant:ident),*) => {
        $(
            impl sealed::Sealed for $t {}
            impl Element for $t {
                const TYPE: Atomic = Atomic::$variant;
                fn list(values: Values) -> Option<Vec<Self>> {
                    match values {
                        Values::$variant(list) => Some(list),
                        _ => None,
                    }
                }
                fn values(list: Vec<Self>) -> Values {
                    Values::$variant(list)
                }
                fn stored(bytes: &[u8], order: Endianness, out: &mut [Self]) -> Option<()> {
                    let (elements, rest) = bytes.as_chunks();
                    if !rest.is_empty() || elements.len() != out.len() {
                        return None;
                    }
                    let all = out.iter_mut().zip(elements);
                    match order {
                        Endianness::Big => all.for_each(|(to, &e)| *to = <$t>::from_be_bytes(e)),
                        Endianness::Little => all.for_each(|(to, &e)| *to = <$t>::from_le_bytes(e)),
                    }
                    Some(())
                }
            }
        )*
    };
}

element!(
    i8 => Byte, i16 => Short, i32 => Int, i64 => Int64,
    u8 => UByte, u16 => UShort, u32 => UInt, u64 => UInt64,
    f32 => Float, f64 => Double
);

impl sealed::Sealed for Text {}

impl Element for Text {
    const TYPE: Atomic = Atomic::String;

    fn list(values: Values) -> Option<Vec<Self>> {
        match values {
            Values::String(list) => Some(list),
            _ => None,
        }
    }

    fn values(list: Vec<Self>) -> Values {
        Values::String(list)
    }

    fn stored(_: &[u8], _: Endianness, _: &mut [Self]) -> Option<()> {
        None
    }
}

impl sealed::Sealed for Char {}

impl Element for Char {
    const TYPE: Atomic = Atomic::Char;

    fn list(values: Values) -> Option<Vec<Self>> {
        let text = values.as_text()?;
        Some(text.iter().copied().map(Char).collect())
    }

    fn values(list: Vec<Self>) -> Values {
        Values::Char(list.into_iter().map(|c| c.0).collect())
    }

    fn stored(bytes: &[u8], _: Endianness, out: &mut [Self]) -> Option<()> {
        if out.len() != bytes.len() {
            return None;
        }
        let all = out.iter_mut().zip(bytes);
        all.for_each(|(to, &e)| *to = Char(e));
        Some(())
    }
}

impl<T: Element> From<Vec<T>> for Values {
    fn from(list: Vec<T>) -> Self {
        T::values(list)
    }
}

impl<T: Element> From<&[T]> for Values {
    fn from(list: &[T]) -> Self {
        T::values(list.to_vec())
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Values {
    fn from(list: [T; N]) -> Self {
        T::values(list.to_vec())
    }
}

/// Converts text to `char` values.
impl From<&str> for Values {
    fn from(text: &str) -> Self {
        Self::Char(text.as_bytes().to_vec())
    }
}

/// Converts text to `char` values.
impl From<String> for Values {
    fn from(text: String) -> Self {
        Self::Char(text.into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_lead_back() {
        assert_eq!(Values::from([1u8]), Values::UByte(vec![1]));
        assert_eq!(Values::from([Char(65)]), Values::from("A"));
        assert_eq!(Char::list(Values::from("A")), Some(vec![Char(65)]));
        assert_eq!(u8::list(Values::from("A")), None);
        assert_eq!(f32::list(Values::from(vec![1.5f32])), Some(vec![1.5]));
    }
}
