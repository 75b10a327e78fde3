//! How a variable is, or is to be, stored.

use super::{Quantize, Values};

/// Storage settings of a variable. `Default` means: nothing asked for, the format's own choice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// Contiguous, compact, chunked …; `None` leaves it to the format.
    pub layout: Option<StorageLayout>,
    /// Filters in the order in which they are applied on writing.
    pub filters: Vec<FilterSpec>,
    /// Whether the filters' parameters are those that are stored for these chunks of this type, as where data is
    /// copied as it is: plugins are not asked to make theirs, which not all can do of stored ones.
    pub prepared: bool,
    /// Byte order; `None` for the format's own.
    pub endianness: Option<Endianness>,
    /// Whether unwritten elements read as the fill value.
    pub fill: Fill,
    /// What unwritten elements are to read as where that is not the fill value: one value of the variable's type. HDF5
    /// files that netCDF did not make need not say it in `_FillValue`, and pure Zarr says it beside the attributes. What
    /// is read of other formats than Zarr has `None`. With [`Fill::NoFill`] Zarr of version 2 says it only where there are
    /// such elements in the end.
    pub unwritten: Option<Values>,
    /// Codecs as JSON text (`_Codecs`, Zarr), if given that way.
    pub codecs: Option<Vec<u8>>,
    /// How numbers are quantized that are written. What is read has `None`: it was quantized already.
    pub quantize: Option<Quantize>,
    /// Bytes of the longest string, where strings are stored with a fixed size (Zarr); `None` leaves it to the
    /// attributes, or the format.
    pub max_string: Option<u64>,
    /// Unicode characters of the longest string, where strings are stored as so many characters of four bytes (`<Un` of
    /// pure Zarr); `None` for strings that are stored as bytes.
    pub characters: Option<u64>,
    /// Elements per dimension of what stands under one key, where several chunks do (Zarr version 3).
    pub shard: Option<Vec<u64>>,
}

/// Arrangement of a variable's data in the file (`_Storage`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StorageLayout {
    /// One run of bytes.
    Contiguous,
    /// Within the metadata.
    Compact,
    /// In chunks of this shape (elements per dimension); empty leaves the shape to the format.
    Chunked(Vec<u64>),
    /// Assembled from other datasets.
    Virtual,
    /// Something else.
    Unknown,
}

/// Byte order of stored numbers (`_Endianness`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endianness {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Whether unwritten elements read as the fill value (`_NoFill`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fill {
    /// They do.
    #[default]
    Fill,
    /// They are undefined.
    NoFill,
}

/// A filter by its HDF5 number, with its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterSpec {
    /// Registered HDF5 filter number.
    pub id: u32,
    /// Parameters (`cd_values`).
    pub params: Vec<u32>,
}

/// HDF5's numbers of the filters that netCDF has settings of their own for.
pub mod ids {
    /// Deflate, with its level.
    pub const DEFLATE: u32 = 1;
    /// Bytes of the same significance put together.
    pub const SHUFFLE: u32 = 2;
    /// A checksum.
    pub const FLETCHER32: u32 = 3;
    /// Szip.
    pub const SZIP: u32 = 4;
    /// Bits of elements without those that are never set.
    pub const NBIT: u32 = 5;
    /// Differences from the least element.
    pub const SCALEOFFSET: u32 = 6;
    /// Zfp.
    pub const ZFP: u32 = 32_013;
    /// Zstandard, with its level, and then 1 if frames have checksums.
    pub const ZSTD: u32 = 32_015;
}

impl Storage {
    /// Sets a filter. As netCDF-C orders them: checksum first, then shuffling, then the others as
    /// they are given; the parameters of one that is there already are replaced.
    pub fn set_filter(&mut self, filter: FilterSpec) {
        let rank = |id: u32| match id {
            ids::FLETCHER32 => 0,
            ids::SHUFFLE => 1,
            _ => 2,
        };
        if let Some(old) = self.filters.iter_mut().find(|f| f.id == filter.id) {
            old.params = filter.params;
            return;
        }
        let later = |f: &FilterSpec| rank(f.id) > rank(filter.id);
        let at = self.filters.iter().position(later);
        let at = at.unwrap_or(self.filters.len());
        self.filters.insert(at, filter);
    }
}

impl Storage {
    /// Sets a filter behind those that are there, as netCDF-C has it in Zarr; the parameters of one that is there already
    /// are replaced.
    pub fn add_filter(&mut self, filter: FilterSpec) {
        match self.filters.iter_mut().find(|f| f.id == filter.id) {
            Some(old) => old.params = filter.params,
            None => self.filters.push(filter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_keep_their_order() {
        let mut s = Storage::default();
        for id in [307, ids::DEFLATE, ids::SHUFFLE, ids::FLETCHER32, 32015] {
            let params = vec![id];
            s.set_filter(FilterSpec { id, params });
        }
        let (id, params) = (ids::DEFLATE, vec![9]);
        s.set_filter(FilterSpec { id, params });
        let order: Vec<_> = s.filters.iter().map(|f| f.id).collect();
        assert_eq!(
            order,
            [ids::FLETCHER32, ids::SHUFFLE, 307, ids::DEFLATE, 32015]
        );
        assert_eq!(s.filters[3].params, [9]);
    }

    #[test]
    fn filters_are_added_behind_others() {
        let mut s = Storage::default();
        for (id, param) in [(1, 6), (ids::SHUFFLE, 4), (1, 9), (ids::FLETCHER32, 0)] {
            let params = vec![param];
            s.add_filter(FilterSpec { id, params });
        }
        let order: Vec<_> = s.filters.iter().map(|f| (f.id, f.params[0])).collect();
        assert_eq!(order, [(1, 9), (ids::SHUFFLE, 4), (ids::FLETCHER32, 0)]);
    }
}
