//! Compares a copy with its input.
//!
//! The first dataset is the input, the second the copy. The values of the input are converted and quantized as in the copy. Then
//! all values must have the same bits.

use std::collections::BTreeMap;

use super::changes::{ChunkCheck, Expected, Mismatch};
use super::difference::{Difference, ObjectKind};
use super::group_walk::{GroupWalk, VariablePair};
use super::rule::{EqualityRule, Tolerance};
use super::single_values::General;
use super::tally::{DiffParts, DiffTally};
use super::values::Both;
use super::{Compared, DiffOptions};
use crate::chunk::decode::ChunkDecoder;
use crate::chunk::layout::ChunkRef;
use crate::chunk::{Dataset, scatter};
use crate::error::{OrInternal as _, Result};
use crate::filter::substitutes::decode_alike;
use crate::model::{Attribute, Region, Schema, Values, VarId};

/// The result of [`compare_schemas`].
pub(crate) struct SchemaDifferences<'a> {
    /// The differences between groups, variables and attributes.
    pub found: Vec<Difference>,
    /// The different attributes, with the paths of their owners.
    pub attributes: Vec<(String, [&'a Attribute; 2])>,
    /// The second schema's variables for the first schema's variables.
    pub vars: BTreeMap<VarId, VarId>,
}

/// Options for schema comparison: formats may change dimensions and types.
const SCHEMAS: DiffOptions<'_> = DiffOptions {
    tolerance: EqualityRule::EXACT.tolerance,
    layout: false,
    values: false,
    takes: &|candidate| match candidate.kind {
        ObjectKind::Group | ObjectKind::Variable | ObjectKind::Attribute => true,
        ObjectKind::Dimension | ObjectKind::Type => false,
    },
};

/// Compares the groups, variables and attributes of a planned schema and of a copy.
pub(crate) fn compare_schemas<'a>(schemas: [&'a Schema; 2]) -> SchemaDifferences<'a> {
    let mut walk = GroupWalk::new(schemas, &SCHEMAS);
    walk.rule = EqualityRule::EXACT;
    walk.run();
    SchemaDifferences {
        found: walk.found,
        attributes: walk.attributes,
        vars: walk.pairs.iter().map(|pair| pair.vars.into()).collect(),
    }
}

/// Compares a variable with its copy of the same shape. Returns the largest difference between numbers, if measured. The difference between
/// a finite and another number is infinite.
///
/// # Errors
/// Returns the error of [`Expected::differs`] for the first mismatch, and errors of reading and decoding.
pub(crate) fn compare_copy(
    sets: [Dataset<'_>; 2],
    vars: [VarId; 2],
    expected: Expected<'_>,
) -> Result<f64> {
    let pair = VariablePair {
        vars,
        path: String::new(),
        comparable: true,
    };
    let sides = sets.map(|set| Compared { set, name: None });
    let both = Both::new(sides, &pair, Tolerance::default())?;
    Ok(both.for_copy(expected).compare()?.largest)
}

/// Returns whether two value lists with types from these schemas are equal bit by bit.
#[must_use]
pub fn same_values(schemas: [&Schema; 2], [a, b]: [&Values; 2]) -> bool {
    let rule = EqualityRule::EXACT;
    General { schemas, rule }.all_same(a, b)
}

impl Both<'_> {
    /// Returns whether chunks can be decoded.
    pub(super) fn decodes(&self) -> bool {
        self.expected.is_none_or(|e| e.check != ChunkCheck::Stored)
    }

    /// Returns whether elements are converted or quantized.
    pub(super) fn changes_elements(&self) -> bool {
        self.is_quantized() || self.expected.is_some_and(|e| e.convert.is_some())
    }

    pub(super) fn is_quantized(&self) -> bool {
        self.expected.is_some_and(|e| e.quantize.is_some())
    }

    /// Returns whether a copy is compared only as stored.
    ///
    /// # Errors
    /// Returns a mismatch if this comparison is impossible.
    pub(super) fn is_only_stored(&self) -> Result<bool> {
        let Some(expected) = self.expected.filter(|_| !self.decodes()) else {
            return Ok(false);
        };
        let [a, b] = &self.layouts;
        match (decode_alike(&a.filters, &b.filters), a.chunk == b.chunk) {
            (false, _) => Err((expected.differs)(Mismatch::Filters)),
            (true, false) => Err((expected.differs)(Mismatch::Chunks)),
            (true, true) => Ok(true),
        }
    }

    /// Returns a decoder for chunks with equal stored bytes, if the check includes decoding.
    pub(super) fn moved_decoder(&self) -> Result<Option<ChunkDecoder<'_>>> {
        if self.expected.is_none() || !self.decodes() {
            return Ok(None);
        }
        let [(set, var), _] = self.sets();
        set.decoder(var, &self.layouts[0]).map(Some)
    }

    /// Checks that a chunk with equal stored bytes can be decoded.
    pub(super) fn check_moved(
        &self,
        decoder: &ChunkDecoder<'_>,
        chunk: &ChunkRef,
        bytes: Vec<u8>,
    ) -> Result<()> {
        let strictly = |e: &Expected<'_>| e.check == ChunkCheck::DecodeStrictly;
        let elements = match self.expected.as_ref().is_some_and(strictly) {
            true => decoder.decode_strictly(chunk, bytes)?,
            false => decoder.decode(chunk, bytes)?,
        };
        self.sides[0].set.env.buffers.give_large(elements);
        Ok(())
    }

    /// Checks that elements can be compared, for a chunk with different stored bytes.
    ///
    /// # Errors
    /// Returns a mismatch if only stored bytes are compared.
    pub(super) fn check_decodes(
        &self,
        part: &Region,
        chunks: &[Option<ChunkRef>; 2],
    ) -> Result<()> {
        let Some(expected) = self.expected.filter(|_| !self.decodes()) else {
            return Ok(());
        };
        Err((expected.differs)(match chunks {
            [Some(_), Some(_)] => Mismatch::Chunk(part.start.clone()),
            [Some(_) | None, Some(_) | None] => Mismatch::Chunks,
        }))
    }

    /// Converts elements of the input to the type of the copy.
    pub(super) fn converted(&self, elements: Vec<u8>) -> Result<Vec<u8>> {
        match self.expected.and_then(|expected| expected.convert) {
            Some(convert) => convert(elements),
            None => Ok(elements),
        }
    }

    /// Compares elements of a box: `x` from the input, `y` from the copy. Returns `x` in the form of the copy.
    pub(super) fn compare_expected(
        &self,
        (part, x, y): (&Region, Vec<u8>, &[u8]),
        tally: impl Fn(&EqualityRule, [&[u8]; 2]) -> Result<DiffTally>,
    ) -> Result<(DiffParts, Vec<u8>)> {
        let expected = self.expected.or_internal("a copy with expected elements")?;
        let mut x = self.converted(x)?;
        let mut found = DiffParts::default();
        if expected.measured {
            found.largest = tally(&EqualityRule::default(), [&x, y])?.largest();
        }
        if let Some(quantizer) = &expected.quantize {
            quantizer.boxed(part, &self.shape, &mut x);
        }
        if expected.lossy {
            return Ok((found, x));
        }
        match tally(&EqualityRule::EXACT, [&x, y])?.first {
            None => Ok((found, x)),
            Some(at) => {
                let within = scatter::place(at as u64, &part.count);
                let index = part.start.iter().zip(within).map(|(a, b)| a + b);
                Err((expected.differs)(Mismatch::Element(index.collect())))
            }
        }
    }
}
