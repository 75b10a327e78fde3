//! `--append` and `--add-variables`: inputs that extend an existing output.

use std::path::{Path, PathBuf};

use netcdf_core::env::Env;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::io::file;
use netcdf_core::io::locator::{InputAccess, Location, OutputRequest};
use netcdf_grammar::join::{InputNames, JoinRequest};

use crate::in_place;
use crate::inputs::{self, CopyPair, JOINED, ListedCopies, OutputRules};
use crate::request::{CopyMode, CopyRequest, FileRequest, Request, StorageRequest};
use crate::unfinished;
use crate::walk::is_folder;

/// Returns the request, with an existing output as the first input if the inputs extend it. A missing output is created by a join.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for an output that cannot be extended.
pub(crate) fn located(request: Request) -> Result<Request> {
    match request {
        Request::Copy(copy) => Ok(Request::Copy(Box::new(of_copy(*copy)?))),
        other @ (Request::Plan(_) | Request::Step(_) | Request::Recover(_)) => Ok(other),
    }
}

fn of_copy(request: CopyRequest) -> Result<CopyRequest> {
    let (Some(join), CopyMode::New { to, .. }) = (&request.files.join, &request.mode) else {
        return Ok(request);
    };
    if !join.extends {
        return Ok(request);
    }
    let (to, join) = (to.clone(), join.clone());
    match is_there(&to)? {
        true => Ok(extended(request, to, join)),
        false => Ok(created(request, join)),
    }
}

/// Returns the request that creates the output: a join of the inputs, or a copy of the only input.
fn created(mut request: CopyRequest, join: JoinRequest) -> CopyRequest {
    let is_one = match join.inputs.named.as_slice() {
        [one] => join.inputs.list.is_none() && one.exists() && !is_folder(one),
        _ => false,
    };
    request.files.join = (!is_one).then_some(JoinRequest {
        extends: false,
        ..join
    });
    request
}

/// Returns the request with an existing output as the first input. The output keeps its kind and storage.
fn extended(request: CopyRequest, to: PathBuf, join: JoinRequest) -> CopyRequest {
    let mut named = vec![to.clone()];
    named.extend(join.inputs.named.iter().cloned());
    let inputs = InputNames::new(named, join.inputs.list.clone());
    CopyRequest {
        mode: CopyMode::Append { to },
        files: FileRequest {
            join: Some(JoinRequest { inputs, ..join }),
            ..request.files
        },
        storage: StorageRequest::default(),
        output: OutputRequest {
            kind: None,
            ..request.output
        },
        ..request
    }
}

/// Returns whether the output exists.
fn is_there(to: &Path) -> Result<bool> {
    let refused = |what: &str| {
        let e = Error::new(ErrorKind::Unsupported, what.to_owned()).of(&to.to_string_lossy());
        Err(e.with_remedy("use --join to write a new dataset"))
    };
    let at = Location::new(to)?;
    if at.is_standard() || at.remote().is_some() {
        return refused("only local files and directories can be extended");
    }
    let local = at.path();
    file::recover(local);
    match local.exists() && is_folder(local) {
        true => refused("a directory, but not a dataset"),
        false => Ok(local.exists()),
    }
}

/// Returns the copy that replaces the output. `all` are the joined inputs, beginning with the output.
///
/// # Errors
/// Returns the errors of [`in_place::copies`] and [`inputs::refuse_inputs`].
pub(crate) fn copies(
    (to, all): (&Path, &[PathBuf]),
    rules: OutputRules<'_>,
) -> Result<ListedCopies> {
    let (copies, notes) = in_place::copies(&[to.to_owned()], rules)?;
    let new = all.get(1..).unwrap_or_default();
    let first = new
        .first()
        .ok_or_else(|| Error::new(ErrorKind::Argument, "no inputs to append"))?;
    let local = Location::new(first)?.path().to_owned();
    let joined = |copy| CopyPair {
        input: JOINED.into(),
        local: local.clone(),
        ..copy
    };
    let copies: Vec<CopyPair> = copies.into_iter().map(joined).collect();
    inputs::refuse_inputs(new, &copies)?;
    Ok((copies, notes))
}

/// Checks that a new file can replace the output without loss.
///
/// # Errors
/// Returns errors of opening the output, and the errors of [`in_place::check`], [`in_place::check_kind`] and [`in_place::check_whole`].
pub(crate) fn check(
    (request, copy): (&CopyRequest, &CopyPair),
    access: &InputAccess,
    env: &Env,
) -> Result<()> {
    let path = &copy.output.path;
    if request.dry_run().is_none() {
        unfinished::end(path, env)?;
    }
    let named = CopyPair {
        input: path.clone(),
        local: path.clone(),
        ..copy.clone()
    };
    let input = access.input(&Location::of_path(path), &mut std::io::empty())?;
    let replaceable = in_place::check(&named, &input);
    let reader = format::open(input, env)?;
    in_place::check_kind(&named, &*reader)?;
    replaceable?;
    in_place::check_whole(&named, &*reader)
}
