//! Define mode and data mode: the currently allowed operations.

use crate::model::Kind;

/// The mode of an open dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DatasetMode {
    /// Only reads are allowed.
    ReadOnly,
    /// Definitions are allowed.
    Define,
    /// Data access is allowed.
    Data,
}

/// Returns whether definitions and data are separate phases, as in the classic model. All other datasets switch modes automatically.
pub(super) fn is_strict(kind: Kind) -> bool {
    !kind.is_enhanced()
}
