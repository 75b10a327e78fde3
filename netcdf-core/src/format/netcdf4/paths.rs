//! Caches the links of groups along paths.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::dataset::{self, Hdf5ObjectKind as Object};
use crate::format::hdf5::message::link::LinkedObject;
use crate::format::hdf5::{Hdf5File, ObjectHeader, group};

/// The targets of the group links, by name.
type Links = HashMap<Vec<u8>, LinkedObject>;

/// The links of groups along paths.
#[derive(Debug)]
pub(super) struct Paths {
    /// The links by file name and address, so that files need not stay open. `None` for an object that is not a group.
    groups: HashMap<(Arc<str>, u64), Option<Links>>,
    /// The number of links in `groups`.
    kept: usize,
    /// The remaining number of steps.
    left: u64,
}

/// Maximum number of cached links.
const MAX_LINKS: usize = 1 << 18;
/// Maximum number of steps and links read. A hostile file may have thousands of paths with thousands of names each.
const MAX_STEPS: u64 = 1 << 24;

impl Default for Paths {
    fn default() -> Self {
        Self {
            groups: HashMap::new(),
            kept: 0,
            left: MAX_STEPS,
        }
    }
}

impl Paths {
    /// Returns the target of the link `name` in the group at an address, or `None` if the link or the group does not exist.
    ///
    /// # Errors
    /// Returns errors from reading the group, or [`ErrorKind::Unsupported`] beyond the step limit.
    pub(super) fn step(
        &mut self,
        file: &Hdf5File,
        address: u64,
        name: &[u8],
    ) -> Result<Option<LinkedObject>> {
        self.spend(1)?;
        let place = (Arc::clone(file.name()), address);
        if let Some(links) = self.groups.get(&place) {
            return Ok(target(links, name));
        }
        let links = self.read(file, address)?;
        let found = target(&links, name);
        self.keep(place, links);
        Ok(found)
    }

    /// Resets the step count.
    pub(super) fn start(&mut self) {
        self.left = MAX_STEPS;
    }

    /// Returns the number of steps and links read since [`Paths::start`].
    #[cfg(test)]
    pub(super) fn spent(&self) -> u64 {
        MAX_STEPS - self.left
    }

    fn read(&mut self, file: &Hdf5File, address: u64) -> Result<Option<Links>> {
        let header = ObjectHeader::read(file, address)?;
        let links = match dataset::kind(&header) {
            Object::Group => group::links(file, &header)?,
            Object::Dataset | Object::Datatype | Object::Unknown => {
                return self.spend(1).map(|()| None);
            }
        };
        self.spend(links.len() as u64)?;
        let mut by_name = HashMap::with_capacity(links.len());
        for link in links {
            // The first link wins if names repeat.
            by_name.entry(link.name).or_insert(link.target);
        }
        Ok(Some(by_name))
    }

    fn keep(&mut self, place: (Arc<str>, u64), links: Option<Links>) {
        let count = links.as_ref().map_or(0, HashMap::len) + 1;
        self.kept = self.kept.saturating_add(count);
        if self.kept > MAX_LINKS {
            self.groups.clear();
            self.kept = count;
        }
        self.groups.insert(place, links);
    }

    fn spend(&mut self, steps: u64) -> Result<()> {
        let left = self.left.checked_sub(steps);
        self.left = left.ok_or_else(|| {
            let what = "too many links to follow in this file";
            Error::new(ErrorKind::Unsupported, what)
        })?;
        Ok(())
    }
}

fn target(links: &Option<Links>, name: &[u8]) -> Option<LinkedObject> {
    links.as_ref()?.get(name).cloned()
}
