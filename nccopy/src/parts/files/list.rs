//! The files of a plan, and their distribution to parts.

use std::path::Path;

use netcdf_core::arithmetic::Amount;
use netcdf_core::copy::parts::{Costs, PartSize};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file;

use super::headers::{self, Header};
use super::rows::{self, FileRow};
use crate::inputs::{self, CopyPair, OutputRules};
use crate::request::{CopyRequest, PlanRequest};
use crate::walk::is_folder;

/// Returns the copies of a plan of many files, and notes about skipped entries. Returns `None` for a single copy. An input directory
/// stands for its datasets, whose copies have the same relative paths.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for files that a plan cannot copy as a direct run would.
pub(crate) fn listed(request: &CopyRequest) -> Result<Option<inputs::ListedCopies>> {
    let named = &request.files.inputs;
    let output = request.to().unwrap_or(Path::new(""));
    let slash = output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if request.files.join.is_some() {
        return Ok(None);
    }
    if named.len() == 1 && !named.iter().any(|path| is_folder(path)) && !slash {
        return Ok(None);
    }
    let (copies, notes) = inputs::into_directory(named, output, OutputRules::of(request))?;
    copies.iter().try_for_each(refuse_here)?;
    inputs::check(&copies)?;
    Ok(Some((copies, notes)))
}

/// Rejects inputs and outputs that other processes cannot open.
fn refuse_here(copy: &CopyPair) -> Result<()> {
    if copy.input.as_os_str() != "-" && !file::in_place(&copy.output.path) {
        return Ok(());
    }
    let what = "--plan: other processes cannot read or write this: give files, stores or addresses";
    Err(Error::new(ErrorKind::Argument, what).of(&copy.input.to_string_lossy()))
}

/// The lists of a plan.
#[derive(Debug)]
pub(crate) struct PlanLists {
    /// The number of parts.
    pub parts: u64,
    /// The bytes of all files.
    pub bytes: u64,
    /// The estimated costs of all copies.
    pub costs: Costs,
    /// The inputs that cannot be copied according to their headers, each with its error.
    pub refused: Vec<(String, Error)>,
}

/// Reads the headers of all files, with a progress bar if `shown`, and writes the lists of a plan into its directory.
///
/// # Errors
/// Returns errors of the files if none can be copied, and write errors.
pub(crate) fn plan(
    (request, shown): (&PlanRequest, bool),
    copies: &[CopyPair],
) -> Result<PlanLists> {
    let (mut files, mut costs, mut refused) = (vec![], vec![], vec![]);
    for (copy, header) in copies
        .iter()
        .zip(headers::read(&request.copy, copies, shown)?)
    {
        let (header, error) = match header {
            Ok(header) => (Some(header), None),
            Err(e) => (None, Some(e)),
        };
        let row = row(copy, header.as_ref())?;
        refused.extend(error.map(|e| (row.input.clone(), e)));
        costs.push(header.map_or_else(Costs::default, |header| header.costs));
        files.push(row);
    }
    let bytes = files.iter().map(|file| Amount::of(file.bytes));
    let bytes = bytes.sum::<Amount>().get();
    let counts = grouped(&costs, parts(request.size, bytes));
    let (mut left, mut of_left) = (&files[..], &costs[..]);
    let mut groups = Vec::with_capacity(counts.len());
    for count in counts {
        let (group, of_group);
        (group, left) = left.split_at(count);
        (of_group, of_left) = of_left.split_at(count);
        groups.push((group, Costs::of_copies(of_group.iter().copied(), 1.0)));
    }
    rows::write((&request.folder, request.allow_secrets), &groups)?;
    Ok(PlanLists {
        parts: groups.len() as u64,
        bytes,
        costs: Costs::of_copies(costs, groups.len() as f64),
        refused,
    })
}

/// Returns the maximum number of parts for files with this number of bytes.
fn parts(size: PartSize, bytes: u64) -> u64 {
    match size {
        PartSize::Number(parts) => parts.max(1),
        PartSize::Bytes(each) => bytes.div_ceil(each.max(1)).max(1),
    }
}

/// Returns the row of a file with its known header. The size of stores and remote files is the size of their chunks.
fn row(copy: &CopyPair, header: Option<&Header>) -> Result<FileRow> {
    let local = copy.remote.is_none() && copy.local.is_file();
    let size = local.then(|| std::fs::metadata(&copy.local).map(|about| about.len()));
    let stored = header.map_or(0.0, |header| header.costs.read);
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or_else(not_utf8);
    Ok(FileRow {
        input: text(&copy.input)?,
        output: text(&copy.output.path)?,
        state: header.and_then(|header| header.state.clone()),
        metadata: header.map(|header| header.metadata),
        bytes: match size {
            Some(Ok(bytes)) => bytes,
            Some(Err(_)) | None => estimated(stored),
        },
    })
}

fn not_utf8() -> Error {
    Error::new(ErrorKind::Argument, "--plan: paths must be UTF-8")
}

/// Returns the number of consecutive files for each part, so that all parts have about equal costs.
fn grouped(costs: &[Costs], parts: u64) -> Vec<usize> {
    let nanoseconds = |costs: &Costs| estimated(costs.at_once() * 1e9);
    let all = costs.iter().map(|costs| Amount::of(nanoseconds(costs)));
    let each = all.sum::<Amount>().get().div_ceil(parts.max(1)).max(1);
    let mut counts: Vec<usize> = vec![];
    let (mut part, mut before) = (None, Amount::default());
    for file in costs {
        let mine = before.get() / each;
        match (counts.last_mut(), part == Some(mine)) {
            (Some(count), true) => *count += 1,
            (Some(_) | None, _) => counts.push(1),
        }
        part = Some(mine);
        before = before + nanoseconds(file);
    }
    counts
}

/// Rounds an estimate to a whole number.
fn estimated(n: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate, which the cast limits"
    )]
    let whole = n as u64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_equal_cost() {
        let of = |seconds: &[u32], parts| {
            let one = |&seconds: &u32| Costs {
                seconds: f64::from(seconds),
                ..Costs::default()
            };
            grouped(&seconds.iter().map(one).collect::<Vec<_>>(), parts)
        };
        assert_eq!(of(&[50, 50, 50, 50], 2), [2, 2]);
        assert_eq!(of(&[100, 1, 1, 1], 11), [1, 3]);
        assert_eq!(of(&[1, 1, 100, 1, 1], 2), [3, 2]);
        assert_eq!(of(&[], 5), [0; 0]);
        // Files of unknown size have equal costs.
        assert_eq!(of(&[0; 7], 3), [3, 2, 2]);
        assert_eq!(of(&[0; 2], 5), [1, 1]);
        assert_eq!(parts(PartSize::Bytes(10), 21), 3);
        assert_eq!(parts(PartSize::Bytes(0), 0), 1);
    }
}
