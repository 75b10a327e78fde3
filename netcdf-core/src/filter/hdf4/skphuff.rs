//! Skipping Huffman, an HDF4 coder: an adaptive code for each byte of a number.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none; HDF4's coder 3 |
//! | Names | `hdf4_skphuff` |
//! | Parameters | number of codes, which alternate byte by byte: usually the number size in bytes |
//! | Stored form | the codes of all bytes without gaps, most significant bit first |
//! | Specification | D. W. Jones, "Application of splay trees to data compression", 1988; details are as in libhdf4 |
//! | Also read by | libhdf4 and software built on it |
//!
//! A code is a binary tree. The path from the root to a byte is its code, with 0 for left and 1 for right. In a new tree, the right child
//! of the root is a perfect tree of all bytes in order, and the left child is a leaf without a byte. After each byte its tree is splayed:
//! on the path from the byte to the root, every other node is swapped with the sibling of its parent. Frequent bytes therefore get short
//! codes.

use super::super::output::{bad, extend, truncated, unsupported};
use super::super::{ChunkContext, Encoded, Filter, FilterEntry, read_only};
use super::{POLICY, expected, ids};
use crate::bytes::Bits;
use crate::error::{Error, ErrorKind, Result};

/// The entry in the filter table.
pub(crate) const ENTRY: FilterEntry = FilterEntry {
    id: ids::SKPHUFF,
    name: NAME,
    codec: None,
    policy: POLICY,
    named: &[],
    prepare: |_, _| Err(read_only(NAME)),
    build: |params, _| Ok(Box::new(SkippingHuffman::new(params)?)),
};

const NAME: &str = "hdf4_skphuff";

/// The maximum number of codes. No number has more than 8 bytes, and each code takes memory.
const CODES: usize = 4096;

struct SkippingHuffman {
    codes: usize,
}

impl SkippingHuffman {
    fn new(params: &[u32]) -> Result<Self> {
        match *params {
            [0] => Err(bad(NAME, "no codes")),
            [codes] => match usize::try_from(codes) {
                Ok(codes @ ..=CODES) => Ok(Self { codes }),
                Ok(_) | Err(_) => Err(unsupported(NAME, format_args!("{codes} codes"))),
            },
            _ => {
                let what = format_args!("{} parameters, expected 1", params.len());
                Err(bad(NAME, what))
            }
        }
    }
}

impl Filter for SkippingHuffman {
    fn decode(&self, context: &ChunkContext, input: &[u8], output: &mut Vec<u8>) -> Result<()> {
        let len = expected(context, NAME)?;
        // The shortest code has one bit.
        if len.div_ceil(8) > input.len() {
            return Err(truncated(NAME));
        }
        let mut trees = trees(self.codes.min(len))?;
        let mut bits = Bits::new(input);
        for number in extend(NAME, output, len)?.chunks_mut(self.codes) {
            for (byte, tree) in number.iter_mut().zip(&mut trees) {
                let leaf = tree.leaf(&mut bits);
                if leaf == NO_BYTE {
                    return Err(no_byte(&bits));
                }
                tree.splay(leaf);
                [*byte, _] = leaf.to_le_bytes();
            }
        }
        match bits.is_over() {
            true => Err(truncated(NAME)),
            false => Ok(()),
        }
    }

    fn encode(&self, _: &ChunkContext, _: &[u8], _: &mut Vec<u8>) -> Result<Encoded> {
        Err(read_only(NAME))
    }
}

/// Returns the error for a code without a byte.
#[cold]
fn no_byte(bits: &Bits) -> Error {
    match bits.is_over() {
        true => truncated(NAME),
        false => bad(NAME, "a code that no byte has"),
    }
}

fn trees(count: usize) -> Result<Vec<SplayTree>> {
    let mut trees = Vec::new();
    trees.try_reserve_exact(count).map_err(|_| {
        let what = format!("{NAME}: no memory for {count} codes");
        Error::new(ErrorKind::Limit, what)
    })?;
    trees.resize(count, SplayTree::new());
    Ok(trees)
}

/// A node: values below 256 are inner nodes, with 0 for the root; others are leaves, with the byte in the lower half.
type HuffmanNode = u16;

/// The first leaf.
const LEAVES: HuffmanNode = 256;

/// The left leaf of a new tree's root, which has no byte. The leaf shares the parent entry of the root, which has no parent.
const NO_BYTE: HuffmanNode = 512;

/// The tree of a code.
#[derive(Clone)]
struct SplayTree {
    /// The left and the right child of each inner node.
    children: [HuffmanNode; 512],
    /// The parent of each node.
    parents: [u8; 512],
}

impl SplayTree {
    fn new() -> Self {
        let mut children = [0; 512];
        let mut parents = [0; 512];
        for (node, slot) in (0..).zip(&mut children) {
            *slot = node;
        }
        children[0] = NO_BYTE;
        for (node, slot) in (0..512_u16).zip(&mut parents) {
            [*slot, _] = (node / 2).to_le_bytes();
        }
        Self { children, parents }
    }

    /// Returns the leaf at the end of the next bits.
    #[inline]
    fn leaf(&self, bits: &mut Bits) -> HuffmanNode {
        let mut node = 0;
        while node < LEAVES {
            node = self.child(node, bits.take(1) == 1);
        }
        node
    }

    /// Moves a leaf and the nodes above it towards the root.
    #[inline]
    fn splay(&mut self, leaf: HuffmanNode) {
        let mut node = leaf;
        loop {
            let parent = self.parent(node);
            if parent == 0 {
                return;
            }
            let above = self.parent(parent);
            let uncle_is_right = self.child(above, false) == parent;
            let uncle = self.child(above, uncle_is_right);
            let is_right = self.child(parent, false) != node;
            self.join(above, uncle_is_right, node);
            self.join(parent, is_right, uncle);
            if above == 0 {
                return;
            }
            node = above;
        }
    }

    #[inline]
    fn child(&self, node: HuffmanNode, right: bool) -> HuffmanNode {
        let slot = self.children.get(side(node, right));
        slot.copied().unwrap_or(NO_BYTE)
    }

    #[inline]
    fn parent(&self, node: HuffmanNode) -> HuffmanNode {
        let parent = self.parents.get(index(node));
        parent.copied().unwrap_or_default().into()
    }

    /// Attaches `child` as the left or the right child of an inner node.
    #[inline]
    fn join(&mut self, node: HuffmanNode, right: bool, child: HuffmanNode) {
        if let Some(slot) = self.children.get_mut(side(node, right)) {
            *slot = child;
        }
        if let Some(slot) = self.parents.get_mut(index(child)) {
            [*slot, _] = node.to_le_bytes();
        }
    }
}

/// Returns the table index of an inner node's child.
#[inline]
fn side(node: HuffmanNode, right: bool) -> usize {
    index(node * 2 + HuffmanNode::from(right))
}

/// Returns an index into the tables of a tree.
#[inline]
fn index(n: u16) -> usize {
    usize::from(n % 512)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{damage, decode};

    /// Encodes bytes by following the tree from the leaves.
    fn encode(codes: usize, data: &[u8]) -> Vec<u8> {
        let (mut trees, mut bits) = (trees(codes).unwrap(), vec![]);
        for (n, &byte) in data.iter().enumerate() {
            let tree = &mut trees[n % codes];
            let leaf = LEAVES + HuffmanNode::from(byte);
            let (mut node, mut code) = (leaf, vec![]);
            while node != 0 {
                let parent = tree.parent(node);
                code.push(tree.child(parent, true) == node);
                node = parent;
            }
            bits.extend(code.into_iter().rev());
            tree.splay(leaf);
        }
        let byte =
            |bits: &[bool]| (0..8).fold(0, |b, n| b << 1 | u8::from(bits.get(n) == Some(&true)));
        bits.chunks(8).map(byte).collect()
    }

    #[test]
    fn decodes_the_code() {
        let deep: Vec<u8> = (0..=255).chain(0..=255).chain([0; 60]).collect();
        let mixed: Vec<u8> = (0..700_u32).map(|n| (n * n / 7 % 251) as u8).collect();
        for data in [&deep, &mixed] {
            for codes in [1, 2, 3, 8, 600, CODES] {
                let stored = encode(codes, data);
                let params = [u32::try_from(codes).unwrap()];
                let found = decode(ids::SKPHUFF, &params, data.len(), &stored);
                assert!(found.unwrap() == *data, "{codes}");
            }
        }
        let stored = encode(2, &mixed[..40]);
        damage(ids::SKPHUFF, &[2], 40, &stored);
        for len in 0..stored.len() {
            let e = decode(ids::SKPHUFF, &[2], 40, &stored[..len]).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Truncated, "{len}");
        }
    }

    #[test]
    fn codes_without_a_byte_are_corrupt() {
        let e = decode(ids::SKPHUFF, &[1], 2, &[0x7F; 8]).unwrap_err();
        assert_eq!(e.what(), "hdf4_skphuff: a code that no byte has");
    }

    #[test]
    fn parameters_are_checked() {
        let kind = |params: &[u32]| decode(ids::SKPHUFF, params, 2, &[0; 8]).unwrap_err().kind();
        assert_eq!(kind(&[]), ErrorKind::Corrupt);
        assert_eq!(kind(&[0]), ErrorKind::Corrupt);
        assert_eq!(kind(&[4097]), ErrorKind::Unsupported);
    }
}
