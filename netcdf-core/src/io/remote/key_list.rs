//! The key list of a store.

use std::cmp::Ordering;

use crate::error::Result;
use crate::io::store::VisitKey;

/// The memory limit of a list in bytes, enough for a million keys.
const MOST: usize = 64 << 20;

/// All keys of a store with their sizes, at the time of the list request.
#[derive(Debug, Default)]
pub(super) struct ListedKeys {
    /// The concatenated keys.
    text: String,
    /// The end offset and size of each key.
    ends: Vec<(usize, u64)>,
    /// Whether the list exceeded the memory limit.
    cut: bool,
}

impl ListedKeys {
    /// Adds a key, up to the memory limit.
    pub(super) fn add(&mut self, key: &str, size: u64) {
        let entry = size_of::<(usize, u64)>();
        let taken = self.text.len() + key.len() + self.ends.len() * entry;
        if self.cut || taken > MOST {
            *self = Self {
                cut: true,
                ..Self::default()
            };
            return;
        }
        self.text.push_str(key);
        self.ends.push((self.text.len(), size));
    }

    /// Returns the list if it is complete.
    pub(super) fn whole(self) -> Option<Self> {
        (!self.cut).then_some(self)
    }

    /// The size of a key in the list. Keys must be added in byte order.
    pub(super) fn size(&self, key: &str) -> Option<u64> {
        let (mut from, mut to) = (0, self.ends.len());
        while from < to {
            let middle = from + (to - from) / 2;
            let before = middle.checked_sub(1).and_then(|at| self.ends.get(at));
            let start = before.map_or(0, |&(end, _)| end);
            let &(end, size) = self.ends.get(middle)?;
            match self.text.get(start..end)?.cmp(key) {
                Ordering::Less => from = middle + 1,
                Ordering::Equal => return Some(size),
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// Visits the keys that begin with `prefix`.
    ///
    /// # Errors
    /// Returns errors of `visit`.
    pub(super) fn each(&self, prefix: &str, visit: VisitKey<'_>) -> Result<()> {
        let mut start = 0;
        for &(end, size) in &self.ends {
            let key = self.text.get(start..end).unwrap_or_default();
            start = end;
            if key.starts_with(prefix) {
                visit(key, size)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_while_there_is_room() {
        let mut listed = ListedKeys::default();
        for (key, size) in [("a/0", 1), ("a/1", 2), ("b/0", 3)] {
            listed.add(key, size);
        }
        let mut found = vec![];
        let mut visit = |key: &str, size| {
            found.push((key.to_owned(), size));
            Ok(())
        };
        listed.each("a/", &mut visit).unwrap();
        assert_eq!(found, [("a/0".to_owned(), 1), ("a/1".to_owned(), 2)]);
        let sizes = ["a/0", "a/1", "b/0"].map(|key| listed.size(key));
        assert_eq!(sizes, [Some(1), Some(2), Some(3)]);
        assert_eq!(
            ["", "a", "a/00", "c"].map(|key| listed.size(key)),
            [None; 4]
        );
        listed.add(&"c".repeat(MOST), 4);
        listed.add("d", 5);
        assert!(listed.text.is_empty() && listed.whole().is_none());
    }
}
