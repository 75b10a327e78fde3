//! Chunk geometry, scheduling and ordered parallel work: the layer between formats and tools.

pub mod assemble;
pub(crate) mod bytes;
pub(crate) mod column;
pub(crate) mod dataset;
pub(crate) mod decode;
pub mod elements;
pub(crate) mod encode;
pub(crate) mod filter_parameters;
pub(crate) mod form;
pub mod grid;
pub mod joined;
pub mod layout;
pub(crate) mod metadata;
pub(crate) mod pairs;
pub(crate) mod pass;
pub mod plan;
pub(crate) mod quantize;
pub(crate) mod read_cache;
pub(crate) mod reader;
pub mod rechunk;
pub mod scatter;
pub(crate) mod shapes;
pub mod texts;
pub(crate) mod unwritten;
pub(crate) mod update;
pub mod view;
pub(crate) mod visit;
pub(crate) mod writer;

pub use assemble::Assembler;
pub use bytes::{ChunkBytes, NumberedSources};
pub use dataset::{Dataset, InBands};
pub use encode::ChunkEncoder;
pub use form::ElementForm;
pub use grid::ChunkGrid;
pub use layout::{ChunkHolder, ChunkRef, Layout};
pub use metadata::{FileMetadata, FilePages, MetadataExtent, OtherData};
pub use read_cache::ReadCache;
pub use reader::{Assembly, NamedFiles, Provenance, Reader};
pub use texts::Texts;
pub use update::{Placement, Update};
pub use visit::{Locate, Visit, VisitStop, Visited};
pub use writer::{
    BulkWriter, ChunkIndexWriter, PutChunks, PutRules, ReferenceWriter, Runs, SharedWriter, Writer,
};
