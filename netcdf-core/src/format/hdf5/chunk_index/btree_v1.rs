//! Chunks in a B-tree of version 1 ("III.A.1. Disk Format: Level 1A1 - Version 1 B-trees", node
//! type 1).

use std::cmp::Ordering;

use super::element::Stored;
use super::{Query, Visit};
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::file::Fields;

/// A tree of chunks.
#[derive(Debug)]
pub(super) struct Tree {
    root: u64,
}

/// A node: its children with their first chunks, in their order.
struct Node {
    level: u8,
    entries: Vec<Entry>,
}

/// A child: a chunk in a leaf, else a node.
struct Entry {
    /// Coordinates in the grid of the (first) chunk.
    at: Vec<u64>,
    size: u32,
    mask: u32,
    child: u64,
}

/// Which chunks a node may have: those from `from` on and before `to`.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    from: &'a [u64],
    to: Option<&'a [u64]>,
}

impl Bounds<'_> {
    fn end_before(&self, at: &[u64]) -> bool {
        self.to.is_some_and(|to| to.cmp(at) != Ordering::Greater)
    }
}

impl Tree {
    pub fn new(root: u64) -> Self {
        Self { root }
    }

    pub fn locate(&self, query: Query, visit: &mut Visit) -> Result<()> {
        let origin = vec![0; query.wanted.start.len()];
        let bounds = Bounds {
            from: &origin,
            to: None,
        };
        descend(query, self.root, None, bounds, visit)
    }
}

/// Visits a node and those below that may have wanted chunks. Keys have to ascend and stay within
/// the bounds that the parent sets, so that no chunk can come up twice however nodes are linked.
fn descend(
    query: Query,
    address: u64,
    level: Option<u8>,
    bounds: Bounds,
    visit: &mut Visit,
) -> Result<()> {
    let node = read(query, address)?;
    if level.is_some_and(|l| l != node.level) {
        let what = format!("level {} of a B-tree where {level:?} is due", node.level);
        return Err(query.file.error(ErrorKind::Corrupt, address, what));
    }
    check(query, address, &node, bounds)?;
    let Some(first) = query.wanted.not_before(bounds.from) else {
        return Ok(());
    };
    let skip = node.entries.partition_point(|e| e.at <= first);
    let mut rest = node.entries.iter().skip(skip.saturating_sub(1)).peekable();
    while let Some(entry) = rest.next() {
        let below = Bounds {
            from: &entry.at,
            to: rest.peek().map(|next| &*next.at).or(bounds.to),
        };
        let Some(next) = query.wanted.not_before(&entry.at) else {
            return Ok(());
        };
        if node.level == 0 && next == entry.at {
            query.found(&next, stored(entry), visit)?;
        } else if node.level > 0 && !below.end_before(&next) {
            descend(query, entry.child, Some(node.level - 1), below, visit)?;
        }
    }
    Ok(())
}

fn stored(entry: &Entry) -> Stored {
    Stored {
        address: entry.child,
        size: entry.size.into(),
        mask: entry.mask,
    }
}

fn check(query: Query, address: u64, node: &Node, bounds: Bounds) -> Result<()> {
    let outside = |e: &Entry| *e.at < *bounds.from || bounds.end_before(&e.at);
    let (first, last) = (node.entries.first(), node.entries.last());
    if !node.entries.is_sorted_by(|a, b| a.at < b.at)
        || first.is_some_and(outside)
        || last.is_some_and(outside)
    {
        let what = "the chunks of a B-tree are not in their order";
        return Err(query.file.error(ErrorKind::Corrupt, address, what));
    }
    Ok(())
}

fn read(query: Query, address: u64) -> Result<Node> {
    let file = query.file;
    let offset = u64::from(file.sizes().offset);
    let head = file.read(address, 8 + 2 * offset)?;
    let mut c = file.fields(&head);
    c.signature(b"TREE")?;
    let (kind, level, used) = (c.u8()?, c.u8()?, c.u16_le()?);
    if kind != 1 {
        let what = format!("node type {kind} in a B-tree of chunks");
        return Err(c.error(ErrorKind::Corrupt, what));
    }
    let rank = query.grid.chunk.len() as u64;
    let entry = 8 + 8 * (rank + 1) + offset;
    let start = super::pages::beside(file, address, Some(head.data.len() as u64))?;
    let body = file.read(start, entry * u64::from(used))?;
    let mut c = file.fields(&body);
    let entries = (0..used).map(|_| read_entry(query, &mut c));
    Ok(Node {
        level,
        entries: entries.collect::<Result<_>>()?,
    })
}

fn read_entry(query: Query, c: &mut Fields) -> Result<Entry> {
    let (size, mask) = (c.u32_le()?, c.u32_le()?);
    let mut at = Vec::with_capacity(query.grid.chunk.len());
    for &len in &query.grid.chunk {
        let offset = c.u64_le()?;
        if offset % len != 0 {
            let what = format!("a chunk at {offset}, not a multiple of its length {len}");
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        at.push(offset / len);
    }
    c.skip(8)?; // the place within an element
    Ok(Entry {
        at,
        size,
        mask,
        child: c.defined_address("a node or chunk")?,
    })
}
