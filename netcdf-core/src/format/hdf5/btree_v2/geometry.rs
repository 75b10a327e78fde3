//! Node capacity per level, and widths of record counts.

/// The node capacities of a tree.
#[derive(Debug, Clone)]
pub(crate) struct Geometry {
    record: u64,
    offset: u64,
    /// Bytes of a node's record count, the same on all levels.
    width: u64,
    /// The levels, from the leaves (level 0) up.
    levels: Vec<TreeLevel>,
}

#[derive(Debug, Clone, Copy)]
struct TreeLevel {
    /// Maximum number of records in a node.
    most: u64,
    /// Maximum number of records in a node and its subtree.
    total: u64,
    /// Bytes of a count up to `total`; 0 for leaves, which do not store it.
    width: u64,
}

/// Bytes of the counts after a child address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Widths {
    /// Bytes of the child's record count.
    pub records: usize,
    /// Bytes of the subtree's record count.
    pub total: usize,
}

/// Bytes of a node without records and children: signature, version, type, checksum.
const FRAME: u64 = 10;
/// Maximum depth. A deeper tree has more records than the address space.
const DEEPEST: u16 = 64;

impl Geometry {
    /// Computes the geometry for nodes of `node` bytes, records of `record` bytes and addresses of `offset` bytes.
    ///
    /// # Errors
    /// Returns a description of the contradiction.
    pub(crate) fn new(node: u32, record: u16, depth: u16, offset: u8) -> Result<Self, String> {
        if record == 0 || depth > DEEPEST {
            return Err(format!(
                "a B-tree of depth {depth}, records of {record} bytes"
            ));
        }
        let (node, record, offset) = (u64::from(node), u64::from(record), u64::from(offset));
        let most = node.saturating_sub(FRAME) / record;
        let mut geometry = Self {
            record,
            offset,
            width: width_of(most),
            levels: vec![TreeLevel {
                most,
                total: most,
                width: 0,
            }],
        };
        for level in 1..=depth {
            let pointer = geometry.pointer(level);
            let capacity = node.saturating_sub(FRAME + pointer);
            let most = capacity / (record + pointer);
            let below = geometry.level(level - 1).total;
            let total = most.saturating_add(1).saturating_mul(below);
            let total = total.saturating_add(most);
            geometry.levels.push(TreeLevel {
                most,
                total,
                width: width_of(total),
            });
        }
        match geometry.levels.iter().any(|l| l.most == 0) {
            true => Err(format!(
                "B-tree nodes of {node} bytes cannot contain records of {record} bytes"
            )),
            false => Ok(geometry),
        }
    }

    /// Bytes used by a node with this level and record count.
    ///
    /// # Errors
    /// Returns an error if the node cannot contain this number of records.
    pub(crate) fn used(&self, level: u16, records: u16) -> Result<u64, String> {
        let most = self.level(level).most;
        let records = u64::from(records);
        if records > most {
            return Err(format!(
                "a B-tree node of {records} records, the maximum is {most}"
            ));
        }
        let children = if level == 0 { 0 } else { records + 1 };
        Ok(FRAME + records * self.record + children * self.pointer(level))
    }

    /// Maximum number of records in a node and its subtree, at this level.
    pub(crate) fn total(&self, level: u16) -> u64 {
        self.level(level).total
    }

    /// Widths of the counts after child addresses, for a node above the leaves.
    pub(crate) fn widths(&self, level: u16) -> Widths {
        let width = |n: u64| usize::try_from(n).unwrap_or(0);
        Widths {
            records: width(self.width),
            total: width(self.level(level.saturating_sub(1)).width),
        }
    }

    /// Bytes per child entry in a node at this level.
    fn pointer(&self, level: u16) -> u64 {
        self.offset + self.width + self.level(level.saturating_sub(1)).width
    }

    fn level(&self, level: u16) -> TreeLevel {
        let none = TreeLevel {
            most: 0,
            total: 0,
            width: 0,
        };
        self.levels.get(usize::from(level)).copied().unwrap_or(none)
    }
}

/// Bytes for numbers up to `most`.
fn width_of(most: u64) -> u64 {
    u64::from(most.max(1).ilog2()) / 8 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_as_wide_as_they_have_to_be() {
        assert_eq!((width_of(1), width_of(255), width_of(256)), (1, 1, 2));
        assert_eq!((width_of(0), width_of(u64::MAX)), (1, 8));
    }

    #[test]
    fn nodes_of_links_by_name() {
        // Nodes of 512 bytes, records of 11 bytes: 45 records fit into a leaf, (512 - 10 - 9) / (11 + 9) = 24 into a node above, and (512 -
        // 10 - 11) / (11 + 11) = 22 into a node above that.
        let geometry = Geometry::new(512, 11, 2, 8).unwrap();
        let most: Vec<_> = geometry.levels.iter().map(|l| l.most).collect();
        assert_eq!(most, [45, 24, 22]);
        let totals: Vec<_> = geometry.levels.iter().map(|l| l.total).collect();
        assert_eq!(totals, [45, 25 * 45 + 24, 23 * 1149 + 22]);
        let widths = geometry.widths(2);
        assert_eq!((widths.records, widths.total), (1, 2));
        assert_eq!(geometry.widths(1).total, 0);
        assert_eq!(geometry.used(1, 2), Ok(10 + 2 * 11 + 3 * 9));
        assert!(geometry.used(0, 46).is_err());
    }

    #[test]
    fn refuses_nodes_below_the_record_size() {
        assert!(Geometry::new(20, 11, 0, 8).is_err());
        assert!(Geometry::new(512, 0, 0, 8).is_err());
        assert!(Geometry::new(512, 11, 65, 8).is_err());
    }
}
