//! Checked reading of binary structures.

pub mod bits;
pub mod cursor;
pub mod sums;

pub use bits::Bits;
pub use cursor::Cursor;
