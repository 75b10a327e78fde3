//! Plans of many files: each part copies some of them, as a run without a plan would.

mod headers;
mod list;
mod make;
pub mod rows;

pub use list::{Listed, listed, plan};
pub use make::{FileParts, MadeFiles};
