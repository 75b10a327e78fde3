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
use crate::inputs::CopyPair;
use crate::parts::digests::of_input;
use crate::parts::folder::{PlanDirectory, StoredPlan};
use crate::parts::record::FailedFile;
use crate::ready::{self, RequestedCopy};
use crate::report::json::{self, CopyCounts};
use crate::request::CopyRequest;
use crate::told::Told;

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
    /// Those that may be gone when the part is made again; [`ErrorKind::Cancelled`].
    pub(crate) fn make(&self, part: u64, env: &mut Env, io: &mut Io) -> Result<MadeFiles> {
        let files = rows::read(self.folder.path(), part)?;
        let digest = Digest::of_bytes(format!("{files:?}").as_bytes());
        let inputs = files.iter().map(|file| file.input.clone().into());
        let bar = Bar::over(inputs.collect(), io.terminal && !self.request.process.quiet);
        let idle = Idle::default();
        tool::catch_signals(&env.cancel, &idle, &bar.line())?;
        let (mut failed, mut lines) = (vec![], vec![]);
        let mut told = Told::of(files.len());
        for (place, file) in files.iter().enumerate() {
            env.progress = Progress::default();
            bar.begin(place, env.progress.clone());
            let copied = self.copied(file, &idle, (env, io));
            let notes = env.notes.take_all();
            if !self.request.process.quiet {
                bar.line()
                    .aside(|| told.tell(&notes, Path::new(&file.input), io));
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
        told.rest(io);
        let bytes = files.iter().map(|file| Amount::of(file.bytes));
        let bytes = bytes.sum::<Amount>().get();
        Ok(MadeFiles {
            written: SegmentContent { bytes, digest },
            failed,
            lines,
        })
    }

    /// Whether an error may be gone when the part is made again.
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
        ready::with(asked, env, io, |mut ready, _| {
            let other = file.state.is_some() && ready.state != file.state;
            let metadata = of_input(ready.set.reader.schema());
            if other || file.metadata.is_some_and(|planned| planned != metadata) {
                let what = "the file is another one than when the plan was made";
                return Err(Error::new(ErrorKind::Changed, what));
            }
            ready.size_strings()?;
            let (reads, time) = (Arc::clone(&ready.reads), self.plan.record.time);
            let target = ready.target(request, &copy)?;
            let target = guard(target, Box::new(move || reads.check(time)));
            let counted = !ready.set.reader.bytes().latency();
            ready.counts = counted;
            let report = ready.written(request, (&copy, target), copy::run)?;
            Ok(CopyCounts {
                report: report.unwrap_or_default(),
                before: counted,
            })
        })
    }
}
