//! The values of a band as list items, one by one.

use netcdf_core::model::Values;

use crate::cdl::write::value::CdlText;
use crate::number::SEPARATOR;

/// The text of the fill value.
pub(super) const FILL: &[u8] = b"_";
/// Number of values that are formatted before the first is copied.
pub(super) const BATCH: usize = 8;

/// The text of one value.
pub(super) trait Item: Default {
    /// Returns the length in bytes.
    fn len(&self) -> usize;
    /// Appends the text, followed by the separator if `separated`.
    fn append_to(&self, separated: bool, out: &mut Vec<u8>);
}

impl Item for Vec<u8> {
    fn len(&self) -> usize {
        Self::len(self)
    }
    fn append_to(&self, separated: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
        if separated {
            out.extend_from_slice(&SEPARATOR);
        }
    }
}

/// The values of a band, in order.
pub(super) trait BandCells {
    /// The buffer for the text of a value.
    type Item: Item;
    /// Replaces `item` with the next value.
    fn next(&mut self, item: &mut Self::Item);
}

/// Values of types other than numbers and `char`.
pub(super) struct OtherValues<'a> {
    values: &'a Values,
    fill: Option<&'a Values>,
    text: CdlText<'a>,
    next: usize,
}

impl<'a> OtherValues<'a> {
    pub(super) fn new(values: &'a Values, fill: Option<&'a Values>, text: CdlText<'a>) -> Self {
        Self {
            values,
            fill,
            text,
            next: 0,
        }
    }

    fn is_fill(&self, i: usize) -> bool {
        match (self.values, self.fill) {
            (_, None) => false,
            (Values::String(v), Some(Values::String(fill))) => {
                v.get(i).is_some_and(|x| fill.first() == Some(x))
            }
            (values, Some(fill)) => values.slice(i..i.saturating_add(1)) == *fill,
        }
    }
}

impl BandCells for OtherValues<'_> {
    type Item = Vec<u8>;

    fn next(&mut self, item: &mut Vec<u8>) {
        item.clear();
        if self.is_fill(self.next) {
            item.extend_from_slice(FILL);
        } else {
            self.text.one(self.values, self.next, item);
        }
        self.next = self.next.saturating_add(1);
    }
}
