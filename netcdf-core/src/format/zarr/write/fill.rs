//! The `fill_value` of an array, which defines the value of unwritten elements for readers.
//!
//! In version 2, xarray masks elements equal to `fill_value`, as netCDF masks elements equal to `_FillValue`. Therefore `fill_value` is
//! `_FillValue` if a variable has this attribute, even if all chunks are stored. In pure version 2, a variable without `_FillValue` has a
//! `fill_value` only if chunks are missing. A small number of missing chunks is stored at the end instead.
//!
//! In version 3, xarray takes `_FillValue` of texts from `fill_value` only. If unwritten elements have another value, missing chunks are
//! also stored at the end.

use crate::arithmetic::exact;
use crate::chunk::elements;
use crate::error::Result;
use crate::format::zarr::dtype::StoredType;
use crate::limits;
use crate::model::{
    Atomic, Attribute, FillMode, Schema, StoredElement, Values, Variable, ZarrVersion,
};

use super::strings;

/// Maximum size in bytes of missing chunks to store at the end.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
/// Maximum number of missing chunks to store at the end.
pub(crate) const MAX_CHUNKS: u64 = 4096;

/// The fill value that the metadata declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeclaredFill {
    /// The encoded value of unwritten elements.
    pub value: Vec<u8>,
    /// The encoded `_FillValue`.
    own: Option<Vec<u8>>,
    /// The condition for declaring the value.
    when: Declare,
}

/// The condition for declaring a fill value in the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declare {
    Never,
    /// Declared if chunks are missing.
    Needed,
    /// The metadata always declares `_FillValue`, although unwritten elements have no value.
    Own,
    Always,
    /// Never declared, and all chunks must be stored.
    Stored,
}

impl Declare {
    /// Returns the condition for version 3 if `_FillValue` differs from the value of unwritten elements. xarray opens no store with a
    /// `_FillValue` attribute of texts.
    fn of_texts(self, var: &Variable) -> Self {
        match (var.ty.atomic(), self) {
            (Some(Atomic::Char | Atomic::String), Self::Never | Self::Own) => Self::Own,
            (Some(Atomic::Char | Atomic::String), Self::Needed | Self::Always | Self::Stored) => {
                Self::Needed
            }
            (_, when) => when,
        }
    }
}

impl DeclaredFill {
    /// Returns the declared fill value of a variable. With `no_fill`, the metadata declares none.
    ///
    /// # Errors
    /// Returns errors from encoding the values, or [`crate::ErrorKind::Limit`] for elements that are too large.
    pub(crate) fn of(
        schema: &Schema,
        var: &Variable,
        (element, user): (StoredElement, Option<&StoredType>),
        no_fill: bool,
    ) -> Result<Self> {
        let size = limits::element(element.size)?;
        let encoded = |value: &Values| match user {
            Some(user) => super::user_types::encode(user, value),
            None => encoded(value, element),
        };
        let own = own(var).map(|value| encoded(&value)).transpose()?;
        let zarr = schema.kind.as_zarr();
        let v2 = zarr.is_some_and(|z| z.version == ZarrVersion::V2);
        let masked = v2 && zarr.is_some_and(|z| z.pure);
        let bare = no_fill || var.storage.fill == FillMode::NoFill;
        let when = match (bare, &var.storage.unwritten) {
            (true, Some(_)) if v2 && !no_fill => Declare::Needed,
            (true, _) => Declare::Never,
            (false, None) if masked && own.is_none() => Declare::Needed,
            (false, _) => Declare::Always,
        };
        let value = match (when, var.unwritten()) {
            // Without a fill value, readers assume zeros.
            (Declare::Never | Declare::Own | Declare::Stored, _) => vec![0; size],
            (Declare::Needed | Declare::Always, Some(value)) => encoded(&value)?,
            (Declare::Needed | Declare::Always, None) => vec![0; size],
        };
        let when = match own.as_ref().is_some_and(|own| *own != value) {
            true if !v2 => when.of_texts(var),
            true | false => when,
        };
        Ok(Self { value, own, when })
    }

    /// Returns the encoded `fill_value`, or `None` if the metadata declares none. `whole`: all chunks are stored.
    #[must_use]
    pub(crate) fn fill_value(&self, whole: bool) -> Option<&[u8]> {
        match (&self.own, self.when) {
            (Some(own), _) if whole => Some(own),
            (Some(own), Declare::Own) => Some(own),
            (_, Declare::Always) => Some(&self.value),
            (_, Declare::Needed) if !whole => Some(&self.value),
            (_, Declare::Needed | Declare::Never | Declare::Own | Declare::Stored) => None,
        }
    }

    /// Returns the declared fill value for references. Readers of version 2 mask elements that equal the declared value. They read missing
    /// chunks without a declared value as zeros.
    #[must_use]
    pub(crate) fn for_references(mut self, version: ZarrVersion) -> Self {
        if version == ZarrVersion::V2 {
            self.when = match &self.own {
                Some(own) if *own == self.value => Declare::Always,
                Some(_) => Declare::Own,
                None if self.value.iter().all(|byte| *byte == 0) => Declare::Never,
                None => Declare::Stored,
            };
        }
        self
    }

    /// Checks whether `fill_value`, which is mandatory in version 3, equals `_FillValue`.
    #[must_use]
    pub(crate) fn holds_own(&self, whole: bool) -> bool {
        let held = self.fill_value(whole).unwrap_or(&self.value);
        self.own.as_deref() == Some(held)
    }

    /// Checks whether readers would confuse or mask elements unless all chunks are stored.
    #[must_use]
    pub(crate) fn misleads(&self) -> bool {
        matches!(self.when, Declare::Needed | Declare::Own | Declare::Stored)
    }
}

/// Returns `_FillValue` if the attribute is one value of the variable's type.
fn own(var: &Variable) -> Option<Values> {
    let attribute = var.attribute("_FillValue")?;
    let fits = attribute.ty == var.ty && attribute.values.len() == 1;
    fits.then(|| attribute.values.clone())
}

/// Checks whether skipped records of a variable read as netCDF's default, without `_FillValue` and without a fill mode in the metadata.
#[must_use]
pub(crate) fn is_default(schema: &Schema, var: &Variable) -> bool {
    let grows = var.dims.iter().any(|&dim| schema.is_unlimited(dim));
    let default = var.ty.atomic().map(Atomic::default_fill);
    grows && var.storage.unwritten.is_some() && var.storage.unwritten == default
}

/// Checks whether an attribute is a valid `_FillValue`: a single value of the variable's type. Readers use the variable's type.
#[must_use]
pub(crate) fn is_own(var: &Variable, attribute: &Attribute) -> bool {
    attribute.name.is("_FillValue") && attribute.ty == var.ty && attribute.values.len() == 1
}

/// Checks whether xarray rejects version 3 stores with this variable attribute: a `_FillValue` that is neither one number nor the fill
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

/// Checks whether only the array's `fill_value` stores this variable attribute: `_FillValue` of a user-defined type. JSON attributes cannot
/// have user-defined types.
#[must_use]
pub(crate) fn is_in_fill_value_only(var: &Variable, attribute: &Attribute) -> bool {
    let fill = attribute.name.is("_FillValue") && attribute.values.len() == 1;
    fill && attribute.ty == var.ty && var.ty.atomic().is_none()
}

/// Checks whether the variable's `_FillValue` is NUL or an empty text, the default `fill_value` of pure version 3.
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

/// Returns the encoded form of one value.
fn encoded(value: &Values, element: StoredElement) -> Result<Vec<u8>> {
    if !element.plain {
        return strings::encode(value, element.size);
    }
    let mut bytes = vec![];
    elements::encode(value, element.order, &mut bytes)?;
    Ok(bytes)
}

/// The row-major indexes of the written chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenChunks {
    /// The first index and the end index of each run, in write order.
    runs: Vec<(u64, u64)>,
    /// The grid lengths without the first dimension. Chunk indexes depend on these lengths.
    grid: Vec<u64>,
    /// Whether these lengths changed.
    regrown: bool,
}

impl WrittenChunks {
    /// Records the chunk with this index in a grid.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for an index beyond all grids.
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

    /// Records all chunks in a run, given by the first index and the end index.
    ///
    /// # Errors
    /// Returns the errors of [`WrittenChunks::note`].
    pub(crate) fn note_run(&mut self, run: (u64, u64), grid: &[u64]) -> Result<()> {
        self.note(run.0, grid)?;
        if let Some((_, last)) = self.runs.last_mut() {
            *last = run.1.max(*last);
        }
        Ok(())
    }

    /// Returns the indexes of the written chunks as ascending runs.
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
