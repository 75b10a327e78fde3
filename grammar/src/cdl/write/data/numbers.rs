//! Number output: converts stored bytes directly to text.

use netcdf_core::model::{Atomic, Region, Values};

use super::cells::{BandCells, FILL, Item};
use super::part::BandText;
use super::rows::VariableRows;
use super::{CdlContent, Floats};
use crate::cdl::write::options::NumberText;
use crate::cdl::write::value::plain;
use crate::number::{BUFFER_LEN, SEPARATOR, put_i32, put_i64, put_u32, put_u64};
use crate::write::{BigEndian, NumberToWrite};

/// A numeric type.
trait CdlNumeric: BigEndian {
    /// Equality of all bits; all NaNs are equal.
    fn is(self, fill: UnderscoreFill<Self>) -> bool;
    /// Writes the text followed by the separator to `out`. Returns the text length.
    fn put(self, floats: &Floats, out: &mut [u8; BUFFER_LEN]) -> usize;
    fn number(self) -> NumberToWrite;
    fn fill(values: &Values) -> Option<UnderscoreFill<Self>>;
}

/// The value printed as `_`.
#[derive(Clone, Copy)]
struct UnderscoreFill<T> {
    value: T,
    /// Whether the value is NaN; computed once per variable.
    nan: bool,
}

macro_rules! integer {
    ($t:ty, $variant:ident, $put:ident, $number:ident) => {
        impl CdlNumeric for $t {
            #[inline]
            fn is(self, fill: UnderscoreFill<Self>) -> bool {
                self == fill.value
            }
            #[inline]
            fn put(self, _: &Floats, out: &mut [u8; BUFFER_LEN]) -> usize {
                $put(self.into(), out)
            }
            fn number(self) -> NumberToWrite {
                NumberToWrite::$number(self.into())
            }
            fn fill(values: &Values) -> Option<UnderscoreFill<Self>> {
                match values {
                    Values::$variant(v) => {
                        v.first().map(|&value| UnderscoreFill { value, nan: false })
                    }
                    _ => None,
                }
            }
        }
    };
}

macro_rules! float {
    ($t:ty, $variant:ident, $field:ident, $put:ident) => {
        impl CdlNumeric for $t {
            #[inline]
            fn is(self, fill: UnderscoreFill<Self>) -> bool {
                self.to_bits() == fill.value.to_bits() || (fill.nan && self.is_nan())
            }
            #[inline]
            fn put(self, floats: &Floats, out: &mut [u8; BUFFER_LEN]) -> usize {
                floats.$field.$put(self, out)
            }
            fn number(self) -> NumberToWrite {
                NumberToWrite::$variant(self)
            }
            fn fill(values: &Values) -> Option<UnderscoreFill<Self>> {
                match values {
                    Values::$variant(v) => v.first().map(|&value| UnderscoreFill {
                        value,
                        nan: value.is_nan(),
                    }),
                    _ => None,
                }
            }
        }
    };
}

integer!(i8, Byte, put_i32, Signed);
integer!(i16, Short, put_i32, Signed);
integer!(i32, Int, put_i32, Signed);
integer!(i64, Int64, put_i64, Signed);
integer!(u8, UByte, put_u32, Unsigned);
integer!(u16, UShort, put_u32, Unsigned);
integer!(u32, UInt, put_u32, Unsigned);
integer!(u64, UInt64, put_u64, Unsigned);
float!(f32, Float, float, put_f32);
float!(f64, Double, double, put_f64);

/// Numbers in CDL notation.
struct CdlNumbers<'a, T: CdlNumeric> {
    stored: std::slice::Iter<'a, T::Stored>,
    fill: Option<UnderscoreFill<T>>,
    floats: Floats,
}

/// The text of a number, followed by the separator.
pub(super) struct WrittenNumber {
    bytes: [u8; BUFFER_LEN],
    len: usize,
}

impl Default for WrittenNumber {
    fn default() -> Self {
        Self {
            bytes: [0; BUFFER_LEN],
            len: 0,
        }
    }
}

impl WrittenNumber {
    /// The fill value.
    const FILL: Self = {
        let mut bytes = [b' '; BUFFER_LEN];
        [bytes[0], bytes[1]] = *b"_,";
        Self { bytes, len: 1 }
    };
}

impl Item for WrittenNumber {
    #[inline]
    fn len(&self) -> usize {
        self.len
    }
    #[inline]
    fn append_to(&self, separated: bool, out: &mut Vec<u8>) {
        let len = self.len + if separated { SEPARATOR.len() } else { 0 };
        let end = out.len().saturating_add(len);
        // Copying a fixed length compiles to a few moves; copying the text length would be a call.
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

impl<T: CdlNumeric> BandCells for CdlNumbers<'_, T> {
    type Item = WrittenNumber;

    #[inline(always)]
    fn next(&mut self, text: &mut WrittenNumber) {
        let Some(value) = self.stored.next().map(T::read) else {
            return;
        };
        if self.fill.is_some_and(|fill| value.is(fill)) {
            *text = WrittenNumber::FILL;
        } else {
            text.len = value.put(&self.floats, &mut text.bytes);
        }
    }
}

/// Numbers in a special form.
struct Formed<'a, T: CdlNumeric> {
    stored: std::slice::Iter<'a, T::Stored>,
    fill: Option<UnderscoreFill<T>>,
    floats: Floats,
    form: &'a dyn NumberText,
}

impl<T: CdlNumeric> BandCells for Formed<'_, T> {
    type Item = Vec<u8>;

    fn next(&mut self, item: &mut Vec<u8>) {
        item.clear();
        let Some(value) = self.stored.next().map(T::read) else {
            return;
        };
        if self.fill.is_some_and(|fill| value.is(fill)) {
            item.extend_from_slice(FILL);
        } else if !self.form.write(value.number(), item) {
            plain(value.number(), self.floats, item);
        }
    }
}

impl CdlContent<'_> {
    /// Writes a band of numbers.
    pub(super) fn numbers(
        &self,
        ty: Atomic,
        rows: &VariableRows,
        band: &Region,
        stored: &[u8],
    ) -> BandText {
        match ty {
            // Characters are numbers if they have a special form.
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
            Atomic::String => BandText::Text(Vec::new()),
        }
    }

    fn typed<T: CdlNumeric>(&self, rows: &VariableRows, band: &Region, stored: &[u8]) -> BandText {
        let stored = T::split(stored).iter();
        let fill = self.fill.as_ref().and_then(T::fill);
        let floats = self.text.form.floats;
        match &self.form {
            None => rows.part(
                band,
                &mut CdlNumbers {
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
