//! Changes of a store since a reader opened it. Records that a program appends do not disturb the reader: it keeps its shape, and metadata
//! and chunks in this shape stay.

use std::sync::Arc;
use std::time::Duration;

use super::reader::ZarrReader;
use super::whole_state;
use crate::chunk::Reader as _;
use crate::error::Result;
use crate::io::patched_store::is_in_hidden;
use crate::io::store::is_marker;
use crate::model::{Attribute, Schema, Variable};

/// The maximum number of looks at metadata that a program is changing, and the time between them.
const LOOKS: usize = 20;
const PAUSE: Duration = Duration::from_millis(10);

impl ZarrReader {
    /// Returns a key of the reader's state that has changed since it was read.
    pub(super) fn later_change(&self) -> Option<Arc<str>> {
        let name = self.origin.changed()?;
        let all = self.origin.changed_keys();
        let keys = all.iter().filter(|key| !is_in_hidden(key));
        let (metadata, others): (Vec<_>, Vec<_>) = keys.partition(|key| is_marker(key));
        let mut others = others.into_iter();
        let other = others.find(|key| !self.is_longer_listing(key));
        let other = other.or_else(|| metadata.first().copied().filter(|_| !self.has_only_grown()));
        // Values that a program overwrote before they were read belong to a longer shape.
        let later = self.origin.later_key().filter(|_| !metadata.is_empty());
        match other.cloned().or(later) {
            Some(key) => Some(format!("{}/{key}", self.origin.name().trim_end_matches('/')).into()),
            None if all.is_empty() => Some(name),
            None => None,
        }
    }

    /// Returns whether a key is the prefix of a listed directory, and the array with this directory has the same chunks in its shape.
    fn is_longer_listing(&self, key: &str) -> bool {
        let is_directory = key.is_empty() || key.ends_with('/');
        let mut arrays = self
            .schema()
            .var_ids()
            .filter_map(|var| self.chunks(var).ok());
        let array = arrays.find(|array| {
            array.keys.are_listed() && key.starts_with(array.keys.array.prefix.as_str())
        });
        is_directory && array.is_some_and(|array| array.keys.has_same_keys().unwrap_or(false))
    }

    /// Returns whether the metadata differs only in longer dimensions. Another program may be changing the metadata at this moment.
    fn has_only_grown(&self) -> bool {
        for _ in 0..LOOKS {
            match whole_state::look(&self.origin, self.version) {
                Ok(Some(now)) if self.is_start_of(&now).unwrap_or(false) => return true,
                Ok(_) | Err(_) => std::thread::sleep(PAUSE),
            }
        }
        false
    }

    fn is_start_of(&self, now: &Self) -> Result<bool> {
        let (old, new) = (self.schema(), now.schema());
        if !is_same_apart_from_lengths(old, new) || !has_longer_dims(old, new) {
            return Ok(false);
        }
        for id in old.var_ids() {
            let (old, new) = (&self.data(id)?.array, &now.data(id)?.array);
            let mut layout = old.layout.clone();
            let mut lens = layout.extent.iter().zip(&new.layout.extent);
            let is_longer = lens.all(|(old, new)| old <= new);
            layout.extent.clone_from(&new.layout.extent);
            if !is_longer || layout != new.layout || old.prefix != new.prefix {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn has_longer_dims(old: &Schema, new: &Schema) -> bool {
    let mut dims = old.dims.iter().zip(&new.dims);
    dims.all(|(old, new)| (&old.name, old.group) == (&new.name, new.group) && old.len <= new.len)
}

/// Checks that two schemas have the same objects, apart from the lengths of dimensions.
pub(super) fn is_same_apart_from_lengths(old: &Schema, new: &Schema) -> bool {
    let counts = |s: &Schema| (s.dims.len(), s.vars.len(), s.groups.len());
    let var = |(old, new): (&Variable, &Variable)| {
        (&old.name, old.group, old.ty) == (&new.name, new.group, new.ty)
            && old.dims == new.dims
            && Attribute::are_same(&old.attributes, &new.attributes)
    };
    counts(old) == counts(new)
        && old.vars.iter().zip(&new.vars).all(var)
        && old.groups.iter().zip(&new.groups).all(|(old, new)| {
            old.name == new.name && Attribute::are_same(&old.attributes, &new.attributes)
        })
}
