//! How the data of a variable gets from one dataset to another.

use crate::chunk::layout::Layout;
use crate::chunk::rechunk;
use crate::filter::strict::Rewrap;
use crate::filter::substitutes::decode_alike;
use crate::model::FilterSpec;

/// How the data of a variable is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Stored bytes are moved unchanged, run by run.
    Move,
    /// As [`Method::Move`], but the runs are records that lie between those of other variables: such variables
    /// are copied together.
    Rows,
    /// Bands of elements are decoded, converted and encoded.
    Convert,
    /// Stored chunks are moved unchanged.
    Chunks,
    /// Chunks are decoded, and encoded again in the same shape.
    Recode,
    /// Chunks are made from chunks of another shape, or from data without chunks.
    Rechunk(rechunk::RechunkPlan),
}

/// The method for a variable of this shape that is not written as chunks; `from` and `to` are its layouts in the
/// input and the output. `alike` means that an element has the same bytes in both, apart from the byte order of
/// numbers.
#[must_use]
pub fn choose(from: &Layout, to: &Layout, shape: &[u64], alike: bool) -> Method {
    let plain = from.filters.is_empty() && to.filters.is_empty() && to.quantize.is_none();
    let same = alike && from.element == to.element && from.extent == shape;
    match from.chunk.split_first() {
        _ if !plain || !same => Method::Convert,
        None => Method::Move,
        Some((1, rest)) if from.extent.get(1..) == Some(rest) && shape.first() > Some(&1) => {
            Method::Rows
        }
        Some((_, rest)) if from.extent.get(1..) == Some(rest) => Method::Move,
        Some(_) => Method::Convert,
    }
}

/// The method for a variable that is written as chunks. `alike` is as for [`choose`]; `same_fill` means that
/// elements that are not stored read the same in both datasets; `budget` is what may be used.
#[must_use]
pub fn choose_chunks(
    variable: rechunk::RechunkVariable<'_>,
    (alike, same_fill): (bool, bool),
    budget: &rechunk::RechunkBudget,
) -> Method {
    let (from, to) = (variable.from, variable.to);
    let grid = from.chunk == to.chunk && ends_in_whole_chunks(from, variable.shape);
    if !grid || !alike || !same_fill || variable.assembled {
        return Method::Rechunk(rechunk::plan(variable, budget));
    }
    let same = moves(&from.filters, &to.filters) && from.element == to.element;
    match same && to.quantize.is_none() {
        true => Method::Chunks,
        false => Method::Recode,
    }
}

/// True if chunks move from the filters `from` to the filters `to`: they decode alike, or only the container of deflate differs.
pub(super) fn moves(from: &[FilterSpec], to: &[FilterSpec]) -> bool {
    decode_alike(from, to) || Rewrap::of(from, to).is_some()
}

/// True if the elements of a variable of this shape that are not stored lie beyond its stored chunks, and the
/// stored extent cuts off none of these: what a chunk holds beyond the extent is not known.
fn ends_in_whole_chunks(from: &Layout, shape: &[u64]) -> bool {
    let dims = from.extent.iter().zip(&from.chunk).zip(shape);
    dims.into_iter()
        .all(|((extent, chunk), len)| extent == len || extent.is_multiple_of((*chunk).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::ids::ZSTD;

    #[test]
    fn chains_that_are_undone_alike() {
        let spec = |id, params: &[u32]| FilterSpec {
            id,
            params: params.to_vec(),
        };
        let alike = |a: &FilterSpec, b: &FilterSpec| {
            decode_alike(std::slice::from_ref(a), std::slice::from_ref(b))
        };
        assert!(alike(&spec(ZSTD, &[3, 1]), &spec(ZSTD, &[3])));
        assert!(!alike(&spec(ZSTD, &[3, 1]), &spec(ZSTD, &[4])));
        assert!(!alike(&spec(ZSTD, &[3]), &spec(1, &[3])));
        assert!(!alike(&spec(1, &[3, 1]), &spec(1, &[3])));
        assert!(!decode_alike(&[], &[spec(1, &[3])]));
    }
}
