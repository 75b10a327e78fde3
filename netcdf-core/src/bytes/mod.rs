//! Checked reading and writing of binary structures.

pub mod base64;
pub(crate) mod bits;
pub(crate) mod cursor;
pub(crate) mod sink;
pub mod sums;

pub use bits::Bits;
pub use cursor::Cursor;
pub use sink::ByteSink;
