//! Version 2 B-trees ("III.A.2. Disk Format: Level 1A2") of dense links, dense attributes, huge fractal heap objects, shared messages and
//! chunks.

pub(in crate::format::hdf5) mod geometry;
pub(crate) mod records;

use std::cmp::Ordering;
use std::collections::HashSet;

use super::fields::Fields;
use super::file_bytes::{FileBytes, StructureBytes};
use crate::error::{Error, ErrorKind, Result};
use geometry::Geometry;

/// A tree, opened by its header.
#[derive(Debug, Clone)]
pub struct BTree2 {
    /// Record type; see the specification.
    pub kind: u8,
    /// Bytes of a record.
    pub record: u16,
    /// Record count in the header.
    pub total: u64,
    depth: u16,
    root: Option<ChildNode>,
    geometry: Geometry,
}

/// Number of nodes to read ahead in one request.
const AHEAD: usize = 64;

/// A node as described by its parent.
#[derive(Debug, Clone, Copy)]
struct ChildNode {
    address: u64,
    records: u16,
}

/// Compares a record with the wanted records.
type Compare<'a> = &'a mut dyn FnMut(Fields<'_>) -> Result<Ordering>;
type VisitRecord<'a, E> = &'a mut dyn FnMut(Fields<'_>) -> Result<(), E>;

impl BTree2 {
    /// Reads the header at an address.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Truncated`], [`ErrorKind::Corrupt`], [`ErrorKind::Checksum`] and [`ErrorKind::Unknown`].
    pub fn open(file: &FileBytes, address: u64) -> Result<Self> {
        let sizes = file.sizes();
        let len = 22 + u64::from(sizes.offset) + u64::from(sizes.length);
        let head = file.read(address, len)?;
        let mut c = file.fields(&head);
        c.signature(b"BTHD")?;
        head.verify(file, "a B-tree's header")?;
        c.version(0..=0, "a B-tree")?;
        let (kind, node, record, depth) = (c.u8()?, c.u32_le()?, c.u16_le()?, c.u16_le()?);
        c.skip(2)?; // when to split and merge nodes
        let (root, records) = (c.address()?, c.u16_le()?);
        let geometry = Geometry::new(node, record, depth, sizes.offset);
        let geometry = geometry.map_err(|e| file.error(ErrorKind::Corrupt, address, e))?;
        let root = root.filter(|_| records > 0);
        let tree = Self {
            kind,
            record,
            total: c.length()?,
            depth,
            root: root.map(|address| ChildNode { address, records }),
            geometry,
        };
        let stored = root.map_or(0, |_| u64::from(records));
        // In a tree of several levels, the root contains only part of the records.
        if stored > tree.total || (stored < tree.total && (stored == 0 || depth == 0)) {
            let what = format!(
                "a B-tree of {} records, with {stored} records in a root of level {depth}",
                tree.total
            );
            return Err(file.error(ErrorKind::Corrupt, address, what));
        }
        Ok(tree)
    }

    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] if the records have none of these types.
    pub fn expect(&self, file: &FileBytes, kinds: &[u8]) -> Result<()> {
        if kinds.contains(&self.kind) {
            return Ok(());
        }
        let what = format!("a B-tree of type {}, expected {kinds:?}", self.kind);
        let at = self.root.map_or(0, |r| r.address);
        Err(file.error(ErrorKind::Corrupt, at, what))
    }

    /// Visits all records in order.
    ///
    /// # Errors
    /// Returns errors from reading nodes and from `visit`. Returns [`ErrorKind::Corrupt`] if the number of records differs from the header.
    pub fn visit(
        &self,
        file: &FileBytes,
        mut visit: impl FnMut(Fields<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut visited = 0u64;
        self.walk::<Error>(file, &mut |_| Ok(Ordering::Equal), &mut |record| {
            visited = visited.saturating_add(1);
            visit(record)
        })?;
        if visited == self.total {
            return Ok(());
        }
        let what = format!("a B-tree with {visited} records, expected {}", self.total);
        let at = self.root.map_or(0, |r| r.address);
        Err(file.error(ErrorKind::Corrupt, at, what))
    }

    /// Visits the records for which `compare` returns `Equal`, in order. `compare` must return `Less` for earlier records and `Greater` for
    /// later records.
    ///
    /// # Errors
    /// Returns errors from reading nodes, from `compare` and from `visit`.
    pub fn visit_range<E: From<Error>>(
        &self,
        file: &FileBytes,
        mut compare: impl FnMut(Fields<'_>) -> Result<Ordering>,
        mut visit: impl FnMut(Fields<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.walk(file, &mut compare, &mut visit)
    }

    /// Returns the first record for which `compare` returns `Equal`; see [`BTree2::visit_range`].
    ///
    /// # Errors
    /// Returns errors from reading nodes and from `compare`.
    pub fn find(
        &self,
        file: &FileBytes,
        compare: impl FnMut(Fields<'_>) -> Result<Ordering>,
    ) -> Result<Option<Vec<u8>>> {
        let mut found = None;
        self.visit_range::<Error>(file, compare, |mut record| {
            if found.is_none() {
                found = Some(record.bytes(self.record.into())?.to_vec());
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn walk<E: From<Error>>(
        &self,
        file: &FileBytes,
        compare: Compare,
        visit: VisitRecord<E>,
    ) -> Result<(), E> {
        let Some(root) = self.root else {
            return Ok(());
        };
        let mut walk = WalkV2 {
            tree: self,
            file,
            seen: HashSet::new(),
            compare,
            visit,
        };
        walk.node(root, self.depth)
    }
}

struct WalkV2<'a, E> {
    tree: &'a BTree2,
    file: &'a FileBytes,
    seen: HashSet<u64>,
    compare: Compare<'a>,
    visit: VisitRecord<'a, E>,
}

impl<E: From<Error>> WalkV2<'_, E> {
    /// Recursion is bounded: each step decreases the level by one, and the depth is limited.
    fn node(&mut self, node: ChildNode, level: u16) -> Result<(), E> {
        // A single-node tree needs no record of visited nodes.
        if self.tree.depth > 0 && !self.seen.insert(node.address) {
            let what = "a B-tree has the same node twice";
            return Err(self
                .file
                .error(ErrorKind::Corrupt, node.address, what)
                .into());
        }
        let file = self.file;
        let bytes = self.read(node, level)?;
        let record = usize::from(self.tree.record);
        let start = 6usize;
        let children = self.children(&bytes, node, level)?;
        self.read_ahead(&children, level);
        let mut before = Ordering::Less; // the record before a child
        for n in 0..=usize::from(node.records) {
            let at = start + n * record;
            let bytes = bytes.data.get(at..at + record);
            let bytes = bytes.filter(|_| n < usize::from(node.records));
            let fields = bytes.map(|b| {
                let address = node.address.saturating_add(at as u64);
                file.fields_of(b, Some(address))
            });
            let order = match &fields {
                Some(f) => (self.compare)(f.clone())?,
                None => Ordering::Greater,
            };
            if let Some(child) = children.get(n)
                && before != Ordering::Greater
                && order != Ordering::Less
            {
                self.node(*child, level - 1)?;
            }
            if let (Some(fields), Ordering::Equal) = (fields, order) {
                (self.visit)(fields)?;
            }
            if order == Ordering::Greater {
                break;
            }
            before = order;
        }
        Ok(())
    }

    /// Reads the children of a node ahead if requests have high latency.
    fn read_ahead(&self, children: &[ChildNode], level: u16) {
        let (Some(below), true) = (level.checked_sub(1), self.file.latency()) else {
            return;
        };
        let nodes = children.iter().take(AHEAD).filter_map(|child| {
            let len = self.tree.geometry.used(below, child.records).ok()?;
            Some(child.address..child.address.checked_add(len)?)
        });
        self.file.prefetch(&nodes.collect::<Vec<_>>());
    }

    /// Reads the used bytes of a node and verifies its checksum.
    fn read(&self, node: ChildNode, level: u16) -> Result<StructureBytes> {
        let fail = |what| self.file.error(ErrorKind::Corrupt, node.address, what);
        let len = self.tree.geometry.used(level, node.records).map_err(fail)?;
        let bytes = self.file.read(node.address, len)?;
        let mut c = self.file.fields(&bytes);
        c.signature(if level == 0 { b"BTLF" } else { b"BTIN" })?;
        bytes.verify(self.file, "a B-tree node")?;
        c.version(0..=0, "a B-tree node")?;
        let kind = c.u8()?;
        if kind == self.tree.kind {
            return Ok(bytes);
        }
        let what = format!(
            "a B-tree node of type {kind}, expected type {}",
            self.tree.kind
        );
        Err(fail(what))
    }

    /// The children of an internal node. A leaf has none.
    fn children(
        &self,
        bytes: &StructureBytes,
        node: ChildNode,
        level: u16,
    ) -> Result<Vec<ChildNode>> {
        if level == 0 {
            return Ok(vec![]);
        }
        let mut c = self.file.fields(bytes);
        c.skip(6 + usize::from(node.records) * usize::from(self.tree.record))?;
        let widths = self.tree.geometry.widths(level);
        (0..=node.records)
            .map(|_| {
                let address = c.defined_address("a B-tree node")?;
                let records = c.uint_le(widths.records)?;
                c.skip(widths.total)?;
                let Ok(records) = u16::try_from(records) else {
                    let what = format!("a B-tree node of {records} records");
                    return Err(c.error(ErrorKind::Corrupt, what));
                };
                Ok(ChildNode { address, records })
            })
            .collect()
    }
}
