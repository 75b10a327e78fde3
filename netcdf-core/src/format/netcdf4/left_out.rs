//! What is left out: said where netCDF cannot express it, an error where it is damaged.

use std::sync::Arc;

use super::Place;
use super::attributes::attribute_path;
use super::expressible::LeftOut;
use super::numbers;
use super::walk::Builder;
use crate::env::Note;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::format::hdf5::datatype::Datatype;
use crate::format::hdf5::message::attribute::Unread;

/// Bytes of an object's path in a report: names of 256 bytes in groups within groups, and some room.
const PATH: usize = 4096;

/// As much of an object's path as a report shows: hostile names may be as long as the file.
fn cut(mut path: String) -> String {
    if path.len() > PATH {
        let mut ends = (0..=PATH).rev();
        path.truncate(ends.find(|&n| path.is_char_boundary(n)).unwrap_or(0));
        path.push('…');
    }
    path
}

impl Builder<'_> {
    /// A report that something is left out.
    pub fn note(&self, object: String, e: &Error) {
        let place = match (e.resource(), e.offset()) {
            (Some(resource), Some(offset)) => format!(" at byte {offset} of {resource}"),
            (_, None) | (None, _) => String::new(),
        };
        self.env.notes.say(Note {
            object: cut(object),
            what: format!("left out: {}{place}", e.what()),
            remedy: e.remedy().map(str::to_owned),
        });
    }

    /// Takes the fields out of an object's datatype that netCDF cannot express, and says so, unless
    /// it did of the committed type.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if nothing is left.
    pub fn reduce(&mut self, file: u32, datatype: &mut Arc<Datatype>, path: &str) -> Result<()> {
        if numbers::atomic(datatype).is_some() {
            return Ok(());
        }
        let committed = datatype.committed.map(|address| Place { file, address });
        let reduction = self.types.reduction(datatype, committed);
        let (reduced, left_out) = reduction.as_ref().as_ref().map_err(Error::again)?;
        *datatype = Arc::clone(reduced);
        if committed.is_some_and(|place| self.types.knows(place)) {
            return Ok(());
        }
        for LeftOut { field, why } in left_out {
            self.note(format!("{path}.{field}"), why);
        }
        Ok(())
    }

    /// Says what netCDF cannot express; for damage see [`Builder::lost`].
    ///
    /// # Errors
    /// Damage that is not tolerated.
    pub fn left_out(&self, path: &str, e: Error) -> Result<()> {
        match e.kind() {
            ErrorKind::Unsupported | ErrorKind::NotFound => {
                self.note(path.to_owned(), &e);
                Ok(())
            }
            _ => self.lost(e, || path.to_owned()),
        }
    }

    /// What becomes of the damage of one object or attribute.
    ///
    /// # Errors
    /// The damage, if it is not tolerated.
    pub fn lost(&self, e: Error, path: impl FnOnce() -> String) -> Result<()> {
        let e = Err::<(), _>(e).in_object(|| cut(path()));
        e.or_else(|e| self.env.damage.meet(e))
    }

    /// An attribute of `owner` that cannot be read.
    ///
    /// # Errors
    /// Damage that is not tolerated.
    pub fn unread(&self, owner: &str, unread: Unread) -> Result<()> {
        let name = unread.name.as_deref().unwrap_or(b"(attribute)");
        self.left_out(&attribute_path(owner, name), unread.error)
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
