//! A column: a variable along some dimensions of the table, or the indices of a dimension.

use netcdf_core::arithmetic::Amount;
use netcdf_core::chunk::Dataset;
use netcdf_core::error::{OrInternal as _, Result};
use netcdf_core::model::{
    Atomic, DataType, DimId, Dimension, GroupId, Region, Schema, Values, VarId, Variable,
};
use netcdf_grammar::cdl::write::NumberText;

use super::cell::{CsvCells, quoted};
use super::{CellForms, table_dims};

/// Approximate memory of a cell in bytes, without long text.
const CELL: u64 = 64;
/// Number of copies of a text in memory: the values, the cell and the row.
const COPIES: u64 = 3;

/// A column.
pub(super) struct CsvColumn<'a> {
    /// The name in the first line.
    pub(super) name: String,
    /// The variable and its form; `None` for indices.
    source: Option<ColumnSource<'a>>,
    /// Positions of the column's dimensions among the dimensions of the table.
    dims: Vec<usize>,
}

/// A variable and its form.
struct ColumnSource<'a> {
    id: VarId,
    var: &'a Variable,
    forms: CellForms<'a>,
    number: Option<Box<dyn NumberText>>,
    /// The value of an empty cell.
    fill: Option<Values>,
    /// The characters of a text.
    width: Option<u64>,
}

impl<'a> CsvColumn<'a> {
    /// Returns a column with the indices along dimension `n` of the table.
    pub(super) fn index(dim: &Dimension, n: usize) -> Self {
        Self {
            name: dim.name.to_string(),
            source: None,
            dims: vec![n],
        }
    }

    /// Returns a column for a variable. All dimensions of the variable are in `dims`, the dimensions of the table.
    pub(super) fn of(
        schema: &'a Schema,
        id: VarId,
        dims: &[DimId],
        forms: CellForms<'a>,
    ) -> Result<Self> {
        let var = schema.var(id).or_internal("a variable")?;
        let place = |dim: &DimId| dims.iter().position(|other| other == dim);
        let own: Option<Vec<_>> = table_dims(schema, id).iter().map(place).collect();
        let is_text = var.ty == DataType::Atomic(Atomic::Char);
        let width = var.dims.last().filter(|_| is_text);
        Ok(Self {
            name: match var.group {
                GroupId::ROOT => var.name.to_string(),
                _ => schema.var_path(id),
            },
            dims: own.or_internal("the dimensions of a table")?,
            source: Some(ColumnSource {
                id,
                var,
                forms,
                number: forms.number(id, var),
                fill: var.fill_value(),
                width: width.and_then(|&dim| schema.dim(dim)).map(|dim| dim.len),
            }),
        })
    }

    /// Returns the variable, if the column has one.
    pub(super) fn var(&self) -> Option<VarId> {
        self.source.as_ref().map(|source| source.id)
    }

    /// Returns the approximate memory of a cell in bytes.
    pub(super) fn bytes(&self) -> Amount {
        let width = self.source.as_ref().and_then(|source| source.width);
        Amount::of(width.unwrap_or(0)) * COPIES + CELL
    }

    /// Returns the position of an element's cell among the cells of a band.
    pub(super) fn place(&self, index: &[u64], counts: &[u64]) -> usize {
        let place = self.dims.iter().fold(0u64, |place, &dim| {
            let of = |list: &[u64]| list.get(dim).copied().unwrap_or(0);
            place.saturating_mul(of(counts)).saturating_add(of(index))
        });
        usize::try_from(place).unwrap_or(usize::MAX)
    }

    /// Returns the cells of a band.
    pub(super) fn cells(&self, set: Dataset<'_>, band: &Region) -> Result<Vec<String>> {
        let of = |list: &[u64]| -> Vec<u64> {
            let dims = self.dims.iter();
            dims.filter_map(|&dim| list.get(dim).copied()).collect()
        };
        let (mut start, mut count) = (of(&band.start), of(&band.count));
        let Some(source) = &self.source else {
            let (start, count) = (start.first().copied(), count.first().copied());
            let (start, count) = (start.unwrap_or(0), count.unwrap_or(1));
            let indices = start..start.saturating_add(count);
            return Ok(indices.map(|i| i.to_string()).collect());
        };
        if let Some(width) = source.width {
            start.push(0);
            count.push(width);
        }
        let values = set.read(source.id, &Region::boxed(start, count))?;
        Ok(source.cells(set.reader.schema(), &values))
    }
}

impl ColumnSource<'_> {
    fn cells(&self, schema: &Schema, values: &Values) -> Vec<String> {
        let cells = CsvCells {
            schema,
            digits: self.forms.digits,
            number: self.number.as_deref(),
            fill: self.fill.as_ref().filter(|_| self.has_fill()),
        };
        match (values, self.width) {
            (Values::Char(text), Some(width)) => {
                let width = usize::try_from(width).unwrap_or(usize::MAX).max(1);
                text.chunks(width).map(|row| cells.text(row)).collect()
            }
            (Values::Char(text), None) => text.chunks(1).map(|one| cells.text(one)).collect(),
            (values, _) => cells.all(values).iter().map(|text| quoted(text)).collect(),
        }
    }

    /// Checks whether a value is missing if it equals the fill value. Bytes and user types have no default fill value, as in CDL.
    fn has_fill(&self) -> bool {
        let own = self.var.attribute("_FillValue");
        let own = own.is_some_and(|a| a.ty == self.var.ty && a.values.len() == 1);
        let has_default = match self.var.ty {
            DataType::Atomic(ty) => !matches!(ty, Atomic::Byte | Atomic::UByte),
            DataType::User(_) => false,
        };
        own || has_default
    }
}
