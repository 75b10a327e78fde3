//! Selected elements and their checks, conversion of elements that do not fit, and a cache for small reads.

mod area;
mod bounds;
mod cast;
mod small_reads;

pub(crate) use area::{Area, Selection};
pub(crate) use cast::{CastNumber, cast};
pub(crate) use small_reads::SmallReads;
