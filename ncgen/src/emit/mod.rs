//! Programs that make the dataset: in C, Fortran 77 or Java.
//!
//! The text is read twice: first to find errors in the data and the lengths of unlimited dimensions, so that nothing is printed
//! for a text with errors; then while printing. Memory holds at most one row of a variable.

mod c;
mod f77;
mod java;
mod name;
mod number;
mod out;
mod quote;
mod rows;
mod survey;

use std::collections::HashMap;
use std::path::Path;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format::kind_row;
use netcdf_core::io::Source;
use netcdf_core::model::{Endianness, Kind, Schema, VarId};
use netcdf_grammar::cdl::values::Problems;
use netcdf_grammar::cdl::{Cdl, DataList};
use netcdf_grammar::diagnostic::Reporter;

use crate::cli::{Cli, Language};
use crate::{lists, name as output};
use out::Out;
use rows::{ListRows, PieceWriter, Pieces};

/// Most values of a variable in a program: no compiler takes more.
const VALUES: u64 = 1 << 28;

/// Everything that a program is made from.
struct Program<'a> {
    /// The schema, with the lengths that the data give to unlimited dimensions.
    schema: Schema,
    /// The dataset's name, from which the C tool derives the name of the root group.
    dataset: Vec<u8>,
    /// The file that the program makes.
    file: String,
    /// Name of the main function, program or class.
    main: String,
    /// Whether values that are not numbers, or infinite, occur.
    unusual: bool,
    /// The data lists; none with `-H`.
    lists: HashMap<VarId, &'a DataList>,
    source: &'a dyn Source,
    no_fill: bool,
    header_only: bool,
    /// Most elements that are written at once, if no dimension is unlimited.
    at_once: u64,
    /// Most elements that are written at once, if there is a limit; then text is written by rows, too.
    most: Option<u64>,
    env: &'a Env,
}

/// What is added to the mode of `nc_create` for a kind, without `NC_`.
fn mode(kind: Kind) -> &'static [&'static str] {
    kind_row(kind).map_or(&[], |row| row.mode)
}

/// A text to make a program of.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    /// What was read.
    pub cdl: &'a Cdl,
    /// Where the data is read from.
    pub source: &'a dyn Source,
    /// Limits, memory, cancellation.
    pub env: &'a Env,
}

/// Prints a program. If there is anything wrong with the text, `reporter` receives it and nothing is printed.
///
/// # Errors
/// Errors of the source and of `out`, and a signal.
pub(crate) fn write(
    language: Language,
    cli: &Cli,
    input: Input<'_>,
    reporter: &mut Reporter<'_>,
    out: &mut dyn std::io::Write,
) -> Result<()> {
    let Input { cdl, source, env } = input;
    let mut schema = cdl.schema.clone();
    let mut unusual = survey::attributes(&schema);
    if !cli.header_only {
        unusual |= survey::data(cdl, source, &mut schema, reporter, env)?;
    }
    if reporter.has_errors() {
        return Ok(());
    }
    if !cli.header_only {
        admit(cdl, &schema, language)?;
    }
    let program = Program {
        schema,
        dataset: dataset(cli, cdl),
        file: file(cli, cdl)?,
        main: main_name(cli, language),
        unusual,
        lists: cdl.data.iter().map(|list| (list.var, list)).collect(),
        source,
        no_fill: cli.no_fill,
        header_only: cli.header_only,
        at_once: cli.old.whole.unwrap_or(1024),
        most: (language == Language::Fortran).then_some(f77::MOST),
        env,
    };
    let mut out = Out::new(out);
    match language {
        Language::C => c::write(&program, &mut out)?,
        Language::Fortran => f77::write(&program, &mut out)?,
        Language::Java => java::write(&program, &mut out)?,
        // Not a program.
        Language::Binary => {}
    }
    out.finish()
}

/// Checks that a program can hold the values and the fill after them.
fn admit(cdl: &Cdl, schema: &Schema, language: Language) -> Result<()> {
    for list in &cdl.data {
        let shape = schema.shape(list.var);
        let values = shape.into_iter().fold(1, u64::saturating_mul);
        if values > VALUES {
            let what = format!(
                "{values} values, more than a program in {} can hold ({VALUES})",
                language.name()
            );
            let error = Error::new(ErrorKind::Limit, what).with_remedy("make a dataset with -b");
            return Err(error.in_object(&schema.var_path(list.var)));
        }
    }
    Ok(())
}

fn dataset(cli: &Cli, cdl: &Cdl) -> Vec<u8> {
    match &cli.output.name {
        Some(name) => name.as_encoded_bytes().to_vec(),
        None => cdl.name.clone(),
    }
}

/// The name of the file that the program makes. `-o` may be anything that the program's library can open.
fn file(cli: &Cli, cdl: &Cdl) -> Result<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    match &cli.output.file {
        Some(path) => Ok(text(path)),
        None => Ok(text(&output::output(cli, &cdl.name)?)),
    }
}

fn main_name(cli: &Cli, language: Language) -> String {
    let name = cli.output.main.as_deref().map(|n| n.to_string_lossy());
    match (name.as_deref(), language) {
        (None | Some("main"), Language::Java) => "Main".to_owned(),
        (Some(name), _) => name.to_owned(),
        (None, _) => "main".to_owned(),
    }
}

impl Program<'_> {
    /// The data list of a variable.
    fn list(&self, var: VarId) -> Option<&DataList> {
        self.lists.get(&var).copied()
    }

    /// The number of pieces that [`Program::rows`] makes.
    fn pieces(&self, var: VarId) -> u64 {
        let pieces = self.list(var).and_then(|_| Pieces::new(self, var));
        pieces.map_or(0, |pieces| pieces.count())
    }

    /// Reads a variable's list and passes its values to `to` row by row, with fill values for missing ones. Does nothing if
    /// there is no list.
    fn rows(&self, var: VarId, to: &mut dyn PieceWriter) -> Result<()> {
        let Some((list, mut rows)) = self.list(var).zip(ListRows::new(self, var, to)) else {
            return Ok(());
        };
        let text = lists::text(list, self.source);
        // Everything wrong was reported before.
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
