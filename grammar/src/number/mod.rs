//! Numbers as text: written as C's `printf` writes them, read as CDL's scanner reads them.

mod ascii;
mod decimal;
mod digits;
mod exact;
mod float;
mod integer;
mod literal;
mod plain;
mod pow10;
mod scan;
mod token;

pub use float::{FloatFormat, Form, Precision};
pub use integer::suffix;
pub use literal::{Integer, Literal, Radix, Suffix, literal};
pub(crate) use plain::{Plain, plain};
pub use scan::{float_prefix, integer_prefix};
pub use token::Token;
