//! Variable sizes and offsets in a classic file ("Notes on Computing File Offsets").

use crate::arithmetic::exact;
use crate::chunk::layout::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::model::region::product;
use crate::model::{Atomic, Endianness, Kind, Schema, StoredElement, Variable};

/// The location of a variable's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VariablePlace {
    /// Element type.
    pub ty: Atomic,
    /// Byte offset of the first element in the file.
    pub begin: u64,
    /// Bytes of the whole variable or of one record, without padding.
    pub slab: u64,
    /// Whether the first dimension is the record dimension.
    pub record: bool,
}

impl VariablePlace {
    /// Returns the stored form of an element.
    #[must_use]
    pub(crate) fn element(&self) -> StoredElement {
        StoredElement {
            ty: self.ty.into(),
            size: self.ty.size().unwrap_or(1) as u64,
            order: Endianness::Big,
            plain: true,
        }
    }

    /// Returns the layout of a variable of this shape. If `apart` is set, each record is a chunk; otherwise all elements are contiguous.
    #[must_use]
    pub(crate) fn layout(&self, extent: Vec<u64>, apart: bool) -> Layout {
        let mut chunk = extent.clone();
        if apart {
            chunk.iter_mut().take(1).for_each(|n| *n = 1);
        }
        Layout {
            extent,
            chunk,
            element: self.element(),
            filters: vec![],
            fill: None,
            quantize: None,
        }
    }
}

/// The locations of all variables, and the common record size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VariablePlaces {
    /// One location per variable.
    pub vars: Vec<VariablePlace>,
    /// Bytes from one record to the next.
    pub record_size: u64,
    /// Byte offset of the first record.
    pub records_at: u64,
}

impl VariablePlaces {
    /// Checks whether a variable is the only record variable. A single record variable has no padding.
    #[must_use]
    pub(crate) fn is_single_record(&self, place: &VariablePlace) -> bool {
        place.record && self.record_size == place.slab
    }

    /// Returns the offset of the last record, or of the last variable without records, in bytes; `None` without data.
    ///
    /// # Errors
    /// Returns an error beyond 2^64 bytes.
    pub(super) fn last_part(&self, records: u64) -> Result<Option<u64>> {
        let last_record = records.checked_sub(1).filter(|_| self.record_size > 0);
        if let Some(last) = last_record {
            return (exact(last) * self.record_size + self.records_at)
                .get()
                .map(Some);
        }
        let fixed = self.vars.iter().filter(|place| !place.record);
        Ok(fixed.map(|place| place.begin).max())
    }

    /// Returns the end of all data with this number of records, in bytes.
    ///
    /// # Errors
    /// Returns an error beyond 2^64 bytes.
    pub(crate) fn end(&self, records: u64) -> Result<u64> {
        let mut end = 0;
        for place in &self.vars {
            let last = match (place.record, records.checked_sub(1)) {
                (true, None) => continue,
                (true, Some(n)) => exact(n) * self.record_size,
                (false, _) => exact(0u64),
            };
            let slab = match self.is_single_record(place) {
                true => place.slab,
                false => padded(place.slab)?,
            };
            end = end.max((last + place.begin + slab).get()?);
        }
        Ok(end)
    }
}

/// Checks that files of a kind can have this number of records.
///
/// # Errors
/// Returns [`ErrorKind::DimSize`] for too many records.
pub(super) fn check_records(kind: Kind, records: u64) -> Result<()> {
    let limit = match kind {
        Kind::CLASSIC | Kind::OFFSET64 => u32::MAX.into(),
        _ => i64::MAX.unsigned_abs(),
    };
    if records < limit {
        return Ok(());
    }
    let what = format!(
        "{records} records, but {} files hold fewer than {limit}",
        kind.name()
    );
    Err(Error::new(ErrorKind::DimSize, what))
}

/// Rounds `n` up to a multiple of four.
///
/// # Errors
/// Returns [`ErrorKind::VarSize`] beyond 2^64.
pub(crate) fn padded(n: u64) -> Result<u64> {
    n.checked_next_multiple_of(4).ok_or_else(too_large)
}

fn too_large() -> Error {
    Error::new(
        ErrorKind::VarSize,
        "one or more variable sizes violate format constraints",
    )
}

/// Returns the variable type, and the size in bytes of the variable or of one record, without padding.
///
/// # Errors
/// Returns [`ErrorKind::VarSize`] beyond 2^64 bytes, or [`ErrorKind::BadType`] for netCDF-4 types.
pub(crate) fn slab(schema: &Schema, var: &Variable) -> Result<(Atomic, u64)> {
    let ty = var.ty.atomic().and_then(|t| Some((t, t.size()?)));
    let (ty, size) = ty.ok_or_else(|| Error::new(ErrorKind::BadType, "not a classic type"))?;
    let skip = usize::from(schema.is_record(var));
    let dims = var
        .dims
        .iter()
        .skip(skip)
        .map(|&d| schema.dim(d).map_or(0, |d| d.len));
    let lengths: Vec<u64> = dims.collect();
    let bytes = product(&lengths).and_then(|n| n.checked_mul(size as u64));
    Ok((ty, bytes.ok_or_else(too_large)?))
}

/// Returns the record size in bytes: the sum of the padded sizes of all record variables. A single record variable
/// is not padded ("Note on padding").
///
/// # Errors
/// Returns [`ErrorKind::VarSize`] beyond 2^64.
pub(crate) fn record_size(places: &[VariablePlace]) -> Result<u64> {
    let slabs: Vec<u64> = places.iter().filter(|p| p.record).map(|p| p.slab).collect();
    match slabs.as_slice() {
        [only] => Ok(*only),
        all => all.iter().try_fold(0u64, |sum, &n| {
            sum.checked_add(padded(n)?).ok_or_else(too_large)
        }),
    }
}

/// Lays out the variables of a new file after a header of `header` bytes: fixed-size variables, then one record of each record variable, in
/// definition order.
///
/// # Errors
/// Returns [`ErrorKind::VarSize`], with the variable path, if a variable exceeds the limits of the kind.
pub(crate) fn lay_out(schema: &Schema, header: u64) -> Result<VariablePlaces> {
    let mut vars = Vec::with_capacity(schema.vars.len());
    for (id, var) in schema.var_ids().zip(&schema.vars) {
        let named = |e: Error| e.in_object(&schema.var_path(id));
        let (ty, slab) = slab(schema, var).map_err(named)?;
        vars.push(VariablePlace {
            ty,
            begin: 0,
            slab,
            record: schema.is_record(var),
        });
    }
    check_sizes(schema, &vars)?;
    let offset_limit = if schema.kind == Kind::CLASSIC {
        i32::MAX.unsigned_abs().into()
    } else {
        i64::MAX.unsigned_abs()
    };
    let mut at = header;
    let mut records_at = header;
    for record in [false, true] {
        if record {
            records_at = at;
        }
        for (id, place) in schema
            .var_ids()
            .zip(&mut vars)
            .filter(|(_, p)| p.record == record)
        {
            if at > offset_limit {
                return Err(beyond_offsets(schema.kind).in_object(&schema.var_path(id)));
            }
            place.begin = at;
            at = at.checked_add(padded(place.slab)?).ok_or_else(too_large)?;
        }
    }
    Ok(VariablePlaces {
        record_size: record_size(&vars)?,
        vars,
        records_at,
    })
}

fn beyond_offsets(kind: Kind) -> Error {
    let what = format!(
        "the variable would start beyond the largest offset of {} files",
        kind.name()
    );
    Error::new(ErrorKind::VarSize, what).with_remedy("use -k 64-bit-offset or -k cdf5")
}

/// Checks the size limits of the kind. In CDF-1 and CDF-2, the last variable may exceed the limit: the last fixed-size variable of a file
/// without record variables, or the last record variable.
fn check_sizes(schema: &Schema, vars: &[VariablePlace]) -> Result<()> {
    let limit = match schema.kind {
        Kind::CLASSIC => i32::MAX.unsigned_abs().into(),
        Kind::OFFSET64 => u32::MAX.into(),
        _ => i64::MAX.unsigned_abs(),
    } - 3;
    let records = vars.iter().any(|p| p.record);
    for (n, (id, place)) in schema.var_ids().zip(vars).enumerate() {
        if place.slab <= limit {
            continue;
        }
        let mut behind = vars.iter().skip(n + 1);
        let last = behind.all(|p| p.record != place.record) && (place.record || !records);
        if schema.kind == Kind::CDF5 || !last {
            let what = format!(
                "the variable has {} bytes{}, {} files allow {limit} (except for the last variable)",
                place.slab,
                if place.record { " per record" } else { "" },
                schema.kind.name()
            );
            let e = Error::new(ErrorKind::VarSize, what).in_object(&schema.var_path(id));
            return Err(e.with_remedy("use -k cdf5"));
        }
    }
    Ok(())
}

/// Returns the `vsize` field: the padded size, or 2^32-1 if the size does not fit into 32 bits ("Note on vsize").
///
/// # Errors
/// Returns [`ErrorKind::VarSize`] beyond 2^64.
pub(crate) fn vsize(kind: Kind, slab: u64) -> Result<u64> {
    let size = padded(slab)?;
    let wide = kind == Kind::CDF5;
    Ok(if wide || size <= u64::from(u32::MAX) {
        size
    } else {
        u64::from(u32::MAX)
    })
}
