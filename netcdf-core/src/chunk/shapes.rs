//! Default chunk shapes, also for partly specified shapes. The defaults equal netCDF-C's.

use crate::arithmetic::Amount;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Dimension, Schema, VarId};

/// The target chunk size in bytes: `DEFAULT_CHUNK_SIZE`.
const AIM: u64 = 16 << 20;
/// Like [`AIM`], for one-dimensional variables with an unlimited dimension.
const AIM_1D: u64 = 4096;
/// The maximum number of dimensions along which chunk lengths are evened out.
const MOST_EVEN: usize = 5;
/// The maximum chunk size in bytes.
pub(crate) const MOST: u64 = u32::MAX as u64;

/// The dimensions and element sizes for a chunk shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeInput<'a> {
    /// The dimensions.
    pub dims: &'a [&'a Dimension],
    /// The element size in memory, at least 1 byte.
    pub size: u64,
    /// The element size in the file, at least 1 byte.
    pub stored: u64,
    /// Whether chunks may be longer than a fixed dimension, as in Zarr.
    pub overhang: bool,
}

/// Returns the chunk shape. `asked` is empty, or has a length for every dimension, where 0 means the default.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for chunks of 4 GiB or more and, unless overhang is allowed, for chunks longer than a fixed dimension
/// (`NC_EBADCHUNK`).
pub(crate) fn shape(elements: ShapeInput, asked: &[u64]) -> Result<Vec<u64>> {
    let Some((&first, _)) = asked.split_first() else {
        return Ok(defaults(elements, &vec![0; elements.dims.len()]));
    };
    if asked.len() != elements.dims.len() {
        let what = format!(
            "{} chunk sizes for {} dimensions",
            asked.len(),
            elements.dims.len()
        );
        return Err(Error::new(ErrorKind::Argument, what));
    }
    check(elements, asked)?;
    if first == 0 {
        return Ok(defaults(elements, asked));
    }
    let each = |(&n, dim): (&u64, &&Dimension)| match n {
        0 => rest(elements, dim),
        n => n,
    };
    let shape: Vec<u64> = asked.iter().zip(elements.dims).map(each).collect();
    check(elements, &shape)?;
    Ok(shape)
}

/// Returns the shape of chunks of at least `aim` bytes. A smaller variable is one chunk. Lengths that are not `given` are about the same
/// fraction of their dimensions, `lens`. Elements have `size` bytes.
#[must_use]
pub(crate) fn of_bytes(lens: &[u64], given: &[Option<u64>], size: u64, aim: u64) -> Vec<u64> {
    let mut shape: Vec<u64> = given.iter().map(|n| n.unwrap_or(1).max(1)).collect();
    let mut free: Vec<usize> = (0..shape.len().min(lens.len()))
        .filter(|&n| given.get(n) == Some(&None))
        .collect();
    // From the longest dimension to the shortest.
    free.sort_by_key(|&n| std::cmp::Reverse(lens.get(n).copied()));
    let len = |n: usize| lens.get(n).map_or(1, |len| (*len).max(1));
    let share = loop {
        let all: f64 = free.iter().map(|&n| len(n) as f64).product();
        let part = aim as f64 / (bytes(&shape, size) as f64 * all);
        let share = part.powf(1.0 / free.len() as f64).min(1.0);
        // The share of a short dimension would be less than 1 element.
        match free.last() {
            Some(&n) if share * (len(n) as f64) < 1.0 => free.pop(),
            Some(_) | None => break share,
        };
    };
    for &n in &free {
        if let Some(length) = shape.get_mut(n) {
            *length = floor((share * len(n) as f64).ceil()).clamp(1, len(n));
        }
    }
    free.truncate(MOST_EVEN);
    evened(shape, &free, lens, (size, aim))
}

/// Returns the similar shape that is best for readers. Its trailing chunks extend little beyond the dimensions, because the excess is also
/// stored and decoded. The chunks are not much larger than `aim` bytes. Along the `free` dimensions, the number of chunks stays the same or
/// decreases by one.
fn evened(shape: Vec<u64>, free: &[usize], lens: &[u64], (size, aim): (u64, u64)) -> Vec<u64> {
    let least = aim.min(bytes(&shape, size));
    let mut shapes = vec![shape];
    for &n in free {
        let Some(&len) = lens.get(n) else {
            continue;
        };
        let mut more = vec![];
        for shape in &shapes {
            let count = len.div_ceil(shape.get(n).map_or(1, |n| (*n).max(1)));
            for count in [count, count.saturating_sub(1)] {
                let mut even = shape.clone();
                if let (Some(length), true) = (even.get_mut(n), count > 0) {
                    *length = len.div_ceil(count);
                    more.push(even);
                }
            }
        }
        shapes.append(&mut more);
    }
    let cost = |shape: &Vec<u64>| {
        let whole = |(len, n): (&u64, &u64)| len.div_ceil((*n).max(1)) as f64 * *n as f64;
        let stored: f64 = lens.iter().zip(shape).map(whole).product();
        stored * (bytes(shape, size) as f64).sqrt().sqrt()
    };
    let large = |shape: &Vec<u64>| bytes(shape, size) >= least;
    let costs = shapes.into_iter().filter(large).map(|s| (cost(&s), s));
    let best = costs.reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.map(|(_, shape)| shape).unwrap_or_default()
}

/// Returns the default chunk shape of a variable; empty if the variable does not exist.
#[must_use]
pub(crate) fn default_shape(schema: &Schema, var: VarId) -> Vec<u64> {
    let Some(var) = schema.var(var) else {
        return vec![];
    };
    let dims: Vec<_> = var.dims.iter().filter_map(|&d| schema.dim(d)).collect();
    let size = schema.memory_size(var.ty).max(1);
    let elements = ShapeInput {
        dims: &dims,
        size,
        stored: size,
        overhang: false,
    };
    defaults(elements, &vec![0; dims.len()])
}

/// Returns the chunk size in bytes for elements of `size` bytes, saturating.
#[must_use]
pub(crate) fn bytes(shape: &[u64], size: u64) -> u64 {
    (Amount::product(shape) * size).get()
}

fn check(elements: ShapeInput, asked: &[u64]) -> Result<()> {
    if too_large(elements, asked) {
        let what = format!("chunks of {asked:?} elements are larger than 4 GiB");
        return Err(Error::new(ErrorKind::Argument, what));
    }
    for (&n, dim) in asked.iter().zip(elements.dims) {
        if !elements.overhang && !dim.unlimited && dim.len > 0 && n > dim.len {
            let what = format!(
                "a chunk of {n} elements along dimension {}, which has only {}",
                dim.name, dim.len
            );
            return Err(Error::new(ErrorKind::Argument, what));
        }
    }
    Ok(())
}

fn too_large(elements: ShapeInput, shape: &[u64]) -> bool {
    let size = elements.size.max(elements.stored);
    let bytes = shape.iter().try_fold(size, |n, &len| n.checked_mul(len));
    bytes.is_none_or(|n| n > MOST) && !shape.contains(&0)
}

/// Returns the default for a length of 0 if the first length is given.
fn rest(elements: ShapeInput, dim: &Dimension) -> u64 {
    if dim.unlimited {
        return 1;
    }
    let fixed = elements.dims.iter().filter(|d| !d.unlimited).count();
    root(AIM as f64 / elements.size as f64, fixed).clamp(1, dim.len.max(1))
}

/// Replaces lengths of 0 by the defaults of netCDF-C.
fn defaults(elements: ShapeInput, asked: &[u64]) -> Vec<u64> {
    let dims = elements.dims;
    let mut shape = asked.to_vec();
    let unlimited = dims.iter().filter(|d| d.unlimited).count();
    let per_chunk = AIM / elements.size;
    for (n, dim) in shape.iter_mut().zip(dims) {
        *n = match dims.len() {
            _ if !dim.unlimited => *n,
            1 => per_chunk.clamp(1, AIM_1D) / elements.size,
            all if all == unlimited => root(AIM as f64 / elements.size as f64, all).max(1),
            _ => 1,
        };
    }
    // Single precision, as in netCDF-C: this decides between neighbouring lengths.
    let values: f32 = dims
        .iter()
        .filter(|d| !d.unlimited)
        .map(|d| d.len as f32)
        .product();
    let part = AIM as f64 / (f64::from(values) * elements.size as f64);
    let part = part.powf(1.0 / (dims.len() - unlimited) as f64);
    for (n, dim) in shape.iter_mut().zip(dims).filter(|(n, _)| **n == 0) {
        *n = floor(part * dim.len as f64 - 0.5).min(dim.len);
    }
    shape.iter_mut().for_each(|n| *n = (*n).max(1));
    while too_large(elements, &shape) && shape.iter().any(|&n| n > 1) {
        shape.iter_mut().for_each(|n| *n = (*n / 2).max(1));
    }
    for (n, dim) in shape.iter_mut().zip(dims).filter(|(_, d)| !d.unlimited) {
        trim(n, dim.len);
    }
    shape
}

/// Shrinks a chunk length so that the last chunk extends as little as possible beyond the dimension.
fn trim(chunk: &mut u64, len: u64) {
    let chunks = len.div_ceil(*chunk);
    let overhang = (Amount::of(chunks) * *chunk - len).get();
    *chunk -= overhang.checked_div(chunks).unwrap_or(0).min(*chunk - 1);
}

fn root(x: f64, n: usize) -> u64 {
    floor(x.powf(1.0 / n as f64))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "only the integer part, saturated to the type's range, is needed"
)]
fn floor(x: f64) -> u64 {
    x as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{GroupId, Name};

    /// Returns the shape for dimensions of these lengths, 0 for unlimited.
    fn shaped(lens: &[u64], size: u64, asked: &[u64]) -> Result<Vec<u64>> {
        let dim = |&len: &u64| Dimension {
            name: Name::stored(b"x"),
            group: GroupId::ROOT,
            len,
            unlimited: len == 0,
        };
        let dims: Vec<_> = lens.iter().map(dim).collect();
        let elements = ShapeInput {
            dims: &dims.iter().collect::<Vec<_>>(),
            size,
            stored: size,
            overhang: false,
        };
        shape(elements, asked)
    }

    #[test]
    fn as_netcdf_c() {
        let default = |lens: &[u64], size| shaped(lens, size, &[]).unwrap();
        assert_eq!(default(&[0], 8), [512]);
        assert_eq!(default(&[0], 4), [1024]);
        assert_eq!(default(&[0], 1), [4096]);
        assert_eq!(default(&[0], 5000), [1]);
        assert_eq!(default(&[0, 0], 8), [1448, 1448]);
        assert_eq!(default(&[0, 3], 4), [1, 3]);
        assert_eq!(default(&[10, 20], 4), [10, 20]);
        assert_eq!(default(&[0, 3000, 4000], 4), [1, 1500, 2000]);
    }

    #[test]
    fn lengths_that_are_left_open() {
        assert_eq!(shaped(&[10, 10, 10], 4, &[4, 0, 0]).unwrap(), [4, 10, 10]);
        assert_eq!(shaped(&[10, 10], 4, &[0, 5]).unwrap(), [10, 5]);
        assert_eq!(shaped(&[10, 0], 4, &[5, 0]).unwrap(), [5, 1]);
    }

    #[test]
    fn shapes_by_size_take_equal_shares() {
        let of = |lens: &[u64], aim| of_bytes(lens, &vec![None; lens.len()], 4, aim);
        assert_eq!(of(&[1000, 1000], 40_000), [100, 100]);
        assert_eq!(of(&[1000, 100], 4000), [100, 10]);
        assert_eq!(of(&[10, 10], 4000), [10, 10], "all there is");
        assert_eq!(of(&[10_000, 2, 1], 400), [100, 1, 1], "short dimensions");
        assert_eq!(of(&[3, 5], 1), [1, 1]);
        assert_eq!(of(&[], 100), [] as [u64; 0]);
        assert_eq!(of(&[0, 7], 1000), [1, 7], "a dimension without a length");
        // Little is stored beyond the end of dimensions.
        assert_eq!(of(&[120, 360, 360], 4 << 20), [60, 120, 180]);
        assert_eq!(of(&[1_100_000], 4 << 20), [1_100_000]);
        assert_eq!(of(&[2_000_000], 4 << 20), [1 << 20]);
        // Given lengths stay unchanged.
        assert_eq!(of_bytes(&[1000, 1000], &[Some(1), None], 4, 400), [1, 100]);
        assert_eq!(of(&[101], 40), [10]);
        assert_eq!(of(&[23], 30), [8]);
        for lens in [[17, 300, 7000], [1, 9999, 3], [365, 180, 360]] {
            let shape = of(&lens, 1 << 16);
            assert!(bytes(&shape, 4) >= 1 << 16 || shape == lens, "{shape:?}");
            assert!(bytes(&shape, 4) < 1 << 18, "{shape:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (lens, asked) in [
            (&[10][..], &[11][..]),
            (&[10], &[1, 1]),
            (&[0, 0], &[1 << 15, 1 << 15]),
        ] {
            let e = shaped(lens, 4, asked).unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Argument, "{asked:?}");
        }
        assert!(shaped(&[0], 4, &[1 << 29]).is_ok());
    }
}
