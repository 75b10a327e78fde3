//! Plans of many files: each part copies some of them, as a run without a plan would.

mod list;
mod make;
mod rows;

pub use list::{Size, listed, plan};
pub use make::FileParts;
pub use rows::remove;
