//! The arguments of a read, and their checks in the order of netCDF-C: identifiers, text, start and count, type.

use std::ffi::c_int;

use netcdf_core::model::{Atomic, DataType, VarId};

use crate::dataset::OpenGroup;
use crate::elements::{Area, Selection};
use crate::error_number::ErrorNumber;

/// A variable and its selected elements. [`Request::check`] compares them with the shape.
pub(super) struct Request<'a> {
    group: &'a OpenGroup<'a>,
    area: Area,
    pub(super) id: VarId,
    pub(super) ty: DataType,
    pub(super) selection: Selection,
}

impl<'a> Request<'a> {
    pub(super) fn new(
        group: &'a OpenGroup<'a>,
        number: c_int,
        area: Area,
    ) -> Result<Self, ErrorNumber> {
        let id = group.variable_id(number)?;
        let ty = group.variable(number)?.ty;
        let selection = area.selection(group.rank(id), || group.schema().shape(id))?;
        if area.is_mapped() && matches!(ty, DataType::User(_)) {
            return Err(ErrorNumber::EMAPTYPE);
        }
        Ok(Self {
            group,
            area,
            id,
            ty,
            selection,
        })
    }

    /// Returns whether no element is selected. Strides may then lead beyond the variable.
    pub(super) fn is_empty(&self) -> bool {
        self.selection.count.contains(&0)
    }

    /// Checks that the variable has the selected elements.
    pub(super) fn check(&self) -> Result<(), ErrorNumber> {
        let order = self
            .area
            .check_order(&self.selection, self.group.is_classic());
        self.selection
            .check(&self.group.schema().shape(self.id), order)
    }
}

/// Checks that values are text on both sides or on neither side.
pub(super) fn check_text(from: DataType, to: Atomic) -> Result<(), ErrorNumber> {
    let is_text = |ty: DataType| ty == Atomic::Char.into();
    match is_text(from) == is_text(to.into()) {
        true => Ok(()),
        false => Err(ErrorNumber::ECHAR),
    }
}

/// Returns whether values have a number type or are text. As in netCDF-C, enums are not numbers.
pub(super) fn is_convertible(ty: DataType) -> bool {
    ty.atomic().is_some_and(|atomic| atomic != Atomic::String)
}
