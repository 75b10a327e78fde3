//! Geometry, scheduling and ordered parallel work: the engine between formats and tools.

pub mod assemble;
pub mod buffers;
pub mod column;
pub mod dataset;
pub(crate) mod decode;
pub mod elements;
pub mod encode;
pub mod form;
pub mod grid;
pub mod layout;
pub mod plan;
pub mod pool;
pub mod quantize;
pub mod rechunk;
pub mod scatter;

pub use assemble::Assembler;
pub use dataset::Dataset;
pub use encode::Encoder;
pub use form::Form;
pub use grid::Grid;
pub use layout::{ChunkRef, Element, Layout};
pub use pool::Pool;
