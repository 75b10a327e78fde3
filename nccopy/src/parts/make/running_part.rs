//! Records a part from its beginning to its done-file.

use std::time::Instant;

use netcdf_core::env::Progress;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::Json;

use super::meter::{EVERY, LogMeter};
use crate::parts::plan_directory::PlanDirectory;
use crate::parts::record::DoneRecord;

/// A running part.
pub(super) struct RunningPart<'a> {
    folder: &'a PlanDirectory,
    part: u64,
    start: Instant,
    meter: LogMeter,
}

impl<'a> RunningPart<'a> {
    /// # Errors
    /// Returns log errors.
    pub(super) fn new(folder: &'a PlanDirectory, part: u64, progress: &Progress) -> Result<Self> {
        folder.log(part, "begun", vec![])?;
        Ok(Self {
            folder,
            part,
            start: Instant::now(),
            meter: LogMeter::start(folder, part, progress, EVERY),
        })
    }

    /// Writes the done-file.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] if the part was already written with different contents, and errors of the plan directory.
    pub(super) fn done(self, record: DoneRecord) -> Result<()> {
        drop(self.meter);
        let (folder, part) = (self.folder, self.part);
        let done = DoneRecord {
            seconds: format!("{:.3}", self.start.elapsed().as_secs_f64()),
            ..record
        };
        let first = folder.put_done(part, done.clone())?;
        if first.written != done.written || first.plan != done.plan {
            let what = format!("part {part} was already written with different contents");
            let e = Error::new(ErrorKind::Argument, what).of(&folder.path().to_string_lossy());
            return Err(e.with_remedy("create the plan again, and do not change the input"));
        }
        let sums = vec![
            ("seconds", Json::Number(done.seconds)),
            ("bytes", Json::int(done.written.bytes)),
        ];
        folder.log(part, "done", sums)
    }
}
