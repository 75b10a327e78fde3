//! Copy methods for a variable's data, and the choice of a method.

use crate::chunk::layout::Layout;
use crate::chunk::rechunk;
use crate::filter::strict::Rewrap;
use crate::filter::substitutes::decode_alike;
use crate::model::FilterSpec;

/// A copy method for a variable's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Moves stored bytes unchanged, run by run.
    Move,
    /// Like [`Method::Move`] for interleaved records. Variables with interleaved records are copied together.
    Rows,
    /// Decodes, converts and encodes bands of elements.
    Convert,
    /// Moves stored chunks unchanged.
    Chunks,
    /// Decodes chunks, and encodes them in the same shape.
    Recode,
    /// Builds chunks from chunks with another shape, or from data without chunks.
    Rechunk(rechunk::RechunkPlan),
}

/// Returns the method for an output variable without chunks. `from` and `to` are the layouts in the input and the output. `alike` means
/// that an element has the same bytes in both datasets, apart from the byte order of numbers.
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

/// Returns the method for a chunked output variable. `alike` is the same as for [`choose`]. `same_fill` means that missing elements read
/// the same in both datasets. `budget` limits memory and threads.
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

/// Returns whether chunks can move from the filters `from` to the filters `to`. The filters must decode alike, or differ only in the
/// deflate container.
pub(super) fn moves(from: &[FilterSpec], to: &[FilterSpec]) -> bool {
    decode_alike(from, to) || Rewrap::of(from, to).is_some()
}

/// Returns whether all missing elements are outside the stored chunks, and no stored chunk crosses the stored extent. A chunk's contents
/// beyond the extent are undefined.
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
