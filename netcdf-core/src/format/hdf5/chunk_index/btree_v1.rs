//! Chunks in a version 1 B-tree ("III.A.1. Disk Format: Level 1A1 - Version 1 B-trees", node type 1).

use std::sync::Arc;

use super::element::ChunkEntry;
use super::grid::IndexGrid;
use super::pages::CACHE_LIMITS;
use super::query::{ChunkQuery, VisitChunk};
use crate::chunk::visit::Visited;
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::btree_v1::{self, CHUNKS};
use crate::format::hdf5::file::Hdf5File;
use crate::format::recent::Recent;

/// Number of nodes to read ahead in one request, and the approximate node size in bytes.
const AHEAD: usize = 64;
const NODE: u64 = 2 << 10;

/// A tree of chunks.
#[derive(Debug)]
pub(super) struct ChunkTreeV1 {
    tree: btree_v1::BtreeV1,
    /// The most recently used nodes.
    nodes: Recent<u64, Arc<ChunkNode>>,
}

/// A node.
#[derive(Debug)]
struct ChunkNode {
    level: u8,
    rank: usize,
    /// Grid coordinates of each child's first chunk, concatenated.
    firsts: Vec<u64>,
    /// The chunks of a leaf. In other nodes, the addresses of child nodes.
    children: Vec<ChunkEntry>,
}

/// The chunk range of a node: from `from` up to, but excluding, `to`.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    from: &'a [u64],
    to: Option<&'a [u64]>,
}

impl ChunkTreeV1 {
    pub(super) fn new(root: u64, grid: &IndexGrid) -> Self {
        let tree = btree_v1::BtreeV1 {
            root,
            kind: CHUNKS,
            key: 8 + 8 * (grid.chunk.len() + 1),
        };
        let nodes = Recent::new(CACHE_LIMITS);
        Self { tree, nodes }
    }

    pub(super) fn locate(&self, query: ChunkQuery, visit: &mut VisitChunk) -> Visited {
        let origin = vec![0; query.wanted.start.len()];
        let bounds = Bounds {
            from: &origin,
            to: None,
        };
        let root = self.node(query, self.tree.root)?;
        self.descend(query, &root, bounds, visit)
    }

    /// Visits the wanted chunks of a node and its subtree. Nodes must keep to the bounds set by their parents, so no chunk is visited twice
    /// even if nodes are linked in circles.
    fn descend(
        &self,
        query: ChunkQuery,
        node: &ChunkNode,
        bounds: Bounds,
        visit: &mut VisitChunk,
    ) -> Visited {
        let mut next = query.wanted.not_before(bounds.from);
        while let Some(at) = next {
            let Some(n) = node.child_of(&at) else {
                // Only before the first child.
                next = node
                    .first(0)
                    .and_then(|first| query.wanted.not_before(first));
                continue;
            };
            let (Some(first), Some(child)) = (node.first(n), node.children.get(n)) else {
                return Ok(());
            };
            let to = node.first(n + 1).or(bounds.to);
            if bounds.to.is_some_and(|to| *at >= *to) {
                return Ok(());
            }
            if node.level > 0 {
                let below = Bounds { from: first, to };
                let child = self.child(query, child.address, node.level - 1, below)?;
                self.descend(query, &child, below, visit)?;
            } else if first == at {
                query.found(&at, *child, visit)?;
            }
            next = to.and_then(|to| query.wanted.not_before(to));
        }
        Ok(())
    }

    /// Reads a child node and checks its level and bounds.
    fn child(
        &self,
        query: ChunkQuery,
        address: u64,
        level: u8,
        bounds: Bounds,
    ) -> Result<Arc<ChunkNode>> {
        let node = self.node(query, address)?;
        let fail = |what| Err(query.file.error(ErrorKind::Corrupt, address, what));
        if node.level != level {
            let found = node.level;
            return fail(format!(
                "a B-tree node of level {found}, expected level {level}"
            ));
        }
        let last = node.children.len().checked_sub(1);
        let before = |first: &[u64]| first < bounds.from;
        let behind = |last: &[u64]| bounds.to.is_some_and(|to| last >= to);
        if node.first(0).is_some_and(before) || last.and_then(|n| node.first(n)).is_some_and(behind)
        {
            return fail("a B-tree node has chunks that belong to its neighbours".into());
        }
        Ok(node)
    }

    fn node(&self, query: ChunkQuery, address: u64) -> Result<Arc<ChunkNode>> {
        if let Some(node) = self.nodes.get(&address) {
            return Ok(node);
        }
        let stored = btree_v1::BtreeNode::read(query.file, address, &self.tree)?;
        let node = ChunkNode::parse(query.file, query.grid, &stored)?;
        let child = size_of::<ChunkEntry>() + 8 * node.rank;
        let size = node.children.len().saturating_mul(child);
        node.read_ahead(query);
        Ok(self.nodes.put(address, Arc::new(node), size))
    }
}

impl ChunkNode {
    fn parse(file: &Hdf5File, grid: &IndexGrid, stored: &btree_v1::BtreeNode) -> Result<Self> {
        let mut node = Self {
            level: stored.level,
            rank: grid.chunk.len(),
            firsts: vec![],
            children: vec![],
        };
        for (n, &address) in stored.children.iter().enumerate() {
            let mut c = file.fields_of(stored.key(n), Some(stored.address));
            let (size, mask) = (c.u32_le()?.into(), c.u32_le()?);
            for (&len, &count) in grid.chunk.iter().zip(grid.counts()) {
                let offset = c.u64_le()?;
                if offset % len != 0 || offset / len >= count {
                    let what = format!(
                        "a chunk at {offset}, expected a multiple of the chunk length {len} within the {count} chunks of the dimension"
                    );
                    return Err(c.error(ErrorKind::Corrupt, what));
                }
                node.firsts.push(offset / len);
            }
            let within = c.u64_le()?;
            if within != 0 {
                let what = format!("a chunk at byte {within} of an element, expected 0");
                return Err(c.error(ErrorKind::Corrupt, what));
            }
            node.children.push(ChunkEntry {
                address,
                size,
                mask,
            });
        }
        if node
            .firsts
            .chunks(node.rank.max(1))
            .is_sorted_by(|a, b| a < b)
        {
            return Ok(node);
        }
        let what = "the chunks of a B-tree node are out of order";
        Err(file.error(ErrorKind::Corrupt, stored.address, what))
    }

    /// Reads the wanted children ahead, or all children if requests have high latency.
    fn read_ahead(&self, query: ChunkQuery) {
        let all = query.file.latency();
        let wanted = |n: &usize| {
            let at = self
                .first(*n)
                .and_then(|first| query.wanted.not_before(first));
            let next = self.first(*n + 1);
            all || at.is_some_and(|at| next.is_none_or(|next| *at < *next))
        };
        if self.level > 0 {
            let children = (0..self.children.len()).filter(wanted).take(AHEAD);
            let nodes = children.filter_map(|n| {
                let address = self.children.get(n)?.address;
                Some(address..address.checked_add(NODE)?)
            });
            query.file.prefetch(&nodes.collect::<Vec<_>>());
        }
    }

    /// The first chunk of a child.
    fn first(&self, n: usize) -> Option<&[u64]> {
        let start = n.checked_mul(self.rank)?;
        self.firsts.get(start..start.checked_add(self.rank)?)
    }

    /// The last child that does not start after a chunk.
    fn child_of(&self, at: &[u64]) -> Option<usize> {
        let (mut low, mut high) = (0, self.children.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.first(middle)? <= at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }
}
