//! The relation of a variable in an input to the same variable in the whole.

use std::sync::Arc;

use netcdf_core::chunk::joined::{Conversion, JoinedAxis};
use netcdf_core::error::Result;
use netcdf_core::model::Atomic;

use super::facts::InputVariable;
use super::mismatch::mismatch;
use super::repack::RepackedForm;
use super::request::JoinRequest;
use super::units::TimeTarget;
use super::{attributes, missing, packing, units};

/// A variable of the whole: the facts about the first input, and the common properties of all inputs.
pub(super) struct WholeVariable<'a> {
    pub(super) base: &'a InputVariable,
    /// The common type of all inputs, if it is atomic.
    pub(super) ty: Option<Atomic>,
    /// The missing values of the whole.
    pub(super) missing: missing::WholeMissing,
    /// The axis along which inputs follow each other.
    pub(super) axis: Option<JoinedAxis>,
    /// The form after unpacking.
    pub(super) repacked: Option<RepackedForm>,
    pub(super) request: &'a JoinRequest,
}

impl WholeVariable<'_> {
    /// Returns the times of the whole.
    fn times(&self) -> TimeTarget<'_> {
        TimeTarget {
            base: self.base,
            joined: self.axis.is_some(),
            request: self.request,
        }
    }
}

/// The relation of a variable in an input to the whole.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    pub(super) conversion: Option<Arc<Conversion>>,
    /// Whether chunks of the input are chunks of the whole.
    pub(super) alike: bool,
    /// Whether missing values are replaced.
    pub(super) replaces: bool,
}

/// Compares a variable of an input with the variable of the whole. `names` are the names of the first input and of the input.
///
/// # Errors
/// Returns the first property that does not fit, with both names and values.
pub(super) fn relation(
    whole: &WholeVariable<'_>,
    other: &InputVariable,
    names: [&str; 2],
) -> Result<Relation> {
    let base = whole.base;
    check_shape([base, other], names)?;
    attributes::check([base, other], names, whole.repacked.is_some())?;
    let conversion = match &whole.repacked {
        Some(form) => Conversion {
            unpack: Some(form.conversion(other)),
            ty: Some(form.ty),
            ..Conversion::default()
        },
        None => {
            packing::check([base, other], names, whole.request)?;
            if whole.request.references && whole.axis.is_some() {
                missing::check_fill([base, other], names)?;
            }
            Conversion {
                unpack: None,
                ty: whole.ty.filter(|ty| is_other_type(other, *ty)),
                linear: units::linear(&whole.times(), other, names)?,
                missing: whole
                    .axis
                    .and_then(|_| missing::replaced((whole.ty, &whole.missing), other)),
            }
        }
    };
    let replaces = conversion
        .missing
        .as_ref()
        .is_some_and(|m| !m.from.is_empty());
    let conversion = (conversion != Conversion::default()).then(|| Arc::new(conversion));
    Ok(Relation {
        alike: conversion.is_none() && is_alike([base, other]),
        conversion,
        replaces,
    })
}

/// Returns whether a variable has numbers of another type.
fn is_other_type(facts: &InputVariable, ty: Atomic) -> bool {
    facts.element.plain_type().is_some_and(|own| own != ty)
}

/// Checks that the dimensions have the same names and lengths.
fn check_shape([base, other]: [&InputVariable; 2], names: [&str; 2]) -> Result<()> {
    if base.dims == other.dims && base.shape == other.shape {
        return Ok(());
    }
    let [a, b] = [shape_text(base), shape_text(other)];
    let what = format!("different dimensions of {}: {a} and {b}", base.path);
    Err(mismatch(names, &what))
}

fn shape_text(facts: &InputVariable) -> String {
    let dims = facts.dims.iter().zip(&facts.shape).enumerate();
    let one = |(n, (dim, len)): (usize, (&String, &u64))| {
        let name = dim.trim_start_matches('/');
        match facts.axis == Some(n) {
            true => name.to_owned(),
            false => format!("{name} = {len}"),
        }
    };
    format!("({})", dims.map(one).collect::<Vec<_>>().join(", "))
}

/// Returns whether two variables store equal elements as equal chunks.
fn is_alike([base, other]: [&InputVariable; 2]) -> bool {
    let fill = |facts: &InputVariable| format!("{:?}", facts.fill);
    let plain = base.is_plain() || base.storage.form.is_some();
    plain
        && base.storage.whole
        && other.storage.whole
        && base.storage == other.storage
        && fill(base) == fill(other)
}
