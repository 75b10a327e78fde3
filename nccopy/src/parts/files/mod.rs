//! Plans of many files. Each part copies some of the files, as a direct run would.

mod headers;
mod list;
mod make;
pub(super) mod rows;

pub(super) use list::{PlanLists, listed, plan};
pub(super) use make::{FileParts, MadeFiles};
