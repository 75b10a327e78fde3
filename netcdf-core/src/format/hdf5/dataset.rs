//! Datasets, read from the messages of their headers.

use std::sync::Arc;

use super::dataspace::Dataspace;
use super::datatype::Datatype;
use super::file::Hdf5File;
use super::message::external::ExternalFiles;
use super::message::fill::{FillMessage, FillValue};
use super::message::filters::{self, PipelineFilter};
use super::message::layout::DataLayout;
use super::message::reference::SharedMessage;
use super::message::{self};
use super::object_header::ObjectHeader;
use crate::error::{ErrorKind, Result};

/// A dataset: everything but its data and attributes.
#[derive(Debug, Clone)]
pub struct Hdf5Dataset {
    /// Address of its header.
    pub address: u64,
    /// The type of its elements.
    pub datatype: Arc<Datatype>,
    /// Its shape.
    pub dataspace: Dataspace,
    /// Where its data is.
    pub layout: DataLayout,
    /// The value of elements that were never written.
    pub fill: FillMessage,
    /// The filters of its chunks, in the order of writing.
    pub filters: Vec<PipelineFilter>,
    /// The files that hold its data, if it is not in this one.
    pub external: Option<ExternalFiles>,
}

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hdf5ObjectKind {
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
pub fn kind(header: &ObjectHeader) -> Hdf5ObjectKind {
    let has = |kind| header.find(kind).is_some();
    let group = has(message::SYMBOL_TABLE) || has(message::LINK_INFO);
    match (has(message::DATATYPE), has(message::DATASPACE)) {
        (true, true) => Hdf5ObjectKind::Dataset,
        _ if group => Hdf5ObjectKind::Group,
        (true, false) => Hdf5ObjectKind::Datatype,
        (false, _) => Hdf5ObjectKind::Unknown,
    }
}

/// The datatype in a header, with its address if it is a committed type.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if there is none; those of reading it.
pub fn datatype(file: &Hdf5File, header: &ObjectHeader) -> Result<Arc<Datatype>> {
    let message = header.find(message::DATATYPE);
    let message = message.ok_or_else(|| missing(file, header, "datatype"))?;
    let raw = header.raw(message);
    if message.flags & message::SHARED != 0 {
        return file.shared_type(&SharedMessage::parse(&mut raw.fields(file))?);
    }
    Datatype::parse(&mut raw.fields(file), file.limits()).map(Arc::new)
}

fn missing(file: &Hdf5File, header: &ObjectHeader, what: &str) -> crate::Error {
    let what = format!("an object without {what} message");
    file.error(ErrorKind::Corrupt, header.address, what)
}

impl Hdf5Dataset {
    /// Reads the messages of a header.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if one is missing; those of reading them.
    pub fn read(file: &Hdf5File, header: &ObjectHeader) -> Result<Self> {
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
            layout: DataLayout::parse(&mut layout.fields(file))?,
            fill: FillMessage {
                allocate: None,
                write: None,
                value: FillValue::Default,
            },
            filters: vec![],
            external: None,
        };
        if let DataLayout::Chunked(chunked) = &mut dataset.layout {
            // Some writers store another size, and libhdf5 up to 1.14.3 ignores the stored size.
            chunked.element_size = dataset.datatype.size.max(1);
        }
        if let Some(body) = header.body_of(file, message::FILL)? {
            dataset.fill = FillMessage::parse(&mut body.fields(file))?;
        } else if let Some(body) = header.body_of(file, message::FILL_OLD)? {
            dataset.fill = FillMessage::parse_old(&mut body.fields(file))?;
        }
        if let Some(body) = header.body_of(file, message::FILTERS)? {
            dataset.filters = filters::parse(&mut body.fields(file))?;
        }
        if let Some(body) = header.body_of(file, message::EXTERNAL)? {
            dataset.external = Some(ExternalFiles::parse(&mut body.fields(file))?);
        }
        Ok(dataset)
    }
}
