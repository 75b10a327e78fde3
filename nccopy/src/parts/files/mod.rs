//! Plans of many files: each part copies some of them, as a run without a plan would.

mod headers;
mod list;
mod make;
mod rows;

pub use list::{Listed, Size, listed, plan};
pub use make::{FileParts, MadeFiles};
pub use rows::remove;
