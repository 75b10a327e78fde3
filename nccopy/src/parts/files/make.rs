//! Copies the files of a part.

use std::path::Path;
use std::sync::Arc;

use netcdf_core::arithmetic::Amount;
use netcdf_core::copy;
use netcdf_core::copy::parts::segment::SegmentContent;
use netcdf_core::env::{Env, Progress};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::commit_check::guard;
use netcdf_core::json::Json;
use netcdf_core::shown::ShownAddress;
use netcdf_core::sum::Digest;
use netcdf_core::tool::{self, Bar, Idle, Io};

use super::rows::{self, FileRow};
use crate::input_notes::InputNotes;
use crate::inputs::CopyPair;
use crate::parts::digests::of_input;
use crate::parts::plan_directory::{PlanDirectory, StoredPlan};
use crate::parts::record::FailedFile;
use crate::prepare::{self, RequestedCopy};
use crate::report::json::{self, CopyCounts};
use crate::request::CopyRequest;

/// Copies the files of parts.
#[derive(Clone, Copy)]
pub(crate) struct FileParts<'a> {
    pub request: &'a CopyRequest,
    pub folder: &'a PlanDirectory,
    pub plan: &'a StoredPlan,
}

/// The result of a part.
#[derive(Debug)]
pub(crate) struct MadeFiles {
    /// The number of bytes read, and a digest of the file list.
    pub written: SegmentContent,
    /// The failed files.
    pub failed: Vec<FailedFile>,
    /// A report line per file.
    pub lines: Vec<Json>,
}

impl FileParts<'_> {
    /// Copies the files of a part.
    ///
    /// # Errors
    /// Returns errors that another attempt may not have, and [`ErrorKind::Cancelled`].
    pub(crate) fn make(&self, part: u64, env: &mut Env, io: &mut Io) -> Result<MadeFiles> {
        let files = rows::read(self.folder.path(), part)?;
        let digest = Digest::of_bytes(format!("{files:?}").as_bytes());
        let inputs = files.iter().map(|file| file.input.clone().into());
        let bar = Bar::over(inputs.collect(), io.terminal && !self.request.process.quiet);
        let idle = Idle::default();
        tool::catch_signals(&env.cancel, &idle, &bar.line())?;
        let (mut failed, mut lines) = (vec![], vec![]);
        let mut input_notes = InputNotes::of(files.len());
        for (place, file) in files.iter().enumerate() {
            env.progress = Progress::default();
            bar.begin(place, env.progress.clone());
            let copied = self.copied(file, &idle, (env, io));
            let notes = env.notes.take_all();
            if !self.request.process.quiet {
                bar.line()
                    .aside(|| input_notes.print(&notes, Path::new(&file.input), io));
            }
            let shown = |path: &str| ShownAddress::new(path).into_text();
            let names = (shown(&file.input), shown(&file.output));
            match copied {
                Ok(counted) => lines.push(json::of_part(names, counted, &notes)),
                Err(e) if self.may_pass(&e, file) => return Err(e),
                Err(e) => {
                    lines.push(json::of_failed(names, &e.to_string()));
                    failed.push(FailedFile {
                        input: shown(&file.input),
                        error: e.to_string(),
                    });
                }
            }
        }
        drop(bar);
        input_notes.print_repeated(io);
        let bytes = files.iter().map(|file| Amount::of(file.bytes));
        let bytes = bytes.sum::<Amount>().get();
        Ok(MadeFiles {
            written: SegmentContent { bytes, digest },
            failed,
            lines,
        })
    }

    /// Checks whether another attempt may succeed after this error.
    fn may_pass(&self, e: &Error, file: &FileRow) -> bool {
        let input = self.plan.record.located(Path::new(&file.input));
        let gone = !file.input.contains("://") && !input.exists();
        matches!(e.kind(), ErrorKind::Cancelled | ErrorKind::Busy)
            || (e.kind() == ErrorKind::Io && !gone)
    }

    /// Copies a file. Stored bytes of remote inputs are not counted: the count needs more requests.
    fn copied(
        &self,
        file: &FileRow,
        idle: &Idle,
        (env, io): (&mut Env, &mut Io),
    ) -> Result<CopyCounts> {
        let request = self.request;
        let located = |path: &str| self.plan.record.located(Path::new(path));
        let (input, output) = (located(&file.input), located(&file.output));
        let copy = CopyPair::of(&input, &output, request.output)?;
        if let Some(folder) = output.parent().filter(|_| copy.output.remote.is_none()) {
            let failed = |e| Error::io("cannot create", &folder.to_string_lossy(), e);
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        env.scratch = copy.output.scratch();
        env.siblings.outputs.add(&copy.output.path);
        let asked = RequestedCopy {
            request,
            copy: &copy,
            idle,
        };
        prepare::with(asked, env, io, |mut prepared, _| {
            let other = file.state.is_some() && prepared.state != file.state;
            let metadata = of_input(prepared.set.reader.schema());
            if other || file.metadata.is_some_and(|planned| planned != metadata) {
                let what = "the file has changed since the plan was made";
                return Err(Error::new(ErrorKind::Changed, what));
            }
            prepared.size_strings()?;
            let (reads, time) = (Arc::clone(&prepared.reads), self.plan.record.time);
            let target = prepared.target(request, &copy)?;
            let target = guard(target, Box::new(move || reads.check(time)));
            let counted = !prepared.set.reader.bytes().latency();
            prepared.counts = counted;
            let report = prepared.written(request, (&copy, target), copy::run)?;
            Ok(CopyCounts {
                report: report.unwrap_or_default(),
                before: counted,
            })
        })
    }
}
