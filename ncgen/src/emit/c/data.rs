//! Variable data in C programs.

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, DataType, Schema, TypeKind, Values, VarId, Variable};

use super::super::out::{ProgramOut, put};
use super::super::program::Program;
use super::super::quote;
use super::super::rows::PieceWriter;
use super::call;
use super::names::CNames;
use super::values::ValuePrinter;

/// Maximum bytes of values on the stack. Further values are static.
const STACK: u64 = 1 << 20;

/// Writes all values.
pub(super) fn write(
    program: &Program<'_>,
    names: &CNames,
    printer: &mut ValuePrinter<'_>,
    out: &mut ProgramOut<'_>,
) -> Result<()> {
    let schema = &program.schema;
    if schema.vars.is_empty() {
        return Ok(());
    }
    put!(out, "\n    /* assign variable data */\n")?;
    let mut stack = 0;
    for id in schema.var_ids() {
        let Some(var) = schema.var(id) else { continue };
        let mut data = CDataWriter {
            names,
            var,
            id,
            printer: &mut *printer,
            out: &mut *out,
            size: size(schema, var.ty),
            stack,
            text: String::new(),
            place: (vec![], vec![]),
            some: false,
        };
        program.rows(id, &mut data)?;
        stack = data.stack;
    }
    put!(out, "\n")
}

/// Returns the approximate bytes of a value in C.
fn size(schema: &Schema, ty: DataType) -> u64 {
    const POINTER: u64 = 8;
    let user = |id| match schema.user_type(id).map(|ty| &ty.kind) {
        Some(TypeKind::Compound { size, .. }) => *size,
        Some(_) | None => 2 * POINTER,
    };
    ty.fixed_size(schema).unwrap_or(match ty {
        DataType::Atomic(_) => POINTER,
        DataType::User(id) => user(id),
    })
}

/// Prints one code block per data block.
struct CDataWriter<'a, 'p, 'o> {
    names: &'a CNames,
    var: &'a Variable,
    id: VarId,
    printer: &'a mut ValuePrinter<'p>,
    out: &'a mut ProgramOut<'o>,
    /// Bytes of a value.
    size: u64,
    /// Bytes on the stack so far.
    stack: u64,
    /// Values that are printed after the declaration of their arrays.
    text: String,
    place: (Vec<u64>, Vec<u64>),
    /// Whether the block has values so far.
    some: bool,
}

impl CDataWriter<'_, '_, '_> {
    fn is_text(&self) -> bool {
        self.var.ty == DataType::Atomic(Atomic::Char) && !self.var.dims.is_empty()
    }

    /// Checks whether values may need arrays.
    fn has_arrays(&self) -> bool {
        self.var.ty.atomic().is_none() && self.var.ty.fixed_size(self.printer.schema).is_none()
    }

    /// Writes the text before the values.
    fn head(&mut self) -> Result<()> {
        let (ty, own) = (self.names.ty(self.var.ty), self.names.var(self.id));
        if self.var.dims.is_empty() {
            put!(self.out, "    size_t count = 0;\n")?;
            return put!(self.out, "    static {ty} {own}_data[1] = {{");
        }
        if self.is_text() {
            return put!(self.out, "    char* {own}_data = \"");
        }
        let count = self.place.1.iter().copied().fold(1, u64::saturating_mul);
        self.stack = self.stack.saturating_add(count.saturating_mul(self.size));
        let kept = if self.stack > STACK { "static " } else { "" };
        put!(self.out, "    {kept}{ty} {own}_data[{count}] = {{")
    }

    /// Writes the call for several values.
    fn call(&mut self) -> Result<()> {
        let own = self.names.var(self.id);
        let rank = self.var.dims.len();
        let list = |numbers: &[u64]| {
            let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
            numbers.join(", ")
        };
        let (start, count) = (list(&self.place.0), list(&self.place.1));
        put!(
            self.out,
            "    size_t {own}_startset[{rank}] = {{{start}}} ;\n"
        )?;
        put!(
            self.out,
            "    size_t {own}_countset[{rank}] = {{{count}}};\n"
        )?;
        let group = self.names.group(self.var.group);
        call!(
            self.out,
            "nc_put_vara({group}, {own}_id, {own}_startset, {own}_countset, {own}_data)"
        )
    }
}

impl PieceWriter for CDataWriter<'_, '_, '_> {
    fn begin(&mut self, start: &[u64], count: &[u64]) -> Result<()> {
        self.place = (start.to_vec(), count.to_vec());
        self.some = false;
        put!(self.out, "\n    {{\n")?;
        if !self.is_text() && !self.var.dims.is_empty() {
            // The number includes the list of values.
            self.printer.lists += 1;
        }
        if self.has_arrays() {
            Ok(())
        } else {
            self.head()
        }
    }

    fn values(&mut self, values: &Values) -> Result<()> {
        if let (true, Values::Char(text)) = (self.is_text(), values) {
            return self.out.bytes(&quote::c_bytes(text));
        }
        let list = self.printer.list(values);
        let comma = if self.some { ", " } else { "" };
        self.some = true;
        if !self.has_arrays() {
            return put!(self.out, "{comma}{list}");
        }
        for array in self.printer.arrays.drain(..) {
            put!(self.out, "    {array}\n")?;
        }
        self.text.extend([comma, &list]);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.has_arrays() {
            self.head()?;
            let text = std::mem::take(&mut self.text);
            put!(self.out, "{text}")?;
        }
        if self.var.dims.is_empty() {
            put!(self.out, "}};\n")?;
            let (group, own) = (self.names.group(self.var.group), self.names.var(self.id));
            call!(
                self.out,
                "nc_put_var1({group}, {own}_id, &count, {own}_data)"
            )?;
        } else {
            let end = if self.is_text() { "\"" } else { "}" };
            put!(self.out, "{end} ;\n")?;
            self.call()?;
        }
        put!(self.out, "    }}\n\n")
    }
}
