//! Plans of many files: each part copies some of them, as a run without a plan would.

mod headers;
mod list;
mod make;
pub(super) mod rows;

pub(super) use list::{PlanLists, listed, plan};
pub(super) use make::{FileParts, MadeFiles};
