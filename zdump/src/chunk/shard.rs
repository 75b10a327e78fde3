//! Prints the index of a shard.

use std::collections::BTreeMap;
use std::ops::Range;

use netcdf_core::chunk::scatter::advance;
use netcdf_core::error::Result;
use netcdf_core::format::zarr::raw::KeyPart;
use netcdf_core::json::Json;
use netcdf_core::model::region::product;

use super::print::ChunkPrinter;
use crate::array::numbers;
use crate::key;
use crate::out::{Colour, maybe, numbers as list, plain};
use crate::table::count;

impl ChunkPrinter<'_, '_> {
    /// Prints the shard head of a chunk, if the array is sharded.
    ///
    /// # Errors
    /// Returns errors of the store, of a damaged index, and write errors.
    pub(super) fn shard_of(&mut self, place: &[u64]) -> Result<()> {
        let key_place = self.opened.key_place(place);
        let key = self.opened.key(&key_place);
        self.shard_in(&key, place)
    }

    /// Prints the head of the shard with this key, if the array is sharded and this shard was not printed last.
    ///
    /// # Errors
    /// Returns the errors of [`Self::shard_of`].
    pub(super) fn shard_in(&mut self, key: &str, place: &[u64]) -> Result<()> {
        if !self.opened.sharded() || self.shard.as_deref() == Some(key) {
            return Ok(());
        }
        self.shard = Some(key.to_owned());
        let key_place = self.opened.key_place(place);
        let Some(size) = key::size(self.opened.store, key)? else {
            return Ok(());
        };
        let parts = self.opened.parts(&key_place, key, size)?;
        let ratio = self.opened.per_key();
        if self.out.json {
            self.out.record(
                "shard",
                [
                    ("place", list(&key_place)),
                    ("key", Json::text(key)),
                    ("stored_bytes", Json::int(size)),
                    ("chunks", list(&ratio)),
                    ("present", Json::int(parts.len())),
                ],
            )?;
        } else {
            let all = count(product(&ratio));
            let (at, have) = (numbers(&key_place), parts.len());
            let key = plain(key);
            let text = format!("shard {at}  {key}  {size} B, {have} of {all} chunks");
            let text = self.out.paint(Colour::Bold, &text);
            self.out.line(&text)?;
        }
        match self.stage {
            Some(0) => self.entries(&key_place, &ratio, parts),
            Some(_) | None => Ok(()),
        }
    }

    /// Prints the index entries. For nested shards, prints only the entries of stored chunks.
    fn entries(&mut self, key_place: &[u64], ratio: &[u64], parts: Vec<KeyPart>) -> Result<()> {
        if self.opened.array.described.shards.len() > 1 {
            return parts
                .into_iter()
                .try_for_each(|part| self.entry(&part.place, Some(&part.range)));
        }
        let parts = parts.into_iter().map(|part| (part.place, part.range));
        let parts: BTreeMap<Vec<u64>, Range<u64>> = parts.collect();
        // The index was read, so the number of chunks is at most the number of entries.
        let mut at = vec![0u64; ratio.len()];
        loop {
            let place = at.iter().zip(key_place).zip(ratio);
            let place: Vec<u64> = place
                .map(|((at, key), n)| key.saturating_mul(*n).saturating_add(*at))
                .collect();
            self.entry(&place, parts.get(&place))?;
            if !advance(&mut at, ratio) {
                return Ok(());
            }
        }
    }

    fn entry(&mut self, place: &[u64], range: Option<&Range<u64>>) -> Result<()> {
        let len = range.map(|range| range.end.saturating_sub(range.start));
        let offset = range.map(|range| range.start);
        if self.out.json {
            let offset = ("offset", maybe(offset));
            let length = ("length", maybe(len));
            return self
                .out
                .record("entry", [("place", list(place)), offset, length]);
        }
        let text = match (offset, len) {
            (Some(offset), Some(len)) => format!("{len} B from byte {offset} on"),
            _ => "missing".to_owned(),
        };
        self.out.line(&format!("  {}  {text}", numbers(place)))
    }
}
