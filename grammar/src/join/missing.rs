//! Missing values: `_FillValue` and `missing_value` of the inputs.

use netcdf_core::chunk::joined::MissingValues;
use netcdf_core::copy::plan::missing_value_outside_attributes;
use netcdf_core::error::Result;
use netcdf_core::model::convert::convert;
use netcdf_core::model::strings::characters;
use netcdf_core::model::{Atomic, Attribute, Kind, Name, Values, Variable};

use super::attribute_values::{are_same, value_text};
use super::facts::InputVariable;
use super::mismatch::mismatch;

/// The missing values of a variable of the whole.
#[derive(Debug, Clone, Default)]
pub(super) struct WholeMissing {
    /// The value of missing elements: one element of the common type.
    pub(super) value: Option<Values>,
    /// Whether an attribute of the whole declares the value.
    pub(super) declared: bool,
    /// Whether only other inputs than the first declare the value. NaN is missing without a declaration, too.
    pub(super) is_new: bool,
    /// Further missing values of the whole.
    others: Vec<Values>,
    /// The default value of unwritten elements, if the first input has it too: it stays.
    unwritten: Option<Values>,
}

impl WholeMissing {
    /// Returns the missing values of the whole. The first input with `_FillValue` or `missing_value` determines the value.
    pub(super) fn new<'a>(
        all: impl Iterator<Item = &'a InputVariable>,
        ty: Option<Atomic>,
    ) -> Self {
        let Some(ty) = ty else {
            return Self::default();
        };
        let mut all = all.peekable();
        let unwritten = all
            .peek()
            .filter(|first| {
                first.attribute("_FillValue").is_none() && first.element.plain_type() == Some(ty)
            })
            .and_then(|_| default(ty));
        let is_first = all
            .peek()
            .is_some_and(|first| !declared(first, ty).is_empty());
        let declared = all.find_map(|facts| {
            let values = declared(facts, ty);
            (!values.is_empty()).then_some(values)
        });
        match declared {
            Some(mut values) => {
                let value = values.remove(0);
                Self {
                    is_new: !is_first && !is_nan(&value),
                    value: Some(value),
                    declared: true,
                    others: values,
                    unwritten,
                }
            }
            None => Self {
                value: default(ty),
                declared: false,
                is_new: false,
                others: vec![],
                unwritten,
            },
        }
    }
}

/// Returns the declared missing values of an input in the common type. `_FillValue` comes first.
fn declared(facts: &InputVariable, ty: Atomic) -> Vec<Values> {
    let mut found: Vec<Values> = vec![];
    for name in ["_FillValue", "missing_value"] {
        let Some(attribute) = facts.attribute(name) else {
            continue;
        };
        let Ok(values) = converted(&attribute.values, ty) else {
            continue;
        };
        let each = (0..values.len()).map(|n| values.slice(n..n + 1));
        for one in each {
            if !found.iter().any(|other| is_same(other, &one)) {
                found.push(one);
            }
        }
    }
    found
}

/// Returns declared values in the common type.
fn converted(values: &Values, ty: Atomic) -> Result<Values> {
    match ty {
        Atomic::Char => convert(&characters(values.clone()), ty),
        ty => convert(values, ty),
    }
}

/// Checks that two inputs have the same `_FillValue`.
///
/// # Errors
/// Returns the different values, with both names.
pub(super) fn check_fill([base, other]: [&InputVariable; 2], names: [&str; 2]) -> Result<()> {
    let pair = [base, other].map(|facts| facts.attribute("_FillValue"));
    if are_same(pair) {
        return Ok(());
    }
    let [a, b] = pair.map(value_text);
    let what = format!("different _FillValue of {}: {a} and {b}", base.path);
    let e = mismatch(names, &what);
    let remedy =
        "references cannot replace missing values: join the inputs to a dataset with -k nc4";
    Err(e.with_remedy(remedy))
}

/// Returns the declared missing values of an input in its own type.
pub(super) fn own_missing(facts: &InputVariable) -> Vec<Values> {
    let own = facts.element.plain_type();
    own.map_or_else(Vec::new, |ty| declared(facts, ty))
}

/// Returns the missing values of packed data as numbers.
pub(super) fn declared_reals(facts: &InputVariable) -> Vec<f64> {
    let Some(own) = facts.element.plain_type() else {
        return vec![];
    };
    let mut all = declared(facts, own);
    if facts.attribute("_FillValue").is_none() {
        all.extend(default(own));
    }
    let all = all
        .iter()
        .filter_map(|value| match convert(value, Atomic::Double) {
            Ok(Values::Double(one)) => one.first().copied(),
            Ok(_) | Err(_) => None,
        });
    let unsigned = |x: f64| match x < 0.0 && facts.is_unsigned() {
        true => x + 2f64.powi(facts.bits()),
        false => x,
    };
    all.map(unsigned).collect()
}

/// Returns the default value of unwritten elements, if it means a missing element.
fn default(ty: Atomic) -> Option<Values> {
    match ty {
        Atomic::Byte | Atomic::UByte | Atomic::Char | Atomic::String => None,
        ty => Some(ty.default_fill()),
    }
}

/// Returns whether two values are equal; NaN equals NaN.
fn is_same(a: &Values, b: &Values) -> bool {
    format!("{a:?}") == format!("{b:?}")
}

/// Returns whether a value is NaN, which is never a valid element.
fn is_nan(value: &Values) -> bool {
    match value {
        Values::Float(one) => one.iter().any(|x| x.is_nan()),
        Values::Double(one) => one.iter().any(|x| x.is_nan()),
        _ => false,
    }
}

/// Returns the replacement of the missing values of an input; `None` if the whole has the same missing values.
pub(super) fn replaced(
    (ty, whole): (Option<Atomic>, &WholeMissing),
    other: &InputVariable,
) -> Option<MissingValues> {
    let (ty, to) = (ty?, whole.value.clone()?);
    let mut from = declared(other, ty);
    if other.attribute("_FillValue").is_none()
        && (whole.declared || other.element.plain_type() != Some(ty))
    {
        let own = other.element.plain_type().and_then(default);
        from.extend(own.and_then(|value| convert(&value, ty).ok()));
    }
    let kept = || whole.others.iter().chain(&whole.unwritten);
    let wanted = |value: &Values| is_same(value, &to) || kept().any(|o| is_same(o, value));
    let foreign: Vec<Values> = from
        .iter()
        .filter(|value| !wanted(value))
        .cloned()
        .collect();
    let own = |value: &Values| from.iter().any(|own| is_same(own, value));
    let all = std::iter::once(&to).chain(&whole.others);
    let refused: Vec<Values> = match whole.declared {
        true => all
            .filter(|value| !own(value) && !is_nan(value))
            .cloned()
            .collect(),
        false => vec![],
    };
    (!foreign.is_empty() || !refused.is_empty()).then_some(MissingValues {
        from: foreign,
        to,
        refused,
    })
}

/// Returns whether a variable has `_FillValue`, or the missing value outside its attributes.
fn has_fill((kind, var): (Kind, &Variable), value: &Values) -> bool {
    let outside = missing_value_outside_attributes(kind, var);
    var.attribute("_FillValue").is_some() || outside.is_some_and(|own| is_same(&own, value))
}

/// Declares the missing value of a variable of the whole, and converts declared values to its type. `kind` is the kind of the whole.
///
/// # Errors
/// Returns errors of the conversion.
pub(super) fn declare(
    (kind, var): (Kind, &mut Variable),
    ty: Option<Atomic>,
    value: Option<Values>,
) -> Result<()> {
    let own = var.ty.atomic();
    for attribute in &mut var.attributes {
        let declares = attribute.name.is("_FillValue") || attribute.name.is("missing_value");
        let Some(ty) = ty.filter(|_| declares) else {
            continue;
        };
        attribute.values = converted(&attribute.values, ty)?;
        attribute.ty = ty.into();
    }
    let Some(value) = value.filter(|value| !has_fill((kind, var), value)) else {
        return Ok(());
    };
    if let (Some(_), Some(attribute)) = (own, Attribute::atomic(Name::stored(b"_FillValue"), value))
    {
        var.attributes.insert(0, attribute);
        var.storage.unwritten = None;
    }
    Ok(())
}
