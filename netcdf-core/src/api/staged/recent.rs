//! Tiles that a commit in place stored as partial chunks. The next record changes these chunks without reading and decoding them.

use std::collections::BTreeMap;

use crate::model::VarId;

/// The maximum number of bytes of a tile, and of all tiles.
pub(super) const LARGEST: usize = 1 << 20;
const ALL: usize = 16 << 20;

/// Elements of tiles in stored form, by position in the grid of tiles.
pub(super) type TileElements = BTreeMap<Vec<u64>, Vec<u8>>;

/// Tiles with the elements of committed chunks, by variable.
#[derive(Debug, Default)]
pub(super) struct RecentTiles {
    tiles: BTreeMap<VarId, TileElements>,
    bytes: usize,
}

impl RecentTiles {
    /// Adds a tile, if it is small.
    pub(super) fn put(&mut self, var: VarId, place: Vec<u64>, bytes: Vec<u8>) {
        if bytes.len() <= LARGEST && self.bytes + bytes.len() <= ALL {
            self.bytes += bytes.len();
            let old = self.tiles.entry(var).or_default().insert(place, bytes);
            self.bytes -= old.map_or(0, |old| old.len());
        }
    }

    /// Removes and returns the tiles of a variable.
    pub(super) fn take(&mut self, var: VarId) -> TileElements {
        let tiles = self.tiles.remove(&var).unwrap_or_default();
        self.bytes -= tiles.values().map(Vec::len).sum::<usize>();
        tiles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_bounded() {
        let mut recent = RecentTiles::default();
        for n in 0..20 {
            recent.put(VarId(n % 3), vec![n.into()], vec![1; LARGEST]);
        }
        assert_eq!(recent.bytes, ALL);
        recent.put(VarId(9), vec![0], vec![1; 5]);
        assert!(recent.take(VarId(9)).is_empty(), "full");
        assert_eq!(recent.take(VarId(1)).len(), 5);
        recent.put(VarId(2), vec![2], vec![1; 5]);
        recent.put(VarId(2), vec![3], vec![1; LARGEST + 1]);
        assert_eq!(recent.bytes, 10 * LARGEST + 5);
        assert_eq!(recent.take(VarId(2)).get(&vec![2]), Some(&vec![1; 5]));
        assert_eq!(recent.take(VarId(0)).len(), 6);
        assert_eq!(recent.bytes, 0);
    }
}
