//! The data section: bands of a variable are converted to text in parallel and written in order.
//!
//! A row runs along the last dimension. Rows are independent: each begins on its own line. Only rows longer than a band get their line
//! breaks later, band by band ([`part`]).

mod cells;
mod numbers;
mod omitted_data;
mod part;
mod rows;
mod text;

use netcdf_core::arithmetic::Exact;
use netcdf_core::chunk::{Dataset, InBands, Layout};
use netcdf_core::error::{Context as _, Result};
use netcdf_core::model::{Atomic, DataType, Region, Values, VarId, Variable};

use super::options::NumberText;
use super::value::CdlText;
use super::variables::push_defined;
use super::{CdlWriter, Floats, cdl_text};
use crate::escape::trim_nuls;
use crate::write::{BAND, BandValues, RowGrid, band_len, band_values};
use cells::OtherValues;
pub(super) use omitted_data::OmittedData;
use omitted_data::{ListProgress, concerns_variable};
use part::{BandText, PendingRow, TextBuffers};
use rows::VariableRows;

/// Elements of a band of characters.
const TEXT_BAND: u64 = 1 << 17;

impl CdlWriter<'_, '_> {
    /// Writes the data of a variable. If the data cannot be read, returns the reason; the list then ends early or is missing.
    pub(super) fn variable_data(&mut self, id: VarId) -> Result<Option<OmittedData>> {
        let before = self.out.text.len();
        let mut progress = ListProgress::default();
        let written = self.set.check_filters(id);
        let Err(why) = written.and_then(|()| self.values(id, &mut progress)) else {
            return Ok(None);
        };
        if progress.sink_failed || !concerns_variable(&why) {
            return Err(why);
        }
        if progress.values == 0 {
            self.out.text.truncate(before);
            self.wrap.end_line();
            return Ok(Some(OmittedData { why, from: None }));
        }
        let from = Some(self.end_early(id, &progress));
        Ok(Some(OmittedData { why, from }))
    }

    /// Writes the data of a variable, and records the written amount in `progress`.
    fn values(&mut self, id: VarId, progress: &mut ListProgress) -> Result<()> {
        let schema = self.schema;
        let Some(var) = schema.var(id) else {
            return Ok(());
        };
        let layout = self.set.layout(id)?;
        let shape = schema.shape(id);
        let rows = self.begin(var, &shape);
        let band = band(&layout, &shape);
        let content = CdlContent::new(self, id, var, layout);
        let out = &mut self.out;
        let mut pending = PendingRow::new(rows.start);
        self.set.bands(
            id,
            InBands::new(Region::whole(&shape), band),
            |band, stored| {
                let text = content.part(&rows, band, stored);
                let text = text.in_object(|| schema.var_path(id))?;
                Ok((Exact::product(&band.count).get()?, text))
            },
            |(values, text)| progress.put(values, || text.put(&mut pending, &rows.spare, out)),
        )?;
        self.wrap.end_line();
        Ok(())
    }

    /// Writes the text before the values.
    fn begin(&mut self, var: &Variable, shape: &[u64]) -> VariableRows {
        let mut name = Vec::new();
        push_defined(&var.name, self.schema.kind, &mut name);
        self.out.bytes(b"\n");
        self.line(b" ");
        self.out.bytes(&name);
        let wrap = self.wrap;
        let start = if shape.len() <= 1 {
            self.out.bytes(b" = ");
            wrap.at(trim_nuls(var.name.as_bytes()).len().saturating_add(4))
        } else {
            self.out.bytes(b" =\n  ");
            wrap.at(2)
        };
        let dims = var.dims.iter().map(|&d| self.schema.dim(d));
        let unlimited = dims.map(|d| d.is_some_and(|d| d.unlimited)).collect();
        VariableRows {
            grid: RowGrid {
                shape: shape.to_vec(),
            },
            unlimited,
            name,
            annotation: self.options.annotation,
            zero_fill: match var.fill_value() {
                Some(Values::Char(fill)) => fill.first().is_none_or(|&c| c == 0),
                Some(_) | None => true,
            },
            start,
            spare: TextBuffers::default(),
        }
    }
}

/// Returns the band size in elements: small, but whole rows unless they are too long.
fn band(layout: &Layout, shape: &[u64]) -> u64 {
    match layout.element.ty == DataType::Atomic(Atomic::Char) {
        true => band_len(TEXT_BAND, shape),
        false => band_len(BAND, shape),
    }
}

/// The values of a variable with the options for writing them.
struct CdlContent<'a> {
    set: &'a Dataset<'a>,
    id: VarId,
    layout: Layout,
    text: CdlText<'a>,
    /// The value written as `_`.
    fill: Option<Values>,
    form: Option<Box<dyn NumberText>>,
}

impl<'a> CdlContent<'a> {
    fn new(writer: &CdlWriter<'a, '_>, id: VarId, var: &Variable, layout: Layout) -> Self {
        let numeric = match var.ty {
            DataType::Atomic(a) => a != Atomic::String,
            DataType::User(_) => false,
        };
        let forms = writer.options.forms.filter(|_| numeric);
        Self {
            set: writer.set,
            id,
            layout,
            text: cdl_text(writer.schema, writer.data),
            fill: fill(var),
            form: forms.and_then(|forms| forms.data(id)),
        }
    }

    /// Returns the text of a band.
    fn part(&self, rows: &VariableRows, band: &Region, stored: Vec<u8>) -> Result<BandText> {
        Ok(
            match band_values(self.set, self.id, &self.layout, stored)? {
                BandValues::Other(values) => {
                    let mut cells = OtherValues::new(&values, self.fill.as_ref(), self.text);
                    rows.part(band, &mut cells)
                }
                BandValues::Atomic(Atomic::Char, stored) if self.form.is_none() => {
                    rows.text_part(band, &stored)
                }
                BandValues::Atomic(ty, stored) => self.numbers(ty, rows, band, &stored),
            },
        )
    }
}

/// Returns the value printed as `_`. `byte` and `ubyte` use all bit patterns, so they have no fill value unless an attribute sets one.
fn fill(var: &Variable) -> Option<Values> {
    let no_default = match var.ty {
        DataType::Atomic(a) => a == Atomic::Byte || a == Atomic::UByte,
        DataType::User(_) => true,
    };
    if no_default
        && var
            .attribute("_FillValue")
            .is_none_or(|a| a.ty != var.ty || a.values.len() != 1)
    {
        return None;
    }
    var.fill_value()
}
