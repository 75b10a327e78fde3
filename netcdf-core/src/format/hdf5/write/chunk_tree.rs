//! The chunk index: a version 1 B-tree ("III.A.1"), built while chunks arrive in order. Each level has one open node. The node gets its
//! address when it is opened, so that siblings and parents can refer to it, and is written when it is full. If the number of chunks is
//! known before the first chunk, all nodes are stored at the front of the file.

use super::part::UNDEFINED;
use super::space::ReservedSpace;
use super::tail::Tail;
use crate::arithmetic::exact;
use crate::bytes::ByteSink;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::btree_v1::CHUNKS;

/// Children of a full node: twice the default K of the superblock.
const MAX_CHILDREN: u16 = 64;
/// Bytes of a node before its keys and children.
const HEAD: usize = 24;

/// The chunk index of a dataset.
#[derive(Debug)]
pub(super) struct ChunkTree {
    /// Chunk length in elements per dimension.
    pub chunk: Vec<u64>,
    /// Bytes per element.
    element: u64,
    /// Open nodes, from the leaves up.
    levels: Vec<OpenNode>,
    /// Space for nodes.
    space: NodeSpace,
    /// Grid coordinates of the last chunk.
    last: Option<Vec<u64>>,
}

/// Space for nodes.
#[derive(Debug)]
struct NodeSpace {
    /// Bytes of a node.
    size: u64,
    /// The leading space reserved for nodes, if any.
    front: Option<ReservedSpace>,
    /// Whether the reserved space was too small.
    exceeded: bool,
}

/// An open node.
#[derive(Debug)]
struct OpenNode {
    address: u64,
    left: u64,
    count: u16,
    /// Keys and children, except the last key.
    body: Vec<u8>,
    /// The first key.
    first: Vec<u8>,
}

/// A stored chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct StoredChunk {
    /// The chunk address.
    pub address: u64,
    /// The chunk size in bytes.
    pub size: u64,
    /// Mask of skipped filters.
    pub mask: u32,
}

impl ChunkTree {
    /// An empty index.
    pub(super) fn new(chunk: Vec<u64>, element: u64) -> Self {
        let key = 8 + 8 * (chunk.len() + 1);
        let size = HEAD + usize::from(MAX_CHILDREN) * 8 + (usize::from(MAX_CHILDREN) + 1) * key;
        Self {
            space: NodeSpace {
                size: size as u64,
                front: None,
                exceeded: false,
            },
            chunk,
            element,
            levels: vec![],
            last: None,
        }
    }

    /// Reserves space for the nodes of `chunks` chunks, at the current file end.
    ///
    /// # Errors
    /// Returns errors from [`Tail::reserve`].
    pub(super) fn expect(&mut self, chunks: u64, tail: &mut Tail) -> Result<()> {
        self.space.front = Some(tail.reserve_run(self.space.size, nodes(chunks))?);
        Ok(())
    }

    /// Whether there were more chunks than expected, with nodes stored among the data.
    pub(super) fn exceeds(&self) -> bool {
        self.space.exceeded
    }

    /// Bytes of an unfiltered chunk.
    pub(super) fn bytes(&self) -> Option<u64> {
        crate::model::region::product(&self.chunk)?.checked_mul(self.element)
    }

    /// Checks the coordinates of the next chunk.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for coordinates of another rank, or not after the last chunk.
    pub(super) fn check(&self, place: &[u64]) -> Result<()> {
        let is_next = self.last.as_deref().is_none_or(|last| last < place);
        if place.len() == self.chunk.len() && is_next {
            return Ok(());
        }
        let last = self.last.as_deref().unwrap_or_default();
        let what = format!("chunk {place:?} written after chunk {last:?}");
        Err(Error::new(ErrorKind::Argument, what))
    }

    /// Adds the next chunk.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for sizes and coordinates beyond the format, and target errors.
    pub(super) fn push(
        &mut self,
        place: &[u64],
        chunk: StoredChunk,
        tail: &mut Tail,
    ) -> Result<()> {
        let size = narrow(chunk.size, "the size of a chunk in bytes")?;
        let key = self.key(place, (size, chunk.mask), 0)?;
        self.add(key, chunk.address, tail)?;
        self.last = Some(place.to_vec());
        Ok(())
    }

    /// Builds a key: size, mask, and the chunk start in elements. The last dimension is the byte within an element.
    fn key(&self, place: &[u64], (size, mask): (u32, u32), byte: u64) -> Result<Vec<u8>> {
        let mut key = ByteSink::with_room(8 * (place.len() + 2));
        key.u32(size);
        key.u32(mask);
        for (n, len) in place.iter().zip(&self.chunk) {
            let start = n.checked_mul(*len);
            key.u64(start.ok_or_else(|| Error::new(ErrorKind::Limit, "a chunk beyond 2^64"))?);
        }
        key.u64(byte);
        Ok(key.bytes)
    }

    /// Adds a child to the open leaf. Full nodes are added to their parents.
    fn add(&mut self, key: Vec<u8>, child: u64, tail: &mut Tail) -> Result<()> {
        let (mut key, mut child) = (key, child);
        let size = self.space.size;
        for level in 0.. {
            let level_byte = narrow(level as u64, "the height of a B-tree")?;
            let Some(node) = self.levels.get_mut(level) else {
                let node = OpenNode::open(key, child, self.space.take(tail)?);
                // Most variables of a file with 100,000 variables have one level.
                self.levels.reserve_exact(1);
                self.levels.push(node);
                break;
            };
            if node.count < MAX_CHILDREN {
                node.add(&key, child);
                break;
            }
            let next = OpenNode::open(key, child, self.space.take(tail)?);
            let full = std::mem::replace(node, next);
            node.left = full.address;
            let (address, first) = (node.address, node.first.clone());
            tail.write(
                full.address,
                &full.close(level_byte, address, &first, size)?,
            )?;
            if self.levels.len() == level + 1 {
                // The old root becomes the first child of the new root.
                let root = OpenNode::open(full.first, full.address, self.space.take(tail)?);
                self.levels.push(root);
            }
            (key, child) = (first, address);
        }
        Ok(())
    }

    /// Writes the open nodes. Returns the root address, or [`UNDEFINED`] without chunks.
    ///
    /// # Errors
    /// Returns target errors.
    pub(super) fn finish(&mut self, tail: &mut Tail) -> Result<u64> {
        let Some(last) = &self.last else {
            return Ok(UNDEFINED);
        };
        let end: Option<Vec<u64>> = last.iter().map(|n| n.checked_add(1)).collect();
        let end = end.ok_or_else(|| Error::new(ErrorKind::Limit, "a chunk beyond 2^64"))?;
        let end = self.key(&end, (0, 0), self.element)?;
        let size = self.space.size;
        let mut root = UNDEFINED;
        for (level, node) in self.levels.drain(..).enumerate() {
            let level = narrow(level as u64, "the height of a B-tree")?;
            tail.write(node.address, &node.close(level, UNDEFINED, &end, size)?)?;
            root = node.address;
        }
        Ok(root)
    }
}

/// Number of tree nodes for `chunks` chunks, added in order.
fn nodes(chunks: u64) -> u64 {
    let (mut level, mut all) = (chunks, 0);
    while level > 0 {
        level = level.div_ceil(MAX_CHILDREN.into());
        all += level;
        if level == 1 {
            break;
        }
    }
    all
}

impl NodeSpace {
    /// Returns the address of the next node.
    fn take(&mut self, tail: &mut Tail) -> Result<u64> {
        if let Some(front) = &mut self.front {
            if let Some(at) = front.take(self.size) {
                return Ok(at);
            }
            self.exceeded = true;
        }
        tail.reserve_metadata(self.size)
    }
}

impl OpenNode {
    /// Creates a node with one child.
    fn open(key: Vec<u8>, child: u64, address: u64) -> Self {
        let mut node = Self {
            address,
            left: UNDEFINED,
            count: 0,
            body: vec![],
            first: vec![],
        };
        node.add(&key, child);
        node.first = key;
        node
    }

    fn add(&mut self, key: &[u8], child: u64) {
        self.body.extend_from_slice(key);
        self.body.extend_from_slice(&child.to_le_bytes());
        self.count += 1;
    }

    /// The node bytes, with the address and first key of the right sibling.
    fn close(&self, level: u8, right: u64, key: &[u8], size: u64) -> Result<Vec<u8>> {
        let mut out = ByteSink::default();
        out.put(b"TREE");
        out.u8(CHUNKS);
        out.u8(level);
        out.u16(self.count);
        out.u64(self.left);
        out.u64(right);
        out.put(&self.body);
        out.put(key);
        out.zeros((exact(size) - out.len()).index()?);
        Ok(out.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::length;
    use crate::io::memory::MemoryTarget;
    use std::ops::Range;

    /// The addresses of all nodes in a tree with `chunks` chunks. `expected` chunks were announced.
    fn addresses(chunks: u64, expected: u64) -> (Range<u64>, Vec<u64>, bool) {
        let mut tail = Tail::new(Box::new(MemoryTarget::new("t").0), 100);
        let mut tree = ChunkTree::new(vec![1], 4);
        tree.expect(expected, &mut tail).unwrap();
        let space = tree.space.front.as_ref().unwrap().left.clone();
        let mut found = vec![];
        for n in 0..chunks {
            let (address, size, mask) = (tail.append(&[1; 4]).unwrap(), 4, 0);
            let chunk = StoredChunk {
                address,
                size,
                mask,
            };
            tree.push(&[n], chunk, &mut tail).unwrap();
            found.extend(tree.levels.iter().map(|node| node.address));
        }
        tree.finish(&mut tail).unwrap();
        found.sort_unstable();
        found.dedup();
        (space, found, tree.exceeds())
    }

    #[test]
    fn nodes_of_expected_chunks_fill_the_reserved_space() {
        let size = ChunkTree::new(vec![1], 4).space.size;
        for chunks in [0, 1, 2, 63, 64, 65, 128, 64 * 64, 64 * 64 + 1, 9000] {
            let (space, found, exceeded) = addresses(chunks, chunks);
            assert_eq!(length(&space), nodes(chunks) * size, "{chunks}");
            assert_eq!(found.len() as u64, nodes(chunks), "{chunks}");
            assert!(found.iter().all(|at| space.contains(at)), "{chunks}");
            assert!(!exceeded);
        }
    }

    #[test]
    fn more_chunks_than_expected_have_nodes_among_the_data() {
        let (space, found, exceeded) = addresses(200, 100);
        assert!(exceeded);
        assert_eq!(found.iter().filter(|at| space.contains(at)).count(), 3);
        assert_eq!(found.len() as u64, nodes(200));
        assert!(!addresses(3, 100).2);
    }
}
