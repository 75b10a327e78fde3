//! Skipping Huffman, a coder of HDF4: an adaptive code for each byte of a number.
//!
//! | | |
//! |---|---|
//! | HDF5 number | none; HDF4's coder 3 |
//! | Names | `hdf4_skphuff` |
//! | Parameters | number of codes, which take turns byte by byte: usually the bytes of a number |
//! | Stored form | the codes of all bytes without gaps, most significant bit first |
//! | Specification | D. W. Jones, "Application of splay trees to data compression", 1988; the rest is as in libhdf4 |
//! | Also read by | libhdf4 and software built on it |
//!
//! A code is a binary tree: the way from the root to a byte is its code, 0 to the left and 1 to the right. In a new tree, the right child
//! of the root is a perfect tree of all bytes in their order, and the left one is a leaf that stands for nothing. After each byte its tree
//! is splayed: on the way from the byte to the root, every other node changes places with the sibling of its parent. So the codes of
//! frequent bytes become short.

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

/// The most codes. No number has more bytes than 8, and each code takes memory.
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

/// The error for a code that no byte has.
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

/// A node: below 256 an inner one, 0 the root; otherwise a leaf, the byte in the lower half.
type HuffmanNode = u16;

/// The first leaf.
const LEAVES: HuffmanNode = 256;

/// The leaf to the left of the root of a new tree, which no byte has. It shares its parent's place with the root, which has no parent.
const NO_BYTE: HuffmanNode = 512;

/// A code.
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
        for (node, place) in (0..).zip(&mut children) {
            *place = node;
        }
        children[0] = NO_BYTE;
        for (node, place) in (0..512_u16).zip(&mut parents) {
            [*place, _] = (node / 2).to_le_bytes();
        }
        Self { children, parents }
    }

    /// The leaf that the next bits lead to.
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
        let place = self.children.get(side(node, right));
        place.copied().unwrap_or(NO_BYTE)
    }

    #[inline]
    fn parent(&self, node: HuffmanNode) -> HuffmanNode {
        let parent = self.parents.get(place(node));
        parent.copied().unwrap_or_default().into()
    }

    /// Makes `child` the left or the right child of an inner node.
    #[inline]
    fn join(&mut self, node: HuffmanNode, right: bool, child: HuffmanNode) {
        if let Some(place) = self.children.get_mut(side(node, right)) {
            *place = child;
        }
        if let Some(place) = self.parents.get_mut(place(child)) {
            [*place, _] = node.to_le_bytes();
        }
    }
}

/// The place of a child of an inner node.
#[inline]
fn side(node: HuffmanNode, right: bool) -> usize {
    place(node * 2 + HuffmanNode::from(right))
}

/// A place in the tables of a tree: nothing is checked twice.
#[inline]
fn place(n: u16) -> usize {
    usize::from(n % 512)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::tests::{damage, decode};

    /// The codes of bytes, found from the leaves.
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
    fn undoes_the_code() {
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
    fn codes_that_no_byte_has_are_corrupt() {
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
