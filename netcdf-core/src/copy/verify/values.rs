//! Compares the values of a variable with the input.

use super::differs;
use crate::chunk::quantize::Quantizer;
use crate::chunk::{Dataset, Layout};
use crate::copy::conversion::ElementConversion;
use crate::diff::{self, ChunkCheck, Convert, Expected, Mismatch};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::names;
use crate::model::{Atomic, VarId, Variable};

/// A variable of the input and of the output.
pub(super) struct Copied<'a> {
    pub sets: [Dataset<'a>; 2],
    pub vars: [VarId; 2],
    /// The variable in the schema of the plan.
    pub planned: &'a Variable,
}

impl Copied<'_> {
    /// Compares the values. Returns the largest difference if values may differ.
    pub(super) fn compare(&self) -> Result<Option<f64>> {
        self.check_shapes()?;
        let ([from, to], [x, y]) = (self.sets, self.vars);
        let layouts = [from.layout(x)?, to.layout(y)?];
        let check = self.check()?;
        let conversion = conversion(x, &layouts);
        let (alike, plain) = (conversion.alike, conversion.to.plain_type());
        let convert = |bytes| conversion.encoded(from, bytes);
        let convert: &Convert<'_> = &convert;
        let quantize = Quantizer::new(self.planned, conversion.to.order);
        let lossy = is_lossy(&layouts);
        let may_differ = check != ChunkCheck::Stored && (lossy || quantize.is_some());
        let expected = Expected {
            convert: (plain.is_some() && !alike).then_some(convert),
            quantize: quantize.filter(|_| plain.is_some()),
            lossy: lossy && plain.is_some(),
            measured: may_differ && plain.is_some_and(|ty| ty != Atomic::Char),
            check,
            differs: &mismatch,
        };
        let largest = diff::compare_copy(self.sets, self.vars, expected);
        let largest = largest.map_err(|e| match e.kind() {
            ErrorKind::Limit => e.with_remedy("copy to smaller chunks (-c), or without --verify"),
            _ => e,
        })?;
        Ok(may_differ.then_some(largest))
    }

    fn check_shapes(&self) -> Result<()> {
        let ([from, to], [x, y]) = (self.sets, self.vars);
        let shape = from.reader.schema().shape(x);
        let read = to.reader.schema().shape(y);
        match read == shape {
            true => Ok(()),
            false => Err(differs(format!(
                "the output's shape is {read:?}, not {shape:?}"
            ))),
        }
    }

    /// Returns the check of stored chunks. Chunks with a missing filter were always moved.
    fn check(&self) -> Result<ChunkCheck> {
        let ([from, to], [x, _]) = (self.sets, self.vars);
        match from.check_filters(x) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::FilterUnavailable => return Ok(ChunkCheck::Stored),
            Err(e) => return Err(e),
        }
        let [from, to] = [from, to].map(|set| set.reader.schema().kind.storage);
        Ok(match from == to {
            true => ChunkCheck::Decode,
            false => ChunkCheck::DecodeStrictly,
        })
    }
}

fn conversion(var: VarId, [from, to]: &[Layout; 2]) -> ElementConversion {
    let (from, to) = (from.element, to.element);
    let plain = from.plain_type();
    ElementConversion {
        var,
        from,
        to,
        alike: plain.is_some() && plain == to.plain_type(),
    }
}

/// Returns whether the values passed filters that may change them. Moved chunks did not.
fn is_lossy([from, to]: &[Layout; 2]) -> bool {
    let moved = from.filters == to.filters && from.chunk == to.chunk;
    !moved && to.filters.iter().any(names::is_lossy)
}

fn mismatch(found: Mismatch) -> Error {
    differs(match found {
        Mismatch::Element(index) => format!("element {index:?} differs from the input"),
        Mismatch::Chunk(place) => format!("the chunk of element {place:?} differs from the input"),
        Mismatch::Chunks => "the output's chunks differ from the input's".to_owned(),
        Mismatch::Filters => "the output's filters differ from the input's".to_owned(),
    })
}
