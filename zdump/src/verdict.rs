//! Outcomes of commands.

/// The outcome of a command that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Exit 0.
    Sound,
    /// Exit 1: problems were found.
    Problems,
    /// Exit 3: not a store.
    NoStore,
}
