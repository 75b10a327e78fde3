//! Filters that a pattern requests but that do not fit a variable. The variable keeps its filters.

use super::chunks::{elements, least};
use super::{StorageCase, StorageNotes};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterTable, VariableFacts};
use crate::format::traits;
use crate::model::{Atomic, Endianness, FilterSpec, Storage, StoredElement};
use crate::notes::Note;

impl StorageCase<'_> {
    /// Returns the storage of the variable. `has_options` means that an option other than `-F` concerns the variable.
    ///
    /// # Errors
    /// Returns an error if an option requests impossible storage for a variable that the user named.
    pub(super) fn stored(&self, has_options: bool, log: &mut StorageNotes) -> Result<Storage> {
        let asked = self.asked.filter(|asked| !asked.by_name);
        let filters = asked.is_some_and(|asked| !asked.filters.is_empty());
        if !filters || self.to.dims.is_empty() || !traits(self.output.kind).settings {
            return self.storage(log);
        }
        let mut own = StorageNotes::default();
        let why = match self.storage(&mut own) {
            Ok(storage) => match self.unfit(&storage) {
                None => {
                    log.notes.append(&mut own.notes);
                    log.remarks.append(&mut own.remarks);
                    return Ok(storage);
                }
                Some(why) => why,
            },
            Err(e) if e.kind() == ErrorKind::VariableLength => e,
            Err(e) => return Err(e),
        };
        log.remarks.push(Note {
            object: self.path(),
            what: format!("skipped by the pattern of -F: {}", why.what()),
            remedy: None,
        });
        let without = StorageCase {
            asked: None,
            has_options,
            ..*self
        };
        without.storage(log)
    }

    /// Returns the reason why chunks of the variable cannot have the filters. Filters that are not built in are not checked.
    fn unfit(&self, storage: &Storage) -> Option<Error> {
        let table = FilterTable::default();
        let mut context = ChunkContext::of(self.output, self.to, storage.chunk()?.to_vec());
        if self.has_codecs() {
            context.about.dims = self.output.shape(self.pair.to);
        }
        for filter in &storage.filters {
            let entry = table.entry(filter.id).ok()?;
            match entry.prepare(&context, &filter.params) {
                Ok(params) => {
                    let built = entry.build(&params, &context).ok()?;
                    context = built.output(&context);
                }
                Err(e) if e.kind() == ErrorKind::Unsupported => {
                    return Some(e).filter(|_| is_written(&table, filter));
                }
                Err(e) if elements(&context.shape) < least(filter) => {
                    let least = least(filter);
                    let name = table.name(filter.id).unwrap_or_default();
                    let what = format!("{name}: a chunk has fewer elements than a block ({least})");
                    return Some(Error::new(e.kind(), what));
                }
                Err(_) => return None,
            }
        }
        None
    }
}

/// Returns whether a filter can encode, tested with a chunk of floats.
fn is_written(table: &FilterTable, filter: &FilterSpec) -> bool {
    let context = ChunkContext {
        shape: vec![64],
        element: StoredElement {
            ty: Atomic::Float.into(),
            size: 4,
            order: Endianness::Little,
            plain: true,
        },
        fill: None,
        len: Some(256),
        about: VariableFacts::default(),
    };
    let entry = table.entry(filter.id);
    entry.is_ok_and(|entry| entry.prepare(&context, &filter.params).is_ok())
}
