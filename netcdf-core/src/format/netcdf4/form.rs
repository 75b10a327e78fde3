//! The stored form of fixed-size elements, derived from the datatype.

use super::numbers;
use crate::chunk::form::ElementForm;
use crate::format::hdf5::datatype::{Datatype, TypeClass};

/// Returns the form of a datatype's elements, or `None` for heap data, references, and numbers in unusual forms.
pub(super) fn form(datatype: &Datatype) -> Option<ElementForm> {
    match &datatype.class {
        TypeClass::Integer { .. } | TypeClass::Float { .. } => number(datatype),
        TypeClass::Enum { base, .. } => number(base),
        TypeClass::String { .. } | TypeClass::Opaque { .. } => {
            Some(ElementForm::Bytes(datatype.size))
        }
        TypeClass::Compound { members } => {
            let one = |m: &crate::format::hdf5::datatype::Member| {
                form(&m.datatype).map(|form| (m.offset, form))
            };
            let fields = members.iter().map(one).collect::<Option<_>>()?;
            Some(ElementForm::Fields(datatype.size, fields))
        }
        TypeClass::Complex { base } => {
            let part = number(base)?;
            let fields = vec![(0, part.clone()), (base.size, part)];
            Some(ElementForm::Fields(datatype.size, fields))
        }
        TypeClass::Array { dims, base } => {
            let count = crate::model::region::product(dims)?;
            Some(form(base)?.array(count))
        }
        TypeClass::Time | TypeClass::Bitfield { .. } | TypeClass::Reference(_) => None,
        TypeClass::Vlen { .. } | TypeClass::VlenString { .. } => None,
    }
}

fn number(datatype: &Datatype) -> Option<ElementForm> {
    let order = numbers::plain(datatype)?;
    Some(match datatype.size {
        1 => ElementForm::Bytes(1),
        size => ElementForm::Number(size, order),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::netcdf4::write::datatypes::{atomic_type, packed, vlen};
    use crate::model::{Atomic, Endianness};

    #[test]
    fn fields_count_with_their_places_and_orders() {
        let short = |order| atomic_type(Atomic::Short, order);
        let text = atomic_type(Atomic::Char, Endianness::Little);
        let made = |order| form(&packed(vec![("a", text.clone()), ("b", short(order))]));
        let fields = vec![
            (0, ElementForm::Bytes(1)),
            (1, ElementForm::Number(2, Endianness::Big)),
        ];
        assert_eq!(made(Endianness::Big), Some(ElementForm::Fields(3, fields)));
        assert_ne!(made(Endianness::Big), made(Endianness::Little));
    }

    #[test]
    fn heap_data_has_no_form() {
        let list = vlen(atomic_type(Atomic::Byte, Endianness::Little));
        assert_eq!(form(&packed(vec![("v", list)])), None);
        let text = atomic_type(Atomic::String, Endianness::Little);
        assert_eq!(form(&text), None);
    }
}
