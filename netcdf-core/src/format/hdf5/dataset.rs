//! Datasets, read from the messages of their headers.

use std::sync::Arc;

use super::dataspace::Dataspace;
use super::datatype::Datatype;
use super::file::File;
use super::message::external::External;
use super::message::fill::{Fill, Value};
use super::message::filters::{self, Filter};
use super::message::layout::Layout;
use super::message::reference::Reference;
use super::message::{self};
use super::object_header::ObjectHeader;
use crate::error::{ErrorKind, Result};

/// A dataset: everything but its data and attributes.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Address of its header.
    pub address: u64,
    /// The type of its elements.
    pub datatype: Arc<Datatype>,
    /// Its shape.
    pub dataspace: Dataspace,
    /// Where its data is.
    pub layout: Layout,
    /// The value of elements that were never written.
    pub fill: Fill,
    /// The filters of its chunks, in the order of writing.
    pub filters: Vec<Filter>,
    /// The files that hold its data, if it is not in this one.
    pub external: Option<External>,
}

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    Datatype,
    /// Something else.
    Unknown,
}

/// The kind of object that a header describes.
#[must_use]
pub fn kind(header: &ObjectHeader) -> Kind {
    let has = |kind| header.find(kind).is_some();
    let group = has(message::SYMBOL_TABLE) || has(message::LINK_INFO);
    match (has(message::DATATYPE), has(message::DATASPACE)) {
        (true, true) => Kind::Dataset,
        _ if group => Kind::Group,
        (true, false) => Kind::Datatype,
        (false, _) => Kind::Unknown,
    }
}

/// The datatype in a header, with its address if it is a committed type.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if there is none; those of reading it.
pub fn datatype(file: &File, header: &ObjectHeader) -> Result<Arc<Datatype>> {
    let message = header.find(message::DATATYPE);
    let message = message.ok_or_else(|| missing(file, header, "datatype"))?;
    let raw = header.raw(message);
    if message.flags & message::SHARED != 0 {
        return file.shared_type(&Reference::parse(&mut raw.fields(file))?);
    }
    Datatype::parse(&mut raw.fields(file), file.limits()).map(Arc::new)
}

fn missing(file: &File, header: &ObjectHeader, what: &str) -> crate::Error {
    let what = format!("an object without {what} message");
    file.error(ErrorKind::Corrupt, header.address, what)
}

impl Dataset {
    /// Reads the messages of a header.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if one is missing; those of reading them.
    pub fn read(file: &File, header: &ObjectHeader) -> Result<Self> {
        let need = |kind, what| {
            let body = header.body_of(file, kind)?;
            body.ok_or_else(|| missing(file, header, what))
        };
        let space = need(message::DATASPACE, "dataspace")?;
        let layout = need(message::LAYOUT, "data layout")?;
        let mut dataset = Self {
            address: header.address,
            datatype: datatype(file, header)?,
            dataspace: Dataspace::parse(&mut space.fields(file))?,
            layout: Layout::parse(&mut layout.fields(file))?,
            fill: Fill {
                allocate: None,
                write: None,
                value: Value::Default,
            },
            filters: vec![],
            external: None,
        };
        if let Layout::Chunked(chunked) = &mut dataset.layout {
            // Some writers store another size, and libhdf5 up to 1.14.3 ignores the stored size.
            chunked.element_size = dataset.datatype.size.max(1);
        }
        if let Some(body) = header.body_of(file, message::FILL)? {
            dataset.fill = Fill::parse(&mut body.fields(file))?;
        } else if let Some(body) = header.body_of(file, message::FILL_OLD)? {
            dataset.fill = Fill::parse_old(&mut body.fields(file))?;
        }
        if let Some(body) = header.body_of(file, message::FILTERS)? {
            dataset.filters = filters::parse(&mut body.fields(file))?;
        }
        if let Some(body) = header.body_of(file, message::EXTERNAL)? {
            dataset.external = Some(External::parse(&mut body.fields(file))?);
        }
        Ok(dataset)
    }
}
