//! Elements that differ, with their values and coordinates.

use super::coordinates;
use super::difference::{
    Difference, DifferenceKind, DifferentElement, DifferentValues, Farthest, ObjectKind,
};
use super::single_values::Agreement;
use super::tally::{DiffParts, DiffTally};
use super::values::Both;
use crate::arithmetic::{Amount, indices};
use crate::chunk::scatter;
use crate::error::{OrInternal as _, Result};
use crate::model::Region;

impl Both<'_> {
    /// Returns the differences in a box, with the first differing element and the elements with the largest differences.
    pub(super) fn found(
        &self,
        part: &Region,
        tally: &DiffTally,
        bytes: [&[u8]; 2],
    ) -> Result<DiffParts> {
        let element = |at: usize| self.element(part, at, bytes);
        let farthest = |one: Option<(f64, usize)>| {
            let made = one.map(|(by, at)| {
                Ok(Farthest {
                    by,
                    element: element(at)?,
                })
            });
            made.transpose()
        };
        Ok(DiffParts {
            differing: tally.differing,
            without_size: tally.without_size,
            first: tally.first.map(element).transpose()?,
            absolute: farthest(tally.absolute)?,
            relative: farthest(tally.relative)?,
            largest: 0.0,
        })
    }

    /// Returns a differing element of a box.
    fn element(&self, part: &Region, at: usize, bytes: [&[u8]; 2]) -> Result<DifferentElement> {
        let one = |n: usize| {
            let size = self.sizes()?.get(n).copied().or_internal("a side")?;
            let place = indices((Amount::of(at) * size).get(), size as u64)?;
            let bytes = bytes.get(n).and_then(|bytes| bytes.get(place));
            self.values(n, bytes.or_internal("an element of a box")?)
        };
        let values = [one(0)?, one(1)?];
        let [a, b] = &values;
        let field = match self.general.compare((a, 0), (b, 0)) {
            Agreement::Different { field, .. } => field,
            Agreement::Same => None,
        };
        let within = scatter::place(at as u64, &part.count);
        Ok(DifferentElement {
            index: part.start.iter().zip(within).map(|(a, b)| a + b).collect(),
            values,
            field,
            coordinates: vec![],
        })
    }

    /// Returns the difference with coordinates.
    pub(super) fn difference(&self, found: DiffParts) -> Result<Option<Difference>> {
        let Some(first) = found.first else {
            return Ok(None);
        };
        let located = |mut element: DifferentElement| {
            element.coordinates =
                coordinates::of(self.sides[0], self.pair.vars[0], &element.index)?;
            Ok(element)
        };
        let farthest = |one: Option<Farthest>| {
            let one = one.map(|one| {
                let element = located(one.element)?;
                Ok(Farthest { element, ..one })
            });
            one.transpose()
        };
        let values = DifferentValues {
            differing: found.differing,
            compared: Amount::product(&self.shape).get(),
            common: self.partly.then(|| self.shape.clone()),
            without_size: found.without_size,
            first: located(first)?,
            absolute: farthest(found.absolute)?,
            relative: farthest(found.relative)?,
        };
        Ok(Some(Difference {
            kind: ObjectKind::Variable,
            path: self.pair.path.clone(),
            attribute: None,
            finding: DifferenceKind::Values(Box::new(values)),
        }))
    }
}
