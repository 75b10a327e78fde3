//! Missing elements: elements that equal `_FillValue`, `missing_value` or the type's fill value, elements outside `valid_range`,
//! `valid_min` and `valid_max` (NetCDF Users Guide, "Attribute Conventions"), and NaN.

use super::number::Number;
use crate::model::convert::convert;
use crate::model::{Atomic, DataType, Values, Variable};

/// The masks of a variable, in its type.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Masks<T> {
    equal: Vec<T>,
    least: Option<T>,
    most: Option<T>,
}

impl<T: Number> Masks<T> {
    /// Creates the masks of a variable whose elements are read as numbers of type `ty`.
    pub(super) fn of(var: &Variable, ty: Atomic) -> Self {
        let all = |name: &str| -> Vec<T> {
            let found = var.attribute(name).map(|a| in_type(&a.values, ty));
            let found = found.as_ref().and_then(Option::as_ref).and_then(T::all);
            found.map(<[T]>::to_vec).unwrap_or_default()
        };
        let mut equal = all("missing_value");
        let fill = all("_FillValue");
        // Bytes have no default fill value.
        let byte = matches!(ty, Atomic::Byte | Atomic::UByte);
        if fill.is_empty() && !byte && var.ty == DataType::Atomic(ty) {
            equal.extend(T::all(&ty.default_fill()).unwrap_or_default());
        }
        equal.extend(fill);
        let (least, most) = match all("valid_range").as_slice() {
            [least, most] => (Some(*least), Some(*most)),
            _ => (
                all("valid_min").first().copied(),
                all("valid_max").first().copied(),
            ),
        };
        Self { equal, least, most }
    }

    /// Returns whether an element is missing.
    #[expect(clippy::eq_op, reason = "NaN is not itself")]
    pub(super) fn is_missing(&self, x: T) -> bool {
        x != x
            || self.equal.contains(&x)
            || self.least.is_some_and(|least| x < least)
            || self.most.is_some_and(|most| x > most)
    }
}

/// Returns an attribute's values in the variable's type, if the type can represent them.
fn in_type(values: &Values, ty: Atomic) -> Option<Values> {
    let same = as_unsigned(values.clone(), ty);
    if same.data_type() == Some(ty) {
        return Some(same);
    }
    let found = convert(values, ty).ok()?;
    // A float is the nearest float to a double; an integer must be equal.
    let exact = || convert(&found, values.data_type()?).ok();
    (!ty.is_integer() || exact().as_ref() == Some(values)).then_some(found)
}

/// Reinterprets signed values as unsigned values with the same bytes if `ty` is unsigned.
pub(super) fn as_unsigned(values: Values, ty: Atomic) -> Values {
    match (values, ty) {
        (Values::Byte(all), Atomic::UByte) => {
            Values::UByte(all.into_iter().map(i8::cast_unsigned).collect())
        }
        (Values::Short(all), Atomic::UShort) => {
            Values::UShort(all.into_iter().map(i16::cast_unsigned).collect())
        }
        (Values::Int(all), Atomic::UInt) => {
            Values::UInt(all.into_iter().map(i32::cast_unsigned).collect())
        }
        (Values::Int64(all), Atomic::UInt64) => {
            Values::UInt64(all.into_iter().map(i64::cast_unsigned).collect())
        }
        (values, _) => values,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Attribute, GroupId, Name, Storage};

    fn variable(ty: Atomic, attributes: &[(&str, Values)]) -> Variable {
        let attribute = |(name, values): &(&str, Values)| {
            Attribute::atomic(Name::stored(name.as_bytes()), values.clone()).unwrap()
        };
        Variable {
            name: Name::stored(b"v"),
            group: GroupId::ROOT,
            ty: ty.into(),
            dims: vec![],
            attributes: attributes.iter().map(attribute).collect(),
            storage: Storage::default(),
        }
    }

    fn present<T: Number>(var: &Variable, ty: Atomic, all: &[T]) -> usize {
        let masks = Masks::<T>::of(var, ty);
        all.iter().filter(|x| !masks.is_missing(**x)).count()
    }

    #[test]
    fn attributes_and_defaults_mask() {
        let var = variable(
            Atomic::Int,
            &[
                ("_FillValue", Values::Int(vec![-9])),
                ("missing_value", Values::Double(vec![-1.0, -2.0])),
            ],
        );
        assert_eq!(
            present(&var, Atomic::Int, &[-9, -1, -2, 0, -2_147_483_647]),
            2
        );
        assert_eq!(
            present(
                &variable(Atomic::Int, &[]),
                Atomic::Int,
                &[1, -2_147_483_647]
            ),
            1
        );
        assert_eq!(
            present(&variable(Atomic::Byte, &[]), Atomic::Byte, &[1i8, -127]),
            2
        );
        let var = variable(
            Atomic::Float,
            &[("valid_range", Values::Float(vec![0.0, 10.0]))],
        );
        assert_eq!(
            present(&var, Atomic::Float, &[-1.0f32, 0.0, 10.0, 11.0, f32::NAN]),
            2
        );
        let var = variable(Atomic::Short, &[("valid_max", Values::Short(vec![5]))]);
        assert_eq!(present(&var, Atomic::Short, &[-7i16, 5, 6]), 2);
    }

    #[test]
    fn integers_have_masks_that_are_integers() {
        let masks = |x: f64| {
            let var = variable(Atomic::Short, &[("missing_value", Values::Double(vec![x]))]);
            present(&var, Atomic::Short, &[-999i16, 0])
        };
        assert_eq!((masks(-999.0), masks(-999.9), masks(1e9)), (1, 2, 2));
        let var = variable(
            Atomic::Float,
            &[("missing_value", Values::Double(vec![-999.9]))],
        );
        assert_eq!(present(&var, Atomic::Float, &[-999.9f32, 0.0]), 1);
    }

    #[test]
    fn unsigned_bytes_have_unsigned_masks() {
        let var = variable(Atomic::Byte, &[("_FillValue", Values::Byte(vec![-1]))]);
        assert_eq!(present(&var, Atomic::UByte, &[255u8, 254]), 1);
    }
}
