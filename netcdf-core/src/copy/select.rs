//! Selection of variables and groups.

use std::collections::BTreeSet;

/// The variables or groups to copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CopySelection<Id> {
    /// Everything.
    #[default]
    All,
    /// All definitions, but only the data of these variables or groups.
    Data(BTreeSet<Id>),
    /// Only the definitions and data of these variables or groups.
    Only(BTreeSet<Id>),
}

impl<Id: Ord> CopySelection<Id> {
    /// Returns for each of `ids` whether the output defines the object, and whether the copy includes its data.
    pub(super) fn of(&self, ids: impl Iterator<Item = Id>) -> Vec<(bool, bool)> {
        let marks = ids.map(|id| match self {
            Self::All => (true, true),
            Self::Data(these) => (true, these.contains(&id)),
            Self::Only(these) => (these.contains(&id), these.contains(&id)),
        });
        marks.collect()
    }
}
