//! Checked reading and writing of binary structures.

pub mod bits;
pub mod cursor;

pub use bits::Bits;
pub use cursor::Cursor;
