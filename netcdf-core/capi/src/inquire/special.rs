//! Attributes that netCDF-C computes: they are found by name only.

use netcdf_core::model::GroupId;

use crate::dataset::{GLOBAL, OpenGroup};

/// The value of a special attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SpecialValue {
    Text(Vec<u8>),
    Number(i32),
}

/// Returns the value of a special attribute of the root group.
pub(crate) fn special(group: &OpenGroup<'_>, of: i32, name: &[u8]) -> Option<SpecialValue> {
    if of != GLOBAL || group.id != GroupId::ROOT || name.first() != Some(&b'_') {
        return None;
    }
    let known = || group.data().provenance();
    match name {
        b"_NCProperties" => known().properties.map(SpecialValue::Text),
        b"_SuperblockVersion" => {
            let number = known().superblock?;
            i32::try_from(number).ok().map(SpecialValue::Number)
        }
        b"_IsNetcdf4" => known().is_netcdf4.map(|is| SpecialValue::Number(is.into())),
        _ => None,
    }
}
