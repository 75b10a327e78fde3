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
mod program;
mod quote;
mod rows;
mod survey;

use std::path::Path;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::Source;
use netcdf_core::model::Schema;
use netcdf_grammar::cdl::CdlDataset;
use netcdf_grammar::diagnostic::Reporter;

use crate::name as output;
use crate::request::{ProgramLanguage, Request};
use out::ProgramOut;
use program::Program;

/// Most values of a variable in a program: no compiler takes more.
const VALUES: u64 = 1 << 28;

/// A text to make a program of.
#[derive(Clone, Copy)]
pub(crate) struct ProgramInput<'a> {
    /// What was read.
    pub cdl: &'a CdlDataset,
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
    (language, request): (ProgramLanguage, &Request),
    input: ProgramInput<'_>,
    reporter: &mut Reporter<'_>,
    out: &mut dyn std::io::Write,
) -> Result<()> {
    let ProgramInput { cdl, source, env } = input;
    let mut schema = cdl.schema.clone();
    let mut unusual = survey::attributes(&schema);
    if !request.header_only {
        unusual |= survey::data(cdl, source, &mut schema, reporter, env)?;
    }
    if reporter.has_errors() {
        return Ok(());
    }
    if !request.header_only {
        admit(cdl, &schema, language)?;
    }
    let program = Program {
        schema,
        dataset: dataset(request, cdl),
        file: file(request, cdl)?,
        main: main_name(request, language),
        unusual,
        lists: cdl.data.iter().map(|list| (list.var, list)).collect(),
        source,
        no_fill: request.no_fill,
        header_only: request.header_only,
        at_once: request.at_once,
        most: (language == ProgramLanguage::Fortran).then_some(f77::MOST),
        env,
    };
    let mut out = ProgramOut::new(out);
    match language {
        ProgramLanguage::C => c::write(&program, &mut out)?,
        ProgramLanguage::Fortran => f77::write(&program, &mut out)?,
        ProgramLanguage::Java => java::write(&program, &mut out)?,
        // Not a program.
        ProgramLanguage::Binary => {}
    }
    out.finish()
}

/// Checks that a program can hold the values and the fill after them.
fn admit(cdl: &CdlDataset, schema: &Schema, language: ProgramLanguage) -> Result<()> {
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

fn dataset(request: &Request, cdl: &CdlDataset) -> Vec<u8> {
    match &request.names.dataset {
        Some(name) => name.as_encoded_bytes().to_vec(),
        None => cdl.name.clone(),
    }
}

/// The name of the file that the program makes. `-o` may be anything that the program's library can open.
fn file(request: &Request, cdl: &CdlDataset) -> Result<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    match &request.names.file {
        Some(path) => Ok(text(path)),
        None => Ok(text(&output::output(request, &cdl.name)?)),
    }
}

fn main_name(request: &Request, language: ProgramLanguage) -> String {
    let name = request.names.main.as_deref().map(|n| n.to_string_lossy());
    match (name.as_deref(), language) {
        (None | Some("main"), ProgramLanguage::Java) => "Main".to_owned(),
        (Some(name), _) => name.to_owned(),
        (None, _) => "main".to_owned(),
    }
}
