//! Checked reading of binary structures.

pub mod cursor;
pub mod sums;

pub use cursor::Cursor;
