//! Chunk filters: the transformation of chunk bytes between memory and storage.
//!
//! One table maps HDF5 filter numbers and Zarr codec names to implementations. `context` and `entry` are the filter interface, below all
//! filters; `built_in` lists the filters, and `table` looks them up.

pub(crate) mod base64;
pub(crate) mod bitshuffle;
pub(crate) mod blosc;
pub(crate) mod bzip2;
pub(crate) mod chain;
pub(crate) mod checksum;
pub mod codec;
pub(crate) mod cost;
pub(crate) mod define;
pub(crate) mod deflate;
pub(crate) mod fletcher32;
pub(crate) mod gzip;
pub mod hdf4;
pub mod ids;
pub(crate) mod lz4;
pub(crate) mod lzf;
pub(crate) mod lzma;
pub mod names;
pub(crate) mod nbit;
pub(crate) mod numbers;
pub(crate) mod numcodecs_lz4;
pub mod parameter_names;
pub mod plugin;
pub(crate) mod policy;
pub(crate) mod quantize;
pub(crate) mod scaleoffset;
pub(crate) mod shuffle;
pub(crate) mod strict;
pub(crate) mod substitutes;
pub(crate) mod szip;
pub(crate) mod transpose;
pub(crate) mod vlen_utf8;
pub(crate) mod zfp;
pub(crate) mod zfpy;
pub(crate) mod zstd;

mod bits;
mod built_in;
mod context;
mod encoding;
mod entry;
mod lz;
pub(crate) mod missing_filter;
mod output;
mod permute;
#[cfg(test)]
mod round_trips;
mod table;
mod user_params;
#[cfg(test)]
mod vectors;

pub use built_in::modes;
pub use chain::FilterChain;
pub use codec::CodecNames;
pub(crate) use context::corrupt;
pub use context::{ChunkContext, UserClass, VariableFacts};
pub(crate) use entry::read_only;
pub use entry::{Build, Encoded, Filter, FilterEntry, StrictCheck, optional};
pub use policy::{FilterReplacement, Policy, Suits};
pub use substitutes::{policy, visible};
pub use table::{FilterTable, UsableFilter};

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::error::Result;
    use crate::model::{Atomic, Endianness, StoredElement};

    /// Returns the context of a chunk of `len` bytes in `size`-byte elements.
    pub(crate) fn context(len: usize, size: u64) -> ChunkContext {
        ChunkContext {
            shape: vec![len as u64 / size],
            element: StoredElement {
                ty: Atomic::Byte.into(),
                size,
                order: Endianness::Little,
                plain: true,
            },
            fill: None,
            len: Some(len),
            about: VariableFacts::default(),
        }
    }

    /// Builds a filter of the table.
    pub(super) fn build(
        id: u32,
        params: &[u32],
        context: &ChunkContext,
    ) -> Result<Box<dyn Filter>> {
        FilterTable::default().entry(id)?.build(params, context)
    }

    /// Decodes stored bytes with a filter.
    pub(super) fn decode(id: u32, params: &[u32], len: usize, stored: &[u8]) -> Result<Vec<u8>> {
        let (context, mut out) = (context(len, 1), vec![]);
        build(id, params, &context)?.decode(&context, stored, &mut out)?;
        Ok(out)
    }

    /// Truncates and flips `stored` in many ways: no panic, never more than `len` bytes.
    pub(super) fn damage(id: u32, params: &[u32], len: usize, stored: &[u8]) {
        let try_one = |bytes: &[u8]| {
            for context in [context(len, 1), context(len, 1).of_any_length()] {
                let mut out = vec![];
                let filter = build(id, params, &context).unwrap();
                if filter.decode(&context, bytes, &mut out).is_ok() {
                    assert!(out.len() <= context.limit());
                }
            }
        };
        (0..stored.len()).for_each(|n| try_one(&stored[..n]));
        let mut bytes = stored.to_vec();
        for n in 0..stored.len() * 8 {
            bytes[n / 8] ^= 1 << (n % 8);
            try_one(&bytes);
            bytes[n / 8] ^= 1 << (n % 8);
        }
    }

    #[test]
    fn built_in_rows_are_distinct() {
        let rows = FilterTable::default().rows;
        for (n, row) in rows.iter().enumerate() {
            let rest = &rows[n + 1..];
            assert!(rest.iter().all(|r| r.id != row.id && r.name != row.name));
        }
        assert!(rows.iter().take(6).map(|r| r.id).eq(1..=6));
    }

    #[test]
    fn output_lengths_are_checked() {
        let fixed = context(40, 4);
        assert_eq!(fixed.checked_len(40, "x").unwrap(), 40);
        assert!(fixed.checked_len(39, "x").is_err() && fixed.checked_len(41, "x").is_err());
        let free = fixed.of_any_length();
        assert_eq!(free.checked_len(300, "x").unwrap(), 300);
        assert_eq!(
            free.checked_len(1 << 20, "x").unwrap_err().what(),
            "x: 1048576 bytes, expected at most 65856"
        );
    }
}
