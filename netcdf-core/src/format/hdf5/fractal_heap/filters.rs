//! Filters of heap blocks and huge objects. Only built-in filters are supported, because no known file has any other filter on metadata.

use crate::error::Result;
use crate::filter::{ChunkContext, FilterTable, VariableFacts};
use crate::format::hdf5::file_bytes::FileBytes;
use crate::format::hdf5::message::filters;
use crate::model::{Atomic, Endianness, FilterSpec, StoredElement};

/// The filters of a heap, in writing order.
#[derive(Debug, Clone)]
pub(super) struct HeapFilters(Vec<FilterSpec>);

impl HeapFilters {
    /// Parses the Filter Pipeline message of a heap header.
    pub(super) fn parse(file: &FileBytes, message: &[u8]) -> Result<Self> {
        let filters = filters::parse(&mut file.fields_of(message, None))?;
        let specs = filters.into_iter().map(|f| FilterSpec {
            id: f.id.into(),
            params: f.params,
        });
        Ok(Self(specs.collect()))
    }

    /// Decodes stored bytes. Filters in `mask` are skipped; the result has `len` bytes.
    pub(super) fn undo(&self, mask: u32, len: usize, stored: Vec<u8>) -> Result<Vec<u8>> {
        let context = ChunkContext {
            shape: vec![len as u64],
            element: StoredElement {
                ty: Atomic::UByte.into(),
                size: 1,
                order: Endianness::Little,
                plain: true,
            },
            fill: None,
            len: Some(len),
            about: VariableFacts::default(),
        };
        let chain = FilterTable::default().chain(&self.0, &context)?;
        chain.decode(mask, stored, &mut vec![])
    }
}
