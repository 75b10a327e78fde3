//! Several files on one command line: headings, notes and the exit status.

use std::path::{Path, PathBuf};

use netcdf_core::env::Env;
use netcdf_core::error::{Error, Result};
use netcdf_core::json::Json;
use netcdf_core::notes::{Note, Notes};
use netcdf_core::shown::{ShownAddress, ShownText};
use netcdf_core::tool::{self, Io, Status};

use crate::request::NAME;

/// The files of a command line, and the worst status so far.
pub(crate) struct FileSeries {
    paths: Vec<PathBuf>,
    /// Whether any file has output.
    printed: bool,
    worst: Status,
}

impl FileSeries {
    /// Returns a series of files without output.
    pub(crate) fn new(paths: &[PathBuf]) -> Self {
        Self {
            paths: paths.to_vec(),
            printed: false,
            worst: Status::Success,
        }
    }

    /// Returns the heading of the next file.
    pub(crate) fn heading(&self, path: &Path) -> Heading {
        let several = self.paths.len() > 1;
        Heading {
            file: several.then(|| shown(path)),
            blank: self.printed,
        }
    }

    /// Records the result of a file. Returns whether the run ends here, after EPIPE or a signal.
    pub(crate) fn count<T>(&mut self, done: &Result<T>, status: Status) -> bool {
        self.printed |= done.is_ok();
        if status.code() > self.worst.code() {
            self.worst = status;
        }
        let broken = done.as_ref().err().is_some_and(Error::is_broken_pipe);
        broken || matches!(status, Status::Signal(_))
    }

    /// Returns the worst status of all files.
    pub(crate) fn worst(&self) -> Status {
        self.worst
    }
}

/// Returns a file name without secrets.
pub(crate) fn shown(path: &Path) -> String {
    ShownText::new(&ShownAddress::of(path).into_text()).to_string()
}

/// The name of a file in the output, if there are several files.
pub(crate) struct Heading {
    file: Option<String>,
    /// Whether the heading follows other output.
    blank: bool,
}

impl Heading {
    /// Returns the text before a block of lines.
    pub(crate) fn block(&self) -> String {
        let blank = if self.blank { "\n" } else { "" };
        let heading = |file| format!("{blank}{file}:\n");
        self.file.as_ref().map_or(String::new(), heading)
    }

    /// Returns the text before a line.
    pub(crate) fn line(&self) -> String {
        let heading = |file| format!("{file}: ");
        self.file.as_ref().map_or(String::new(), heading)
    }

    /// Returns the member of a JSON object.
    pub(crate) fn member(&self) -> Option<(&'static str, Json)> {
        let file = self.file.as_ref()?;
        Some(("file", Json::text(file)))
    }

    /// Checks whether there are several files.
    pub(crate) fn is_one_of_several(&self) -> bool {
        self.file.is_some()
    }

    /// Prints the notes of the file.
    pub(crate) fn tell(&self, env: &Env, io: &mut Io) {
        let Some(file) = &self.file else {
            return tool::tell(NAME, &env.notes, io);
        };
        let named = Notes::default();
        for note in env.notes.take_all().together() {
            let object = match note.object.starts_with(file.as_str()) {
                true => note.object,
                false => format!("{file}: {}", note.object),
            };
            named.say(Note { object, ..note });
        }
        tool::tell(NAME, &named, io);
    }
}
