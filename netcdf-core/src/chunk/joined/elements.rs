//! Boxes of assembled variables.

use super::description::{JoinedAxis, JoinedContent, JoinedVariable, Piece};
use super::grid::set;
use super::reader::JoinedReader;
use super::tagged::{nothing, tagged};
use crate::chunk::decode::fill;
use crate::chunk::scatter::{Block, put, runs, spread};
use crate::chunk::{Assembly, elements};
use crate::env::Env;
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::limits::zeros;
use crate::model::region::product;
use crate::model::{Atomic, Region, StoredElement, Values, VarId};

impl Assembly for JoinedReader<'_> {
    fn read_box(&self, var: VarId, part: &Block, env: &Env) -> Result<Vec<u8>> {
        let variable = self.variable(var)?;
        let size = variable.layout.element.size;
        let bytes = product(&part.count).and_then(|n| n.checked_mul(size));
        let bytes = bytes.ok_or_else(|| Error::new(ErrorKind::Limit, "a region of 2^64 bytes"))?;
        let mut out = zeros(env.limits.item(bytes, "a region")?, "a region")?;
        if let JoinedContent::Memory(values) = &variable.content {
            let all = stored_values(values, variable.layout.element)?;
            let whole = Block::whole(&variable.layout.extent);
            runs(&whole, &part.region(), |run| {
                put(run, size, &all, &mut out).or_internal("values in memory")
            })?;
            return Ok(out);
        }
        for (number, piece) in variable.pieces_of(part) {
            env.cancel.check()?;
            let place = variable.place(&piece, part);
            let run = PieceBox {
                number,
                piece,
                region: variable.region(&piece, (part, &place)),
                shape: &place.count,
            };
            let read = self.piece(var, &run, env)?;
            if place.count == part.count {
                return Ok(read);
            }
            runs(&place, &Region::whole(&part.count), |run| {
                put(run, size, &read, &mut out).or_internal("elements of an input")
            })?;
        }
        Ok(out)
    }

    fn memory(&self, var: VarId) -> u64 {
        self.variable(var).map_or(0, |variable| variable.decoding)
    }
}

impl JoinedVariable {
    /// Returns the runs of inputs in a box.
    fn pieces_of(&self, part: &Block) -> Vec<(usize, Piece)> {
        match self.axis.and_then(|axis| range(part, axis)) {
            Some((start, end)) => self.pieces_in(start, end).collect(),
            None => self.pieces().iter().copied().enumerate().take(1).collect(),
        }
    }

    /// Returns the position of a run's elements within a box.
    fn place(&self, piece: &Piece, part: &Block) -> Block {
        let mut place = Block::whole(&part.count);
        let Some((axis, (start, end))) = self.axis.and_then(|a| Some((a, range(part, a)?))) else {
            return place;
        };
        let (from, to) = (start.max(piece.start), end.min(piece.start + piece.len));
        set(&mut place.start, axis.index, from - start);
        set(&mut place.count, axis.index, to - from);
        place
    }

    /// Returns the region of an input for a place within a box.
    fn region(&self, piece: &Piece, (part, place): (&Block, &Block)) -> Region {
        let starts = part.start.iter().zip(&place.start);
        let mut start: Vec<u64> = starts.map(|(a, b)| a + b).collect();
        let mut count = place.count.clone();
        if let Some(axis) = self.axis {
            match axis.added {
                true => {
                    start.remove(axis.index);
                    count.remove(axis.index);
                }
                false => {
                    if let Some(at) = start.get_mut(axis.index) {
                        *at = *at - piece.start + piece.from;
                    }
                }
            }
        }
        Region::boxed(start, count)
    }
}

/// Returns the range of a box along the axis.
fn range(part: &Block, axis: JoinedAxis) -> Option<(u64, u64)> {
    let start = *part.start.get(axis.index)?;
    Some((start, start + part.count.get(axis.index)?))
}

/// The elements of one run in a box.
struct PieceBox<'a> {
    /// The number of the run.
    number: usize,
    piece: Piece,
    /// The region of the input.
    region: Region,
    /// The shape in the whole.
    shape: &'a [u64],
}

impl JoinedReader<'_> {
    /// Reads the elements of one run in a box, in the form of the whole.
    fn piece(&self, var: VarId, run: &PieceBox<'_>, env: &Env) -> Result<Vec<u8>> {
        let (variable, piece) = (self.variable(var)?, &run.piece);
        let (input, id) = self.input(piece.input, var)?;
        let Some(id) = id else {
            return self.missing_elements(var, run.shape, env);
        };
        let set = input.set(env);
        let layout = set.layout(id)?;
        let read = set.read_stored(id, &layout, &run.region)?;
        let conversion = variable
            .conversions
            .get(run.number)
            .and_then(Option::as_ref);
        let whole = variable.layout.element;
        let forms = match whole.plain_type() {
            // Strings of one byte are stored like characters.
            Some(Atomic::Char) => (whole, whole),
            Some(_) | None => (layout.element, whole),
        };
        match conversion {
            _ if variable.tagged => tagged(piece.input, &read, (forms.1.size, forms.0.size)),
            Some(conversion) => conversion
                .apply(&read, forms)
                .map_err(|e| e.of(&self.name(piece.input)))
                .in_object(|| self.description.schema.var_path(var)),
            None => Ok(in_order(read, forms)),
        }
    }

    /// Returns missing elements.
    fn missing_elements(&self, var: VarId, count: &[u64], env: &Env) -> Result<Vec<u8>> {
        let variable = self.variable(var)?;
        let size = variable.layout.element.size;
        let bytes = product(count).and_then(|n| n.checked_mul(size));
        let bytes = bytes.or_internal("a part of the region")?;
        let mut out = zeros(env.limits.item(bytes, "a region")?, "a region")?;
        let one = match variable.tagged {
            true => nothing(size)?,
            false => fill(&self.description.schema, var, &variable.layout)?,
        };
        spread(&one, &mut out);
        Ok(out)
    }
}

/// Returns elements in the byte order of the whole.
fn in_order(mut bytes: Vec<u8>, (from, to): (StoredElement, StoredElement)) -> Vec<u8> {
    if from.order != to.order {
        let size = from.plain_type().and_then(Atomic::size);
        elements::swap(&mut bytes, size.unwrap_or(1));
    }
    bytes
}

/// Returns values in memory as stored elements. The element of a string is the number of the string.
fn stored_values(values: &Values, element: StoredElement) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    match values {
        Values::String(strings) => {
            let numbers = (0u64..).take(strings.len());
            numbers.for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
        }
        values => elements::encode(values, element.order, &mut bytes)?,
    }
    Ok(bytes)
}

/// Returns the strings with the numbers in elements.
pub(super) fn strings_of(values: &Values, bytes: &[u8]) -> Result<Values> {
    let Values::String(strings) = values else {
        return Err(Error::internal("strings in memory"));
    };
    let one = |element: &[u8; 8]| {
        let number = usize::try_from(u64::from_le_bytes(*element)).ok();
        let string = number.and_then(|n| strings.get(n));
        string.cloned().or_internal("a string in memory")
    };
    let all = bytes.as_chunks::<8>().0.iter().map(one);
    Ok(Values::String(all.collect::<Result<_>>()?))
}
