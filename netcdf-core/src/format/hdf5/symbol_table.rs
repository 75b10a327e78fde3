//! Links of old groups: symbol table nodes and entries ("III.B" and "III.C. Disk Format: Level 1B" and "1C").

use super::btree_v1::{self, BtreeV1};
use super::fields::Fields;
use super::file::Hdf5File;
use super::local_heap::LocalHeap;
use crate::error::{ErrorKind, Result};

/// A link of an old group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SymbolEntry {
    /// The link name.
    pub name: Vec<u8>,
    /// Object header address; `None` for soft links.
    pub header: Option<u64>,
    /// Cached facts about the object.
    pub cache: SymbolCache,
}

/// Facts about an object cached in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SymbolCache {
    /// No cached facts.
    None,
    /// The object is a group.
    Group {
        /// The B-tree address.
        btree: u64,
        /// The local heap address.
        heap: u64,
    },
    /// The link is a soft link with this target path.
    SoftLink(Vec<u8>),
}

/// Returns the links of a group, sorted by name.
///
/// # Errors
/// Returns errors from reading the tree and the heap, [`ErrorKind::Corrupt`], [`ErrorKind::Truncated`] and [`ErrorKind::Unknown`].
pub(crate) fn entries(file: &Hdf5File, btree: u64, heap: u64) -> Result<Vec<SymbolEntry>> {
    let heap = LocalHeap::read(file, heap)?;
    let mut entries = vec![];
    let tree = BtreeV1 {
        root: btree,
        kind: btree_v1::GROUP,
        key: file.sizes().length.into(),
    };
    tree.walk(file, &mut |_, _| Ok(true), &mut |node, n| {
        let address = node.children.get(n).copied().unwrap_or_default();
        read_node(file, address, &heap, &mut entries)
    })?;
    Ok(entries)
}

/// Reads a symbol table node.
fn read_node(
    file: &Hdf5File,
    address: u64,
    heap: &LocalHeap,
    to: &mut Vec<SymbolEntry>,
) -> Result<()> {
    let head = file.read(address, HEAD)?;
    let mut c = file.fields(&head);
    c.signature(b"SNOD")?;
    c.version(1..=1, "a symbol table node")?;
    c.skip(1)?;
    let count = c.u16_le()?;
    let sizes = file.sizes();
    let entry = u64::from(sizes.length) + u64::from(sizes.offset) + 4 + 4 + 16;
    let body = file.read(address.saturating_add(HEAD), u64::from(count) * entry)?;
    let mut c = file.fields(&body);
    for _ in 0..count {
        let at = c.clone();
        let entry = read_entry(file, &mut c, heap)?;
        follows(&at, to.last(), &entry)?;
        to.push(entry);
    }
    Ok(())
}

/// Checks that entry names ascend, which also makes them unique and nonempty.
fn follows(at: &Fields, before: Option<&SymbolEntry>, entry: &SymbolEntry) -> Result<()> {
    let before = before.map_or(&b""[..], |b| &b.name);
    if before < entry.name.as_slice() {
        return Ok(());
    }
    let what = format!(
        "a link `{}` of an old group comes after the link `{}`, expected ascending names",
        entry.name.escape_ascii(),
        before.escape_ascii()
    );
    Err(at.error(ErrorKind::Corrupt, what))
}

/// Bytes of a symbol table node before its entries.
const HEAD: u64 = 8;

fn read_entry(file: &Hdf5File, c: &mut Fields, heap: &LocalHeap) -> Result<SymbolEntry> {
    // The specification defines an offset, but libhdf5 stores a length.
    let name = c.length()?;
    let name = heap.counted_name_at(file, name)?;
    let header = c.address()?;
    let (kind, at) = (c.u32_le()?, c.offset());
    c.skip(4)?;
    let pad = file.fields_of(c.bytes(16)?, None);
    let cache = read_cache(file, kind, pad, heap)?;
    if header.is_none() && !matches!(cache, SymbolCache::SoftLink(_)) {
        let what = "the address of a link's object is undefined";
        return Err(crate::Error::new(ErrorKind::Corrupt, what).at(file.name(), at));
    }
    Ok(SymbolEntry {
        name,
        header,
        cache,
    })
}

/// Reads the scratch pad of an entry.
fn read_cache(
    file: &Hdf5File,
    kind: u32,
    mut pad: Fields,
    heap: &LocalHeap,
) -> Result<SymbolCache> {
    match kind {
        1 => Ok(SymbolCache::Group {
            btree: pad.defined_address("a group's B-tree")?,
            heap: pad.defined_address("a group's local heap")?,
        }),
        2 => {
            let offset = pad.u32_le()?;
            let path = heap.counted_name_at(file, offset.into())?;
            Ok(SymbolCache::SoftLink(path))
        }
        _ => Ok(SymbolCache::None),
    }
}
