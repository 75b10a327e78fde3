//! Geometry, scheduling and ordered parallel work: the one engine between formats and tools.

pub mod buffers;
pub mod dataset;
mod decode;
pub mod elements;
pub mod layout;
pub mod plan;
pub mod pool;
pub mod scatter;

pub use dataset::Dataset;
pub use layout::{ChunkRef, Element, Layout};
pub use pool::Pool;
