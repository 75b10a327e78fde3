//! The `fill_value` of an array, which tells readers the value of elements that are not stored.
//!
//! In version 2, xarray masks elements equal to `fill_value`, as netCDF does with elements equal to `_FillValue`. Therefore
//! `fill_value` is `_FillValue` if a variable has that, even if all chunks are stored. In pure Zarr of version 2, a variable without
//! `_FillValue` has a `fill_value` only if chunks are missing; if these are few, they are stored at the end instead.
//!
//! In version 3, xarray takes `_FillValue` of texts from `fill_value` only. If elements that are not stored have another value, missing
//! chunks are stored at the end, too.

use crate::arithmetic::exact;
use crate::chunk::elements;
use crate::error::Result;
use crate::format::zarr::dtype::StoredType;
use crate::limits;
use crate::model::{
    Atomic, Attribute, FillMode, Schema, StoredElement, Values, Variable, ZarrVersion,
};

use super::strings;

/// Most bytes of chunks to store at the end although they were never put.
pub(crate) const MOST_BYTES: u64 = 64 << 20;
/// Most chunks to store at the end.
pub(crate) const MOST_CHUNKS: u64 = 4096;

/// What readers learn about elements that are not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToldFill {
    /// The stored form of the value that they read as.
    pub value: Vec<u8>,
    /// The stored form of `_FillValue`.
    own: Option<Vec<u8>>,
    /// When readers are told.
    when: When,
}

/// When readers are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Never,
    /// If chunks are missing.
    Needed,
    /// Readers are always told `_FillValue`, although elements that are not stored have no value.
    Own,
    Always,
}

impl When {
    /// When readers of version 3 are told a `_FillValue` that elements that are not stored differ from. xarray opens no store with a
    /// `_FillValue` attribute of texts.
    fn of_texts(self, var: &Variable) -> Self {
        match (var.ty.atomic(), self) {
            (Some(Atomic::Char | Atomic::String), Self::Never | Self::Own) => Self::Own,
            (Some(Atomic::Char | Atomic::String), Self::Needed | Self::Always) => Self::Needed,
            (_, when) => when,
        }
    }
}

impl ToldFill {
    /// What readers learn about a variable; with `no_fill`, nothing.
    ///
    /// # Errors
    /// Those of encoding the values; [`crate::ErrorKind::Limit`] for elements that are too large.
    pub(crate) fn of(
        schema: &Schema,
        var: &Variable,
        (element, user): (StoredElement, Option<&StoredType>),
        no_fill: bool,
    ) -> Result<Self> {
        let size = limits::element(element.size)?;
        let encoded = |value: &Values| match user {
            Some(user) => super::user::encode(user, value),
            None => encoded(value, element),
        };
        let own = own(var).map(|value| encoded(&value)).transpose()?;
        let zarr = schema.kind.as_zarr();
        let v2 = zarr.is_some_and(|z| z.version == ZarrVersion::V2);
        let masked = v2 && zarr.is_some_and(|z| z.pure);
        let bare = no_fill || var.storage.fill == FillMode::NoFill;
        let when = match (bare, &var.storage.unwritten) {
            (true, Some(_)) if v2 && !no_fill => When::Needed,
            (true, _) => When::Never,
            (false, None) if masked && own.is_none() => When::Needed,
            (false, _) => When::Always,
        };
        let value = match (when, var.unwritten()) {
            // The value that readers assume without a fill value.
            (When::Never | When::Own, _) => vec![0; size],
            (When::Needed | When::Always, Some(value)) => encoded(&value)?,
            (When::Needed | When::Always, None) => vec![0; size],
        };
        let when = match own.as_ref().is_some_and(|own| *own != value) {
            true if !v2 => when.of_texts(var),
            true | false => when,
        };
        Ok(Self { value, own, when })
    }

    /// The stored form of `fill_value`, or `None` if there is to be none; `whole` says that all chunks are stored.
    #[must_use]
    pub(crate) fn fill_value(&self, whole: bool) -> Option<&[u8]> {
        match (&self.own, self.when) {
            (Some(own), _) if whole => Some(own),
            (Some(own), When::Own) => Some(own),
            (_, When::Always) => Some(&self.value),
            (_, When::Needed) if !whole => Some(&self.value),
            (_, When::Needed | When::Never | When::Own) => None,
        }
    }

    /// Whether the metadata of version 3 holds `_FillValue` as `fill_value`, which is mandatory there.
    #[must_use]
    pub(crate) fn holds_own(&self, whole: bool) -> bool {
        let held = self.fill_value(whole).unwrap_or(&self.value);
        self.own.as_deref() == Some(held)
    }

    /// Whether readers would take some elements for others or mask them, unless all chunks are stored.
    #[must_use]
    pub(crate) fn misleads(&self) -> bool {
        matches!(self.when, When::Needed | When::Own)
    }
}

/// `_FillValue`, if it is one value of the variable's type.
fn own(var: &Variable) -> Option<Values> {
    let attribute = var.attribute("_FillValue")?;
    let fits = attribute.ty == var.ty && attribute.values.len() == 1;
    fits.then(|| attribute.values.clone())
}

/// Whether skipped records of a variable read as netCDF's default, without `_FillValue` and without a fill mode in the metadata.
#[must_use]
pub(crate) fn is_default(schema: &Schema, var: &Variable) -> bool {
    let grows = var.dims.iter().any(|&dim| schema.is_unlimited(dim));
    let default = var.ty.atomic().map(Atomic::default_fill);
    grows && var.storage.unwritten.is_some() && var.storage.unwritten == default
}

/// Whether an attribute is a valid `_FillValue`: a single value of the variable's type. Readers take the type from the variable.
#[must_use]
pub(crate) fn is_own(var: &Variable, attribute: &Attribute) -> bool {
    attribute.name.is("_FillValue") && attribute.ty == var.ty && attribute.values.len() == 1
}

/// Whether xarray opens no store of version 3 with this attribute of a variable: a `_FillValue` that is not one number, or not the fill
/// value of a text variable.
#[must_use]
pub(crate) fn is_unreadable(var: &Variable, attribute: &Attribute) -> bool {
    let is_text = |ty: Option<Atomic>| matches!(ty, Some(Atomic::Char | Atomic::String));
    let atomic = var.ty.atomic().is_some() && attribute.ty.atomic().is_some();
    if !atomic || !attribute.name.is("_FillValue") {
        return false;
    }
    match is_text(var.ty.atomic()) {
        true => !is_own(var, attribute),
        false => is_text(attribute.ty.atomic()) || attribute.values.len() != 1,
    }
}

/// Whether only the array's `fill_value` holds this attribute of a variable: `_FillValue` of a user-defined type, which
/// attributes in JSON cannot have.
#[must_use]
pub(crate) fn is_only_told(var: &Variable, attribute: &Attribute) -> bool {
    let fill = attribute.name.is("_FillValue") && attribute.values.len() == 1;
    fill && attribute.ty == var.ty && var.ty.atomic().is_none()
}

/// Whether `_FillValue` of this variable is NUL or an empty text, the default `fill_value` of pure Zarr version 3.
#[must_use]
pub(crate) fn is_empty_text(var: &Variable) -> bool {
    match own(var) {
        Some(Values::Char(text)) => text == [0],
        Some(Values::String(texts)) => texts
            .iter()
            .all(|t| t.as_deref().unwrap_or_default().is_empty()),
        Some(_) | None => false,
    }
}

/// The stored form of one value.
fn encoded(value: &Values, element: StoredElement) -> Result<Vec<u8>> {
    if !element.plain {
        return strings::encode(value, element.size);
    }
    let mut bytes = vec![];
    elements::encode(value, element.order, &mut bytes)?;
    Ok(bytes)
}

/// The numbers of the chunks that were put.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenChunks {
    /// The first number and the one after the last of each run, in the order of putting.
    runs: Vec<(u64, u64)>,
    /// The lengths of the grid without its first dimension; the numbers of chunks depend on them.
    grid: Vec<u64>,
    /// Whether these lengths changed.
    regrown: bool,
}

impl WrittenChunks {
    /// Notes the chunk with this number in a grid.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) for a number beyond all grids.
    pub(crate) fn note(&mut self, index: u64, grid: &[u64]) -> Result<()> {
        let end = (exact(index) + 1u64).get()?;
        let inner = grid.get(1..).unwrap_or_default();
        self.regrown |= !self.runs.is_empty() && self.grid != inner;
        if self.grid != inner {
            self.grid = inner.to_vec();
        }
        match self.runs.last_mut() {
            Some((_, last)) if *last == index => *last = end,
            Some(_) | None => self.runs.push((index, end)),
        }
        Ok(())
    }

    /// Notes all chunks with numbers in a run, the first number and the one after the last.
    ///
    /// # Errors
    /// As [`WrittenChunks::note`].
    pub(crate) fn note_run(&mut self, run: (u64, u64), grid: &[u64]) -> Result<()> {
        self.note(run.0, grid)?;
        if let Some((_, last)) = self.runs.last_mut() {
            *last = run.1.max(*last);
        }
        Ok(())
    }

    /// The numbers of the chunks that were put, ascending, in runs.
    #[must_use]
    pub(crate) fn runs(&self) -> Vec<(u64, u64)> {
        let mut sorted = self.runs.clone();
        sorted.sort_unstable();
        let mut runs: Vec<(u64, u64)> = vec![];
        for (start, end) in sorted {
            match runs.last_mut() {
                Some((_, last)) if start <= *last => *last = end.max(*last),
                Some(_) | None => runs.push((start, end)),
            }
        }
        runs
    }

    /// The numbers of the chunks of a grid that were not put, in runs; `None` if they are not known.
    #[must_use]
    pub(crate) fn missing(&self, grid: &[u64]) -> Option<Vec<(u64, u64)>> {
        let inner = grid.get(1..).unwrap_or_default();
        if self.regrown || !self.runs.is_empty() && self.grid != inner {
            return None;
        }
        let all = grid.iter().try_fold(1_u64, |n, len| n.checked_mul(*len))?;
        let (mut at, mut missing) = (0, vec![]);
        for (start, end) in self.runs() {
            let start = start.min(all);
            if start > at {
                missing.push((at, start));
            }
            at = at.max(end);
        }
        if at < all {
            missing.push((at, all));
        }
        Some(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_put_is_missing() {
        let mut put = WrittenChunks::default();
        assert_eq!(put.missing(&[2, 3]), Some(vec![(0, 6)]));
        assert_eq!(put.missing(&[0, 3]), Some(vec![]));
        for n in [0, 1, 4, 4, 3] {
            put.note(n, &[2, 3]).unwrap();
        }
        assert_eq!(put.missing(&[2, 3]), Some(vec![(2, 3), (5, 6)]));
        assert_eq!(put.missing(&[3, 3]), Some(vec![(2, 3), (5, 9)]));
        assert_eq!(put.missing(&[3, 4]), None);
        put.note(2, &[2, 4]).unwrap();
        assert_eq!(put.missing(&[2, 4]), None);
        let mut scalar = WrittenChunks::default();
        assert_eq!(scalar.missing(&[]), Some(vec![(0, 1)]));
        scalar.note(0, &[]).unwrap();
        assert_eq!(scalar.missing(&[]), Some(vec![]));
    }
}
