//! Text of numbers: output like C's `printf`, input like CDL's scanner.

mod ascii;
mod buffer;
mod common_precision;
mod decimal;
mod digits;
mod float;
mod integer;
mod list;
mod literal;
mod plain_number;
mod pow10;
mod scan;
mod shortest_digits;
mod tables;
mod token;
pub mod whole_number;

pub use buffer::{BUFFER_LEN, SEPARATOR};
pub use float::{FloatForm, FloatFormat, Precision};
pub use integer::{put_i32, put_i64, put_u32, put_u64, suffix};
pub use literal::{Literal, Suffix, literal};
pub(crate) use plain_number::{Plain, plain};
pub use scan::{Integer, Radix, float_prefix, integer_prefix};
pub use token::NumberToken;
