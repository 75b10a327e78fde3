//! Version 1 B-trees ("III.A.1. Disk Format: Level 1A1") of old groups and of chunks.

use std::collections::HashSet;

use super::file::Hdf5File;
use super::file_bytes::StructureBytes;
use crate::error::{ErrorKind, Result};

/// Node type of old group trees; their keys are lengths.
pub const GROUP: u8 = 0;
/// Node type of chunk trees.
pub const CHUNKS: u8 = 1;

/// A tree: its root and node form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BtreeV1 {
    /// Address of the root node.
    pub root: u64,
    /// Type of all nodes: [`GROUP`] or [`CHUNKS`].
    pub kind: u8,
    /// Bytes per key.
    pub key: usize,
}

/// A node, with its keys in stored form.
#[derive(Debug, Clone)]
pub struct BtreeNode {
    /// The node address.
    pub address: u64,
    /// The node height: 0 for a node without child nodes.
    pub level: u8,
    /// Child addresses.
    pub children: Vec<u64>,
    keys: StructureBytes,
    key: usize,
    stride: usize,
}

/// Decides whether to descend to a child of a node, or on level 0, whether to visit the child.
pub type DescendRule<'a> = &'a mut dyn FnMut(&BtreeNode, usize) -> Result<bool>;
/// Receives each selected child of a level 0 node.
pub type VisitChild<'a> = &'a mut dyn FnMut(&BtreeNode, usize) -> Result<()>;

impl BtreeNode {
    /// Reads the node at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], and [`ErrorKind::Corrupt`] for a node of another tree kind.
    pub fn read(file: &Hdf5File, address: u64, tree: &BtreeV1) -> Result<Self> {
        let offset = usize::from(file.sizes().offset);
        let head = file.read(address, 8 + 2 * offset as u64)?;
        let mut c = file.fields(&head);
        c.signature(b"TREE")?;
        let (kind, level, count) = (c.u8()?, c.u8()?, c.u16_le()?);
        if kind != tree.kind {
            let what = format!("a B-tree node of type {kind}, expected type {}", tree.kind);
            return Err(file.error(ErrorKind::Corrupt, address, what));
        }
        let stride = tree.key.saturating_add(offset);
        let len = stride.saturating_mul(count.into()).saturating_add(tree.key);
        let start = address.saturating_add(head.data.len() as u64);
        let keys = file.read(start, len as u64)?;
        let mut node = Self {
            address,
            level,
            children: Vec::with_capacity(count.into()),
            keys,
            key: tree.key,
            stride,
        };
        let mut c = file.fields(&node.keys);
        for _ in 0..count {
            c.skip(tree.key)?;
            node.children
                .push(c.defined_address("a child of a B-tree node")?);
        }
        Ok(node)
    }

    /// Key `n`, stored before child `n`. A node has one more key than children.
    #[must_use]
    pub fn key(&self, n: usize) -> &[u8] {
        let start = n.saturating_mul(self.stride);
        let key = self.keys.data.get(start..start.saturating_add(self.key));
        key.unwrap_or_default()
    }
}

impl BtreeV1 {
    /// Visits the selected children of level 0 nodes, in order.
    ///
    /// # Errors
    /// Returns errors from reading nodes, from `wanted` and from `visit`. Returns [`ErrorKind::Corrupt`] if a node occurs twice or is not
    /// one level below its parent.
    pub fn walk(&self, file: &Hdf5File, wanted: DescendRule, visit: VisitChild) -> Result<()> {
        let mut walk = WalkV1 {
            file,
            tree: self,
            seen: HashSet::new(),
            wanted,
            visit,
        };
        let root = BtreeNode::read(file, self.root, self)?;
        walk.node(&root)
    }
}

struct WalkV1<'a> {
    file: &'a Hdf5File,
    tree: &'a BtreeV1,
    seen: HashSet<u64>,
    wanted: DescendRule<'a>,
    visit: VisitChild<'a>,
}

impl WalkV1<'_> {
    /// Recursion is bounded: each step decreases the level by one.
    fn node(&mut self, node: &BtreeNode) -> Result<()> {
        for (n, &child) in node.children.iter().enumerate() {
            if !(self.wanted)(node, n)? {
                continue;
            }
            if !self.seen.insert(child) {
                let what = "a B-tree has the same child twice";
                return Err(self.file.error(ErrorKind::Corrupt, child, what));
            }
            if node.level == 0 {
                (self.visit)(node, n)?;
            } else {
                self.node(&self.child(child, node.level - 1)?)?;
            }
        }
        Ok(())
    }

    fn child(&self, address: u64, level: u8) -> Result<BtreeNode> {
        let node = BtreeNode::read(self.file, address, self.tree)?;
        if node.level == level {
            return Ok(node);
        }
        let what = format!(
            "a B-tree node of level {}, expected level {level}",
            node.level
        );
        Err(self.file.error(ErrorKind::Corrupt, address, what))
    }
}
