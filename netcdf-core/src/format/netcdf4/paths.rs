//! The groups that paths of links lead through: their links, kept from one path to the next.

use std::collections::HashMap;
use std::sync::Arc;

use super::Place;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::dataset::{self, Kind as Object};
use crate::format::hdf5::message::link::{Link, Target};
use crate::format::hdf5::{File, ObjectHeader, group};

/// Links of groups on the way of paths.
#[derive(Debug)]
pub struct Paths {
    groups: HashMap<Place, Option<Arc<[Link]>>>,
    /// Links in `groups`.
    kept: usize,
    /// Links that may still be looked at.
    left: u64,
}

/// Links that are kept.
const KEPT: usize = 1 << 18;
/// Links that are looked at in all: a hostile file may have thousands of paths of thousands of
/// names each.
const MOST: u64 = 1 << 30;
/// What reading a link costs, in links that are looked at.
const READ: u64 = 64;

impl Default for Paths {
    fn default() -> Self {
        Self {
            groups: HashMap::new(),
            kept: 0,
            left: MOST,
        }
    }
}

impl Paths {
    /// What the link `name` of a group stands for; `None` without such a link or group.
    ///
    /// # Errors
    /// Those of reading the group; [`ErrorKind::Unsupported`] after very many links.
    pub fn step(&mut self, file: &File, place: Place, name: &[u8]) -> Result<Option<Target>> {
        let links = match self.groups.get(&place) {
            Some(links) => links.clone(),
            None => self.read(file, place)?,
        };
        let links = links.as_deref().unwrap_or_default();
        self.spend(1 + links.len() as u64)?;
        let found = links.iter().find(|l| l.name == name);
        Ok(found.map(|l| l.target.clone()))
    }

    fn read(&mut self, file: &File, place: Place) -> Result<Option<Arc<[Link]>>> {
        let header = ObjectHeader::read(file, place.address)?;
        let links: Option<Arc<[Link]>> = match dataset::kind(&header) {
            Object::Group => Some(group::links(file, &header)?.into()),
            Object::Dataset | Object::Datatype | Object::Unknown => None,
        };
        let count = links.as_ref().map_or(0, |l| l.len()) + 1;
        self.spend((count as u64).saturating_mul(READ))?;
        self.kept = self.kept.saturating_add(count);
        if self.kept > KEPT {
            self.groups.clear();
            self.kept = count;
        }
        self.groups.insert(place, links.clone());
        Ok(links)
    }

    fn spend(&mut self, links: u64) -> Result<()> {
        let left = self.left.checked_sub(links);
        self.left = left.ok_or_else(|| {
            let what = "a link behind more links than are followed in a file";
            Error::new(ErrorKind::Unsupported, what)
        })?;
        Ok(())
    }
}
