//! Data of a classic file that is changed in place, and the fill values of its new records.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::fill;
use super::layout::{VariablePlace, VariablePlaces};
use super::runs::{FileRun, VariableParts};
use crate::arithmetic::{exact, length};
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::io::Source;
use crate::io::patched::PatchedFile;
use crate::io::spans::Spans;
use crate::model::{Schema, VarId};

/// The data of a file, with records that are not committed.
#[derive(Debug)]
pub(super) struct NewRecords {
    file: Arc<PatchedFile>,
    places: VariablePlaces,
    /// The fill value of each variable; `None` if unwritten elements have no value.
    patterns: Vec<Option<Vec<u8>>>,
    padding: Vec<Vec<u8>>,
    /// The committed record count.
    committed: u64,
    /// The record count with new records.
    records: u64,
    /// The written byte ranges of each record variable in new records.
    written: Vec<Spans>,
    /// Whether a new record may have unwritten elements.
    has_gaps: bool,
}

impl NewRecords {
    pub(super) fn new(
        file: Arc<PatchedFile>,
        schema: &Schema,
        places: &VariablePlaces,
    ) -> Result<Self> {
        let mut new = Self {
            file,
            places: places.clone(),
            patterns: vec![],
            padding: vec![],
            committed: 0,
            records: 0,
            written: vec![],
            has_gaps: false,
        };
        new.define(schema)?;
        Ok(new)
    }

    /// Sets the fill values from a schema.
    pub(super) fn define(&mut self, schema: &Schema) -> Result<()> {
        let pattern = |var| match fill::is_filled(schema, var) {
            true => fill::pattern(schema, var).map(Some),
            false => Ok(None),
        };
        self.patterns = schema.var_ids().map(pattern).collect::<Result<_>>()?;
        self.padding = fill::paddings(schema, &self.places)?;
        Ok(())
    }

    /// Records that the file has this number of committed records.
    pub(super) fn restart(&mut self, records: u64) {
        (self.committed, self.records, self.has_gaps) = (records, records, false);
        self.written.iter_mut().for_each(Spans::clear);
        self.written
            .resize(self.places.vars.len(), Spans::default());
    }

    /// Extends the file to `records` records.
    pub(super) fn grow(&mut self, records: u64) -> Result<()> {
        (self.records, self.has_gaps) = (records, true);
        self.file.extend(self.places.end(records)?)
    }

    fn place(&self, var: VarId) -> Result<VariablePlace> {
        let place = self.places.vars.get(var.index()).copied();
        place.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such variable"))
    }

    /// Returns the runs of a variable.
    fn parts(&self, var: VarId) -> Result<VariableParts> {
        let padded = self.padding.get(var.index()).is_some_and(|p| !p.is_empty());
        Ok(VariableParts::new(&self.places, self.place(var)?, padded))
    }

    /// Returns whether the patches of a range of a variable's bytes fit into the limit.
    pub(super) fn accepts(&self, var: VarId, range: &Range<u64>) -> Result<bool> {
        let place = self.place(var)?;
        let old = match place.record {
            true => exact(self.committed) * place.slab,
            false => exact(place.slab),
        };
        let patched = range.start..range.end.min(old.get()?);
        Ok(self.file.accepts(&(0..length(&patched))))
    }

    /// Writes bytes of a variable.
    pub(super) fn put(&mut self, var: VarId, from: u64, bytes: &[u8]) -> Result<()> {
        let range = from..(exact(from) + bytes.len()).get()?;
        let parts = self.parts(var)?;
        if parts.place.record {
            let written = self.written.get_mut(var.index());
            written
                .or_internal("a variable without spans")?
                .add(range.clone());
        }
        parts.of(range, &mut |part| self.put_part(var, bytes, &part))
    }

    fn put_part(&self, var: VarId, bytes: &[u8], part: &FileRun) -> Result<()> {
        let bytes = part.of(bytes)?;
        self.file.write(part.offset, bytes)?;
        let end = (exact(part.offset) + bytes.len()).get()?;
        let is_new = part.offset >= self.file.committed_len();
        match self
            .padding
            .get(var.index())
            .filter(|_| part.padded && is_new)
        {
            Some(padding) => self.file.write(end, padding),
            None => Ok(()),
        }
    }

    /// Writes fill values to the unwritten elements of new records.
    pub(super) fn fill(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.has_gaps) {
            return Ok(());
        }
        for var in (0..).map(VarId).take(self.places.vars.len()) {
            self.fill_variable(var)?;
        }
        Ok(())
    }

    fn fill_variable(&mut self, var: VarId) -> Result<()> {
        let place = self.place(var)?;
        if !place.record {
            return Ok(());
        }
        let slab = exact(place.slab);
        let (old, end) = ((slab * self.committed).get()?, (slab * self.records).get()?);
        let written = self.written.get_mut(var.index());
        let written = written.or_internal("a variable without spans")?;
        written.add(0..old);
        let gaps: Vec<_> = written.gaps(end).collect();
        let pattern = self.patterns.get(var.index());
        let pattern = pattern.filter(|_| !gaps.is_empty());
        let Some(pattern) = pattern.cloned().flatten() else {
            return Ok(());
        };
        for gap in gaps {
            fill::fill_gap(gap, &pattern, &mut |at, bytes| self.put(var, at, bytes))?;
        }
        Ok(())
    }
}

/// A file with fill values in place of the unwritten elements of new records.
#[derive(Debug)]
pub(super) struct FilledSource {
    pub(super) file: Arc<PatchedFile>,
    pub(super) records: Arc<Mutex<NewRecords>>,
}

impl Source for FilledSource {
    fn name(&self) -> &Arc<str> {
        self.file.name()
    }

    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<()> {
        if offset.saturating_add(buf.len() as u64) > self.file.committed_len() {
            self.records
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .fill()?;
        }
        self.file.read_at(offset, buf)
    }

    fn has_changed(&self) -> bool {
        self.file.has_changed()
    }
}
