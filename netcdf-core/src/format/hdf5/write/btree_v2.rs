//! Version 2 B-trees ("III.A.2"), built from all records at once: the minimum number of nodes, equally full per level.

use super::part::{Hole, MetadataPart, UNDEFINED};
use crate::arithmetic::exact;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::btree_v2::geometry::Geometry;

/// Bytes of a node.
const NODE: u32 = 512;
/// Bytes of a tree header.
const HEADER: usize = 16 + 8 + 2 + 8 + 4;
/// Fill percentages at which the library splits and merges nodes.
const SPLIT_MERGE: [u8; 2] = [100, 40];
/// Maximum depth. A deeper tree has more records than fit into memory.
const DEEPEST: u16 = 16;

/// A tree being built.
struct NewTree {
    kind: u8,
    geometry: Geometry,
}

/// A node that was appended.
struct WrittenNode {
    place: u64,
    records: u16,
    total: u64,
}

/// Appends a tree of sorted records of equal size. Returns the header offset.
///
/// # Errors
/// Returns [`ErrorKind::Limit`].
pub(super) fn write(out: &mut MetadataPart, kind: u8, records: &[MetadataPart]) -> Result<u64> {
    let size: u16 = narrow(
        records.first().map_or(0, MetadataPart::len) as u64,
        "a record",
    )?;
    let impossible = |what: String| Error::new(ErrorKind::Limit, what);
    let geometry = Geometry::new(NODE, size.max(1), DEEPEST, 8).map_err(impossible)?;
    let count = records.len() as u64;
    let depth = (0..DEEPEST).find(|&d| geometry.total(d) >= count);
    let depth = depth.ok_or_else(|| impossible(format!("{count} records of a B-tree")))?;
    let tree = NewTree { kind, geometry };
    let root = match records {
        [] => None,
        _ => Some(tree.node(out, depth, records)?),
    };
    let place = out.begin(0, HEADER)?;
    let start = out.len();
    out.sink.put(b"BTHD\0");
    out.sink.u8(kind);
    out.sink.u32(NODE);
    out.sink.u16(size);
    out.sink.u16(depth);
    out.sink.put(&SPLIT_MERGE);
    match &root {
        Some(root) => out.address(Hole::Own(root.place)),
        None => out.sink.u64(UNDEFINED),
    }
    out.sink.u16(root.map_or(0, |root| root.records));
    out.sink.u64(count);
    out.checksum(start);
    Ok(place)
}

impl NewTree {
    /// Appends a node and its subtree. Recursion is bounded: each step decreases the level by one.
    fn node(
        &self,
        out: &mut MetadataPart,
        level: u16,
        records: &[MetadataPart],
    ) -> Result<WrittenNode> {
        let Some(below) = level.checked_sub(1) else {
            return self.store(out, 0, records.iter(), &[]);
        };
        let sizes = shares(records.len() as u64, self.geometry.total(below))?;
        let (mut children, mut between) = (vec![], vec![]);
        let mut rest = records;
        for size in sizes {
            let parts = rest.split_at_checked(size);
            let (part, behind) = parts.or_internal("fewer records than their shares")?;
            children.push(self.node(out, below, part)?);
            rest = behind;
            if let [separator, behind @ ..] = rest {
                between.push(separator);
                rest = behind;
            }
        }
        self.store(out, level, between.into_iter(), &children)
    }

    fn store<'a>(
        &self,
        out: &mut MetadataPart,
        level: u16,
        records: impl ExactSizeIterator<Item = &'a MetadataPart>,
        children: &[WrittenNode],
    ) -> Result<WrittenNode> {
        let size = exact(u64::from(NODE)).index()?;
        let place = out.begin(0, size)?;
        let start = out.len();
        out.sink.put(if level == 0 { b"BTLF" } else { b"BTIN" });
        out.sink.put(&[0, self.kind]);
        let count: u16 = narrow(records.len() as u64, "the records of a B-tree node")?;
        records.for_each(|record| out.append(record));
        let widths = self.geometry.widths(level);
        let mut total = u64::from(count);
        for child in children {
            out.address(Hole::Own(child.place));
            out.sink.uint(child.records.into(), widths.records)?;
            if level > 1 {
                out.sink.uint(child.total, widths.total)?;
            }
            total += child.total;
        }
        out.checksum(start);
        let used = out.len() - start;
        if used > size {
            let what = format!("{count} records in a B-tree node");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        out.sink.zeros(size - used);
        Ok(WrittenNode {
            place,
            records: count,
            total,
        })
    }
}

/// Divides `count` records among the children of a node, at most `most` records per child. There are at least two children, with a record
/// between any two.
fn shares(count: u64, most: u64) -> Result<Vec<usize>> {
    let between = count.saturating_sub(most).div_ceil(most + 1).max(1);
    let (left, children) = (count.saturating_sub(between), between + 1);
    let (each, more) = (left / children, left % children);
    let size = |n| usize::try_from(each + u64::from(n < more));
    let sizes: Result<Vec<_>, _> = (0..children).map(size).collect();
    sizes.map_err(|_| Error::new(ErrorKind::Limit, "too many records of a B-tree"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_shared_out_evenly() {
        assert_eq!(shares(46, 45).unwrap(), [23, 22]);
        assert_eq!(shares(91, 45).unwrap(), [45, 45]);
        assert_eq!(shares(92, 45).unwrap(), [30, 30, 30]);
        for count in 2..2000 {
            let shares = shares(count, 45).unwrap();
            let sum: usize = shares.iter().sum();
            assert_eq!(sum as u64 + shares.len() as u64 - 1, count);
            assert!(shares.iter().all(|&n| n <= 45));
        }
    }
}
