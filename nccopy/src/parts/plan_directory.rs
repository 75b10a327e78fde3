//! The plan directory.
//!
//! | path | content |
//! |---|---|
//! | `plan.json` | the data that all parts share ([`PlanRecord`]) |
//! | `segments/K` | the stored data of part K |
//! | `done/K.json` | the done-file of part K, with the content of its segment ([`DoneRecord`]) |
//! | `files.jsonl`, `parts.jsonl` | the files of a plan of many files, and their distribution to parts |
//! | `between` | the intermediate store of two-stage plans ([`netcdf_core::copy::parts::IntermediatePlan`]) |
//! | `done/first` | marker: all parts of the first stage are done |
//! | `leases/K` | end of the lease of part K (`--next`), in seconds since 1970 |
//! | `finishing/N` | the owner and the lease of the right to finish the plan, on file systems without locks ([`super::finish_right`]) |
//! | `finished` | marker: the output is complete |
//! | `planning` | marker: a process is making the plan; removed once `plan.json` exists |
//! | `reports/K.jsonl` | the report lines of part K of a plan of many files |
//! | `log/K.jsonl` | start and end of part K, for each process that ran it |

use std::fs;
use std::io::ErrorKind as Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use netcdf_core::arithmetic::Amount;
use netcdf_core::copy::parts::Segment;
use netcdf_core::error::{Error, ErrorKind, Result, list_names};
use netcdf_core::io::Target;
use netcdf_core::io::dir::shared::{self, PlanMark};
use netcdf_core::io::file::{self, FileLock, FileTarget, LockAttempt, Sharing};
use netcdf_core::json::{Between, Json};
use netcdf_core::sum::Digest;

use super::files::rows;
use super::paths::{source, wrong};
use super::record::{self, DoneRecord, PartWork, PlanRecord, StorePlace};

const PLAN: &str = "plan.json";
const SEGMENTS: &str = "segments";
const DONE: &str = "done";
const LOG: &str = "log";
const LEASES: &str = "leases";
const REPORTS: &str = "reports";
/// The intermediate store of two-stage plans.
pub(super) const BETWEEN: &str = "between";
const FIRST: &str = "first";
const FINISHED: &str = "finished";
/// Marks the directory of a plan under construction.
const PLANNING: &str = "planning";
const SIGNATURE: &[u8] = b"nccopy is making a plan here\n";
const FOLDERS: [&str; 5] = [SEGMENTS, DONE, LOG, LEASES, REPORTS];
/// The claims of processes that finish the plan.
const FINISHING: &str = "finishing";

/// Maximum bytes of a plan.
const LARGEST: u64 = 1 << 30;
/// Maximum bytes of a lease or marker.
const SMALL: u64 = 4096;

/// A plan directory.
#[derive(Debug, Clone)]
pub(super) struct PlanDirectory {
    path: PathBuf,
}

/// A step that accepts a directory without a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectoryStep {
    Plan,
    Clean,
}

/// A plan read from its directory.
#[derive(Debug)]
pub(super) struct StoredPlan {
    pub record: PlanRecord,
    /// BLAKE3 of `plan.json`.
    pub digest: Digest,
}

impl PlanDirectory {
    /// Creates the directory of a plan. `allow_secrets` permits secrets in a plan that other users can read. `fill` writes the other files
    /// and returns the plan, which is written last. Then `begin` creates the store or the claim. After a kill, `plan.json` names both. A
    /// directory with an unfinished plan is emptied first.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for any other directory with entries, [`ErrorKind::Busy`] while another process makes the plan, and
    /// the errors of `fill` and `begin`. After an error, the directory is removed, with the store that `begin` created.
    pub(super) fn create(
        (path, allow_secrets): (&Path, bool),
        fill: impl FnOnce() -> Result<PlanRecord>,
        begin: impl FnOnce(&Self, &StoredPlan) -> Result<()>,
    ) -> Result<PlanRecord> {
        let failed = |e| Error::io("cannot create", &path.to_string_lossy(), e);
        let folder = Self {
            path: path.to_owned(),
        };
        let there = path.is_dir();
        if !there {
            fs::create_dir(path).map_err(failed)?;
        }
        let _lock = folder.begin(there, DirectoryStep::Plan)?;
        let made = match folder.filled(allow_secrets, fill) {
            Ok(Some(plan)) => begin(&folder, &plan).map(|()| plan.record),
            // The directory belongs to the process that wrote the plan.
            Ok(None) => return Err(exists(path)),
            Err(e) => Err(e),
        };
        if made.is_err() {
            // Ignore errors here: the first error is more useful.
            let _ = folder.withdraw();
            if !there {
                let _ = fs::remove_dir(path);
            }
        } else {
            gone(path, fs::remove_file(path.join(PLANNING)))?;
        }
        made
    }

    /// Writes the file that marks the directory of a plan under construction, and locks the file.
    fn begin(&self, there: bool, step: DirectoryStep) -> Result<LockAttempt> {
        let planning = self.path.join(PLANNING);
        file::sweep(&planning);
        if there && !self.is_begun() && !is_empty(&self.path) {
            return Err(exists(&self.path));
        }
        let new = file::put_new(&planning, SIGNATURE)?;
        match FileLock::attempt(&planning, Sharing::Exclusive)? {
            LockAttempt::Busy => Err(self.being_made()),
            // Another process wrote the plan in the meantime.
            _ if !self.is_begun() => Err(exists(&self.path)),
            // Without locks, a running process cannot be detected.
            LockAttempt::Unsupported if !new && step == DirectoryStep::Plan => {
                let remedy = "if no process makes a plan there, remove it: nccopy --clean FOLDER";
                Err(self.being_made().with_remedy(remedy))
            }
            lock @ (LockAttempt::Held(_) | LockAttempt::Unsupported) => {
                self.empty_but(&[PLANNING])?;
                Ok(lock)
            }
        }
    }

    /// Checks that no process makes the plan: `plan.json` may exist before its store.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if a process makes the plan, and [`ErrorKind::Io`].
    pub(super) fn is_made(&self) -> Result<Option<LockAttempt>> {
        match FileLock::attempt(&self.path.join(PLANNING), Sharing::Exclusive) {
            Ok(LockAttempt::Busy) => Err(self.being_made()),
            Ok(lock) => Ok(Some(lock)),
            Err(e) if e.is_missing() => Ok(None),
            Err(e) => Err(e),
        }
    }

    fn being_made(&self) -> Error {
        let what = "another process is making a plan in this directory";
        Error::new(ErrorKind::Busy, what).of(&self.path.to_string_lossy())
    }

    /// Checks whether a process began a plan here without writing `plan.json`.
    fn is_begun(&self) -> bool {
        let planning = file::read_small(&self.path.join(PLANNING), SMALL);
        let plan = self.path.join(PLAN).try_exists();
        planning.is_ok_and(|bytes| bytes == SIGNATURE) && plan.is_ok_and(|there| !there)
    }

    /// Fills the directory. Returns `None` if another process wrote its plan.
    fn filled(
        &self,
        allow_secrets: bool,
        fill: impl FnOnce() -> Result<PlanRecord>,
    ) -> Result<Option<StoredPlan>> {
        let path = &self.path;
        for folder in FOLDERS {
            let made = fs::create_dir(path.join(folder));
            made.map_err(|e| Error::io("cannot create", &path.to_string_lossy(), e))?;
        }
        let record = fill()?;
        let text = record.text()?;
        let readers = record.readers(allow_secrets);
        let put = file::put_with(&path.join(PLAN), text.as_bytes(), readers);
        let put = put.map_err(record::allow_secrets)?;
        Ok(put.then(|| StoredPlan {
            record,
            digest: Digest::of_bytes(text.as_bytes()),
        }))
    }

    /// Removes the incomplete store of a plan, then the plan. If the store cannot be removed, the plan stays: `--clean` needs it.
    fn withdraw(&self) -> Result<()> {
        match self.plan() {
            Err(e) if e.is_missing() => {}
            plan => self.remove_own_store(&plan?)?,
        }
        self.empty()
    }

    /// Removes the store of a plan, if it has the marker.
    fn remove_own_store(&self, plan: &StoredPlan) -> Result<()> {
        let mark = self.mark(plan);
        match plan.record.store() {
            Some(StorePlace::Directory(store)) if mark.is_in(store)? => mark.remove(store),
            Some(StorePlace::Directory(_) | StorePlace::Claimed(_)) | None => Ok(()),
        }
    }

    /// Returns the path of the file that processes lock.
    pub(super) fn lock_path(&self) -> PathBuf {
        self.path.join(PLAN)
    }

    /// Returns the directory with the claims of finishing processes ([`super::finish_right`]).
    pub(super) fn claims(&self) -> PathBuf {
        self.path.join(FINISHING)
    }

    /// Returns the store marker of a plan.
    pub(super) fn mark(&self, plan: &StoredPlan) -> PlanMark {
        PlanMark {
            identity: plan.digest.to_string(),
            lock: self.lock_path(),
        }
    }

    /// Opens the plan directory at a path.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] without a plan, and [`ErrorKind::Corrupt`] if a file, pipe or device replaces a required directory.
    pub(super) fn open(path: &Path) -> Result<Self> {
        if !path.join(PLAN).is_file() {
            let what = format!("not a plan directory: no {PLAN} in it");
            let e = Error::new(ErrorKind::NotFound, what).of(&path.to_string_lossy());
            return Err(
                e.with_remedy("make one: nccopy --plan FOLDER --parts N [OPTIONS] INPUT OUTPUT")
            );
        }
        let folder = Self {
            path: path.to_owned(),
        };
        folder.check_folders()?;
        Ok(folder)
    }

    /// Checks that the subdirectories of the plan are directories.
    fn check_folders(&self) -> Result<()> {
        for name in FOLDERS.into_iter().chain([BETWEEN, FINISHING]) {
            let path = self.path.join(name);
            if path.metadata().is_ok_and(|meta| !meta.is_dir()) {
                let what = "not a directory, but a file, a pipe or a device";
                return Err(Error::new(ErrorKind::Corrupt, what).of(&path.to_string_lossy()));
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the plan.
    ///
    /// # Errors
    /// Returns read errors, and [`ErrorKind::Unsupported`] for a plan of another version.
    pub(super) fn plan(&self) -> Result<StoredPlan> {
        let path = self.path.join(PLAN);
        let bytes = self.bytes(&path)?;
        let record = Json::parse(&bytes).and_then(|json| PlanRecord::from_json(&json));
        Ok(StoredPlan {
            record: record.map_err(|e| e.of(&path.to_string_lossy()))?,
            digest: Digest::of_bytes(&bytes),
        })
    }

    fn bytes(&self, path: &Path) -> Result<Vec<u8>> {
        file::read_small(path, LARGEST)
    }

    fn segment_path(&self, part: u64) -> PathBuf {
        self.path.join(SEGMENTS).join(part.to_string())
    }

    fn done_path(&self, part: u64) -> PathBuf {
        self.path.join(DONE).join(format!("{part}.json"))
    }

    fn log_path(&self, part: u64) -> PathBuf {
        self.path.join(LOG).join(format!("{part}.jsonl"))
    }

    /// Creates the segment target of a part.
    ///
    /// # Errors
    /// Returns errors of creating the file.
    pub(super) fn segment_target(&self, part: u64, sync: bool) -> Result<Box<dyn Target>> {
        Ok(Box::new(FileTarget::create(
            &self.segment_path(part),
            sync,
        )?))
    }

    /// Opens the segment of a part.
    ///
    /// # Errors
    /// Returns errors of opening the file.
    pub(super) fn segment(&self, part: u64) -> Result<Segment> {
        Segment::open(Arc::new(source(&self.segment_path(part))?))
    }

    /// Reads the done-file of a part, if it exists.
    ///
    /// # Errors
    /// Returns read errors.
    pub(super) fn done(&self, part: u64) -> Result<Option<DoneRecord>> {
        let path = self.done_path(part);
        let bytes = match self.bytes(&path) {
            Err(e) if e.is_missing() => return Ok(None),
            bytes => bytes?,
        };
        let record = Json::parse(&bytes).and_then(|json| DoneRecord::from_json(&json));
        record.map(Some).map_err(|e| e.of(&path.to_string_lossy()))
    }

    /// Writes the done-file of a part, unless one exists. Returns the record in the file.
    ///
    /// # Errors
    /// Returns read and write errors.
    pub(super) fn put_done(&self, part: u64, record: DoneRecord) -> Result<DoneRecord> {
        let text = record.text()?;
        match file::put_new(&self.done_path(part), text.as_bytes())? {
            true => Ok(record),
            false => Ok(self.done(part)?.unwrap_or(record)),
        }
    }

    fn report_path(&self, part: u64) -> PathBuf {
        self.path.join(REPORTS).join(format!("{part}.jsonl"))
    }

    /// Writes the report of a part: one line per file.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn put_report(&self, part: u64, lines: &[Json]) -> Result<()> {
        let mut text = String::new();
        for line in lines {
            text += &line.line(Between::CommaBlank)?;
            text.push('\n');
        }
        let mut target = FileTarget::create(&self.report_path(part), false)?;
        target.write_at(0, text.as_bytes())?;
        Box::new(target).commit()
    }

    /// Reads the report of a part.
    ///
    /// # Errors
    /// Returns I/O and JSON errors.
    pub(super) fn reported(&self, part: u64) -> Result<Vec<Json>> {
        let bytes = match self.bytes(&self.report_path(part)) {
            Err(e) if e.is_missing() => vec![],
            bytes => bytes?,
        };
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        lines.map(Json::parse).collect()
    }

    /// Checks whether a part is done, and its segment has the recorded length and digest.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for the done-file of another plan.
    pub(super) fn is_whole(&self, part: u64, plan: &StoredPlan) -> Result<bool> {
        let Some(done) = self.done(part)? else {
            return Ok(false);
        };
        if done.plan != plan.digest {
            return Err(wrong(&self.done_path(part), "of another plan than this"));
        }
        if matches!(plan.record.work, PartWork::Files(_)) || part < plan.record.first_stage() {
            return Ok(true);
        }
        match plan.record.store() {
            // `--finish` checks the chunks.
            Some(StorePlace::Directory(store)) if self.mark(plan).is_in(store)? => Ok(true),
            // Another process finished the plan in the meantime.
            Some(StorePlace::Directory(_)) if self.is_finished(plan)? => Ok(true),
            Some(StorePlace::Directory(store)) => Err(no_store(store)),
            Some(StorePlace::Claimed(_)) => Ok(true),
            None => match self.segment(part) {
                Ok(segment) => Ok(segment.written() == done.written),
                // Another attempt at the part may succeed, unless the system fails.
                Err(e) if e.is_damage() || e.is_missing() => Ok(false),
                Err(e) => Err(e),
            },
        }
    }

    /// Takes the lease of a part at the time `now`, since 1970. Returns false if another process has an unexpired lease.
    ///
    /// # Errors
    /// Returns read and write errors.
    pub(super) fn take_lease(&self, part: u64, now: Duration, lease: Duration) -> Result<bool> {
        let path = self.lease_path(part);
        let until = (Amount::of(now.as_secs()) + lease.as_secs()).get();
        let text = format!("{until}\n");
        if file::put_new(&path, text.as_bytes())? {
            return Ok(true);
        }
        let there = match file::read_small(&path, SMALL) {
            Ok(there) => there,
            // Another process released the lease.
            Err(e) if e.is_missing() => vec![],
            Err(e) => return Err(e),
        };
        let taken = String::from_utf8_lossy(&there)
            .trim()
            .parse::<u64>()
            .is_ok_and(|until| until > now.as_secs());
        if taken {
            return Ok(false);
        }
        self.end_lease(part)?;
        file::put_new(&path, text.as_bytes())
    }

    /// Releases the lease of a part.
    ///
    /// # Errors
    /// Returns errors of removing the lease.
    pub(super) fn end_lease(&self, part: u64) -> Result<()> {
        let path = self.lease_path(part);
        gone(&path, fs::remove_file(&path))
    }

    fn lease_path(&self, part: u64) -> PathBuf {
        self.path.join(LEASES).join(part.to_string())
    }

    /// Returns the directory of the intermediate store.
    pub(super) fn between(&self) -> PathBuf {
        self.path.join(BETWEEN)
    }

    /// Returns the unfinished parts of the first stage.
    ///
    /// # Errors
    /// Returns read and write errors.
    pub(super) fn first_lacks(&self, plan: &StoredPlan) -> Result<Vec<u64>> {
        let (first, digest) = (plan.record.first_stage(), plan.digest.to_string());
        // The marker is written in a directory without leftovers of killed processes.
        let marker = self.path.join(DONE).join(FIRST);
        let said = is_text(&marker, &digest)?;
        let mut lacks = vec![];
        for part in 0..if said { 0 } else { first } {
            if !self.is_whole(part, plan)? {
                lacks.push(part);
            }
        }
        if lacks.is_empty() && first > 0 && !said {
            file::put_new(&marker, digest.as_bytes())?;
        }
        Ok(lacks)
    }

    /// Checks whether the output is complete: `finished` exists, or the output contains the marker of the plan. A store with the marker
    /// beside the output is never complete: a power failure can undo the exchange of the names.
    ///
    /// # Errors
    /// Returns read errors.
    pub(super) fn is_finished(&self, plan: &StoredPlan) -> Result<bool> {
        let said = is_text(&self.path.join(FINISHED), &plan.digest.to_string())?;
        let Some(StorePlace::Directory(store)) = plan.record.store() else {
            return Ok(said);
        };
        let mark = self.mark(plan);
        Ok(!mark.is_in(store)? && (said || mark.is_in(&plan.record.output())?))
    }

    /// Performs the last steps after the commit: syncs the name of the output, writes `finished`, and removes the replaced output.
    ///
    /// # Errors
    /// Returns I/O errors.
    pub(super) fn end(&self, plan: &StoredPlan) -> Result<()> {
        if plan.record.is_local() {
            file::sync_name(&plan.record.output())?;
        }
        self.set_finished(plan)?;
        match plan.record.store() {
            Some(StorePlace::Directory(store)) => {
                self.mark(plan).tidy(store, &plan.record.output())
            }
            Some(StorePlace::Claimed(_)) | None => {
                plan.record.sweep_output();
                Ok(())
            }
        }
    }

    /// Records that the output is complete.
    ///
    /// # Errors
    /// Returns write errors.
    fn set_finished(&self, plan: &StoredPlan) -> Result<()> {
        let digest = plan.digest.to_string();
        file::put_new(&self.path.join(FINISHED), digest.as_bytes()).map(|_| ())
    }

    /// Adds a line to the log of a part: the event, its details, the time and the id of this process.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`].
    pub(super) fn log(&self, part: u64, event: &str, more: Vec<(&str, Json)>) -> Result<()> {
        let path = self.log_path(part);
        let who = [
            ("time", Json::int(now().as_secs())),
            ("process", Json::int(std::process::id())),
        ];
        let members = [("event", Json::text(event))].into_iter().chain(more);
        let line = Json::object(members.chain(who));
        let line = format!("{}\n", line.line(Between::CommaBlank)?);
        file::append(&path, line.as_bytes())
    }

    /// Returns the last log line of a part, if it exists.
    ///
    /// # Errors
    /// Returns read errors.
    pub(super) fn last_logged(&self, part: u64) -> Result<Option<Json>> {
        let path = self.log_path(part);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = self.bytes(&path)?;
        let mut lines = bytes.split(|byte| *byte == b'\n').rev();
        let last = lines.find(|line| !line.is_empty());
        Ok(last.and_then(|line| Json::parse(line).ok()))
    }

    /// Removes the directory and all local files of the plan. Unrelated files stay.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`].
    pub(super) fn remove(&self) -> Result<()> {
        let plan = self.plan()?;
        if let Some(StorePlace::Directory(store)) = plan.record.store() {
            // Never trust the path in `plan.json`: remove only directories with the naming scheme of part stores.
            if !shared::is_place(store, &plan.record.output()) {
                return Err(wrong(store, "not a part store; no files were removed"));
            }
            file::recover(&plan.record.output());
            match self.is_finished(&plan)? {
                true => self.end(&plan)?,
                false => self.mark(&plan).remove(store)?,
            }
        }
        plan.record.sweep_output();
        // The next `--clean` needs `plan.json` if other entries remain.
        self.empty_but(&[PLAN])?;
        self.has_only_plan()?;
        self.empty()?;
        gone(&self.path, fs::remove_dir(&self.path))
    }

    /// Checks that the directory contains only the plan.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Exists`] for other entries, and [`ErrorKind::Io`].
    fn has_only_plan(&self) -> Result<()> {
        let path = self.path.to_string_lossy();
        let failed = |e| Error::io("cannot list", &path, e);
        let mut others = vec![];
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if name != PLAN {
                others.push(name.to_string_lossy().into_owned());
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        others.sort();
        let what = format!(
            "other files are in the plan directory: {}",
            list_names(&others)
        );
        let e = Error::new(ErrorKind::Exists, what).of(&path);
        Err(e.with_remedy("move them, then repeat nccopy --clean FOLDER"))
    }

    /// Removes the directory of an unfinished plan.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Busy`] if a process makes the plan, [`ErrorKind::NotFound`] for any other directory, and [`ErrorKind::Io`].
    pub(super) fn remove_begun(path: &Path) -> Result<()> {
        let folder = Self {
            path: path.to_owned(),
        };
        file::sweep(&path.join(PLANNING));
        if !folder.is_begun() && !is_empty(path) {
            // Another process wrote its plan in the meantime.
            return Self::open(path).and_then(|folder| Err(folder.being_made()));
        }
        let _lock = folder.begin(true, DirectoryStep::Clean)?;
        folder.empty()?;
        gone(path, fs::remove_dir(path))
    }

    /// Removes the files of the plan from the directory, the plan last.
    fn empty(&self) -> Result<()> {
        self.empty_but(&[])
    }

    fn empty_but(&self, stays: &[&str]) -> Result<()> {
        for folder in FOLDERS {
            let path = self.path.join(folder);
            gone(&path, fs::remove_dir_all(&path))?;
        }
        let (between, claims) = (self.between(), self.claims());
        gone(&between, fs::remove_dir_all(&between))?;
        file::clear(&between);
        gone(&claims, fs::remove_dir_all(&claims))?;
        rows::remove(&self.path)?;
        for file in [FINISHED, PLAN, PLANNING] {
            let path = self.path.join(file);
            file::sweep(&path);
            if !stays.contains(&file) {
                gone(&path, fs::remove_file(&path))?;
            }
        }
        Ok(())
    }
}

/// Returns the result of a removal. A missing path counts as removed.
fn gone(path: &Path, removed: std::io::Result<()>) -> Result<()> {
    match removed {
        Err(e) if e.kind() != Failure::NotFound => {
            Err(Error::io("cannot remove", &path.to_string_lossy(), e))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Checks whether a path is an empty directory.
fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// Checks whether a file has this text. Returns false for a missing file.
fn is_text(path: &Path, text: &str) -> Result<bool> {
    match file::read_small(path, SMALL) {
        Ok(bytes) => Ok(bytes == text.as_bytes()),
        Err(e) if e.is_missing() => Ok(false),
        Err(e) => Err(e),
    }
}

/// Returns the time since 1970.
pub(super) fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn no_store(store: &Path) -> Error {
    let what = "the part store is missing: it was finished or removed";
    let e = Error::new(ErrorKind::NotFound, what).of(&store.to_string_lossy());
    e.with_remedy("remove the plan: nccopy --clean FOLDER")
}

fn exists(path: &Path) -> Error {
    let what = "path exists: a plan needs a new or empty directory";
    let e = Error::new(ErrorKind::Exists, what).of(&path.to_string_lossy());
    e.with_remedy("name another directory, or remove the plan there: nccopy --clean FOLDER")
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::parts::record::{DatasetRecord, InputRecord};

    /// Returns a plan with a store in a directory.
    fn record(home: &Path, store: &Path) -> PlanRecord {
        let input = InputRecord {
            path: "a.nc".to_owned(),
            state: None,
            metadata: Digest::of_bytes(b"metadata"),
            files: vec![],
        };
        let dataset = DatasetRecord {
            input,
            selected: vec![],
            store: Some(StorePlace::Directory(store.to_owned())),
            schema: Digest::of_bytes(b"schema"),
            first_stage: 0,
            estimate: Json::Null,
            variables: vec![],
        };
        PlanRecord {
            identity: "own".to_owned(),
            directory: home.to_owned(),
            arguments: vec![],
            output: "o.zarr".to_owned(),
            parts: 1,
            bytes: 0,
            time: 0,
            work: PartWork::Dataset(Box::new(dataset)),
        }
    }

    fn failed<T: Debug>(created: Result<T>, why: &str) {
        let e = created.unwrap_err();
        assert!(e.to_string().contains(why), "{e}");
    }

    #[test]
    fn a_plan_that_cannot_be_begun_leaves_no_store() {
        let dir = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(dir.path()).unwrap();
        let (path, store) = (home.join("p"), shared::place(&home.join("o.zarr"), "01ab"));
        let create = |begin: &dyn Fn(&PlanDirectory, &StoredPlan) -> Result<()>| {
            PlanDirectory::create((path.as_path(), false), || Ok(record(&home, &store)), begin)
        };
        let begun =
            |folder: &PlanDirectory, plan: &StoredPlan| folder.mark(plan).begin(&store, false);
        // Simulates a failed sync of the store name.
        let late = |folder: &PlanDirectory, plan: &StoredPlan| {
            begun(folder, plan).and_then(|()| Err(Error::internal("the disk")))
        };
        for _ in 0..2 {
            failed(create(&late), "the disk");
            assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
        }
        // The store of another plan stays.
        let other = PlanMark {
            identity: "other".to_owned(),
            lock: home.join("none"),
        };
        other.begin(&store, false).unwrap();
        failed(create(&begun), "other processes are writing");
        assert!(other.is_in(&store).unwrap() && !path.exists());
        // Without removal of the store, the plan stays for `--clean`.
        other.remove(&store).unwrap();
        let unreadable = |folder: &PlanDirectory, plan: &StoredPlan| {
            late(folder, plan).inspect_err(|_| {
                let marker = store.join(shared::MARKER);
                fs::remove_file(&marker).unwrap();
                fs::create_dir(&marker).unwrap();
            })
        };
        failed(create(&unreadable), "the disk");
        assert!(path.join(PLAN).exists() && store.exists());
    }

    #[test]
    fn a_plan_that_appears_during_its_removal_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(PLAN), "{}").unwrap();
        failed(
            PlanDirectory::remove_begun(dir.path()),
            "another process is making a plan",
        );
        assert!(dir.path().join(PLAN).exists());
    }
}
