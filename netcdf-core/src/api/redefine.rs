//! Switching between define mode and data mode.

use super::Dataset;
use super::mode::{DatasetMode, is_strict};
use crate::error::{Error, ErrorKind, Result};

impl Dataset {
    /// Returns the current mode of the dataset.
    #[must_use]
    pub fn mode(&self) -> DatasetMode {
        self.mode
    }

    /// Enters define mode (`nc_redef`). Datasets of the enhanced model do so automatically.
    ///
    /// # Errors
    /// Returns [`ErrorKind::ReadOnly`], and [`ErrorKind::InDefineMode`] if the dataset is already in define mode.
    pub fn redefine(&mut self) -> Result<()> {
        self.check_writable()?;
        match self.mode {
            DatasetMode::Define => Err(self.wrong(
                ErrorKind::InDefineMode,
                "the dataset is already in define mode",
            )),
            DatasetMode::Data | DatasetMode::ReadOnly => {
                self.mode = DatasetMode::Define;
                Ok(())
            }
        }
    }

    /// Leaves define mode (`nc_enddef`) after checking that the format can hold the definitions. Datasets of the enhanced model leave
    /// define mode automatically when data is written. All datasets leave it on close.
    ///
    /// # Errors
    /// Returns [`ErrorKind::ReadOnly`]; [`ErrorKind::NotInDefineMode`] in data mode; [`ErrorKind::VarSize`] and similar kinds if the format
    /// cannot hold the definitions. After an error, the dataset stays in define mode.
    pub fn end_definition(&mut self) -> Result<()> {
        self.check_writable()?;
        match self.mode {
            DatasetMode::Define => {
                self.try_definitions()?;
                self.settle();
                Ok(())
            }
            DatasetMode::Data | DatasetMode::ReadOnly => Err(self.wrong(
                ErrorKind::NotInDefineMode,
                "the dataset is not in define mode",
            )),
        }
    }

    /// Leaves define mode like [`Dataset::end_definition`], and leaves `pad` free bytes after the header of a classic file, so that longer
    /// attributes and names can be written in place (`h_minfree` of `nc__enddef`). The padding applies when the dataset is written anew.
    ///
    /// # Errors
    /// Like [`Dataset::end_definition`].
    pub fn end_definition_with_pad(&mut self, pad: u64) -> Result<()> {
        self.set_header_pad(pad);
        self.end_definition()
    }

    /// Ends the definitions.
    pub(super) fn settle(&mut self) {
        self.mode = DatasetMode::Data;
        self.settled = self.staged.schema.vars.len();
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        match self.mode {
            DatasetMode::ReadOnly => Err(self.wrong(
                ErrorKind::ReadOnly,
                "the dataset was opened for reading only",
            )),
            DatasetMode::Define | DatasetMode::Data => Ok(()),
        }
    }

    /// Checks that definitions are allowed, and prepares for a definition.
    pub(super) fn begin_definition(&mut self) -> Result<()> {
        self.check_writable()?;
        if self.mode == DatasetMode::Data && is_strict(self.kind()) {
            let e = self.wrong(ErrorKind::NotInDefineMode, "definitions need define mode");
            return Err(e.with_remedy("call redefine first"));
        }
        self.mode = DatasetMode::Define;
        (self.changed, self.redefined) = (true, true);
        Ok(())
    }

    /// Prepares for a change that may be possible in data mode. `grows`: whether the change needs more space in a classic file.
    pub(super) fn begin_change(&mut self, grows: bool) -> Result<()> {
        self.check_writable()?;
        if grows || self.mode == DatasetMode::Define || !is_strict(self.kind()) {
            return self.begin_definition();
        }
        (self.changed, self.redefined) = (true, true);
        Ok(())
    }

    /// Checks that data can be written, and prepares for writing.
    pub(super) fn begin_data(&mut self) -> Result<()> {
        self.check_writable()?;
        self.check_readable()?;
        if self.mode == DatasetMode::Define {
            self.settle();
        }
        self.changed = true;
        Ok(())
    }

    /// Checks that data can be read.
    pub(super) fn check_readable(&self) -> Result<()> {
        if self.mode == DatasetMode::Define && is_strict(self.kind()) {
            let e = self.wrong(ErrorKind::InDefineMode, "definitions must end before data");
            return Err(e.with_remedy("call end_definition first"));
        }
        Ok(())
    }

    pub(super) fn wrong(&self, kind: ErrorKind, what: &'static str) -> Error {
        Error::new(kind, what).of(&self.name())
    }
}
