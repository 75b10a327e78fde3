//! Reads the links of a group, from its header, a heap, or the symbol table of an old group.

use super::btree_v2::BTree2;
use super::btree_v2::records::{LINK_NAME, LinkName};
use super::file::Hdf5File;
use super::fractal_heap::FractalHeap;
use super::message::dense_info::DenseInfo;
use super::message::link::{LinkMessage, LinkedObject};
use super::message::{self};
use super::object_header::ObjectHeader;
use super::symbol_table::{self, SymbolCache};
use crate::error::{ErrorKind, Result};

/// Returns the links of a group, in creation order if the group tracks it, else by name.
///
/// # Errors
/// Returns read errors.
pub fn links(file: &Hdf5File, header: &ObjectHeader) -> Result<Vec<LinkMessage>> {
    if let Some(table) = header.body_of(file, message::SYMBOL_TABLE)? {
        let mut c = table.fields(file);
        let tree = c.defined_address("a group's B-tree")?;
        let heap = c.defined_address("a group's local heap")?;
        return old_links(file, tree, heap);
    }
    let info = header.body_of(file, message::LINK_INFO)?;
    let info = info.map(|body| DenseInfo::of_links(&mut body.fields(file)));
    let info = info.transpose()?;
    let mut links = vec![];
    for message in header.messages().iter().filter(|m| m.kind == message::LINK) {
        let body = header.body(file, message)?;
        links.push(LinkMessage::parse(&mut body.fields(file))?);
    }
    if let Some(info) = &info {
        links.extend(dense_links(file, info)?);
    }
    if info.is_some_and(|i| i.tracks_order) {
        links.sort_by_key(|l| l.order);
    } else {
        links.sort_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(links)
}

fn old_links(file: &Hdf5File, tree: u64, heap: u64) -> Result<Vec<LinkMessage>> {
    let entries = symbol_table::entries(file, tree, heap)?;
    let link = |e: symbol_table::SymbolEntry| {
        let target = match (e.cache, e.header) {
            (SymbolCache::SoftLink(path), _) => LinkedObject::Soft(path),
            (SymbolCache::None | SymbolCache::Group { .. }, Some(header)) => {
                LinkedObject::Hard(header)
            }
            (SymbolCache::None | SymbolCache::Group { .. }, None) => {
                let what = "an entry of a symbol table without an object";
                return Err(file.error(ErrorKind::Corrupt, tree, what));
            }
        };
        Ok(LinkMessage {
            name: e.name,
            order: None,
            target,
        })
    };
    let mut links: Vec<_> = entries.into_iter().map(link).collect::<Result<_>>()?;
    links.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(links)
}

fn dense_links(file: &Hdf5File, info: &DenseInfo) -> Result<Vec<LinkMessage>> {
    let Some(heap) = info.heap else {
        return Ok(vec![]);
    };
    let Some(tree) = info.by_name else {
        let what = "a group with a link heap, but without a B-tree of link names";
        return Err(file.error(ErrorKind::Corrupt, heap, what));
    };
    let heap = FractalHeap::open(file, heap)?;
    let tree = BTree2::open(file, tree)?;
    tree.expect(file, &[LINK_NAME])?;
    let mut ids = vec![];
    tree.visit(file, |mut record| {
        ids.push(LinkName::parse(&mut record)?.id);
        Ok(())
    })?;
    // The tree is sorted by hash, the heap by writing order.
    ids.sort_by_key(|id| heap.offset(id));
    let link = |id: &[u8; 7]| LinkMessage::parse(&mut heap.object(file, id)?.fields(file));
    ids.iter().map(link).collect()
}
