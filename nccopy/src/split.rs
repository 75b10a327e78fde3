//! The copies of a divided input (`--split`).

use std::path::{Path, PathBuf};

use netcdf_core::chunk::{Dataset, ReadCache};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::io::locator::OutputRequest;
use netcdf_core::io::trace::Trace;
use netcdf_core::tool::Io;
use netcdf_grammar::split::{SplitPart, SplitSpec, part_names, parts};

use crate::copies;
use crate::environment::environment;
use crate::inputs::{self, CopyPair, ListedCopies};
use crate::prepare::{self, CopyInput};
use crate::request::CopyRequest;

/// Returns a copy for each part of the input. The output is a pattern of names.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for several inputs without a join, for parts with the same name, and if an output is an input. Returns
/// errors of opening the input.
pub(crate) fn copies(request: &CopyRequest, spec: &SplitSpec, io: &mut Io) -> Result<ListedCopies> {
    let output = request.to().or_internal("an output")?;
    let asked = request.output;
    let pattern = output.to_str().ok_or_else(|| {
        let what = "the output name of --split is not UTF-8";
        Error::new(ErrorKind::Argument, what)
    })?;
    let whole = whole(request, (output, asked), io)?;
    let parts = parts_of(request, (spec, &whole), io)?;
    let names = part_names(pattern, &parts)?;
    let copy = |(part, name): (SplitPart, String)| {
        Ok(CopyPair {
            part: Some(part),
            output: CopyPair::of(&whole.input, Path::new(&name), asked)?.output,
            ..whole.clone()
        })
    };
    let all = parts.into_iter().zip(names).map(copy);
    let all: Vec<CopyPair> = all.collect::<Result<_>>()?;
    inputs::check(&all)?;
    if let Some(join) = &request.files.join {
        inputs::refuse_inputs(join.inputs.listed(&mut *io.stdin)?, &all)?;
        all.iter()
            .try_for_each(|copy| copies::check_new(request, copy))?;
    }
    if all.is_empty() {
        let what = "--split: the input has no parts";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    Ok((all, vec![]))
}

/// Returns the copy of the whole input.
fn whole(
    request: &CopyRequest,
    (output, asked): (&Path, OutputRequest),
    io: &mut Io,
) -> Result<CopyPair> {
    if let Some(join) = &request.files.join {
        return inputs::joined(join.inputs.listed(&mut *io.stdin)?, output, asked);
    }
    match request.files.inputs.as_slice() {
        [one] => CopyPair::of(one, output, asked),
        several => {
            let what = format!("--split: expected one input, found {}", several.len());
            let e = Error::new(ErrorKind::Argument, what);
            Err(e.with_remedy("use --join to divide several inputs as one dataset"))
        }
    }
}

/// Returns the parts of the input.
fn parts_of(
    request: &CopyRequest,
    (spec, whole): (&SplitSpec, &CopyPair),
    io: &mut Io,
) -> Result<Vec<SplitPart>> {
    let standard = PathBuf::from("-");
    if whole.input == standard && request.files.join.is_none() {
        let what = "--split: standard input cannot be divided";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    // Each copy opens the input again, and prints its notes.
    let env = environment(request);
    let access = prepare::access(request, Trace::default(), &env);
    let input = CopyInput::new((request, whole), access, &env, io)?;
    let cache = ReadCache::new(&env);
    let set = Dataset::new(&*input.reader, &env).with(&cache);
    parts(set, spec)
}
