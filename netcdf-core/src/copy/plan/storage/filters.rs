//! Which filters a variable of the output has.
//!
//! Filters that are named for a variable are its filters, whatever the input and other options say. Of the others, `-F none`
//! takes all away; `-d` replaces all but the checksum, which netCDF-C keeps as well.

use super::{Case, is_heap};
use crate::copy::options::Filtering;
use crate::env::Note;
use crate::error::{ErrorKind, Result};
use crate::model::storage::ids::{DEFLATE, FLETCHER32, SHUFFLE};
use crate::model::{FilterSpec, Storage};

impl Case<'_> {
    /// Sets the filters.
    ///
    /// # Errors
    /// Those of [`Schema::takes_filters`](crate::model::Schema::takes_filters) for a variable called by its name.
    pub(super) fn filters(&self, storage: &mut Storage, notes: &mut Vec<Note>) -> Result<()> {
        match self.ask.filters.vars.get(&self.pair.from) {
            Some(asked) => self.asked(asked, storage, notes)?,
            None if self.ask.filters.none || self.to.dims.is_empty() => {}
            None => self.unnamed(storage),
        }
        Ok(())
    }

    fn asked(&self, asked: &Filtering, storage: &mut Storage, notes: &mut Vec<Note>) -> Result<()> {
        if asked.filters.is_empty() {
            return Ok(());
        }
        match self.output.takes_filters(self.pair.to) {
            Ok(()) => asked
                .filters
                .iter()
                .for_each(|f| storage.set_filter(f.clone())),
            Err(e) if asked.by_name => return Err(e),
            // A pattern is not about scalars.
            Err(e) if e.kind() == ErrorKind::Scalar => {}
            Err(e) => notes.push(Note {
                object: self.path(),
                what: format!("stored without filters: {}", e.what()),
                remedy: None,
            }),
        }
        Ok(())
    }

    /// Filters of a variable of which `-F` says nothing.
    fn unnamed(&self, storage: &mut Storage) {
        let old = &self.from.storage.filters;
        let Some(level) = self.ask.deflate else {
            storage.filters.clone_from(old);
            return;
        };
        let checksum = old.iter().filter(|f| f.id == FLETCHER32);
        checksum.for_each(|f| storage.set_filter(f.clone()));
        if level > 0 && !is_heap(self.output, self.pair.to) {
            if self.ask.shuffle {
                let (id, params) = (SHUFFLE, vec![]);
                storage.set_filter(FilterSpec { id, params });
            }
            let (id, params) = (DEFLATE, vec![level.into()]);
            storage.set_filter(FilterSpec { id, params });
        }
    }
}
