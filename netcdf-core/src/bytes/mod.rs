//! Checked reading and writing of binary structures.

pub mod cursor;

pub use cursor::Cursor;
