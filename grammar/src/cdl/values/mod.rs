//! Streaming reader of data lists: memory does not grow with the data.
//!
//! The variable determines the type of a list. Numbers and characters become stored bytes directly; strings and values of user-defined
//! types become [`Values`]. Errors are reported with their positions, and the reader continues with the remaining list.

mod build;
mod chars;
pub(in crate::cdl) mod element;
mod nested;
mod numbers;
mod problems;
mod scan;
#[cfg(test)]
mod tests;
mod tree;
#[cfg(test)]
mod tree_tests;
mod user;
mod window;

pub use build::fill;
pub(crate) use build::push_integer;
pub(in crate::cdl) use chars::byte_constant;
pub use problems::{Problem, Problems};

use std::ops::Range;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Source;
use netcdf_core::model::{DataType, DimId, Endianness, Schema, Values, VarId, Variable};

use super::data_list::TextForm;
use element::Element;
use scan::Scan;
use tree::{ElementTree, ListStop, Until};
use window::SourceWindow;

/// Batch size of repeated bytes.
const PIECE: usize = 1 << 14;

/// Receives the values of a list.
pub trait ValueSink {
    /// Receives stored bytes, starting at a row-major element number.
    ///
    /// # Errors
    /// Returns storage errors.
    fn bytes(&mut self, element: u64, bytes: &[u8]) -> Result<()>;

    /// Receives one byte repeated for `count` one-byte elements, starting at a row-major element number.
    ///
    /// # Errors
    /// Returns storage errors.
    fn repeat(&mut self, element: u64, byte: u8, count: u64) -> Result<()> {
        let piece = [byte; PIECE];
        let (mut at, mut left) = (element, count);
        while left > 0 {
            let now = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
            self.bytes(at, piece.get(..now).unwrap_or_default())?;
            (at, left) = (at.saturating_add(now as u64), left - now as u64);
        }
        Ok(())
    }

    /// Receives values of strings or of a user-defined type, starting at a row-major element number.
    ///
    /// # Errors
    /// Returns storage errors.
    fn values(&mut self, element: u64, values: &Values) -> Result<()>;
}

/// A data list and its variable.
pub struct ValueList<'a> {
    /// The text of the whole dataset.
    pub source: &'a dyn Source,
    /// The byte range of the list, without `=` and `;`.
    pub bytes: Range<u64>,
    /// The variable.
    pub var: VarId,
    /// The language of the list.
    pub form: TextForm,
}

/// A variable with a flat list: elements without nested lists.
struct Flat {
    /// The number of elements; `u64::MAX` if unlimited.
    limit: u64,
    order: Endianness,
    /// The padding length of strings; 0 for a single unlimited dimension.
    unit: u64,
    rank: usize,
}

/// Reads a list. Returns the number of elements of a flat list.
///
/// If a dimension other than the first is unlimited, its length must be set before: see [`lengths`]. `problems` receives errors and
/// warnings; after an error, the output of the sink is useless.
///
/// # Errors
/// Returns errors of the source and of the sink, and [`ErrorKind::NotFound`] for a variable outside the schema.
pub fn read(
    list: &ValueList<'_>,
    schema: &Schema,
    order: Endianness,
    problems: &mut Problems,
    sink: &mut dyn ValueSink,
) -> Result<Option<u64>> {
    let var = variable(list, schema)?;
    let mut scan = Scan::new(SourceWindow::new(list.source, list.bytes.clone()), problems);
    let fill = var.fill_value().filter(|_| is_flat(schema, var));
    if let Some(fill) = fill {
        let flat = flat(schema, var, order);
        return read_flat(&mut scan, &flat, &fill, sink).map(Some);
    }
    nested::read(&mut scan, schema, list, Some(sink))?;
    Ok(None)
}

/// Returns the lengths of unlimited dimensions that a list requires. Also checks the values.
///
/// # Errors
/// Like [`read`].
pub fn lengths(
    list: &ValueList<'_>,
    schema: &Schema,
    problems: &mut Problems,
) -> Result<Vec<(DimId, u64)>> {
    variable(list, schema)?;
    let mut scan = Scan::new(SourceWindow::new(list.source, list.bytes.clone()), problems);
    nested::read(&mut scan, schema, list, None)
}

fn variable<'s>(list: &ValueList<'_>, schema: &'s Schema) -> Result<&'s Variable> {
    let var = schema.var(list.var);
    var.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))
}

/// Returns whether lists of this variable are flat and the elements have a fixed size. For all other variables, call [`lengths`] first.
#[must_use]
pub fn is_flat(schema: &Schema, var: &Variable) -> bool {
    let inner = var.dims.iter().skip(1);
    let open = inner
        .filter_map(|&id| schema.dim(id))
        .any(|dim| dim.unlimited);
    let fixed = var.ty.atomic().is_some_and(|ty| ty.size().is_some());
    fixed && !open
}

/// Reads the value list of an attribute.
///
/// # Errors
/// Returns errors of the source, and [`ErrorKind::NotFound`] for a type outside the schema.
pub(in crate::cdl) fn read_values(
    source: &dyn Source,
    bytes: Range<u64>,
    schema: &Schema,
    ty: DataType,
    problems: &mut Problems,
) -> Result<Values> {
    let unknown = || Error::new(ErrorKind::NotFound, "no such type");
    let fill = build::fill(schema, ty).ok_or_else(unknown)?;
    let mut values = schema.empty_values(ty).ok_or_else(unknown)?;
    let mut scan = Scan::new(SourceWindow::new(source, bytes), problems);
    let mut tree = ElementTree::new(&mut scan, schema);
    match tree.items(Until::End, |tree, _| tree.element(ty, &fill, &mut values)) {
        Ok(_) | Err(ListStop::Syntax) => Ok(values),
        Err(ListStop::Failed(error)) => Err(error),
    }
}

/// Returns a variable as one run of elements; only the first dimension may be unlimited.
fn flat(schema: &Schema, var: &Variable, order: Endianness) -> Flat {
    let dims: Vec<_> = var.dims.iter().filter_map(|&d| schema.dim(d)).collect();
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

/// Calls the reader for the type of the fill value.
fn read_flat(
    scan: &mut Scan<'_>,
    flat: &Flat,
    fill: &Values,
    sink: &mut dyn ValueSink,
) -> Result<u64> {
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
        // These types are never flat: their size varies, or they are not atomic.
        Values::String(_) | Values::Enum(..) | Values::Opaque { .. } => Ok(0),
        Values::Vlen(..) | Values::Compound { .. } => Ok(0),
    }
}
