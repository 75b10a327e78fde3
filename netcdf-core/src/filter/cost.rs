//! Filter costs per byte of elements, to estimate the copy duration. The figures were measured with one thread on fields of measured
//! values, and rounded to two digits. Smooth fields take a third of the time, noise takes longer.

use super::ids::{DEFLATE, FLETCHER32, SCALEOFFSET, SHUFFLE, SZIP, ZSTD};
use crate::model::FilterSpec;

/// Costs of a filter, in nanoseconds per byte of elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FilterCost {
    /// The cost of encoding.
    pub encode: f64,
    /// The cost of decoding.
    pub decode: f64,
    /// Encoded bytes per element byte, for compressors.
    pub ratio: f64,
}

/// Filter numbers without dedicated settings in netCDF.
const BZIP2: u32 = 307;
const BLOSC: u32 = 32_001;

/// Returns the filter cost; for an unknown filter, the cost of a common compressor.
#[must_use]
pub(crate) fn of(filter: &FilterSpec) -> FilterCost {
    let level = filter.params.first().copied();
    let (encode, decode, ratio) = match (filter.id, level) {
        (SHUFFLE, _) => (0.15, 0.15, 1.0),
        (FLETCHER32, _) => (0.4, 0.4, 1.0),
        (SCALEOFFSET, _) => (1.5, 1.5, 0.5),
        (DEFLATE, Some(0..=2)) => (7.0, 2.0, 0.6),
        (DEFLATE, Some(3..=6) | None) => (10.0, 2.0, 0.6),
        (DEFLATE, Some(_)) => (33.0, 2.0, 0.6),
        (ZSTD, Some(0..=2)) => (1.1, 0.7, 0.6),
        (ZSTD, Some(3..=6) | None) => (3.2, 0.7, 0.6),
        (ZSTD, Some(_)) => (13.0, 0.7, 0.6),
        (BLOSC, _) => (1.8, 0.6, 0.7),
        (BZIP2, _) => (80.0, 40.0, 0.4),
        (SZIP, _) => (8.0, 6.0, 0.6),
        (_, _) => (7.0, 2.0, 0.6),
    };
    FilterCost {
        encode,
        decode,
        ratio,
    }
}

/// Returns the cost of a filter chain.
#[must_use]
pub(crate) fn of_all(filters: &[FilterSpec]) -> FilterCost {
    let none = FilterCost {
        encode: 0.0,
        decode: 0.0,
        ratio: 1.0,
    };
    // The output of two compressors is rarely smaller than the output of the better one.
    filters.iter().map(of).fold(none, |all, one| FilterCost {
        encode: all.encode + one.encode * all.ratio,
        decode: all.decode + one.decode * all.ratio,
        ratio: all.ratio.min(one.ratio),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_add_up() {
        let spec = |id, params: &[u32]| FilterSpec {
            id,
            params: params.to_vec(),
        };
        let cost = of_all(&[spec(SHUFFLE, &[4]), spec(ZSTD, &[1])]);
        assert!((cost.encode - 1.25).abs() < 1e-9 && (cost.ratio - 0.6).abs() < 1e-9);
        let (fast, slow) = (of(&spec(DEFLATE, &[1])), of(&spec(DEFLATE, &[9])));
        assert!(fast.encode < slow.encode);
        assert!((of_all(&[]).ratio - 1.0).abs() < 1e-9);
    }
}
