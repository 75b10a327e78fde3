//! Shapes of chunks where nobody asks for one: netCDF-C's rules, with the default of its CMake builds.

use crate::model::{Atomic, DataType, Schema, TypeKind, VarId};

/// Bytes that a chunk should have, about.
const SIZE: u64 = 16 << 20;
/// Bytes of a chunk of a variable whose only dimension is unlimited.
const SIZE_OF_SERIES: u64 = 4096;
/// The most bytes that HDF5 can say a chunk has.
pub const MOST: u64 = u32::MAX as u64;

/// The shape of the chunks of a variable of `schema`.
#[must_use]
pub fn default_chunk_shape(schema: &Schema, var: VarId) -> Vec<u64> {
    let Some(var) = schema.var(var) else {
        return vec![];
    };
    let dim = |id| schema.dim(id).map(|d| (d.len, d.unlimited));
    let dims: Vec<_> = var.dims.iter().filter_map(|&id| dim(id)).collect();
    default_shape(&dims, memory_size(schema, var.ty))
}

/// Bytes of an element in C's memory: a pointer for a string, a length and a pointer for a list.
#[must_use]
pub fn memory_size(schema: &Schema, ty: DataType) -> u64 {
    let atomic = |a: Atomic| a.size().map_or(8, |n| n as u64);
    let size = match ty {
        DataType::Atomic(a) => atomic(a),
        DataType::User(id) => match schema.user_type(id).map(|t| &t.kind) {
            Some(TypeKind::Enum { base, .. }) => atomic(*base),
            Some(TypeKind::Opaque { size } | TypeKind::Compound { size, .. }) => *size,
            Some(TypeKind::Vlen { .. }) => 16,
            None => 1,
        },
    };
    size.max(1)
}

/// The shape of chunks of elements of `size` bytes, for dimensions given as (length, whether unlimited).
#[must_use]
pub fn default_shape(dims: &[(u64, bool)], size: u64) -> Vec<u64> {
    let unlimited = dims.iter().filter(|(_, unlimited)| *unlimited).count();
    let mut shape = match dims {
        [(_, true)] => vec![((SIZE / size).min(SIZE_OF_SERIES) / size).max(1)],
        _ if unlimited == dims.len() => {
            let side = whole((SIZE as f64 / size as f64).powf(1.0 / dims.len() as f64));
            vec![side; dims.len()]
        }
        _ => shares(dims, unlimited, size),
    };
    while bytes(&shape, size) > MOST {
        let before = shape.clone();
        shape.iter_mut().for_each(|n| *n = (*n / 2).max(1));
        if shape == before {
            break;
        }
    }
    for (n, (len, _)) in shape
        .iter_mut()
        .zip(dims)
        .filter(|(_, (_, unlimited))| !unlimited)
    {
        // Chunks that reach less beyond the end of the dimension, as many as before.
        let chunks = len.div_ceil(*n);
        let beyond = chunks.saturating_mul(*n).saturating_sub(*len);
        *n = n
            .saturating_sub(beyond.checked_div(chunks).unwrap_or(0))
            .max(1);
    }
    shape
}

/// One along unlimited dimensions, an equal share of each of the others.
fn shares(dims: &[(u64, bool)], unlimited: usize, size: u64) -> Vec<u64> {
    let fixed = dims.iter().filter(|(_, unlimited)| !*unlimited);
    // netCDF-C counts in single precision, which decides a few shapes.
    let elements = fixed.fold(1_f32, |n, (len, _)| n * *len as f32);
    let share = SIZE as f64 / (f64::from(elements) * size as f64);
    let share = share.powf(1.0 / (dims.len() - unlimited) as f64);
    let one = |&(len, unlimited): &(u64, bool)| match unlimited {
        true => 1,
        false => whole(share * len as f64 - 0.5).min(len).max(1),
    };
    dims.iter().map(one).collect()
}

/// Bytes of a chunk, saturating.
#[must_use]
pub fn bytes(shape: &[u64], size: u64) -> u64 {
    shape.iter().fold(size, |n, len| n.saturating_mul(*len))
}

/// Rounded down; 1 for what is less.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturating, and bounded by lengths afterwards"
)]
fn whole(n: f64) -> u64 {
    (n as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_netcdf_c() {
        let (f, u) = (|n| (n, false), |n| (n, true));
        for (dims, size, want) in [
            (&[u(2)][..], 8, &[512][..]),
            (&[u(0)], 4, &[1024]),
            (&[u(0)], 1, &[4096]),
            (&[u(0)], 5000, &[1]),
            (&[u(3), u(3)], 4, &[2048, 2048]),
            (&[u(0), u(0)], 8, &[1448, 1448]),
            (&[u(2), f(3), f(4)], 4, &[1, 3, 4]),
            (&[f(3)], 4, &[3]),
            (&[f(5000), f(5000)], 8, &[1250, 1250]),
            (&[u(0), f(2000), f(4000)], 4, &[1, 1000, 2000]),
            (&[f(1)], 6_000_000_000, &[1]),
            (&[f(0), f(10)], 4, &[1, 10]),
        ] {
            assert_eq!(default_shape(dims, size), want, "{dims:?}");
        }
        assert_eq!(default_shape(&[], 4), [0; 0]);
    }
}
