//! Attributes: their owners, types and values.

use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::special::Special;
use netcdf_core::model::{Atomic, Attribute, DataType, GroupId, Kind, Values, VarId};

use super::Lower;
use super::atomic::ValueBuilder;
use super::list::{Item, infer, items};
use super::names::{OwnerName, atomic, is_reserved};
use super::special::SpecialSetting;
use crate::cdl::ast::{self, StatementWord};
use crate::cdl::constant::Constant;
use crate::cdl::values::{Problems, read_values};

/// The number of attributes per owner above which lookups use a hash map.
const MANY: usize = 32;

/// The part of an attribute before the colon.
struct Prefix {
    owner: OwnerName,
    ty: Option<(DataType, usize)>,
}

impl Lower<'_> {
    /// Adds an attribute. `text` is the whole statement; the values begin at `list`.
    pub(in crate::cdl) fn attribute(
        &mut self,
        attribute: &ast::AttributeHead<'_>,
        text: &[u8],
        list: usize,
    ) {
        self.length = text.len();
        let Some(prefix) = self.prefix(attribute) else {
            return;
        };
        let items = match items(text, list) {
            Ok(items) => items,
            Err((at, message)) => return self.error(at, message),
        };
        let word = attribute.name;
        let special = Special::from_name(word.text.as_bytes());
        if let (None, OwnerName::Var(var), Some(algorithm)) = (
            special,
            prefix.owner,
            Algorithm::from_attribute(word.text.as_bytes()),
        ) {
            return self.quantize(algorithm, var, word, &items);
        }
        match (special, prefix.owner) {
            (Some(special), owner) => {
                if let Some((_, at)) = prefix.ty {
                    return self.error(at, format!("{} takes no type", special.name()));
                }
                let list = items.as_slice();
                let set = SpecialSetting {
                    special,
                    word,
                    list,
                };
                self.special(owner, set);
            }
            (None, OwnerName::Var(var)) if word.text == "_FillValue" => {
                self.fill_value(var, word, &items)
            }
            (None, owner) => self.plain(owner, prefix.ty.map(|t| t.0), word, &items),
        }
    }

    fn prefix(&mut self, attribute: &ast::AttributeHead<'_>) -> Option<Prefix> {
        match attribute.prefix.as_slice() {
            [] => Some(Prefix {
                owner: OwnerName::Group(self.group),
                ty: None,
            }),
            [one] => self.lone_prefix(*one),
            [ty, owner, ..] => {
                let found = self.find_type(*ty);
                let owner = match self.find_var(*owner) {
                    Some(var) if !self.is_type_keyword(*owner) => OwnerName::Var(var),
                    _ if self.is_type(*owner) => {
                        let message = format!("attribute `{}` has two types", attribute.name.text);
                        self.error(owner.at, message);
                        return None;
                    }
                    _ => {
                        self.undefined_var(*owner);
                        return None;
                    }
                };
                Some(Prefix {
                    owner,
                    ty: Some((found?, ty.at)),
                })
            }
        }
    }

    /// Resolves a single word before the colon: a variable takes precedence over a type, unless the word is a type keyword.
    fn lone_prefix(&mut self, word: StatementWord<'_>) -> Option<Prefix> {
        if !self.is_type_keyword(word)
            && let Some(var) = self.find_var(word)
        {
            return Some(Prefix {
                owner: OwnerName::Var(var),
                ty: None,
            });
        }
        match self.look_for_type(word)? {
            Some(ty) => Some(Prefix {
                owner: OwnerName::Group(self.group),
                ty: Some((ty, word.at)),
            }),
            None if self.is_later(word.text.starts_with('/')) => None,
            None => {
                self.undefined_var(word);
                None
            }
        }
    }

    fn is_type_keyword(&self, word: StatementWord<'_>) -> bool {
        atomic(word.text).is_some() && is_reserved(word.text, self.kind)
    }

    fn is_type(&mut self, word: StatementWord<'_>) -> bool {
        matches!(self.look_for_type(word), Some(Some(_)))
    }

    /// Adds an ordinary attribute.
    pub(super) fn plain(
        &mut self,
        owner: OwnerName,
        ty: Option<DataType>,
        word: StatementWord<'_>,
        list: &[Item<'_>],
    ) {
        if let (OwnerName::Group(_), "_FillValue") = (owner, word.text) {
            // Files contain global `_FillValue` attributes, so ncdump prints them.
            let message = "_FillValue belongs to a variable; stored as an ordinary attribute";
            self.warning(word.at, message);
        }
        // Keywords are valid attribute names, because the position is unambiguous.
        let Some(name) = self.name(word) else {
            return;
        };
        let ty = match ty.map_or_else(|| infer(list).map(DataType::Atomic), Ok) {
            Ok(ty) => ty,
            Err((at, message)) => return self.error(at, message),
        };
        let ty = self.string_or_text(ty, word, list);
        match ty {
            DataType::Atomic(a) => {
                let need = self.need(word.at);
                self.needs.atomic(a, need);
            }
            DataType::User(_) => self.enhanced(word.at, "an attribute of a user-defined type"),
        }
        if let Some(values) = self.attribute_values(ty, word, list) {
            self.put(owner, Attribute { name, ty, values });
        }
    }

    /// Returns the type of an attribute in the requested kind: in kinds without strings, a single string becomes text.
    fn string_or_text(
        &mut self,
        ty: DataType,
        word: StatementWord<'_>,
        list: &[Item<'_>],
    ) -> DataType {
        let is_text = matches!(list, [Item::One(Constant::String(_), _)]);
        let strings = self.kind.is_none_or(Kind::is_enhanced);
        if ty != Atomic::String.into() || strings || !is_text {
            return ty;
        }
        self.count_text(word);
        Atomic::Char.into()
    }

    /// Counts a string that is stored as text.
    pub(super) fn count_text(&mut self, word: StatementWord<'_>) {
        let need = self.need(word.at);
        let first = || (need(word.text.to_owned()), 0);
        self.needs.texts.get_or_insert_with(first).1 += 1;
    }

    /// Warns once about string attributes that are stored as text.
    pub(crate) fn warn_of_texts(&mut self) {
        let Some((first, count)) = self.needs.texts.take() else {
            return;
        };
        let kind = self.kind.map_or("", Kind::name);
        let name = first.what;
        let which = match count {
            1 => format!("string attribute `{name}` is"),
            n => format!("string attributes `{name}` and {} more are", n - 1),
        };
        let message = format!("{which} stored as text: {kind} files have no strings");
        self.report.warning(first.anchor, first.offset, message);
    }

    /// Returns the values, or `None` after an error.
    pub(super) fn attribute_values(
        &mut self,
        ty: DataType,
        word: StatementWord<'_>,
        list: &[Item<'_>],
    ) -> Option<Values> {
        if let Some(at) = fill_mark(list) {
            self.error(at, "attributes cannot have the fill value `_`");
            return None;
        }
        if list.is_empty() && ty != Atomic::Char.into() {
            self.error(word.at, "only attributes of type char can be empty");
            return None;
        }
        match ty {
            DataType::Atomic(a) => self.atomic_values(a, list),
            DataType::User(_) if is_none(list) => self.no_values(ty, word),
            DataType::User(_) => self.user_values(ty, list),
        }
    }

    /// Returns an empty list of values; ncdump prints it as `""` for user-defined types.
    fn no_values(&mut self, ty: DataType, word: StatementWord<'_>) -> Option<Values> {
        let values = self.schema.empty_values(ty);
        if values.is_none() {
            self.error(word.at, "the attribute's type is nested too deep");
        }
        values
    }

    fn atomic_values(&mut self, ty: Atomic, list: &[Item<'_>]) -> Option<Values> {
        let mut builder = ValueBuilder::default();
        let mut values = builder.values(ty, list);
        for (at, message) in builder.warnings {
            self.warning(at, message);
        }
        let failed = !builder.errors.is_empty();
        for (at, message) in builder.errors {
            self.error(at, message);
        }
        if let Values::Char(text) = &mut values
            && text.is_empty()
        {
            text.push(0);
        }
        (!failed).then_some(values)
    }

    /// Reads values of a user-defined type with the reader of data lists; they are rare.
    fn user_values(&mut self, ty: DataType, list: &[Item<'_>]) -> Option<Values> {
        let first = list.first().map_or(0, Item::at);
        let bytes = self.start.offset + first as u64..self.start.offset + self.length as u64;
        let mut problems = Problems::default();
        let source = self.report.source();
        let values = read_values(source, bytes, &self.schema, ty, &mut problems);
        problems.report(self.start, &mut self.report);
        match values {
            Ok(values) => Some(values).filter(|_| problems.errors() == 0),
            Err(e) => {
                self.error(first, e.to_string());
                None
            }
        }
    }

    /// Adds a `_FillValue`: one value of the variable's type. Files also contain longer texts, which ncdump prints.
    pub(super) fn fill_value(&mut self, var: VarId, word: StatementWord<'_>, list: &[Item<'_>]) {
        let Some(ty) = self.schema.var(var).map(|v| v.ty) else {
            return;
        };
        let Some(name) = self.name(word) else {
            return;
        };
        if list.len() != 1 {
            let at = list.get(1).map_or(word.at, Item::at);
            let message = format!("_FillValue must have one value, found {}", list.len());
            return self.error(at, message);
        }
        let Some(values) = self.attribute_values(ty, word, list) else {
            return;
        };
        if values.len() != 1 {
            let at = list.first().map_or(word.at, Item::at);
            let message = format!(
                "_FillValue must have one character, found {}; stored as an ordinary attribute",
                values.len()
            );
            self.warning(at, message);
        }
        self.put(OwnerName::Var(var), Attribute { name, ty, values });
    }

    /// Adds an attribute. As in ncgen, a later attribute replaces an earlier one with the same name.
    pub(super) fn put(&mut self, owner: OwnerName, attribute: Attribute) {
        let list = match owner {
            OwnerName::Var(id) => self
                .schema
                .vars
                .get_mut(id.index())
                .map(|v| &mut v.attributes),
            OwnerName::Group(GroupId(id)) => {
                let groups = &mut self.schema.groups;
                groups.get_mut(id as usize).map(|g| &mut g.attributes)
            }
        };
        let Some(list) = list else {
            return;
        };
        let old = match self.names.attributes.get(&owner) {
            Some(places) => places.get(&attribute.name).copied(),
            None => list.iter().position(|a| a.name == attribute.name),
        };
        if let Some(old) = old.and_then(|i| list.get_mut(i)) {
            *old = attribute;
            return;
        }
        if let Some(places) = self.names.attributes.get_mut(&owner) {
            places.insert(attribute.name.clone(), list.len());
        }
        list.push(attribute);
        if list.len() == MANY {
            let places = list.iter().enumerate().map(|(i, a)| (a.name.clone(), i));
            self.names.attributes.insert(owner, places.collect());
        }
    }
}

/// Returns whether the list is `""`.
fn is_none(list: &[Item<'_>]) -> bool {
    matches!(list, [Item::One(Constant::String(b""), _)])
}

/// Returns the position of a `_` at any depth.
fn fill_mark(list: &[Item<'_>]) -> Option<usize> {
    list.iter().find_map(|item| match item {
        Item::One(Constant::Fill, at) => Some(*at),
        Item::One(..) => None,
        Item::Many(inner, _) => fill_mark(inner),
    })
}
