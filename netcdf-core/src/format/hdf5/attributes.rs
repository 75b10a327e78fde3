//! The attributes of an object: in its header, or in a heap.

use super::btree_v2::BTree2;
use super::file::{Fields, File};
use super::fractal_heap::FractalHeap;
use super::message;
use super::message::attribute::Attribute;
use super::message::attribute_info::AttributeInfo;
use super::object_header::ObjectHeader;
use crate::error::Result;

/// Visits the attributes of an object in the order of their creation if it is kept; else in that
/// of the header, or of the index of the heap. An attribute that cannot be read is handed on as an
/// error; the visitor decides.
///
/// # Errors
/// Those of reading the structures that lead to the attributes, and of the visitor.
pub fn visit(
    file: &File,
    header: &ObjectHeader,
    mut visitor: impl FnMut(Result<Attribute>) -> Result<()>,
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
        let read = header
            .body(file, message)
            .and_then(|body| Attribute::parse(file, &mut body.fields(file)));
        visitor(read)?;
    }
    let Some(body) = header.body_of(file, message::ATTRIBUTE_INFO)? else {
        return Ok(());
    };
    let info = AttributeInfo::parse(&mut body.fields(file))?;
    dense(file, &info, visitor)
}

/// Where an attribute is, and its place in the order of creation.
struct Entry {
    order: u32,
    flags: u8,
    id: [u8; 8],
}

/// A record of the index by name (type 8) or by creation order (type 9): both begin alike.
fn entry(record: &mut Fields) -> Result<Entry> {
    Ok(Entry {
        id: record.array()?,
        flags: record.u8()?,
        order: record.u32_le()?,
    })
}

fn dense(
    file: &File,
    info: &AttributeInfo,
    mut visitor: impl FnMut(Result<Attribute>) -> Result<()>,
) -> Result<()> {
    let (Some(heap), Some(tree)) = (info.heap, info.by_order.or(info.by_name)) else {
        return Ok(());
    };
    let heap = FractalHeap::open(file, heap)?;
    let mut entries = vec![];
    BTree2::open(file, tree)?.visit(file, |mut record| {
        entries.push(entry(&mut record)?);
        Ok(())
    })?;
    if info.tracks_order {
        entries.sort_by_key(|e| e.order);
    }
    for entry in entries {
        let read = if entry.flags & message::SHARED == 0 {
            let object = heap.object(file, &entry.id);
            object.and_then(|o| Attribute::parse(file, &mut o.fields(file)))
        } else {
            let message = file.shared_message(message::ATTRIBUTE, &entry.id);
            message.and_then(|b| Attribute::parse(file, &mut file.fields(&b)))
        };
        visitor(read)?;
    }
    Ok(())
}
