//! A node of a version 1 B-tree of chunks ("III.A.1. Disk Format: Level 1A1", node type 1).

use crate::arithmetic::exact;
use crate::bytes::{ByteSink, Cursor};
use crate::error::{ErrorKind, Result};
use crate::format::hdf5::btree_v1::CHUNKS;
use crate::io::Source as _;
use crate::io::patched::PatchedFile;
use crate::io::source::read_range;

/// The undefined address.
pub(super) const UNDEFINED: u64 = u64::MAX;
/// Bytes of a node before its keys and children.
const HEAD: u64 = 24;

/// The form of the nodes of a tree.
#[derive(Debug, Clone)]
pub(super) struct NodeForm {
    /// The source offset of address 0.
    pub(super) base: u64,
    /// The chunk length in elements per dimension.
    pub(super) chunk: Vec<u64>,
    /// Bytes of an element.
    pub(super) element: u64,
    /// The maximum number of children.
    pub(super) most: usize,
}

/// A key: the first chunk of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeKey {
    /// Stored bytes of the chunk.
    pub(super) size: u32,
    /// The filter mask.
    pub(super) mask: u32,
    /// The start of the chunk in elements per dimension.
    pub(super) start: Vec<u64>,
    /// The byte within an element.
    pub(super) byte: u64,
}

/// A node.
#[derive(Debug, Clone)]
pub(super) struct TreeNode {
    pub(super) level: u8,
    pub(super) left: u64,
    pub(super) right: u64,
    /// Keys and children.
    pub(super) entries: Vec<(TreeKey, u64)>,
    /// The key behind the last child.
    pub(super) end: TreeKey,
    /// The bytes in the file; empty for a new node.
    pub(super) stored: Vec<u8>,
    pub(super) is_changed: bool,
}

impl NodeForm {
    /// Bytes of a key.
    fn key(&self) -> u64 {
        8 + 8 * (self.chunk.len() as u64 + 1)
    }

    /// Bytes of a node.
    pub(super) fn size(&self) -> u64 {
        HEAD + self.most as u64 * (8 + self.key()) + self.key()
    }

    /// Returns the key behind a chunk.
    pub(super) fn end_of(&self, key: &TreeKey) -> TreeKey {
        let next = key.start.iter().zip(&self.chunk);
        TreeKey {
            size: 0,
            mask: 0,
            start: next.map(|(at, len)| at.saturating_add(*len)).collect(),
            byte: self.element,
        }
    }
}

impl TreeKey {
    fn read(c: &mut Cursor<'_>, rank: usize) -> Result<Self> {
        Ok(Self {
            size: c.u32_le()?,
            mask: c.u32_le()?,
            start: (0..rank).map(|_| c.u64_le()).collect::<Result<_>>()?,
            byte: c.u64_le()?,
        })
    }

    fn write(&self, out: &mut ByteSink) {
        out.u32(self.size);
        out.u32(self.mask);
        self.start.iter().for_each(|at| out.u64(*at));
        out.u64(self.byte);
    }
}

impl TreeNode {
    /// Reads the node at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for other structures and for a node that is too large, and read errors.
    pub(super) fn read(file: &PatchedFile, address: u64, form: &NodeForm) -> Result<Self> {
        let place = (exact(form.base) + address).get()?;
        let end = place.saturating_add(form.size());
        let stored = read_range(file, &(place..end.min(file.len()).max(place)))?;
        let mut c = Cursor::new(&stored, file.name(), place);
        if c.bytes(4)? != b"TREE" {
            return Err(c.error(ErrorKind::Corrupt, "expected signature `TREE`".to_owned()));
        }
        let (kind, level, count) = (c.u8()?, c.u8()?, c.u16_le()?);
        let (left, right) = (c.u64_le()?, c.u64_le()?);
        if kind != CHUNKS || usize::from(count) > form.most {
            let most = form.most;
            let what = format!(
                "a B-tree node of type {kind} with {count} children, expected type {CHUNKS} and at most {most}"
            );
            return Err(c.error(ErrorKind::Corrupt, what));
        }
        let rank = form.chunk.len();
        let mut entries = Vec::with_capacity(count.into());
        for _ in 0..count {
            entries.push((TreeKey::read(&mut c, rank)?, c.u64_le()?));
        }
        let end = TreeKey::read(&mut c, rank)?;
        Ok(Self {
            level,
            left,
            right,
            entries,
            end,
            stored,
            is_changed: false,
        })
    }

    /// Returns the stored form, without unused space.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for too many children.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let mut out = ByteSink::default();
        out.put(b"TREE");
        out.u8(CHUNKS);
        out.u8(self.level);
        out.u16(crate::bytes::sink::narrow(
            self.entries.len() as u64,
            "the number of children of a B-tree node",
        )?);
        out.u64(self.left);
        out.u64(self.right);
        for (key, child) in &self.entries {
            key.write(&mut out);
            out.u64(*child);
        }
        self.end.write(&mut out);
        Ok(out.bytes)
    }

    /// Returns the child that may have a chunk, and whether the chunk is at its start.
    pub(super) fn position(&self, start: &[u64]) -> std::result::Result<usize, usize> {
        self.entries
            .binary_search_by(|(key, _)| key.start.as_slice().cmp(start))
    }
}
