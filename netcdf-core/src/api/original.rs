//! The original of a dataset in editing, and whether it can be changed in place.

use std::path::Path;
use std::sync::Arc;

use super::location;
use crate::chunk::{Reader, Update};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::format::{self, DirectoryUpdateRules};
use crate::io::Container;
use crate::io::file::{self, LockedFile, WriteAccess};
use crate::io::patched::PatchedFile;
use crate::notes::Note;

/// Whether a dataset that is opened for writing is changed in place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum InPlace {
    /// A file or a Zarr directory is changed in place if its format, its file system and the change allow it. All other datasets are
    /// written anew.
    #[default]
    Auto,
    /// The dataset is changed in place, also on a file system without locks. A change that is not possible in place is an error.
    Always,
    /// The dataset is always written anew.
    Never,
}

/// The stored dataset.
pub(super) enum Original {
    /// A dataset that can only be written anew.
    Stored(Box<dyn Reader>),
    /// A dataset that is changed in place.
    Updated(Box<dyn Update>),
}

impl Original {
    /// Returns the dataset for reading, with the changes that are made in place.
    pub(super) fn reader(&self) -> &dyn Reader {
        match self {
            Self::Stored(reader) => &**reader,
            Self::Updated(update) => update.reader(),
        }
    }

    /// Returns the dataset if it is changed in place.
    pub(super) fn update(&self) -> Option<&dyn Update> {
        match self {
            Self::Stored(_) => None,
            Self::Updated(update) => Some(&**update),
        }
    }

    /// Returns the dataset for changes in place.
    pub(super) fn update_mut(&mut self) -> Option<&mut dyn Update> {
        match self {
            Self::Stored(_) => None,
            Self::Updated(update) => Some(&mut **update),
        }
    }
}

/// A dataset that was opened for changes in place.
pub(super) struct OpenedUpdate {
    pub(super) container: Container,
    pub(super) original: Original,
    /// Notes on objects that a new file would lose.
    pub(super) lost: Vec<Note>,
}

/// The rules for changes in place.
#[derive(Debug, Clone, Copy)]
pub(super) struct UpdateRules {
    pub(super) in_place: InPlace,
    /// Whether changes are synced.
    pub(super) sync: bool,
}

/// Opens the dataset at a path for changes in place. Returns `None` if the dataset must be written anew.
///
/// # Errors
/// Returns [`ErrorKind::Busy`] if another program has the file open for writing, and errors of opening it.
pub(super) fn open_update(
    path: &Path,
    rules: UpdateRules,
    env: &Env,
) -> Result<Option<OpenedUpdate>> {
    let name = path.to_string_lossy();
    let is_always = rules.in_place == InPlace::Always;
    if rules.in_place == InPlace::Never {
        return Ok(None);
    }
    if path.is_dir() {
        return open_directory(path, rules, env);
    }
    // A new file takes only one of several names (hard links).
    let is_apart = !is_always && file::names(path) > 1;
    if !path.is_file() || is_apart {
        return Ok(None);
    }
    let kind = location::open(path, env).and_then(|container| format::probe(&container));
    if !kind.is_ok_and(format::can_update) {
        return Ok(None);
    }
    let raw = match LockedFile::open(path, rules.sync)? {
        WriteAccess::Exclusive(raw) => raw,
        WriteAccess::Unlocked(raw) if is_always => raw,
        WriteAccess::Unlocked(_) => return Ok(None),
        WriteAccess::Readers if is_always => {
            let what = "other programs have the file open for reading (it is locked)";
            return Err(Error::new(ErrorKind::Busy, what).of(&name));
        }
        WriteAccess::Readers => {
            env.notes.remark(written_anew(&name));
            return Ok(None);
        }
    };
    let file = Arc::new(PatchedFile::open(Box::new(raw), &env.notes)?);
    let before = env.notes.take();
    let update = format::update(&file, env)?;
    let lost = env.notes.take();
    before.into_iter().for_each(|note| env.notes.say(note));
    Ok(update.map(|update| OpenedUpdate {
        container: Container::Source(file),
        original: Original::Updated(update),
        lost,
    }))
}

/// Opens the store in a directory for changes in place.
fn open_directory(path: &Path, rules: UpdateRules, env: &Env) -> Result<Option<OpenedUpdate>> {
    let rules = DirectoryUpdateRules {
        sync: rules.sync,
        without_locks: rules.in_place == InPlace::Always,
    };
    let before = env.notes.take();
    let opened = format::update_directory(path, rules, env);
    // A remark tells that a change was rolled back.
    let lost = env.notes.take_losses();
    before.into_iter().for_each(|note| env.notes.say(note));
    Ok(opened?.map(|opened| OpenedUpdate {
        container: Container::Store(opened.store),
        original: Original::Updated(opened.update),
        lost,
    }))
}

fn written_anew(name: &str) -> Note {
    Note {
        object: name.to_owned(),
        what: "other programs have the file open for reading: changes are written to a new file"
            .to_owned(),
        remedy: None,
    }
}
