//! Which variables and groups are copied.

use std::collections::BTreeSet;

/// The variables or groups that are copied.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CopySelection<Id> {
    /// All.
    #[default]
    All,
    /// The definitions of all, but the data of these only.
    Data(BTreeSet<Id>),
    /// Definitions and data of these only.
    Only(BTreeSet<Id>),
}

impl<Id: Ord> CopySelection<Id> {
    /// For each of `ids`: whether it is defined in the output, and whether its data is copied.
    pub(super) fn of(&self, ids: impl Iterator<Item = Id>) -> Vec<(bool, bool)> {
        let marks = ids.map(|id| match self {
            Self::All => (true, true),
            Self::Data(these) => (true, these.contains(&id)),
            Self::Only(these) => (these.contains(&id), these.contains(&id)),
        });
        marks.collect()
    }
}
