//! The JSON records of a plan and its parts (docs/machines.md).

mod dataset;
mod done_record;
pub(super) mod members;

pub(super) use dataset::{DatasetRecord, InputRecord, StorePlace, VariableRecord};
pub(super) use done_record::{DoneRecord, FailedFile};

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::{self, Readers};
use netcdf_core::json::Json;
use netcdf_core::shown::ShownAddress;

use crate::request::MOST_PARTS;
use members::{RecordMembers, lacks, lines, utf8};

/// The version of `plan.json`.
const VERSION: u64 = 3;
/// The program that made a plan. The same version must run the parts, because other versions may encode chunks differently.
pub(super) const PROGRAM: &str = concat!("netcdf-tools ", env!("CARGO_PKG_VERSION"));

/// The data that all parts share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlanRecord {
    /// Unique letters and digits of this plan.
    pub identity: String,
    /// The directory in which the plan was made: relative paths start there.
    pub directory: PathBuf,
    /// The command line, without the name of the program.
    pub arguments: Vec<OsString>,
    /// The path or URL of the output, or the directory of the outputs.
    pub output: String,
    /// The number of parts.
    pub parts: u64,
    /// The bytes of all elements that parts copy. For files, their size.
    pub bytes: u64,
    /// The time when the plan was made, in seconds since 1970, or the modification time of the store metadata if it is later.
    pub time: u64,
    /// The work of the parts.
    pub work: PartWork,
}

/// The work of the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PartWork {
    /// Boxes of one dataset.
    Dataset(Box<DatasetRecord>),
    /// Whole files, listed beside the plan.
    Files(FilesRecord),
}

/// The data that the parts of a plan of many files share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilesRecord {
    /// The number of files.
    pub files: u64,
    /// The estimated costs of the copies.
    pub estimate: Json,
}

/// Returns the users that may read a file with these paths and addresses. `allowed` permits secrets in files that other users can read.
pub(super) fn readers<'p>(mut paths: impl Iterator<Item = &'p Path>, allowed: bool) -> Readers {
    match (
        paths.any(|path| ShownAddress::of(path).has_secret()),
        allowed,
    ) {
        (false, _) => Readers::Umask,
        (true, false) => Readers::Owner,
        (true, true) => Readers::OwnerIfPossible,
    }
}

/// Returns the remedy for a plan that other users could read.
pub(super) fn allow_secrets(e: Error) -> Error {
    match e.kind() {
        ErrorKind::Unsupported => e.with_remedy(
            "name credentials in ~/.netrc or the environment, make the plan in a directory of another file system, or use --allow-secrets",
        ),
        _ => e,
    }
}

impl PlanRecord {
    /// Returns the plan as JSON, with one line per member and per list item.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for arguments that are not UTF-8.
    pub(super) fn text(&self) -> Result<String> {
        let arguments = self
            .arguments
            .iter()
            .map(|a| Ok(Json::text(utf8(a.to_str())?)));
        let mut members = vec![
            ("plan", Json::int(VERSION)),
            ("program", Json::text(PROGRAM)),
            ("identity", Json::text(&self.identity)),
            ("directory", Json::text(utf8(self.directory.to_str())?)),
            ("arguments", Json::Array(arguments.collect::<Result<_>>()?)),
            ("output", Json::text(&self.output)),
            ("parts", Json::int(self.parts)),
            ("bytes", Json::int(self.bytes)),
            ("time", Json::int(self.time)),
        ];
        match &self.work {
            PartWork::Dataset(dataset) => members.extend(dataset.members()?),
            PartWork::Files(FilesRecord { files, estimate }) => {
                members.push(("files", Json::int(files)));
                members.push(("estimate", estimate.clone()));
            }
        }
        lines(&members)
    }

    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a plan of another version, and [`ErrorKind::Corrupt`].
    pub(super) fn from_json(json: &Json) -> Result<Self> {
        let of = RecordMembers(json);
        let (version, program) = (of.number("plan")?, of.text("program")?);
        if version != VERSION || program != PROGRAM {
            let what = format!(
                "a plan of {program}, version {version}; this is {PROGRAM}, version {VERSION}"
            );
            let e = Error::new(ErrorKind::Unsupported, what);
            return Err(e.with_remedy(
                "run all parts with the program version of the plan, or create the plan again",
            ));
        }
        let arguments = of.list("arguments")?.iter().map(|one| match one.as_str() {
            Some(text) => Ok(text.into()),
            None => Err(lacks("arguments")),
        });
        let parts = of.number("parts")?;
        if parts == 0 || parts > MOST_PARTS {
            return Err(lacks("parts"));
        }
        let work = match json.get("files") {
            Some(_) => PartWork::Files(FilesRecord {
                files: of.number("files")?,
                estimate: of.get("estimate")?.clone(),
            }),
            None => PartWork::Dataset(Box::new(DatasetRecord::from_json(json)?)),
        };
        let record = Self {
            identity: of.text("identity")?.to_owned(),
            directory: of.text("directory")?.into(),
            arguments: arguments.collect::<Result<_>>()?,
            output: of.text("output")?.to_owned(),
            parts,
            bytes: of.number("bytes")?,
            time: of.number("time")?,
            work,
        };
        let through = record.variables().iter().any(|var| var.between.is_some());
        match record.first_stage() < parts && through == (record.first_stage() > 0) {
            true => Ok(record),
            false => Err(lacks("first_stage")),
        }
    }

    /// Returns the users that may read the plan: only the owner if an address in the plan has a user name, a password or a query.
    pub(super) fn readers(&self, allowed: bool) -> Readers {
        let arguments = self.arguments.iter().map(Path::new);
        readers(arguments.chain([Path::new(&self.output)]), allowed)
    }

    /// Returns a path of the command line, independent of the current directory.
    pub(super) fn located(&self, path: &Path) -> PathBuf {
        match path.to_string_lossy().contains("://") {
            true => path.to_owned(),
            false => self.directory.join(path),
        }
    }

    /// Returns the path of the output, independent of the current directory. Symbolic links are followed.
    pub(super) fn output(&self) -> PathBuf {
        let path = self.located(Path::new(&self.output));
        match self.is_local() {
            true => file::real(&path),
            false => path,
        }
    }

    /// Checks whether the output is local.
    pub(super) fn is_local(&self) -> bool {
        !self.output.contains("://")
    }

    /// Removes temporary files and directories that processes left beside a local output.
    pub(super) fn sweep_output(&self) {
        if self.is_local() {
            file::sweep(&self.output());
        }
    }

    /// Checks whether the output may exist. A remote output is not queried.
    pub(super) fn may_have_output(&self) -> bool {
        !self.is_local() || self.output().exists()
    }

    /// Returns the copied variables. Plans of many files have none.
    pub(super) fn variables(&self) -> &[VariableRecord] {
        match &self.work {
            PartWork::Dataset(dataset) => &dataset.variables,
            PartWork::Files(_) => &[],
        }
    }

    /// Returns the estimated costs of the copy.
    pub(super) fn estimate(&self) -> &Json {
        match &self.work {
            PartWork::Dataset(dataset) => &dataset.estimate,
            PartWork::Files(files) => &files.estimate,
        }
    }

    /// Returns the parts of each stage.
    pub(super) fn stages(&self) -> Vec<Range<u64>> {
        let first = self.first_stage();
        let stages = [0..first, first..self.parts];
        stages
            .into_iter()
            .filter(|stage| !stage.is_empty())
            .collect()
    }

    /// Returns the number of parts of the first stage, if there are two stages.
    pub(super) fn first_stage(&self) -> u64 {
        match &self.work {
            PartWork::Dataset(dataset) => dataset.first_stage,
            PartWork::Files(_) => 0,
        }
    }

    /// Returns the store that the parts write concurrently.
    pub(super) fn store(&self) -> Option<&StorePlace> {
        match &self.work {
            PartWork::Dataset(dataset) => dataset.store.as_ref(),
            PartWork::Files(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_with_secrets_are_private() {
        let of = |path: &str, allowed| {
            readers([Path::new("a.nc"), Path::new(path)].into_iter(), allowed)
        };
        for secret in [
            "https://me:secret@host/b.nc",
            "https://host/b.nc?sig=1",
            "s3:me:secret@b",
        ] {
            assert_eq!(of(secret, false), Readers::Owner);
            assert_eq!(of(secret, true), Readers::OwnerIfPossible);
        }
        assert_eq!(of("https://host/b.nc", false), Readers::Umask);
        let e = Error::new(ErrorKind::Unsupported, "other users could read this file");
        assert!(allow_secrets(e).to_string().contains("--allow-secrets"));
        let e = Error::new(ErrorKind::Io, "no space left");
        assert!(!allow_secrets(e).to_string().contains("--allow-secrets"));
    }
}
