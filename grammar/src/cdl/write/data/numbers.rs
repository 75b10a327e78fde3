//! Numbers, from stored bytes to text without values in between.

use netcdf_core::model::{Atomic, Region, Values};

use super::cells::{Cells, FILL};
use super::part::Part;
use super::rows::Rows;
use super::{Content, Floats};
use crate::cdl::write::attributes::plain;
use crate::cdl::write::options::{Number, NumberText};
use crate::number::Token;

/// A numeric type.
trait Numeric: Copy {
    /// An element as stored, most significant byte first.
    type Stored;
    fn split(bytes: &[u8]) -> &[Self::Stored];
    fn read(stored: &Self::Stored) -> Self;
    /// Equality of all bits; any NaN is any other.
    fn same(self, other: Self) -> bool;
    fn write(self, floats: &Floats, token: &mut Token);
    fn number(self) -> Number;
    fn fill(values: &Values) -> Option<Self>;
}

macro_rules! stored {
    ($t:ty) => {
        type Stored = [u8; size_of::<$t>()];
        #[inline]
        fn split(bytes: &[u8]) -> &[Self::Stored] {
            bytes.as_chunks().0
        }
        #[inline]
        fn read(stored: &Self::Stored) -> Self {
            <$t>::from_be_bytes(*stored)
        }
    };
}

macro_rules! integer {
    ($t:ty, $variant:ident, $write:ident, $number:ident) => {
        impl Numeric for $t {
            stored!($t);
            #[inline]
            fn same(self, other: Self) -> bool {
                self == other
            }
            #[inline]
            fn write(self, _: &Floats, token: &mut Token) {
                token.$write(self.into());
            }
            fn number(self) -> Number {
                Number::$number(self.into())
            }
            fn fill(values: &Values) -> Option<Self> {
                match values {
                    Values::$variant(v) => v.first().copied(),
                    _ => None,
                }
            }
        }
    };
}

macro_rules! float {
    ($t:ty, $variant:ident, $field:ident, $write:ident) => {
        impl Numeric for $t {
            stored!($t);
            #[inline]
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (other.is_nan() && self.is_nan())
            }
            #[inline]
            fn write(self, floats: &Floats, token: &mut Token) {
                floats.$field.$write(self, token);
            }
            fn number(self) -> Number {
                Number::$variant(self)
            }
            fn fill(values: &Values) -> Option<Self> {
                match values {
                    Values::$variant(v) => v.first().copied(),
                    _ => None,
                }
            }
        }
    };
}

integer!(i8, Byte, write_i32, Signed);
integer!(i16, Short, write_i32, Signed);
integer!(i32, Int, write_i32, Signed);
integer!(i64, Int64, write_i64, Signed);
integer!(u8, UByte, write_u32, Unsigned);
integer!(u16, UShort, write_u32, Unsigned);
integer!(u32, UInt, write_u32, Unsigned);
integer!(u64, UInt64, write_u64, Unsigned);
float!(f32, Float, float, write_f32);
float!(f64, Double, double, write_f64);

/// Numbers in CDL's form.
struct Numbers<'a, T: Numeric> {
    stored: std::slice::Iter<'a, T::Stored>,
    fill: Option<T>,
    floats: Floats,
}

impl<T: Numeric> Cells for Numbers<'_, T> {
    type Item = Token;

    #[inline]
    fn next(&mut self, token: &mut Token) {
        let Some(value) = self.stored.next().map(T::read) else {
            return;
        };
        if self.fill.is_some_and(|fill| value.same(fill)) {
            *token = Token::new();
            token.push_suffix(FILL);
        } else {
            value.write(&self.floats, token);
        }
    }
}

/// Numbers in a form of their own.
struct Formed<'a, T: Numeric> {
    stored: std::slice::Iter<'a, T::Stored>,
    fill: Option<T>,
    floats: Floats,
    form: &'a dyn NumberText,
}

impl<T: Numeric> Cells for Formed<'_, T> {
    type Item = Vec<u8>;

    fn next(&mut self, item: &mut Vec<u8>) {
        item.clear();
        let Some(value) = self.stored.next().map(T::read) else {
            return;
        };
        if self.fill.is_some_and(|fill| value.same(fill)) {
            item.extend_from_slice(FILL);
        } else if !self.form.write(value.number(), item) {
            plain(value.number(), self.floats, item);
        }
    }
}

impl Content<'_> {
    /// A band of numbers.
    pub(super) fn numbers(&self, ty: Atomic, rows: &Rows, band: &Region, stored: &[u8]) -> Part {
        match ty {
            // Characters are numbers if they have a form.
            Atomic::Byte | Atomic::Char => self.typed::<i8>(rows, band, stored),
            Atomic::Short => self.typed::<i16>(rows, band, stored),
            Atomic::Int => self.typed::<i32>(rows, band, stored),
            Atomic::Int64 => self.typed::<i64>(rows, band, stored),
            Atomic::UByte => self.typed::<u8>(rows, band, stored),
            Atomic::UShort => self.typed::<u16>(rows, band, stored),
            Atomic::UInt => self.typed::<u32>(rows, band, stored),
            Atomic::UInt64 => self.typed::<u64>(rows, band, stored),
            Atomic::Float => self.typed::<f32>(rows, band, stored),
            Atomic::Double => self.typed::<f64>(rows, band, stored),
            Atomic::String => Part::Text(Vec::new()),
        }
    }

    fn typed<T: Numeric>(&self, rows: &Rows, band: &Region, stored: &[u8]) -> Part {
        let stored = T::split(stored).iter();
        let fill = self.fill.as_ref().and_then(T::fill);
        let floats = self.floats();
        match &self.form {
            None => rows.part(
                band,
                &mut Numbers {
                    stored,
                    fill,
                    floats,
                },
            ),
            Some(form) => {
                let form = &**form;
                let mut cells = Formed {
                    stored,
                    fill,
                    floats,
                    form,
                };
                rows.part(band, &mut cells)
            }
        }
    }
}
