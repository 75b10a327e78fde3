//! Text of numbers: output like C's `printf`, input like CDL's scanner.

mod ascii;
mod decimal;
mod digits;
mod exact;
mod float;
mod integer;
mod list;
mod literal;
mod plain;
mod pow10;
mod room;
mod scan;
mod tables;
mod token;
mod usual;
pub mod whole;

pub use float::{FloatForm, FloatFormat, Precision};
pub use integer::{put_i32, put_i64, put_u32, put_u64, suffix};
pub use literal::{Literal, Suffix, literal};
pub(crate) use plain::{Plain, plain};
pub use room::{ROOM, SEPARATOR};
pub use scan::{Integer, Radix, float_prefix, integer_prefix};
pub use token::NumberToken;
