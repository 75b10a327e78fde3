//! Packed data with several packings: unpacked, or packed again.

use netcdf_core::chunk::Dataset;
use netcdf_core::chunk::joined::{Packing, Unpacking};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::convert::convert;
use netcdf_core::model::{Atomic, Attribute, Name, Values, VarId, Variable};
use netcdf_core::stats::{Extreme, statistics};

use super::facts::InputVariable;
use super::missing::declared_reals;
use super::request::Repack;

/// Attributes that describe packed values.
const PACKED: [&str; 8] = [
    "scale_factor",
    "add_offset",
    "_Unsigned",
    "valid_min",
    "valid_max",
    "valid_range",
    "missing_value",
    "_FillValue",
];

/// The form of a variable in the whole after unpacking.
#[derive(Debug, Clone)]
pub(super) struct RepackedForm {
    pub(super) ty: Atomic,
    /// The missing value.
    fill: Values,
    packing: Option<Packing>,
}

/// The minimum and maximum of unpacked values.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueRange {
    least: f64,
    most: f64,
}

impl ValueRange {
    /// Returns the range of a variable's unpacked values; `None` if all are missing.
    ///
    /// # Errors
    /// Returns errors of reading.
    pub(super) fn of(set: Dataset<'_>, id: VarId) -> Result<Option<Self>> {
        let found = statistics(set, id, true)?;
        let extremes = found.and_then(|found| Some((found.least?, found.most?)));
        let number = |extreme: &Extreme| match convert(&extreme.value, Atomic::Double) {
            Ok(Values::Double(one)) => one.first().copied(),
            Ok(_) | Err(_) => None,
        };
        Ok(extremes.and_then(|(least, most)| {
            Some(Self {
                least: number(&least)?,
                most: number(&most)?,
            })
        }))
    }

    /// Returns the range of both.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}

impl RepackedForm {
    /// Returns the form of a variable without packing.
    pub(super) fn real(base: &InputVariable, ty: Option<Atomic>) -> Self {
        let small = base.element.size <= 2;
        let ty = ty.unwrap_or(if small { Atomic::Float } else { Atomic::Double });
        Self {
            ty,
            fill: ty.default_fill(),
            packing: None,
        }
    }

    /// Returns the form of a variable with a packing for a range of values.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a type that is no packed type.
    pub(super) fn packed(ty: Atomic, range: Option<ValueRange>) -> Result<Self> {
        let (fill, half) = match ty {
            Atomic::Byte => (Values::Byte(vec![i8::MIN]), 127.0),
            Atomic::Short => (Values::Short(vec![i16::MIN]), 32767.0),
            Atomic::Int => (Values::Int(vec![i32::MIN]), 2_147_483_647.0),
            _ => {
                let what = format!("--repack={}: not a packed type", ty.name());
                return Err(Error::new(ErrorKind::Unsupported, what));
            }
        };
        let range = range.unwrap_or(ValueRange {
            least: 0.0,
            most: 0.0,
        });
        let width = (range.most / 2.0 - range.least / 2.0) / half;
        Ok(Self {
            ty,
            packing: Some(Packing {
                scale: if width > 0.0 { width } else { 1.0 },
                offset: range.least / 2.0 + range.most / 2.0,
                fill: real(&fill).or_internal("a missing value")?,
            }),
            fill,
        })
    }

    /// Returns the form that a request selects. `range` computes the range of values in all inputs.
    ///
    /// # Errors
    /// Returns errors of `range`.
    pub(super) fn requested(
        repack: Repack,
        base: &InputVariable,
        range: impl FnOnce() -> Result<Option<ValueRange>>,
    ) -> Result<Self> {
        match repack {
            Repack::Real(ty) => Ok(Self::real(base, ty)),
            Repack::Packed(ty) => Self::packed(ty, range()?),
        }
    }

    /// Returns the conversion of an input.
    pub(super) fn conversion(&self, other: &InputVariable) -> Unpacking {
        let number = |name: &str| other.attribute(name).and_then(|a| real(&a.values));
        Unpacking {
            scale: number("scale_factor").unwrap_or(1.0),
            offset: number("add_offset").unwrap_or(0.0),
            unsigned: other.is_unsigned(),
            missing: declared_reals(other),
            fill: real(&self.fill).unwrap_or(f64::NAN),
            packing: self.packing.clone(),
        }
    }

    /// Changes the attributes of a variable of the whole.
    ///
    /// # Errors
    /// Returns an internal error for an attribute of a user-defined type.
    pub(super) fn define(&self, var: &mut Variable) -> Result<()> {
        var.ty = self.ty.into();
        var.storage.unwritten = None;
        var.attributes
            .retain(|a| !PACKED.iter().any(|name| a.name.is(name)));
        let mut set = |name: &str, values: Values| {
            let attribute = Attribute::atomic(Name::stored(name.as_bytes()), values);
            var.attributes
                .push(attribute.or_internal("an attribute of an atomic type")?);
            Ok::<_, Error>(())
        };
        set("_FillValue", self.fill.clone())?;
        if let Some(packing) = &self.packing {
            set("scale_factor", Values::Double(vec![packing.scale]))?;
            set("add_offset", Values::Double(vec![packing.offset]))?;
        }
        Ok(())
    }

    /// Returns the text of a note.
    pub(super) fn note(&self) -> String {
        match &self.packing {
            None => format!(
                "unpacked to {}, because the inputs have several packings",
                self.ty.name()
            ),
            Some(packing) => format!(
                "packed again as {}: the largest error is {}",
                self.ty.name(),
                packing.scale / 2.0
            ),
        }
    }
}

/// Returns the first value as a double.
fn real(values: &Values) -> Option<f64> {
    match convert(values, Atomic::Double).ok()? {
        Values::Double(values) => values.first().copied(),
        _ => None,
    }
}
