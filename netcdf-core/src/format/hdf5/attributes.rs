//! Reads the attributes of an object, from its header or from a heap.

use super::btree_v2::BTree2;
use super::btree_v2::records::{ATTRIBUTE_NAME, ATTRIBUTE_ORDER, AttributeRecord as Record};
use super::file::Hdf5File;
use super::fractal_heap::FractalHeap;
use super::message;
use super::message::attribute::{AttributeMessage, Unread};
use super::message::dense_info::DenseInfo;
use super::object_header::ObjectHeader;
use crate::error::{ErrorKind, Result};

/// Visits the attributes of an object. They come in creation order if the object tracks it, else in the order of the header or the heap
/// index. The visitor receives an unreadable attribute as an error and decides whether to continue.
///
/// # Errors
/// Returns errors from reading the attribute structures, and visitor errors.
pub fn visit(
    file: &Hdf5File,
    header: &ObjectHeader,
    mut visitor: impl FnMut(Result<AttributeMessage, Unread>) -> Result<()>,
) -> Result<()> {
    let mut compact: Vec<_> = header
        .messages()
        .iter()
        .filter(|m| m.kind == message::ATTRIBUTE)
        .collect();
    if header.tracks_attribute_order {
        compact.sort_by_key(|m| m.order);
    }
    for message in compact {
        visitor(match header.body(file, message) {
            Ok(body) => AttributeMessage::parse(file, &mut body.fields(file)),
            Err(e) => Err(e.into()),
        })?;
    }
    let Some(body) = header.body_of(file, message::ATTRIBUTE_INFO)? else {
        return Ok(());
    };
    let info = DenseInfo::of_attributes(&mut body.fields(file))?;
    dense(file, &info, visitor)
}

fn dense(
    file: &Hdf5File,
    info: &DenseInfo,
    mut visitor: impl FnMut(Result<AttributeMessage, Unread>) -> Result<()>,
) -> Result<()> {
    let Some(heap) = info.heap else {
        return Ok(());
    };
    let Some(tree) = info.by_order.or(info.by_name) else {
        let what = "an object with an attribute heap, but without a B-tree";
        return Err(file.error(ErrorKind::Corrupt, heap, what));
    };
    let heap = FractalHeap::open(file, heap)?;
    let tree = BTree2::open(file, tree)?;
    tree.expect(file, &[ATTRIBUTE_NAME, ATTRIBUTE_ORDER])?;
    let mut found = vec![];
    tree.visit(file, |mut record| {
        found.push(Record::parse(&mut record, tree.kind)?);
        Ok(())
    })?;
    if info.tracks_order {
        found.sort_by_key(|r| r.order);
    }
    for record in found {
        visitor(if record.flags & message::SHARED == 0 {
            let object = heap.object(file, &record.id).map_err(Unread::from);
            object.and_then(|o| AttributeMessage::parse(file, &mut o.fields(file)))
        } else {
            let message = file.shared_message(message::ATTRIBUTE, &record.id);
            let message = message.map_err(Unread::from);
            message.and_then(|b| AttributeMessage::parse(file, &mut file.fields(&b)))
        })?;
    }
    Ok(())
}
