//! Programs that create the dataset: in C, Fortran 77 or Java.
//!
//! The text is read twice. The first pass finds data errors and the lengths of unlimited dimensions, so that a text with errors produces no
//! output. The second pass prints the program. Memory contains at most one row of a variable.

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

/// Maximum values of a variable in a program: no compiler accepts more.
const VALUES: u64 = 1 << 28;

/// The input of a program.
#[derive(Clone, Copy)]
pub(crate) struct ProgramInput<'a> {
    /// The parsed text.
    pub cdl: &'a CdlDataset,
    /// The source of the data.
    pub source: &'a dyn Source,
    /// Limits, memory, cancellation.
    pub env: &'a Env,
}

/// Prints a program. If the text has errors, `reporter` receives them, and the output stays empty.
///
/// # Errors
/// Returns errors of the source and of `out`, and signals.
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

/// Checks that a program can store the values and the fill values after them.
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

/// Returns the name of the file that the program creates. `-o` may be any name that the program's library can open.
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
