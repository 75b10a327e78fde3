//! Checked reading and writing of binary structures.

pub mod base64;
pub mod bits;
pub mod cursor;
pub mod sink;
pub mod sums;

pub use bits::Bits;
pub use cursor::Cursor;
pub use sink::Sink;
