//! New and moved chunks in a version 1 B-tree ("III.A.1. Disk Format: Level 1A1").
//!
//! Readers compare a chunk with the last key of each node on the way, and follow the addresses of siblings. So a new last chunk changes the
//! last key of all these nodes, and a new node changes both neighbours. The address of the root stays: a full root moves its children to
//! two new nodes.

use std::collections::BTreeMap;

use super::tree_node::{NodeForm, TreeKey, TreeNode, UNDEFINED};
use crate::arithmetic::exact;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source as _;
use crate::io::patched::PatchedFile;

/// A tree that is changed. [`ChunkTreeChange::write`] writes the changed nodes.
pub(super) struct ChunkTreeChange<'a> {
    file: &'a PatchedFile,
    form: NodeForm,
    nodes: BTreeMap<u64, TreeNode>,
}

/// The nodes from the root to a leaf: addresses, and the child that the way takes.
type Way = Vec<(u64, usize)>;

impl<'a> ChunkTreeChange<'a> {
    /// Begins a change.
    pub(super) fn new(file: &'a PatchedFile, form: NodeForm) -> Self {
        Self {
            file,
            form,
            nodes: BTreeMap::new(),
        }
    }

    /// Adds a chunk to a tree without nodes, and returns the address of the root.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn create(&mut self, key: TreeKey, child: u64) -> Result<u64> {
        let root = TreeNode {
            level: 0,
            left: UNDEFINED,
            right: UNDEFINED,
            end: self.form.end_of(&key),
            entries: vec![(key, child)],
            stored: vec![],
            is_changed: true,
        };
        self.add_node(root)
    }

    /// Adds a chunk, or replaces the chunk at the same start.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for a damaged tree, and I/O errors.
    pub(super) fn put(&mut self, root: u64, key: TreeKey, child: u64) -> Result<()> {
        let mut way = self.way(root, &key.start)?;
        let (leaf, _) = *way.last().or_internal("a leaf")?;
        let node = self.node(leaf)?;
        node.is_changed = true;
        match node.position(&key.start) {
            Ok(at) => {
                let entry = node.entries.get_mut(at).or_internal("a chunk")?;
                *entry = (key, child);
                Ok(())
            }
            Err(at) => {
                node.entries.insert(at, (key.clone(), child));
                if let Some((_, taken)) = way.last_mut() {
                    *taken = at;
                }
                self.extend_bounds(&way, &key)?;
                self.split(way)
            }
        }
    }

    /// Writes all changed nodes.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn write(&self) -> Result<()> {
        for (address, node) in self.nodes.iter().filter(|(_, node)| node.is_changed) {
            let place = (exact(self.form.base) + *address).get()?;
            self.file
                .replace_known(place, &node.stored, &node.bytes()?)?;
        }
        Ok(())
    }

    /// Returns a node, and reads it the first time.
    fn node(&mut self, address: u64) -> Result<&mut TreeNode> {
        match self.nodes.entry(address) {
            std::collections::btree_map::Entry::Occupied(known) => Ok(known.into_mut()),
            std::collections::btree_map::Entry::Vacant(space) => {
                Ok(space.insert(TreeNode::read(self.file, address, &self.form)?))
            }
        }
    }

    /// Adds a node at the end of the file, and returns its address.
    fn add_node(&mut self, node: TreeNode) -> Result<u64> {
        let place = self.file.len();
        let end = (exact(place) + self.form.size()).get()?;
        self.file.extend(end)?;
        let address = (exact(place) - self.form.base).get()?;
        self.nodes.insert(address, node);
        Ok(address)
    }

    /// Returns the way to the leaf of a chunk. The level decreases with each node.
    fn way(&mut self, root: u64, start: &[u64]) -> Result<Way> {
        let mut way = vec![];
        let (mut address, mut level) = (root, None);
        loop {
            let node = self.node(address)?;
            if level.is_some_and(|level| node.level != level) || node.entries.is_empty() {
                return Err(self.damaged(address));
            }
            let taken = match node.position(start) {
                Ok(at) => at,
                Err(at) => at.saturating_sub(1),
            };
            way.push((address, taken));
            let Some(below) = node.level.checked_sub(1) else {
                return Ok(way);
            };
            let (_, child) = node.entries.get(taken).or_internal("a child")?;
            (address, level) = (*child, Some(below));
        }
    }

    fn damaged(&self, address: u64) -> Error {
        let what = "a B-tree node with a wrong level or without children";
        let place = self.form.base.saturating_add(address);
        Error::new(ErrorKind::Corrupt, what).at(self.file.name(), place)
    }

    /// Extends the first and last keys of the nodes on the way to a new chunk.
    fn extend_bounds(&mut self, way: &Way, key: &TreeKey) -> Result<()> {
        let end = self.form.end_of(key);
        for (n, (address, taken)) in way.iter().enumerate() {
            let is_leaf = n + 1 == way.len();
            let node = self.node(*address)?;
            if !is_leaf {
                let first = node.entries.get_mut(*taken).or_internal("a child")?;
                if key.start < first.0.start {
                    first.0 = key.clone();
                    node.is_changed = true;
                }
            }
            if node.end.start <= key.start {
                node.end = end.clone();
                node.is_changed = true;
            }
        }
        Ok(())
    }

    /// Divides full nodes, from the leaf up.
    fn split(&mut self, mut way: Way) -> Result<()> {
        while let Some((address, at)) = way.pop() {
            let most = self.form.most;
            if self.node(address)?.entries.len() <= most {
                return Ok(());
            }
            let Some((parent, taken)) = way.last_mut() else {
                return self.split_root(address, at);
            };
            let (parent, slot) = (*parent, *taken + 1);
            *taken = slot;
            let upper = self.upper_part(address, at)?;
            let old = self.node(address)?.right;
            let key = upper.entries.first().or_internal("a child")?.0.clone();
            let right = self.add_node(TreeNode {
                left: address,
                ..upper
            })?;
            self.node(address)?.right = right;
            if old != UNDEFINED {
                let neighbour = self.node(old)?;
                (neighbour.left, neighbour.is_changed) = (right, true);
            }
            let parent = self.node(parent)?;
            parent.entries.insert(slot, (key, right));
            parent.is_changed = true;
        }
        Ok(())
    }

    /// Moves the children of the root to two new nodes.
    fn split_root(&mut self, root: u64, at: usize) -> Result<()> {
        let upper = self.upper_part(root, at)?;
        let stored = std::mem::take(&mut self.node(root)?.stored);
        let lower = self.node(root)?.clone();
        let above = lower.level.checked_add(1);
        let level = above.ok_or_else(|| Error::new(ErrorKind::Limit, "a B-tree of 256 levels"))?;
        let (end, first) = (upper.end.clone(), upper.entries.first().cloned());
        let (second, _) = first.or_internal("a child")?;
        let (first, _) = lower.entries.first().cloned().or_internal("a child")?;
        let left = self.add_node(lower)?;
        let right = self.add_node(TreeNode { left, ..upper })?;
        self.node(left)?.right = right;
        let root = self.node(root)?;
        *root = TreeNode {
            level,
            left: UNDEFINED,
            right: UNDEFINED,
            entries: vec![(first, left), (second, right)],
            end,
            stored,
            is_changed: true,
        };
        Ok(())
    }

    /// Removes the upper part of a full node. A new last chunk is alone in its node, because more chunks will follow; other nodes are
    /// halved.
    fn upper_part(&mut self, address: u64, at: usize) -> Result<TreeNode> {
        let node = self.node(address)?;
        let last = node.entries.len() - 1;
        let from = match at == last && node.right == UNDEFINED {
            true => last,
            false => node.entries.len() / 2,
        };
        let entries = node.entries.split_off(from);
        let first = entries.first().or_internal("a child")?.0.clone();
        node.is_changed = true;
        Ok(TreeNode {
            level: node.level,
            left: address,
            right: node.right,
            end: std::mem::replace(&mut node.end, first),
            entries,
            stored: vec![],
            is_changed: true,
        })
    }
}
