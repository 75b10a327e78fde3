//! Define mode and data mode: which operations are currently possible.

use crate::model::Kind;

/// What can be done with an open dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DatasetMode {
    /// It can only be read.
    ReadOnly,
    /// It takes definitions.
    Define,
    /// It takes data.
    Data,
}

/// True if definitions and data are separate phases, as in the classic model; otherwise a dataset switches
/// between the modes automatically.
pub(super) fn is_strict(kind: Kind) -> bool {
    !kind.is_enhanced()
}
