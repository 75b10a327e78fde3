//! The shape and the chunks of a dataset.

use super::array_change::ArrayChange;
use super::changes::{DatasetChange, NewChunk};
use super::chunk_tree::ChunkTreeChange;
use super::header::HeaderChange;
use super::tree_node::{NodeForm, TreeKey};
use crate::arithmetic::exact;
use crate::bytes::sink::narrow;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::dataset::Hdf5Dataset;
use crate::format::hdf5::file::Hdf5File;
use crate::format::hdf5::message;
use crate::format::hdf5::message::layout::{ChunkIndexKind, ChunkedLayout, DataLayout};
use crate::format::hdf5::object_header::ObjectHeader;
use crate::io::patched::PatchedFile;
use crate::io::source::read_range;

/// The default K of chunk indexes, half the maximum number of children.
const USUAL_K: u16 = 32;
/// The offset of K in a superblock of version 1.
const K_AT: u64 = 24;

/// Writes the changes of a dataset to its object header and its chunk index. Returns the layout, which has an index after the first chunk.
///
/// # Errors
/// Returns damage, [`ErrorKind::Limit`] for chunks beyond the format, and I/O errors.
pub(crate) fn change(
    file: &PatchedFile,
    (hdf5, dataset): (&Hdf5File, &Hdf5Dataset),
    change: DatasetChange<'_>,
) -> Result<DataLayout> {
    let header = ObjectHeader::read(hdf5, dataset.address)?;
    let header = HeaderChange {
        file,
        hdf5,
        header: &header,
    };
    if let Some(dims) = change.dims {
        header.set_dims(dims)?;
    }
    let DataLayout::Chunked(chunked) = &dataset.layout else {
        return Ok(dataset.layout.clone());
    };
    let array = ArrayChange {
        header,
        dataset,
        chunked,
        change,
    };
    Ok(DataLayout::Chunked(match chunked.index {
        _ if change.chunks.is_empty() => chunked.clone(),
        ChunkIndexKind::BTree1 => change_tree(header, chunked, change)?,
        ChunkIndexKind::Single(_) => array.single()?,
        ChunkIndexKind::FixedArray => array.fixed()?,
        ChunkIndexKind::ExtensibleArray => array.extensible()?,
        ChunkIndexKind::Implicit | ChunkIndexKind::BTree2 => {
            return Err(Error::internal("chunks for a fixed chunk index"));
        }
    }))
}

/// Writes chunks to a version 1 B-tree, and returns the layout.
fn change_tree(
    header: HeaderChange<'_>,
    chunked: &ChunkedLayout,
    change: DatasetChange<'_>,
) -> Result<ChunkedLayout> {
    let HeaderChange { file, hdf5, .. } = header;
    let mut layout = chunked.clone();
    let form = form(hdf5, chunked)?;
    let mut tree = ChunkTreeChange::new(file, form.clone());
    for (position, chunk) in change.chunks {
        let key = key(&form, position, *chunk)?;
        let child = (exact(chunk.place) - form.base).get()?;
        match layout.address {
            Some(root) => tree.put(root, key, child)?,
            None => {
                let root = tree.create(key, child)?;
                header.set_index(root)?;
                layout.address = Some(root);
            }
        }
    }
    tree.write()?;
    Ok(layout)
}

fn key(form: &NodeForm, position: &[u64], chunk: NewChunk) -> Result<TreeKey> {
    let beyond = || Error::new(ErrorKind::Limit, "a chunk beyond 2^64");
    let starts = position.iter().zip(&form.chunk);
    let starts = starts.map(|(n, len)| n.checked_mul(*len).ok_or_else(beyond));
    Ok(TreeKey {
        size: narrow(chunk.size, "the size of a chunk in bytes")?,
        mask: chunk.mask,
        start: starts.collect::<Result<_>>()?,
        byte: 0,
    })
}

fn form(hdf5: &Hdf5File, chunked: &ChunkedLayout) -> Result<NodeForm> {
    Ok(NodeForm {
        base: hdf5.superblock().base,
        chunk: chunked.dims.clone(),
        element: chunked.element_size,
        most: usize::from(k(hdf5)?).saturating_mul(2),
    })
}

/// Returns K of chunk indexes, from the superblock or its extension.
fn k(hdf5: &Hdf5File) -> Result<u16> {
    let superblock = hdf5.superblock();
    let found = match (superblock.version, superblock.extension) {
        (1, _) => {
            let at = superblock.base.saturating_add(K_AT);
            let bytes = read_range(&**hdf5.source(), &(at..at.saturating_add(2)))?;
            u16::from_le_bytes(bytes.try_into().ok().or_internal("two bytes")?)
        }
        (_, Some(extension)) => {
            let extension = ObjectHeader::read(hdf5, extension)?;
            match extension.body_of(hdf5, message::BTREE_K)? {
                None => USUAL_K,
                Some(body) => {
                    let mut c = body.fields(hdf5);
                    c.version(0..=0, "B-tree K values")?;
                    c.u16_le()?
                }
            }
        }
        (_, None) => USUAL_K,
    };
    match found {
        0 => Err(Error::new(ErrorKind::Corrupt, "B-trees with K = 0").of(hdf5.name())),
        k => Ok(k),
    }
}
