//! The copies of a divided input (`--split`).

use std::path::Path;

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::io::locator::OutputRequest;
use netcdf_core::tool::{self, Io};
use netcdf_grammar::split::{SplitPart, SplitSpec, part_names, parts};

use crate::copies;
use crate::inputs::{self, CopyPair};
use crate::prepare::CopyInput;
use crate::request::CopyRequest;

/// Opens the input, and returns a copy for each part. All copies read the open input. The output is a pattern of names.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for several inputs without a join, for parts with the same name, and if an output is an input. Returns
/// errors of opening the input. Returns notes as errors with `--strict`.
pub(crate) fn copies<'e>(
    (request, spec): (&CopyRequest, &SplitSpec),
    env: &'e Env,
    io: &mut Io,
) -> Result<(CopyInput<'e>, Vec<CopyPair>)> {
    let output = request.to().or_internal("an output")?;
    let pattern = output.to_str().ok_or_else(|| {
        let what = "the output name of --split is not UTF-8";
        Error::new(ErrorKind::Argument, what)
    })?;
    let whole = whole(request, (output, request.output), io)?;
    let input = opened((request, &whole), env, io)?;
    let parts = parts(input.set(env), spec)?;
    let names = part_names(pattern, &parts)?;
    let copy = |(part, name): (SplitPart, String)| {
        let named = CopyPair::of(&whole.input, Path::new(&name), request.output)?;
        Ok(CopyPair {
            part: Some(part),
            output: named.output,
            ..whole.clone()
        })
    };
    let all = parts.into_iter().zip(names).map(copy);
    let all: Vec<CopyPair> = all.collect::<Result<_>>()?;
    check(request, &all, io)?;
    Ok((input, all))
}

/// Checks the outputs of a split.
fn check(request: &CopyRequest, all: &[CopyPair], io: &mut Io) -> Result<()> {
    inputs::check(all)?;
    if let Some(join) = &request.files.join {
        inputs::refuse_inputs(join.inputs.listed(&mut *io.stdin)?, all)?;
        all.iter()
            .try_for_each(|copy| copies::check_new(request, copy))?;
    }
    match all.is_empty() {
        false => Ok(()),
        true => {
            let what = "--split: the input has no parts";
            Err(Error::new(ErrorKind::Argument, what))
        }
    }
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

/// Opens the whole input.
fn opened<'e>(
    (request, whole): (&CopyRequest, &CopyPair),
    env: &'e Env,
    io: &mut Io,
) -> Result<CopyInput<'e>> {
    if whole.input.as_os_str() == "-" && request.files.join.is_none() {
        let what = "--split: standard input cannot be divided";
        return Err(Error::new(ErrorKind::Argument, what));
    }
    let input = CopyInput::new((request, whole), env, io)?;
    if let Err(e) = env.notes.check() {
        tool::tell("nccopy", &env.notes, io);
        return Err(e);
    }
    Ok(input)
}
