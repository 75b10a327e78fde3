//! Requests to end unfinished changes of files.

use std::path::PathBuf;

use super::process::ProcessRequest;

/// The end of unfinished changes.
#[derive(Debug)]
pub struct RecoverRequest {
    /// The state to leave.
    pub state: RecoveryState,
    /// The files.
    pub paths: Vec<PathBuf>,
    /// The settings of the process.
    pub process: ProcessRequest,
}

/// The state of a file after its recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryState {
    /// The bytes before the change.
    Old,
    /// The bytes after the change.
    New,
    /// The current bytes, without the journal.
    Drop,
}
