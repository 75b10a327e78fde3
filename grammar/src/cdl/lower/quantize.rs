//! Quantization attributes. They are stored like all other attributes.

use netcdf_core::error::ErrorKind;
use netcdf_core::format::traits;
use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::{Atomic, Quantize, Values, VarId};

use super::Lower;
use super::list::Item;
use super::names::OwnerName;
use crate::cdl::ast::StatementWord;

impl Lower<'_> {
    /// Adds the attribute of an algorithm with the number of digits or bits to keep.
    pub(super) fn quantize(
        &mut self,
        algorithm: Algorithm,
        var: VarId,
        word: StatementWord<'_>,
        list: &[Item<'_>],
    ) {
        let at = list.first().map_or(word.at, Item::at);
        let numbers = self.attribute_values(Atomic::Int64.into(), word, list);
        let Some(Values::Int64(numbers)) = numbers else {
            // The error is already reported.
            return;
        };
        let &[keep] = numbers.as_slice() else {
            return self.error(at, format!("{} expects one integer", word.text));
        };
        self.plain(OwnerName::Var(var), Some(Atomic::Int.into()), word, list);
        if self.kind.is_some_and(|kind| !traits(kind).settings) {
            let message = format!("{}: only netCDF-4 data is quantized", word.text);
            return self.warning(word.at, message);
        }
        if self.needs.special.is_none() {
            self.needs.special = Some(self.need(word.at)(word.text.to_owned()));
        }
        let Some(ty) = self.schema.var(var).map(|v| v.ty) else {
            return;
        };
        match Quantize::new(algorithm, keep, ty) {
            Ok(quantize) => self.storage(var, |s| s.quantize = Some(quantize)),
            // Data from a file with this attribute is already quantized. Keeping all digits changes no value.
            Err(e) if e.kind() == ErrorKind::Range && keep > 0 => {
                self.warning(at, format!("{}: not quantized: {}", word.text, e.what()));
            }
            Err(e) => self.error(at, format!("{}: {}", word.text, e.what())),
        }
    }
}
