//! What can be done at a time: define mode and data mode.

use super::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Kind;

/// What an open dataset is ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// To be read.
    ReadOnly,
    /// For definitions.
    Define,
    /// For data.
    Data,
}

/// True if definitions and data are kept apart, as in the classic model; else a dataset changes between the modes by
/// itself.
pub(super) fn is_strict(kind: Kind) -> bool {
    match kind {
        Kind::Classic | Kind::Offset64 | Kind::Cdf5 | Kind::Netcdf4Classic => true,
        Kind::Netcdf4 | Kind::Zarr(_) => false,
    }
}

impl Dataset {
    /// What the dataset is ready for.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Enters define mode (`nc_redef`). Datasets of the enhanced model do so by themselves.
    ///
    /// # Errors
    /// [`ErrorKind::ReadOnly`]; [`ErrorKind::InDefineMode`] if it is in define mode.
    pub fn redefine(&mut self) -> Result<()> {
        self.check_writable()?;
        match self.mode {
            Mode::Define => Err(self.wrong(
                ErrorKind::InDefineMode,
                "the dataset is in define mode already",
            )),
            Mode::Data | Mode::ReadOnly => {
                self.mode = Mode::Define;
                Ok(())
            }
        }
    }

    /// Leaves define mode (`nc_enddef`): says whether the format can hold all that is defined. Datasets of the enhanced
    /// model leave it by themselves when data is written; all do when they are closed.
    ///
    /// # Errors
    /// [`ErrorKind::ReadOnly`]; [`ErrorKind::NotInDefineMode`] if it is not in define mode; where the format cannot hold
    /// what is defined, [`ErrorKind::VarSize`] and others, and it stays in define mode.
    pub fn end_definition(&mut self) -> Result<()> {
        self.check_writable()?;
        match self.mode {
            Mode::Define => {
                self.try_definitions()?;
                self.settle();
                Ok(())
            }
            Mode::Data | Mode::ReadOnly => Err(self.wrong(
                ErrorKind::NotInDefineMode,
                "the dataset is not in define mode",
            )),
        }
    }

    /// Ends the definitions.
    pub(super) fn settle(&mut self) {
        self.mode = Mode::Data;
        self.settled = self.staged.schema.vars.len();
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        match self.mode {
            Mode::ReadOnly => Err(self.wrong(
                ErrorKind::ReadOnly,
                "the dataset was opened for reading only",
            )),
            Mode::Define | Mode::Data => Ok(()),
        }
    }

    /// Before a definition: that it can be made now.
    pub(super) fn begin_definition(&mut self) -> Result<()> {
        self.check_writable()?;
        if self.mode == Mode::Data && is_strict(self.kind()) {
            let e = self.wrong(
                ErrorKind::NotInDefineMode,
                "definitions come in define mode",
            );
            return Err(e.with_remedy("call redefine first"));
        }
        self.mode = Mode::Define;
        self.changed = true;
        Ok(())
    }

    /// Before a change that needs no room in a classic file: true if it may need more.
    pub(super) fn begin_change(&mut self, grows: bool) -> Result<()> {
        self.check_writable()?;
        if grows || self.mode == Mode::Define || !is_strict(self.kind()) {
            return self.begin_definition();
        }
        self.changed = true;
        Ok(())
    }

    /// Before data is written: that it can be now.
    pub(super) fn begin_data(&mut self) -> Result<()> {
        self.check_writable()?;
        self.check_readable()?;
        if self.mode == Mode::Define {
            self.settle();
        }
        self.changed = true;
        Ok(())
    }

    /// Before data is read: that it can be now.
    pub(super) fn check_readable(&self) -> Result<()> {
        if self.mode == Mode::Define && is_strict(self.kind()) {
            let e = self.wrong(
                ErrorKind::InDefineMode,
                "data comes when definitions are over",
            );
            return Err(e.with_remedy("call end_definition first"));
        }
        Ok(())
    }

    pub(super) fn wrong(&self, kind: ErrorKind, what: &'static str) -> Error {
        Error::new(kind, what).of(&self.name())
    }
}
