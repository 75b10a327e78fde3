//! Datasets, read from object header messages.

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

/// A dataset without its data and attributes.
#[derive(Debug, Clone)]
pub struct Hdf5Dataset {
    /// The object header address.
    pub address: u64,
    /// The element type.
    pub datatype: Arc<Datatype>,
    /// The shape.
    pub dataspace: Arc<Dataspace>,
    /// The data location.
    pub layout: DataLayout,
    /// The value of unwritten elements.
    pub fill: Arc<FillMessage>,
    /// The chunk filters, in writing order.
    pub filters: Arc<Vec<PipelineFilter>>,
    /// The external files with the data, if the dataset has any.
    pub external: Option<Box<ExternalFiles>>,
}

/// Object kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hdf5ObjectKind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    Datatype,
    /// An object of an unknown kind.
    Unknown,
}

/// Returns the kind of object that a header describes.
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

/// Returns the datatype in a header, with its address if the type is committed.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for a missing type, and read errors.
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

/// Returns the fill value message, or the message of older versions. The default is zeros.
fn fill(file: &Hdf5File, header: &ObjectHeader) -> Result<FillMessage> {
    if let Some(body) = header.body_of(file, message::FILL)? {
        return FillMessage::parse(&mut body.fields(file));
    }
    match header.body_of(file, message::FILL_OLD)? {
        Some(body) => FillMessage::parse_old(&mut body.fields(file)),
        None => Ok(FillMessage {
            allocate: None,
            write: None,
            value: FillValue::Default,
        }),
    }
}

impl Hdf5Dataset {
    /// Reads the dataset messages of a header.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for a missing message, and read errors.
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
            dataspace: Arc::new(Dataspace::parse(&mut space.fields(file))?),
            layout: DataLayout::parse(&mut layout.fields(file))?,
            fill: Arc::new(fill(file, header)?),
            filters: Arc::default(),
            external: None,
        };
        if let DataLayout::Chunked(chunked) = &mut dataset.layout {
            // Some writers store a wrong element size. libhdf5 up to 1.14.3 ignores the stored size.
            chunked.element_size = dataset.datatype.size.max(1);
        }
        if let Some(body) = header.body_of(file, message::FILTERS)? {
            dataset.filters = Arc::new(filters::parse(&mut body.fields(file))?);
        }
        if let Some(body) = header.body_of(file, message::EXTERNAL)? {
            let files = ExternalFiles::parse(&mut body.fields(file))?;
            dataset.external = Some(Box::new(files));
        }
        Ok(dataset)
    }
}
