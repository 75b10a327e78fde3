//! Variable data: scalars in the program itself, each data block in a subroutine.

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Schema, Values, VarId};

use super::super::program::Program;
use super::super::quote;
use super::super::rows::PieceWriter;
use super::lines::{Lines, call, line};
use super::names::FortranNames;
use super::{atomic, values};

/// Writes the scalars.
pub(super) fn scalars(
    program: &Program<'_>,
    names: &FortranNames,
    out: &mut Lines<'_, '_>,
) -> Result<()> {
    if program.schema.vars.is_empty() {
        return Ok(());
    }
    out.comment("assign scalar and fixed dimension variable data")?;
    for (id, name) in program.schema.var_ids().zip(&names.vars) {
        if program.schema.shape(id).is_empty() {
            let (schema, unusual) = (&program.schema, false);
            let mut piece = StatementWriter::new((schema, id, name), unusual, &mut *out);
            program.rows(id, &mut piece)?;
        }
    }
    out.blank()
}

/// Returns variables with dimensions, and the numbers of their first subroutines.
fn arrays<'a>(
    program: &'a Program<'_>,
    names: &'a FortranNames,
) -> impl Iterator<Item = (VarId, &'a str, std::ops::Range<u64>)> {
    let mut next = 0u64;
    let ids = program.schema.var_ids().zip(&names.vars);
    ids.filter(|(id, _)| !program.schema.shape(*id).is_empty())
        .map(move |(id, name)| {
            let first = next;
            next = next.saturating_add(program.pieces(id));
            (id, name.as_str(), first..next)
        })
}

/// Writes the calls of the subroutines.
pub(super) fn calls(
    program: &Program<'_>,
    names: &FortranNames,
    out: &mut Lines<'_, '_>,
) -> Result<()> {
    if program.schema.vars.is_empty() {
        return Ok(());
    }
    out.comment("perform variable data writes")?;
    for (_, name, numbers) in arrays(program, names) {
        for number in numbers {
            line!(out, "call write_{name}_{number}(ncid,{name}_id)")?;
        }
    }
    Ok(())
}

/// Writes the subroutines.
pub(super) fn subroutines(
    program: &Program<'_>,
    names: &FortranNames,
    out: &mut Lines<'_, '_>,
) -> Result<()> {
    for (id, name, numbers) in arrays(program, names) {
        let schema = &program.schema;
        let mut piece = StatementWriter::new((schema, id, name), program.unusual, &mut *out);
        piece.number = numbers.start;
        program.rows(id, &mut piece)?;
    }
    out.blank()
}

/// Prints a statement or a subroutine for each block.
struct StatementWriter<'a, 'l, 'o> {
    out: &'a mut Lines<'l, 'o>,
    name: &'a str,
    ty: Atomic,
    rank: usize,
    /// Whether `zero` is needed.
    unusual: bool,
    /// The number of the next subroutine.
    number: u64,
    /// The number of values in the block so far.
    count: u64,
    text: Vec<u8>,
}

impl<'a, 'l, 'o> StatementWriter<'a, 'l, 'o> {
    fn new(
        (schema, id, name): (&Schema, VarId, &'a str),
        unusual: bool,
        out: &'a mut Lines<'l, 'o>,
    ) -> Self {
        let ty = schema.var(id).map_or(Atomic::Char, atomic);
        Self {
            out,
            name,
            ty,
            rank: schema.shape(id).len(),
            unusual: unusual && matches!(ty, Atomic::Float | Atomic::Double),
            number: 0,
            count: 0,
            text: vec![],
        }
    }

    /// Writes the head of a subroutine.
    fn head(&mut self, start: &[u64], count: &[u64]) -> Result<()> {
        let (name, rank, number) = (self.name, self.rank, self.number);
        self.number += 1;
        self.out.blank()?;
        line!(self.out, "subroutine write_{name}_{number}(ncid,{name}_id)")?;
        line!(self.out, "integer ncid")?;
        line!(self.out, "integer {name}_id")?;
        line!(self.out, "include 'netcdf.inc'")?;
        line!(self.out, "integer stat")?;
        self.out.blank()?;
        line!(self.out, "integer {name}_start({rank})")?;
        line!(self.out, "integer {name}_count({rank})")?;
        if self.ty != Atomic::Char {
            let total = count.iter().copied().fold(1, u64::saturating_mul);
            line!(self.out, "{} {name}({total})", values::declared(self.ty))?;
        }
        if self.unusual {
            line!(self.out, "double precision zero")?;
            line!(self.out, "zero = 0")?;
        }
        // Fortran's first dimension varies fastest, and indices start at 1.
        for (at, start) in start.iter().rev().enumerate() {
            line!(self.out, "{name}_start({}) = {}", at + 1, start + 1)?;
        }
        for (at, count) in count.iter().rev().enumerate() {
            line!(self.out, "{name}_count({}) = {count}", at + 1)?;
        }
        Ok(())
    }
}

impl PieceWriter for StatementWriter<'_, '_, '_> {
    fn begin(&mut self, start: &[u64], count: &[u64]) -> Result<()> {
        self.count = 0;
        self.text.clear();
        if self.rank == 0 {
            Ok(())
        } else {
            self.head(start, count)
        }
    }

    fn values(&mut self, values: &Values) -> Result<()> {
        if let Values::Char(text) = values {
            self.text.extend_from_slice(text);
            return Ok(());
        }
        let name = self.name;
        for value in values::expressions(values) {
            self.count += 1;
            if self.rank == 0 {
                line!(self.out, "{name} = {value}")?;
            } else {
                line!(self.out, "{name}({}) = {value}", self.count)?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let (name, suffix) = (self.name, values::suffix(self.ty));
        let values = match self.ty {
            Atomic::Char => quote::fortran(&self.text),
            _ => name.to_owned(),
        };
        if self.rank == 0 {
            call!(self.out, "nf_put_var_{suffix}(ncid, {name}_id, {values})")?;
            return self.out.blank();
        }
        let place = format!("{name}_id, {name}_start, {name}_count");
        call!(self.out, "nf_put_vara_{suffix}(ncid, {place}, {values})")?;
        line!(self.out, "end")
    }
}
