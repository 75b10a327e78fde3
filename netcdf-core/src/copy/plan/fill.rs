//! Fill values that are stored outside the attributes.

use super::Plan;
use crate::error::{OrInternal as _, Result};
use crate::format::{BareFill, bare_fill, has_own_metadata};
use crate::model::{Attribute, FillMode, Kind, Name, Schema, Values, Variable};

/// Carries over fill values that no attribute repeats. Readers of Zarr version 2 take these values for missing data. In version 3, they
/// only define the value of missing elements.
///
/// # Errors
/// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) for invalid ids.
pub(super) fn carry(
    input: &Schema,
    plan: &mut Plan,
    pairs: &[super::CopiedVariable],
) -> Result<()> {
    let kind = plan.schema.kind;
    for pair in pairs {
        let from = input.var(pair.from).or_internal("a variable")?;
        carry_fill((input.kind, from), (kind, plan.schema.var_mut(pair.to)?));
    }
    Ok(())
}

/// Gives the variable `to` of another kind the fill value that `from` has outside its attributes. The value is stored outside the
/// attributes if the kind supports this, otherwise as `_FillValue`.
pub fn carry_fill((had, from): (Kind, &Variable), (has, to): (Kind, &mut Variable)) {
    let Some(value) = from.storage.unwritten.clone() else {
        return;
    };
    let (old, new) = (bare_fill(had), bare_fill(has));
    if old == BareFill::Nothing {
        return;
    }
    to.storage.unwritten = None;
    let alike = new == old && !has_own_metadata(has);
    // In kinds with fill values outside the attributes, attributes cannot have user-defined types.
    let inexpressible = new != BareFill::Nothing && to.ty.atomic().is_none();
    if alike || inexpressible {
        (to.storage.fill, to.storage.unwritten) = (FillMode::Fill, Some(value));
    } else if old == BareFill::Missing && needs_attribute(to, &value) {
        to.attributes.push(Attribute {
            name: Name::stored(b"_FillValue"),
            ty: to.ty,
            values: value,
        });
        if new != BareFill::Nothing {
            to.storage.fill = FillMode::Fill;
        }
    }
}

/// Returns the fill value that a variable of this kind has outside its attributes, if readers take equal elements for missing data. NUL
/// characters are padding.
#[must_use]
pub fn missing_value_outside_attributes(kind: Kind, var: &Variable) -> Option<Values> {
    let value = var.storage.unwritten.clone()?;
    let is_missing = bare_fill(kind) == BareFill::Missing && var.attribute("_FillValue").is_none();
    let is_padding = matches!(&value, Values::Char(bytes) if bytes.as_slice() == [0]);
    (is_missing && !is_padding).then_some(value)
}

/// Returns whether the output needs a `_FillValue`, because the fill value is not the default value. Bytes have no default fill value.
fn needs_attribute(var: &Variable, value: &Values) -> bool {
    let said = var.attribute("_FillValue").is_some();
    let byte = matches!(value, Values::Byte(_) | Values::UByte(_));
    let default = var.ty.atomic().map(|ty| ty.default_fill());
    !said && (byte || default.as_ref() != Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, GroupId, Storage};

    fn variable(unwritten: Option<Values>, ty: Atomic) -> Variable {
        Variable {
            name: Name::stored(b"v"),
            group: GroupId::ROOT,
            ty: ty.into(),
            dims: vec![],
            attributes: vec![],
            storage: Storage {
                unwritten,
                fill: FillMode::NoFill,
                ..Storage::default()
            },
        }
    }

    fn carried(values: Values, kinds: (Kind, Kind)) -> Variable {
        let ty = values.data_type().unwrap();
        let mut to = variable(None, ty);
        carry_fill((kinds.0, &variable(Some(values), ty)), (kinds.1, &mut to));
        to
    }

    #[test]
    fn pure_zarr_keeps_it_and_others_are_told() {
        let there = || Values::Short(vec![-9]);
        let to = carried(there(), (Kind::PURE_ZARR, Kind::PURE_ZARR));
        assert_eq!(to.storage.unwritten, Some(there()));
        assert_eq!((to.attributes.len(), to.storage.fill), (0, FillMode::Fill));
        let to = carried(there(), (Kind::PURE_ZARR, Kind::NETCDF4));
        assert_eq!(to.fill_value(), Some(there()));
        assert_eq!((to.attributes.len(), to.storage.unwritten), (1, None));
    }

    #[test]
    fn only_version_2_has_missing_values_outside_attributes() {
        let outside = |kind, values: Values| {
            let ty = values.data_type().unwrap();
            missing_value_outside_attributes(kind, &variable(Some(values), ty))
        };
        for values in [Values::Short(vec![-9]), Atomic::Float.default_fill()] {
            assert_eq!(
                outside(Kind::PURE_ZARR, values.clone()),
                Some(values.clone())
            );
            for kind in [Kind::PURE_ZARR3, Kind::NETCDF4] {
                assert_eq!(outside(kind, values.clone()), None);
            }
        }
        assert_eq!(outside(Kind::PURE_ZARR, Values::Char(vec![0])), None);
    }

    #[test]
    fn what_readers_expect_is_not_said() {
        let default = |ty: Atomic| carried(ty.default_fill(), (Kind::PURE_ZARR, Kind::NETCDF4));
        assert!(default(Atomic::Float).attributes.is_empty());
        assert_eq!(default(Atomic::UByte).attributes.len(), 1);
    }

    #[test]
    fn version_3_says_nothing_of_missing_data() {
        let v3 = Kind::PURE_ZARR3;
        let there = || Values::Int(vec![7]);
        assert_eq!(carried(there(), (v3, v3)).storage.unwritten, Some(there()));
        for kind in [Kind::PURE_ZARR, Kind::NETCDF4] {
            let to = carried(there(), (v3, kind));
            assert_eq!((to.attributes.len(), to.storage.unwritten), (0, None));
        }
    }
}
