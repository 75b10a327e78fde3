//! Rectangular regions of a variable.

/// A region: start, number and distance of elements per dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// First index per dimension.
    pub start: Vec<u64>,
    /// Number of elements per dimension.
    pub count: Vec<u64>,
    /// Distance between elements per dimension, at least 1.
    pub stride: Vec<u64>,
}

impl Region {
    /// The whole of a variable of this shape (empty for a scalar).
    #[must_use]
    pub fn whole(shape: &[u64]) -> Self {
        Self::boxed(vec![0; shape.len()], shape.to_vec())
    }

    /// The region from `start` with `count` elements per dimension, without gaps.
    #[must_use]
    pub fn boxed(start: Vec<u64>, count: Vec<u64>) -> Self {
        let stride = vec![1; start.len()];
        Self {
            start,
            count,
            stride,
        }
    }

    /// Number of elements; `None` beyond 2^64.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        product(&self.count)
    }
}

/// Product of lengths (1 for none); `None` beyond 2^64, unless a length is 0.
#[must_use]
pub fn product(lengths: &[u64]) -> Option<u64> {
    if lengths.contains(&0) {
        return Some(0);
    }
    lengths.iter().try_fold(1u64, |n, &len| n.checked_mul(len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products() {
        assert_eq!(product(&[]), Some(1));
        assert_eq!(product(&[3, 4]), Some(12));
        assert_eq!(product(&[u64::MAX, u64::MAX, 0]), Some(0));
        assert_eq!(product(&[u64::MAX, 2]), None);
    }
}
