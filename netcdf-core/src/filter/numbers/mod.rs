//! numcodecs' filters that convert numbers, with numpy's arithmetic.
//!
//! Types are numpy types (`<i4`, `|u1`, `>f8`, …). One parameter stores the size in bytes, the kind, and the byte order. In Zarr 3 the
//! codec `bytes` determines the byte order, and the numbers have the byte order of the elements.

pub(crate) mod astype;
pub(crate) mod bitround;
pub(crate) mod delta;
pub(crate) mod fixedscaleoffset;
pub(crate) mod packbits;
pub(crate) mod quantize;

mod dtype;
mod half;
mod number_type;
mod value;

use dtype::OrderedType;
use value::NumberValue;

use super::codec::{Config, word};
use super::output::{allocate, bad, parameter};
use super::{ChunkContext, corrupt};
use crate::error::Result;
use crate::json::Json;
use crate::model::ZarrVersion;

/// Returns a type of the codec members; the default if it is missing.
fn dtype(config: &Config<'_>, key: &str, default: Option<OrderedType>) -> Result<OrderedType> {
    let Some(text) = config.text(key)? else {
        let missing = || config.unsupported(format_args!("numbers without `{key}`"));
        return default.ok_or_else(missing);
    };
    let known = OrderedType::parse(text);
    let known = known.ok_or_else(|| config.unsupported(format_args!("numbers of type {text}")))?;
    Ok(match config.version {
        ZarrVersion::V2 => known,
        ZarrVersion::V3 => OrderedType {
            big: OrderedType::is_big(&config.context.element),
            ..known
        },
    })
}

/// Returns the element type.
fn own(config: &Config<'_>) -> Option<OrderedType> {
    OrderedType::of(&config.context.element)
}

/// Returns the type in parameter `n`.
fn stored(filter: &str, params: &[u32], n: usize) -> Result<OrderedType> {
    let word = parameter(filter, params, n)?;
    OrderedType::of_word(word)
        .ok_or_else(|| corrupt(format!("{filter}: numbers of type {word:#x}")))
}

/// Returns a 64-bit parameter, the lower half first.
fn wide(filter: &str, params: &[u32], n: usize) -> Result<u64> {
    let low = parameter(filter, params, n)?;
    let high = parameter(filter, params, n.saturating_add(1))?;
    Ok(u64::from(high) << 32 | u64::from(low))
}

/// Returns a JSON member for a type.
fn member(key: &str, dtype: OrderedType) -> (String, Json) {
    word(key, &dtype.text())
}

/// Returns both halves of a 64-bit parameter.
fn halves(wide: u64) -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = wide.to_le_bytes();
    [
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    ]
}

/// A conversion between two types.
#[derive(Debug, Clone, Copy)]
struct Cast {
    filter: &'static str,
    from: OrderedType,
    to: OrderedType,
}

impl Cast {
    /// Returns the conversion between the types in parameters `n` and `n + 1`.
    fn new(filter: &'static str, params: &[u32], n: usize) -> Result<Self> {
        Ok(Self {
            filter,
            from: stored(filter, params, n)?,
            to: stored(filter, params, n.saturating_add(1))?,
        })
    }

    /// Returns the inverse conversion.
    fn back(self) -> Self {
        Self {
            from: self.to,
            to: self.from,
            ..self
        }
    }

    /// Returns the context after a filter that converts each number to one number.
    fn behind(self, context: &ChunkContext) -> ChunkContext {
        let len = |len: usize| {
            let numbers = len / self.from.size();
            numbers.checked_mul(self.to.size())
        };
        ChunkContext {
            element: self.to.element(),
            len: context.len.and_then(len),
            fill: None,
            ..context.clone()
        }
    }

    /// Reserves memory for the converted numbers of `input`.
    fn reserve(
        self,
        most: Option<&ChunkContext>,
        input: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<()> {
        let (from, to) = (self.from.size(), self.to.size());
        if !input.len().is_multiple_of(from) {
            let what = format_args!("{} bytes of numbers of {from}", input.len());
            return Err(bad(self.filter, what));
        }
        let bytes = (input.len() / from).saturating_mul(to);
        let bytes = match most {
            Some(context) => context.checked_len(bytes as u64, self.filter)?,
            None => bytes,
        };
        allocate(self.filter, output, bytes)
    }

    /// Appends the numbers of `input`, converted by `make`. The context, if given, limits the output.
    fn numbers(
        self,
        most: Option<&ChunkContext>,
        input: &[u8],
        output: &mut Vec<u8>,
        mut make: impl FnMut(NumberValue) -> NumberValue,
    ) -> Result<()> {
        self.reserve(most, input, output)?;
        for bytes in input.chunks_exact(self.from.size()) {
            let made = make(self.from.load(bytes)).to(self.to.ty);
            self.to.store(made, output);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
