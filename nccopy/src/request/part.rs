//! The request for a part of the input.

use super::{CopyRequest, SelectRequest};

/// A copy request with the selection of the copied part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartRequest<'a> {
    /// The request of the whole.
    pub request: &'a CopyRequest,
    /// The selection of the part.
    pub select: &'a SelectRequest,
}
