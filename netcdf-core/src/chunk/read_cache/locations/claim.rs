//! Locates a section once, even if several threads request it concurrently.

use super::columns::{HEAD, ROW};
use super::{LocatedChunks, LocatedSections, MaybeLocations, SectionKey};
use crate::chunk::read_cache::flight::{Landing, again};
use crate::chunk::scatter::Block;
use crate::error::Result;
use crate::model::region::product;
use crate::runtime::CachedBytes;

/// The exclusive right and the duty to locate a section. The rules of [`flight`](crate::chunk::read_cache::flight) apply: the thread with
/// the claim only sends requests to the reader.
pub(super) struct SectionClaim<'a> {
    pub(super) located: &'a LocatedChunks,
    pub(super) landing: Landing<'a, SectionKey, MaybeLocations>,
}

impl SectionClaim<'_> {
    /// Reserves memory for the maximum number of locations in the section during the search.
    pub(super) fn reserve(&self, chunks: &Block) -> Option<CachedBytes> {
        let bytes = product(&chunks.count)?.checked_mul(ROW)?;
        self.located.reserve(bytes.checked_add(HEAD)?, 0, u64::MAX)
    }

    /// Passes the locations or the error to all waiting threads. Locations are cached, errors are not.
    pub(super) fn publish(self, found: Result<MaybeLocations>) -> Result<MaybeLocations> {
        if let Ok(locations) = &found {
            let bytes = locations
                .as_ref()
                .map_or(HEAD, |locations| locations.bytes());
            let (var, section) = self.landing.key;
            if let Some(reserved) = self.located.reserve(bytes, 0, u64::MAX) {
                let found = LocatedSections {
                    sections: section..section + 1,
                    locations: locations.clone(),
                    reserved,
                };
                self.located.put(var, found, u64::MAX);
            }
        }
        self.landing.land(again(&found));
        found
    }
}
