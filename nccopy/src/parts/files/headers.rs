//! Reads the headers of many input files for a plan.

use netcdf_core::copy::jobs;
use netcdf_core::copy::parts::{Costs, Division, PartSize, sketch};
use netcdf_core::env::{Env, Progress};
use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::runtime::WorkItem;
use netcdf_core::sum::Digest;
use netcdf_core::tool::{Bar, Idle, Io};

use crate::environment::environment;
use crate::inputs::CopyPair;
use crate::parts::digests::of_input;
use crate::prepare::{self, PreparedCopy, RequestedCopy};
use crate::request::CopyRequest;

/// Approximate memory in bytes for reading a header.
const MEMORY: u64 = 4 << 20;

/// The header facts of an input file.
#[derive(Debug, Clone)]
pub(super) struct Header {
    /// The file state, to detect later changes.
    pub state: Option<String>,
    /// The digest of the metadata.
    pub metadata: Digest,
    /// The estimated costs of the copy.
    pub costs: Costs,
}

/// Reads the headers of all inputs in order, with a progress bar if `shown`. An error stands for a file that cannot be copied according to
/// its header.
///
/// # Errors
/// Returns the first error if no file can be copied, and [`ErrorKind::Cancelled`].
pub(super) fn read(
    request: &CopyRequest,
    copies: &[CopyPair],
    shown: bool,
) -> Result<Vec<Result<Header>>> {
    let env = environment(request);
    let far = copies.iter().any(|copy| copy.remote.is_some());
    let items = copies.iter().map(|copy| Ok(WorkItem::new(MEMORY, copy)));
    let mut headers = Vec::with_capacity(copies.len());
    let work = |copy: &CopyPair| match header(request, copy, &env) {
        Err(e) if e.kind() == ErrorKind::Cancelled => Err(e),
        header => Ok(header),
    };
    let bar = Bar::counting(copies.len(), shown);
    env.runtime
        .for_requests(far)
        .ordered(items, work, |header| {
            headers.push(header);
            bar.begin(headers.len(), Progress::default());
            // Parts report the notes.
            drop(env.notes.take_all());
            Ok(())
        })?;
    drop(bar);
    match headers.iter().any(Result::is_ok) {
        true => Ok(headers),
        false => match headers.into_iter().next() {
            Some(first) => first.map(|_| vec![]),
            None => Ok(vec![]),
        },
    }
}

fn header(request: &CopyRequest, copy: &CopyPair, env: &Env) -> Result<Header> {
    let idle = &Idle::default();
    prepare::with(
        RequestedCopy {
            request,
            copy,
            idle,
        },
        env,
        &mut without_streams(),
        |prepared, _| {
            Ok(Header {
                metadata: of_input(prepared.set.reader.schema()),
                costs: costs(&prepared)?,
                state: prepared.state,
            })
        },
    )
}

/// Estimates the costs of a direct copy.
fn costs(prepared: &PreparedCopy<'_>) -> Result<Costs> {
    let (set, plan) = (prepared.set, &prepared.plan);
    let mut writer = sketch(plan.schema.clone(), prepared.create, set.env)?;
    let jobs = jobs(set, plan, &mut *writer)?;
    let whole = Division::new((set.reader, jobs), &*writer, PartSize::Number(1));
    whole.costs(set, &[], (&*writer, false))
}

/// Plans have no standard streams as inputs.
fn without_streams() -> Io {
    Io {
        stdin: Box::new(std::io::empty()),
        stdout: Box::new(std::io::sink()),
        stderr: Box::new(std::io::sink()),
        terminal: false,
        screen: false,
    }
}
