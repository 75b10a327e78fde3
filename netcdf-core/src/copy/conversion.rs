//! Conversion of stored elements of the input to stored elements of the output.

use crate::chunk::{Dataset, elements};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Atomic, StoredElement, Values, VarId, convert};

/// The element forms of a variable in the input and in the output.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementConversion {
    /// The variable in the input.
    pub var: VarId,
    pub from: StoredElement,
    pub to: StoredElement,
    /// True if an element has the same bytes in both datasets, apart from the byte order of numbers.
    pub alike: bool,
}

impl ElementConversion {
    /// Decodes stored input elements into values.
    pub(super) fn values(&self, set: Dataset<'_>, bytes: &[u8]) -> Result<Values> {
        match self.from.plain_type() {
            Some(ty) => elements::decode(ty, self.from.order, bytes),
            None => set.resolve(self.var, bytes),
        }
    }

    /// Converts stored input elements to stored output elements.
    pub(super) fn encoded(&self, set: Dataset<'_>, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let to = self.to.plain_type();
        if self.alike {
            if self.from.order != self.to.order {
                elements::swap(&mut bytes, to.and_then(Atomic::size).unwrap_or(1));
            }
            return Ok(bytes);
        }
        let to = to.ok_or_else(|| Error::new(ErrorKind::BadType, "not a type of fixed size"))?;
        let values = match self.values(set, &bytes)? {
            Values::Enum(_, base) => *base,
            other => other,
        };
        let values = match values.data_type() == Some(to) {
            true => values,
            false => convert::convert(&values, to)?,
        };
        let mut out = Vec::new();
        elements::encode(&values, self.to.order, &mut out)?;
        Ok(out)
    }
}
