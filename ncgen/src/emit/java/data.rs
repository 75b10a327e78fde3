//! Variable data in Java programs.

use netcdf_core::error::Result;
use netcdf_core::model::{Atomic, Values};

use super::super::out::{ProgramOut, put};
use super::super::program::Program;
use super::super::quote;
use super::super::rows::PieceWriter;
use super::{atomic, text, values};

/// Writes all values.
pub(super) fn write(program: &Program<'_>, out: &mut ProgramOut<'_>) -> Result<()> {
    let schema = &program.schema;
    if schema.vars.is_empty() {
        return Ok(());
    }
    put!(out, "\n    /* assign variable data */\n")?;
    for id in schema.var_ids() {
        let Some(var) = schema.var(id) else { continue };
        let mut data = JavaDataWriter {
            out: &mut *out,
            name: text(var.name.as_bytes()),
            ty: atomic(var),
            scalar: var.dims.is_empty(),
            place: (vec![], vec![]),
            some: false,
        };
        program.rows(id, &mut data)?;
    }
    put!(out, "\n")
}

/// Prints one code block per data block.
struct JavaDataWriter<'a, 'o> {
    out: &'a mut ProgramOut<'o>,
    /// The variable's name, quoted.
    name: String,
    ty: Atomic,
    scalar: bool,
    place: (Vec<u64>, Vec<u64>),
    /// Whether the block has values so far.
    some: bool,
}

fn joined(numbers: &[u64]) -> String {
    let numbers: Vec<_> = numbers.iter().map(u64::to_string).collect();
    numbers.join(", ")
}

impl PieceWriter for JavaDataWriter<'_, '_> {
    fn begin(&mut self, start: &[u64], count: &[u64]) -> Result<()> {
        self.place = (start.to_vec(), count.to_vec());
        self.some = false;
        let (ty, class) = (values::type_name(self.ty), values::class_name(self.ty));
        put!(self.out, "\n    {{\n")?;
        match (self.scalar, self.ty) {
            (true, _) => put!(
                self.out,
                "    Array{class}.D0 data = new Array{class}.D0();\n"
            ),
            (false, Atomic::Char) => put!(self.out, "    String contents = "),
            (false, _) => put!(self.out, "    {ty}[] contents = new {ty}[] {{"),
        }
    }

    fn values(&mut self, values: &Values) -> Result<()> {
        let ty = values::type_name(self.ty);
        match (values, self.scalar) {
            (Values::Char(byte), true) => {
                put!(
                    self.out,
                    "    data.set((char){});\n",
                    quote::java(byte, '\'')
                )
            }
            (Values::Char(bytes), false) => {
                let join = if self.some { "\n        + " } else { "" };
                self.some = true;
                put!(self.out, "{join}{}", text(bytes))
            }
            (_, true) => put!(self.out, "    data.set(({ty}){});\n", values::list(values)),
            (_, false) => {
                let comma = if self.some { ", " } else { "" };
                self.some = true;
                put!(self.out, "{comma}{}", values::list(values))
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        let name = &self.name;
        if self.scalar {
            return put!(self.out, "    ncfile.write({name},data);\n    }}\n");
        }
        let (start, count) = (joined(&self.place.0), joined(&self.place.1));
        let class = values::class_name(self.ty);
        let next = match self.ty {
            Atomic::Char => "setCharNext(contents.charAt(count++))".to_owned(),
            _ => format!("set{class}Next(contents[count++])"),
        };
        let end = if self.ty == Atomic::Char { "" } else { "}" };
        put!(self.out, "{end};\n")?;
        put!(
            self.out,
            "    Array{class} data = new Array{class}(new int[]{{{count}}});\n"
        )?;
        put!(
            self.out,
            "    IndexIterator iter = data.getIndexIterator();\n"
        )?;
        put!(
            self.out,
            "    int count = 0;\n    while(iter.hasNext())\n        iter.{next};\n"
        )?;
        put!(self.out, "    int[] origin = new int[]{{{start}}};\n")?;
        put!(self.out, "    ncfile.write({name},origin,data);\n    }}\n")
    }
}
