//! Variables with their coordinates as comma-separated values (`--csv`).
//!
//! | module | content |
//! |---|---|
//! | `column` | a column: a variable or the indices of a dimension |
//! | `cell` | values as text |

mod cell;
mod column;

use std::io::Write;

use netcdf_core::arithmetic::Amount;
use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::plan::Bands;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::cf::{CfNames, coordinate_variable};
use netcdf_core::model::{Atomic, DataType, DimId, Region, Schema, VarId};
use netcdf_core::runtime::WorkItem;

use crate::forms::DumpForms;
use crate::request::Digits;
use column::CsvColumn;

/// Maximum number of rows in a band.
const ROWS: u64 = 1 << 13;
/// Approximate maximum memory of a band in bytes.
const BAND: u64 = 16 << 20;

/// The form of the values.
#[derive(Clone, Copy)]
pub(crate) struct CellForms<'a> {
    /// Times, and variables with a `C_format`.
    pub(crate) forms: &'a DumpForms<'a>,
    /// Digits of other floating-point values.
    pub(crate) digits: Digits,
}

/// Writes a table: a column for each dimension, auxiliary coordinate and variable, and a row for each element.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for variables with different dimensions, and errors of reading and of writing to `out`.
pub(crate) fn write(
    set: Dataset<'_>,
    vars: &[VarId],
    forms: CellForms<'_>,
    out: &mut dyn Write,
) -> Result<()> {
    let schema = set.reader.schema();
    let dims = common_dims(schema, vars)?;
    let columns = columns(schema, vars, &dims, forms)?;
    let mut put = |text: &[u8]| {
        let written = out.write_all(text);
        written.map_err(|e| Error::io("cannot write", "(stdout)", e))
    };
    put(&head(&columns))?;
    let lengths = dims
        .iter()
        .map(|&dim| schema.dim(dim).map_or(0, |dim| dim.len));
    let whole = Region::whole(&lengths.collect::<Vec<_>>());
    let row = columns.iter().map(CsvColumn::bytes).sum::<Amount>().get();
    let items = Bands::new(whole, &[], band_rows(row)).map(|band| {
        let bytes = Amount::product(&band.count) * row;
        Ok(WorkItem::new(bytes.get(), band))
    });
    let work = |band: Region| rows(set, &columns, &band);
    set.runtime().ordered(items, work, |text| put(&text))?;
    out.flush()
        .map_err(|e| Error::io("cannot write", "(stdout)", e))
}

/// Returns the maximum number of rows in a band. A row takes about `row` bytes of memory.
fn band_rows(row: u64) -> u64 {
    (BAND / row.max(1)).clamp(1, ROWS)
}

/// Returns the dimensions of a variable in a table. Characters along the last dimension are one text.
fn table_dims(schema: &Schema, var: VarId) -> &[DimId] {
    let Some(var) = schema.var(var) else {
        return &[];
    };
    match (var.ty, var.dims.split_last()) {
        (DataType::Atomic(Atomic::Char), Some((_, dims))) => dims,
        (DataType::Atomic(_) | DataType::User(_), _) => &var.dims,
    }
}

/// Returns the common dimensions of all variables.
fn common_dims(schema: &Schema, vars: &[VarId]) -> Result<Vec<DimId>> {
    let [first, others @ ..] = vars else {
        let what = "--csv: -v names no variable";
        return Err(Error::new(ErrorKind::Argument, what));
    };
    let dims = table_dims(schema, *first);
    match others
        .iter()
        .find(|&&other| table_dims(schema, other) != dims)
    {
        None => Ok(dims.to_vec()),
        Some(&other) => {
            let (a, b) = (schema.var_path(*first), schema.var_path(other));
            let what = format!("--csv: {a} and {b} have different dimensions");
            let e = Error::new(ErrorKind::Argument, what);
            Err(e.with_remedy("print two tables"))
        }
    }
}

/// Returns the columns of dimensions, auxiliary coordinates and variables.
fn columns<'a>(
    schema: &'a Schema,
    vars: &[VarId],
    dims: &[DimId],
    forms: CellForms<'a>,
) -> Result<Vec<CsvColumn<'a>>> {
    let is_new = |id: &VarId| !vars.contains(id);
    let mut all = vec![];
    for (n, &dim) in dims.iter().enumerate() {
        let coordinate = coordinate_variable(schema, dim);
        match coordinate {
            Some(id) if is_new(&id) => all.push(CsvColumn::of(schema, id, dims, forms)?),
            // The coordinate variable is already a printed column.
            Some(_) => {}
            None => all.push(CsvColumn::index(
                schema.dim(dim).or_internal("a dimension")?,
                n,
            )),
        }
    }
    for id in auxiliary(schema, vars).into_iter().filter(is_new) {
        let own = table_dims(schema, id);
        if own.iter().all(|dim| dims.contains(dim)) && !all.iter().any(|c| c.var() == Some(id)) {
            all.push(CsvColumn::of(schema, id, dims, forms)?);
        }
    }
    for &id in vars {
        all.push(CsvColumn::of(schema, id, dims, forms)?);
    }
    Ok(all)
}

/// Returns the variables that the attributes `coordinates` name.
fn auxiliary(schema: &Schema, vars: &[VarId]) -> Vec<VarId> {
    let names = CfNames::new(schema);
    let vars = vars.iter().filter_map(|&id| schema.var(id));
    let named = vars.flat_map(|var| names.named(&var.attributes, var.group));
    let named = named.filter(|one| one.attribute == "coordinates");
    named.map(|one| one.var).collect()
}

fn head(columns: &[CsvColumn<'_>]) -> Vec<u8> {
    let names: Vec<_> = columns
        .iter()
        .map(|column| cell::quoted(&column.name))
        .collect();
    format!("{}\n", names.join(",")).into_bytes()
}

/// Returns the rows of a band.
fn rows(set: Dataset<'_>, columns: &[CsvColumn<'_>], band: &Region) -> Result<Vec<u8>> {
    let cells = columns.iter().map(|column| column.cells(set, band));
    let cells: Vec<Vec<String>> = cells.collect::<Result<_>>()?;
    let mut index = vec![0u64; band.count.len()];
    let mut out = vec![];
    for _ in 0..Amount::product(&band.count).get() {
        for (n, (column, cells)) in columns.iter().zip(&cells).enumerate() {
            if n > 0 {
                out.push(b',');
            }
            let cell = cells.get(column.place(&index, &band.count));
            out.extend_from_slice(cell.or_internal("a cell")?.as_bytes());
        }
        out.push(b'\n');
        advance(&mut index, &band.count);
    }
    Ok(out)
}

/// Advances an index to the next element.
fn advance(index: &mut [u64], shape: &[u64]) {
    for (i, &len) in index.iter_mut().zip(shape).rev() {
        *i = i.saturating_add(1);
        if *i < len {
            return;
        }
        *i = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_of_long_texts_have_few_rows() {
        assert_eq!([64, 20_000, 1 << 40].map(band_rows), [ROWS, 838, 1]);
    }
}
