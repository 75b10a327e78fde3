//! The position of a copy in a run.

use netcdf_core::tool::{BarLine, Idle};

use crate::inputs::CopyPair;
use crate::prepare::CopyInput;

/// A copy of a run.
#[derive(Clone, Copy)]
pub(crate) struct CopyTurn<'a> {
    pub copy: &'a CopyPair,
    /// The open input, if several copies read it.
    pub input: Option<&'a CopyInput<'a>>,
    /// The number of the copy and of the last copy, from 1.
    pub number: usize,
    pub last: usize,
    /// Whether a signal may end the process at once.
    pub idle: &'a Idle,
    /// The line of the progress bar.
    pub line: &'a BarLine,
}
