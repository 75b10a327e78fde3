//! Data lists, read in a stream: memory does not grow with the data.
//!
//! A list is typed by its variable. Numbers and characters become stored bytes at once; values of strings and user-defined
//! types become [`Values`]. Whatever a list has wrong is reported with its position, and the rest of it is still read.

mod chars;
mod element;
mod numbers;
mod problems;
mod scan;
#[cfg(test)]
mod tests;
mod window;

pub use problems::{Problem, Problems, Severity};

use std::ops::Range;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Source;
use netcdf_core::model::{Endianness, Schema, Values, VarId};

use element::Element;
use scan::Scan;
use window::Window;

/// Takes what a list has.
pub trait Sink {
    /// Stored bytes from a row-major element number on.
    ///
    /// # Errors
    /// Those of storing them.
    fn bytes(&mut self, element: u64, bytes: &[u8]) -> Result<()>;

    /// Values of strings or of a user-defined type from a row-major element number on.
    ///
    /// # Errors
    /// Those of storing them.
    fn values(&mut self, element: u64, values: &Values) -> Result<()>;
}

/// A list and the variable that it belongs to.
pub struct List<'a> {
    /// The text of the whole dataset.
    pub source: &'a dyn Source,
    /// The list within it, without `=` and `;`.
    pub bytes: Range<u64>,
    /// The variable.
    pub var: VarId,
}

/// A variable whose elements the list has one after the other.
struct Flat {
    /// Number of elements, `u64::MAX` if it is open.
    limit: u64,
    order: Endianness,
    /// Length that strings are filled up to; 0 for a single unlimited dimension.
    unit: u64,
    rank: usize,
}

/// Reads a list; the number of elements that it has for its variable.
///
/// What is wrong in the list goes to `problems`; after errors, what went to the sink is of no use.
///
/// # Errors
/// Those of the source and of the sink, and [`ErrorKind::NotFound`] for a variable that is not in the schema.
pub fn read(
    list: &List<'_>,
    schema: &Schema,
    order: Endianness,
    problems: &mut Problems,
    sink: &mut dyn Sink,
) -> Result<u64> {
    let var = schema.var(list.var);
    let var = var.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))?;
    let flat = flat(schema, list.var, order);
    let Some(ty) = var.ty.atomic() else {
        return Err(Error::new(ErrorKind::Unsupported, "user-defined types"));
    };
    let fill = var.fill_value().unwrap_or_else(|| ty.default_fill());
    let mut scan = Scan::new(Window::new(list.source, list.bytes.clone()), problems);
    read_flat(&mut scan, &flat, &fill, sink)
}

/// A variable as one run of elements, of which only the first dimension may be open.
fn flat(schema: &Schema, id: VarId, order: Endianness) -> Flat {
    let dims = schema
        .var(id)
        .map(|v| v.dims.as_slice())
        .unwrap_or_default();
    let dims: Vec<_> = dims.iter().filter_map(|&d| schema.dim(d)).collect();
    let open = dims.iter().any(|d| d.unlimited);
    let fixed = dims.iter().filter(|d| !d.unlimited).map(|d| d.len);
    let size = fixed.fold(1u64, u64::saturating_mul);
    let unit = match dims.as_slice() {
        [] => 1,
        [one] => u64::from(!one.unlimited),
        [.., last] => last.len,
    };
    Flat {
        limit: if open && size > 0 { u64::MAX } else { size },
        order,
        unit,
        rank: dims.len(),
    }
}

/// Calls the reader of the fill value's type.
fn read_flat(scan: &mut Scan<'_>, flat: &Flat, fill: &Values, sink: &mut dyn Sink) -> Result<u64> {
    fn first<T: Element + Default>(values: &[T]) -> T {
        values.first().copied().unwrap_or_default()
    }
    match fill {
        Values::Byte(v) => numbers::read(scan, flat, first(v), sink),
        Values::Short(v) => numbers::read(scan, flat, first(v), sink),
        Values::Int(v) => numbers::read(scan, flat, first(v), sink),
        Values::Int64(v) => numbers::read(scan, flat, first(v), sink),
        Values::UByte(v) => numbers::read(scan, flat, first(v), sink),
        Values::UShort(v) => numbers::read(scan, flat, first(v), sink),
        Values::UInt(v) => numbers::read(scan, flat, first(v), sink),
        Values::UInt64(v) => numbers::read(scan, flat, first(v), sink),
        Values::Float(v) => numbers::read(scan, flat, first(v), sink),
        Values::Double(v) => numbers::read(scan, flat, first(v), sink),
        Values::Char(v) => chars::read(scan, flat, first(v), sink),
        Values::String(_) | Values::Enum(..) | Values::Opaque { .. } => {
            Err(Error::new(ErrorKind::Unsupported, "strings"))
        }
        Values::Vlen(..) | Values::Compound { .. } => {
            Err(Error::new(ErrorKind::Unsupported, "user-defined types"))
        }
    }
}
