//! Attributes with known types and values, as in JSON.

use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::special::Special;
use netcdf_core::model::{Atomic, Attribute, DataType, Kind, Values, VarId};

use super::Lower;
use super::list::{Item, items};
use super::names::OwnerName;
use super::special::SpecialSetting;
use crate::cdl::ast::StatementWord;

impl Lower<'_> {
    /// Adds an ordinary attribute to a variable or to the current group.
    pub(crate) fn typed_attribute(
        &mut self,
        var: Option<VarId>,
        word: StatementWord<'_>,
        ty: DataType,
        values: Values,
    ) {
        let Some(name) = self.name(word) else {
            return;
        };
        let (ty, values) = self.without_strings(word, ty, values);
        match ty {
            DataType::Atomic(a) => {
                let need = self.need(word.at);
                self.needs.atomic(a, need);
            }
            DataType::User(_) => self.enhanced(word.at, "an attribute of a user-defined type"),
        }
        self.put(self.owner(var), Attribute { name, ty, values });
    }

    /// Applies a special attribute or a quantization attribute. `constants` are the values in CDL, `None` for values that these attributes
    /// cannot have.
    pub(crate) fn setting(
        &mut self,
        var: Option<VarId>,
        word: StatementWord<'_>,
        constants: Option<&[u8]>,
    ) {
        let read = constants.map(|text| items(text, 0));
        let Some(Ok(mut list)) = read else {
            return self.error(word.at, format!("{} has no such values", word.text));
        };
        list.iter_mut().for_each(|item| item.set_at(word.at));
        let list = list.as_slice();
        let algorithm = Algorithm::from_attribute(word.text.as_bytes());
        match (Special::from_name(word.text.as_bytes()), var, algorithm) {
            (Some(special), ..) => {
                let set = SpecialSetting {
                    special,
                    word,
                    list,
                };
                self.special(self.owner(var), set);
            }
            (None, Some(var), Some(algorithm)) => self.quantize(algorithm, var, word, list),
            (None, ..) => {}
        }
    }

    fn owner(&self, var: Option<VarId>) -> OwnerName {
        var.map_or(OwnerName::Group(self.group), OwnerName::Var)
    }

    /// In kinds without strings, a single string becomes text.
    fn without_strings(
        &mut self,
        word: StatementWord<'_>,
        ty: DataType,
        values: Values,
    ) -> (DataType, Values) {
        let strings = self.kind.is_none_or(Kind::is_enhanced);
        match values {
            Values::String(texts) if !strings && texts.len() == 1 => {
                self.count_text(word);
                let text = texts.into_iter().flatten().next();
                let text = text.map_or_else(|| vec![0], Vec::from);
                (Atomic::Char.into(), Values::Char(text))
            }
            values => (ty, values),
        }
    }
}

impl Item<'_> {
    /// Moves the item and all nested items.
    fn set_at(&mut self, to: usize) {
        match self {
            Self::One(_, at) => *at = to,
            Self::Many(inner, at) => {
                *at = to;
                inner.iter_mut().for_each(|item| item.set_at(to));
            }
        }
    }
}
