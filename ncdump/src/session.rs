//! Opening of datasets, and output.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use netcdf_core::chunk::view::SubsetReader;
use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::env::{Damage, Env};
use netcdf_core::error::{Error, Result};
use netcdf_core::format;
use netcdf_core::io::locator::{InputAccess, Location};
use netcdf_core::io::references::MissingSource;
use netcdf_core::io::trace::Trace;
use netcdf_core::notes::Notes;
use netcdf_core::tool::Io;
use netcdf_grammar::hyperslab::{self, Hyperslab};
use netcdf_grammar::join::{self, JoinRequest};

use crate::request::{JOINED, ProcessRequest};

/// Returns the environment of a run. `tolerates` permits skipping damaged parts of a dataset.
pub(crate) fn environment(request: &ProcessRequest, tolerates: bool) -> Env {
    let mut env = Env::with_threads(request.threads);
    request.network.apply(&mut env);
    env.filters = request.plugins.filters(&env.cancel);
    env.siblings.outside = request.allow_external;
    if request.strict {
        env.notes = Arc::new(Notes::strict());
    }
    if tolerates {
        env.damage = Damage::tolerated();
    }
    env
}

/// Returns settings for opening datasets.
pub(crate) fn access(request: &ProcessRequest, env: &Env) -> InputAccess {
    InputAccess {
        trace: Trace::from_environment(request.trace),
        allow_external: request.allow_external,
        limits: env.limits.clone(),
        notes: Arc::clone(&env.notes),
        network: Arc::clone(&env.network),
        siblings: env.siblings.clone(),
        missing: match request.fill_missing {
            true => MissingSource::Skip,
            false => MissingSource::Error,
        },
        ..InputAccess::default()
    }
}

/// Opens a dataset, or several inputs as one dataset. Also returns its name for messages.
///
/// # Errors
/// Returns errors of opening, with the name of the dataset.
pub(crate) fn open<'e>(
    (path, join): (&Path, Option<&JoinRequest>),
    process: &ProcessRequest,
    env: &'e Env,
    io: &mut Io,
) -> Result<(Box<dyn Reader + 'e>, Arc<str>)> {
    let access = access(process, env);
    if let Some(join) = join {
        let joined = join::open(join, access, &mut *io.stdin, env)?;
        return Ok((Box::new(joined.reader), JOINED.into()));
    }
    let input = access.input(&Location::new(path)?, &mut *io.stdin)?;
    let resource = Arc::clone(input.name());
    let reader = format::open(input, env).map_err(|e| e.of(&resource))?;
    Ok((reader, resource))
}

/// Returns the selected part of a dataset, or `None` for the whole dataset. `cache` holds the read data.
pub(crate) fn part<'a>(
    parts: &[Hyperslab],
    set: Dataset<'a>,
    cache: &'a ReadCache,
) -> Result<Option<SubsetReader<'a>>> {
    if parts.is_empty() {
        return Ok(None);
    }
    let view = hyperslab::view(set, cache, parts)?;
    Ok(Some(view.with_fitting_chunks()))
}

/// Prints a text.
///
/// # Errors
/// Returns I/O errors of standard output.
pub(crate) fn say(io: &mut Io, text: &str) -> Result<()> {
    write(&mut *io.stdout, text.as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// Returns I/O errors.
pub(crate) fn write(out: &mut dyn Write, text: &[u8]) -> Result<()> {
    let written = out.write_all(text).and_then(|()| out.flush());
    written.map_err(|e| Error::io("cannot write", "(stdout)", e))
}
