//! Saving of changes: in place, or to a new file or store.

use super::Dataset;
use super::expected_state::ExpectedState;
use super::location;
use super::mode::DatasetMode;
use super::original::{InPlace, Original, UpdateRules, open_update};
use crate::chunk::Placement;
use crate::copy::plan::widen_strings;
use crate::error::{Error, ErrorKind, Result};
use crate::format;
use crate::io::deferred::defer_commit;
use crate::model::{CreateOptions, FillMode};

/// The way in which changes reached the dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SaveMethod {
    InPlace,
    Anew,
}

impl Dataset {
    /// Writes the changes made so far, so that new readers of the dataset see them (`nc_sync`). The old dataset is changed in place or replaced,
    /// atomically.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InDefineMode`] in define mode of the classic model; [`ErrorKind::Unsupported`] for remote datasets and for
    /// outputs that can be written only once; [`ErrorKind::Changed`] if another process changed or removed the dataset since it was opened
    /// or last written; and write errors. After an error, the old content remains.
    pub fn sync(&mut self) -> Result<()> {
        if self.mode == DatasetMode::ReadOnly {
            return Ok(());
        }
        self.check_readable()?;
        if self.mode == DatasetMode::Define {
            self.settle();
        }
        if self.location.path().is_none() {
            let e = self.wrong(
                ErrorKind::Unsupported,
                "the output can be written only once",
            );
            return Err(e.with_remedy("close the dataset"));
        }
        if self.location.is_remote() {
            let what = "a remote dataset is only written when it is closed";
            let e = self.wrong(ErrorKind::Unsupported, what);
            return Err(e.with_remedy("close the dataset"));
        }
        match self.save()? {
            SaveMethod::InPlace => Ok(()),
            SaveMethod::Anew => self.open_again(),
        }
    }

    /// Ends definitions, writes the changes, and closes the dataset (`nc_close`).
    ///
    /// # Errors
    /// Like [`Dataset::sync`], except for define mode and outputs that can be written only once. After an error, the old content remains
    /// and the changes are lost.
    pub fn close(mut self) -> Result<()> {
        match self.mode {
            DatasetMode::ReadOnly => Ok(()),
            DatasetMode::Define | DatasetMode::Data => self.save().map(|_| ()),
        }
    }

    /// Writes a changed dataset to its destination.
    fn save(&mut self) -> Result<SaveMethod> {
        if self.changed && !self.save_in_place()? {
            self.save_anew()?;
            self.changed = false;
            return Ok(SaveMethod::Anew);
        }
        (self.changed, self.redefined) = (false, false);
        Ok(match self.staged.update() {
            Some(_) => SaveMethod::InPlace,
            None => SaveMethod::Anew,
        })
    }

    /// Changes the dataset in place. Returns false if it must be written anew.
    fn save_in_place(&mut self) -> Result<bool> {
        let fill = match self.create_options().no_fill {
            true => FillMode::NoFill,
            false => FillMode::Fill,
        };
        match (
            self.staged.commit((self.redefined, fill), &self.env)?,
            self.in_place,
        ) {
            (Placement::InPlace, _) => Ok(true),
            (Placement::Anew(reason), InPlace::Always) if self.staged.update().is_some() => {
                let what = format!("the change is not possible in place: {reason}");
                Err(Error::new(ErrorKind::Unsupported, what).of(&self.name()))
            }
            (Placement::Anew(_), _) => Ok(false),
        }
    }

    /// Writes the dataset to a new file or store, which replaces the old one.
    fn save_anew(&mut self) -> Result<()> {
        self.check_expected()?;
        let mut plan = self.staged.plan(&self.env)?;
        let set = self.staged.set(&self.env);
        widen_strings(set, &mut plan)?;
        let (output, kept) = defer_commit(self.location.output(self.sync, &self.env)?);
        let writer = format::create(
            output,
            plan.schema.clone(),
            self.create_options(),
            &self.env,
        )?;
        crate::copy::run(set, &plan, writer)?;
        // Creating the output took time, so check again.
        self.check_expected()?;
        kept.take()?.commit()?;
        self.redefined = false;
        Ok(())
    }

    /// Checks that the destination contains only data that the dataset may replace.
    pub(super) fn check_expected(&self) -> Result<()> {
        if let Some(update) = self.staged.update() {
            return update.prepare_replacement();
        }
        match self.location.is_remote() {
            false => self.expected.check(self.location.path()),
            true if self.expected == ExpectedState::Absent => self.location.check_absent(&self.env),
            true => Ok(()),
        }
    }

    /// Sets the number of free bytes after the header of a new classic file.
    pub(super) fn set_header_pad(&mut self, pad: u64) {
        self.options.header_pad = pad;
    }

    fn create_options(&self) -> CreateOptions {
        let mut options = self.options;
        // In all other kinds, each variable has its own setting.
        options.no_fill = self.fill == FillMode::NoFill && !format::traits(self.kind()).settings;
        options.zarr = self.location.zarr(options.zarr);
        options
    }

    /// Checks in memory that the format can hold the definitions.
    pub(super) fn try_definitions(&self) -> Result<()> {
        let plan = self.staged.plan(&self.env)?;
        let output = location::discarded(self.kind());
        format::create(output, plan.schema, self.create_options(), &self.env)?;
        Ok(())
    }

    /// Reopens the dataset that was just written: the old file may be gone, and the temporary file is obsolete.
    fn open_again(&mut self) -> Result<()> {
        let Some(path) = self.location.path() else {
            return Ok(());
        };
        let rules = UpdateRules {
            in_place: self.in_place,
            sync: self.sync,
        };
        let update = match open_update(path, rules, &self.env) {
            // Another program was faster.
            Err(e) if e.kind() == ErrorKind::Busy => None,
            update => update?,
        };
        self.expected = match &update {
            Some(_) => ExpectedState::Any,
            None => ExpectedState::now(path)?,
        };
        let original = match update {
            Some(opened) => opened.original,
            None => {
                let container = location::open(path, &self.env)?;
                Original::Stored(format::open(container, &self.env)?)
            }
        };
        let cache = self.cache();
        let known = self.staged.rebase(original, cache);
        match known || !self.location.is_directory() {
            true => Ok(()),
            false => Err(self.wrong(
                ErrorKind::Corrupt,
                "the file is not the one just written: open the dataset again",
            )),
        }
    }
}
