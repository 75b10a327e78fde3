//! Splits a variable's values into the blocks that a program writes.

use netcdf_core::chunk::elements;
use netcdf_core::env::Env;
use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, DataType, Endianness, Values, VarId};
use netcdf_grammar::cdl::values::{self, Problems, ValueSink};

use super::program::Program;
use crate::lists;

/// Receives blocks: start and shape of each block, then its values in one or more runs.
pub(super) trait PieceWriter {
    /// Begins a block. `start` and `count` have one number per dimension.
    ///
    /// # Errors
    /// Returns errors of printing.
    fn begin(&mut self, start: &[u64], count: &[u64]) -> Result<()>;

    /// Passes the next values of the block.
    ///
    /// # Errors
    /// Returns errors of printing.
    fn values(&mut self, values: &Values) -> Result<()>;

    /// Ends the block.
    ///
    /// # Errors
    /// Returns errors of printing.
    fn end(&mut self) -> Result<()>;
}

impl Program<'_> {
    /// Returns the number of blocks that [`Program::rows`] makes.
    pub(super) fn pieces(&self, var: VarId) -> u64 {
        let pieces = self.list(var).and_then(|_| RowPieces::new(self, var));
        pieces.map_or(0, |pieces| pieces.count())
    }

    /// Reads a variable's list and passes its values to `to` row by row, with fill values for missing ones. Does nothing without a list.
    pub(super) fn rows(&self, var: VarId, to: &mut dyn PieceWriter) -> Result<()> {
        let Some((list, mut rows)) = self.list(var).zip(ListRows::new(self, var, to)) else {
            return Ok(());
        };
        let text = lists::text(list, self.source);
        // The first pass reported all errors.
        let mut problems = Problems::default();
        let read = lists::read(
            &text,
            &self.schema,
            Endianness::Little,
            &mut problems,
            &mut rows,
        );
        read.map_err(|e| e.in_object(&self.schema.var_path(var)))?;
        rows.finish()
    }
}

/// The division of a variable into blocks. Text and small variables without an unlimited dimension are one block. For other variables, each
/// row of the last dimension is a block.
pub(super) struct RowPieces {
    shape: Vec<u64>,
    /// The elements per row, or all elements.
    row: u64,
    /// The maximum elements of a block.
    most: u64,
    /// The elements of the variable.
    total: u64,
}

impl RowPieces {
    /// Returns `None` for variables without elements.
    pub(super) fn new(program: &Program<'_>, id: VarId) -> Option<Self> {
        let schema = &program.schema;
        let var = schema.var(id)?;
        let shape = schema.shape(id);
        let total = shape.iter().copied().fold(1, u64::saturating_mul);
        let mut dims = var.dims.iter().filter_map(|&id| schema.dim(id));
        let open = dims.any(|dim| dim.unlimited);
        let text = var.ty == DataType::Atomic(Atomic::Char);
        let all = total <= program.at_once && !open;
        let row = if program.most.is_none() && text || all {
            total
        } else {
            shape.last().copied().unwrap_or(1)
        };
        (total > 0).then_some(Self {
            shape,
            row,
            most: program.most.unwrap_or(u64::MAX),
            total,
        })
    }

    /// Returns the number of blocks.
    pub(super) fn count(&self) -> u64 {
        (self.total / self.row).saturating_mul(self.row.div_ceil(self.most))
    }

    /// Returns the elements of the block that contains element `at`.
    fn len(&self, at: u64) -> u64 {
        let within = at % self.row;
        let before = within - within % self.most;
        self.most.min(self.row - before)
    }
}

/// Splits the values of a list into blocks, and adds fill values for missing ones.
pub(super) struct ListRows<'a> {
    env: &'a Env,
    to: &'a mut dyn PieceWriter,
    /// The type of stored bytes.
    atomic: Option<Atomic>,
    fill: Values,
    pieces: RowPieces,
    /// The next element.
    at: u64,
}

impl<'a> ListRows<'a> {
    /// Returns `None` for variables without elements.
    pub(super) fn new(
        program: &Program<'a>,
        id: VarId,
        to: &'a mut dyn PieceWriter,
    ) -> Option<Self> {
        let var = program.schema.var(id)?;
        let fill = var.fill_value();
        Some(Self {
            env: program.env,
            to,
            atomic: var.ty.atomic(),
            fill: fill.or_else(|| values::fill(&program.schema, var.ty))?,
            pieces: RowPieces::new(program, id)?,
            at: 0,
        })
    }

    /// Passes the next values. Values beyond the variable's end are skipped.
    fn put(&mut self, values: &Values) -> Result<()> {
        self.env.cancel.check()?;
        let mut from = 0;
        while from < values.len() && self.at < self.pieces.total {
            let done = self.at % self.pieces.row % self.pieces.most;
            let piece = self.pieces.len(self.at);
            if done == 0 {
                self.begin(piece)?;
            }
            let rest = usize::try_from(piece - done).unwrap_or(usize::MAX);
            let count = rest.min(values.len() - from);
            if count == values.len() {
                self.to.values(values)?;
            } else {
                self.to.values(&values.slice(from..from + count))?;
            }
            from += count;
            self.at += count as u64;
            if count == rest {
                self.to.end()?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, piece: u64) -> Result<()> {
        let mut rest = self.at;
        let mut start: Vec<u64> = vec![];
        let mut count = self.pieces.shape.clone();
        for &len in self.pieces.shape.iter().rev() {
            start.push(rest % len.max(1));
            rest /= len.max(1);
        }
        start.reverse();
        if let (true, Some((last, outer))) = (piece < self.pieces.total, count.split_last_mut()) {
            outer.fill(1);
            *last = piece;
        }
        self.to.begin(&start, &count)
    }

    /// Adds fill values up to `element`.
    fn fill_to(&mut self, element: u64) -> Result<()> {
        let fill = self.fill.clone();
        while self.at < element.min(self.pieces.total) {
            self.put(&fill)?;
        }
        Ok(())
    }

    /// Adds fill values for all elements after the list.
    pub(super) fn finish(mut self) -> Result<()> {
        self.fill_to(self.pieces.total)
    }
}

impl ValueSink for ListRows<'_> {
    fn bytes(&mut self, element: u64, bytes: &[u8]) -> Result<()> {
        let Some(atomic) = self.atomic else {
            return Ok(());
        };
        self.fill_to(element)?;
        self.put(&elements::decode(atomic, Endianness::Little, bytes)?)
    }

    fn values(&mut self, element: u64, values: &Values) -> Result<()> {
        self.fill_to(element)?;
        self.put(values)
    }
}
