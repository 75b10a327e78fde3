//! Skipped HDF5 objects: a note if netCDF cannot represent the object, an error if the object is damaged.

use std::sync::Arc;

use super::attributes::attribute_path;
use super::builder::FileBuilder;
use super::type_reduction::{SkippedField, as_bytes, is_inexpressible};
use super::{FileObject, numbers};
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::attribute::Unread;
use crate::notes::Note;

/// Maximum path length in messages, in bytes: enough for 256-byte names in nested groups.
const PATH: usize = 4096;

/// Truncates an object path for messages. Names in hostile files may be as long as the file.
fn cut(mut path: String) -> String {
    if path.len() > PATH {
        let mut ends = (0..=PATH).rev();
        path.truncate(ends.find(|&n| path.is_char_boundary(n)).unwrap_or(0));
        path.push('…');
    }
    path
}

impl FileBuilder<'_> {
    /// Notes a skipped object. Dangling links and repeated groups contain no data.
    pub(super) fn note(&self, object: String, e: &Error) {
        let place = match (e.resource(), e.offset()) {
            (Some(resource), Some(offset)) => format!(" at byte {offset} of {resource}"),
            (_, None) | (None, _) => String::new(),
        };
        let note = Note {
            object: cut(object),
            what: format!("skipped: {}{place}", e.what()),
            remedy: e.remedy().map(str::to_owned),
        };
        match is_inexpressible(e) {
            true => self.env.notes.skip(note),
            false => self.env.notes.say(note),
        }
    }

    /// Removes the fields that netCDF cannot express from an object's datatype. Fields of a committed type are reported only once.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] if no field remains.
    pub(super) fn reduce(
        &mut self,
        file: u32,
        datatype: &mut Arc<Datatype>,
        path: &str,
    ) -> Result<()> {
        if numbers::atomic(datatype).is_some() {
            return Ok(());
        }
        if self.env.raw_types {
            as_bytes(datatype);
        }
        let committed = datatype
            .committed
            .map(|address| FileObject { file, address });
        let reduction = self.types.reduction(datatype, committed);
        let (reduced, left_out) = reduction.as_ref().as_ref().map_err(Error::again)?;
        *datatype = Arc::clone(reduced);
        if committed.is_some_and(|place| self.types.knows(place)) {
            return Ok(());
        }
        for SkippedField { field, why } in left_out {
            self.note(format!("{path}.{field}"), why);
        }
        Ok(())
    }

    /// Notes an object that netCDF cannot express. [`FileBuilder::report_damage`] handles damage.
    ///
    /// # Errors
    /// Returns damage that is not tolerated.
    pub(super) fn skip(&self, path: &str, e: Error) -> Result<()> {
        match e.kind() {
            ErrorKind::Unsupported | ErrorKind::NotFound => {
                self.note(path.to_owned(), &e);
                Ok(())
            }
            _ => self.report_damage(e, || path.to_owned()),
        }
    }

    /// Handles damage to one object or attribute.
    ///
    /// # Errors
    /// Returns damage that is not tolerated.
    pub(super) fn report_damage(&self, e: Error, path: impl FnOnce() -> String) -> Result<()> {
        let e = Err::<(), _>(e).in_object(|| cut(path()));
        e.or_else(|e| self.env.damage.meet(e))
    }

    /// Handles an attribute of `owner` that cannot be read.
    ///
    /// # Errors
    /// Returns damage that is not tolerated.
    pub(super) fn skip_attribute(&self, owner: &str, unread: Unread) -> Result<()> {
        let name = unread.name.as_deref().unwrap_or(b"(attribute)");
        self.skip_in_attribute(owner, name, unread.error)
    }

    /// Handles an attribute of `owner` with unreadable values.
    ///
    /// # Errors
    /// Returns damage that is not tolerated.
    pub(super) fn skip_in_attribute(&self, owner: &str, name: &[u8], e: Error) -> Result<()> {
        let path = attribute_path(owner, name);
        match e.kind() {
            ErrorKind::Unsupported | ErrorKind::NotFound => self.skip(&path, e),
            _ => {
                let e = Err::<(), _>(e).in_object(|| cut(path));
                e.or_else(|e| self.env.damage.meet_attribute(e, owner))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cut_between_characters() {
        assert_eq!(cut("/a".into()), "/a");
        assert_eq!(cut("a".repeat(PATH)), "a".repeat(PATH));
        let cut = cut(format!("{}é{}", "a".repeat(PATH - 1), "b".repeat(1 << 20)));
        assert_eq!(cut, format!("{}…", "a".repeat(PATH - 1)));
    }
}
