//! Geometry, scheduling and ordered parallel work: the engine between formats and tools.

pub mod assemble;
pub mod column;
pub mod dataset;
pub(crate) mod decode;
pub mod elements;
pub mod encode;
pub mod engine;
pub mod form;
pub mod grid;
pub mod layout;
pub mod metadata;
pub mod pairs;
pub mod pass;
pub mod plan;
pub mod prepared;
pub mod quantize;
pub mod reader;
pub mod rechunk;
pub mod scatter;
pub mod shapes;
pub mod texts;
pub mod view;
pub mod visit;
pub mod writer;

pub use assemble::Assembler;
pub use dataset::{Dataset, InBands};
pub use encode::Encoder;
pub use engine::Engine;
pub use form::ElementForm;
pub use grid::Grid;
pub use layout::{ChunkRef, Layout};
pub use metadata::{FileMetadata, FilePages, Metadata, OtherData};
pub use reader::{Provenance, Reader};
pub use texts::Texts;
pub use visit::{Locate, Stop, Visit, Visited};
pub use writer::{PutChunks, Runs, Writer};
