//! Dimensions and variables.

use netcdf_core::model::kind::Model;
use netcdf_core::model::{
    Atomic, DataType, DimId, Dimension, GroupId, Name, Schema, Storage, VarId, Variable,
};

use super::Lower;
use super::names::{atomic, outwards, reference, split_path};
use crate::cdl::ast::{self, StatementWord};
use crate::cdl::split::KEYWORDS;
use crate::number::{Literal, literal};

impl Lower<'_> {
    /// `name = size, …`
    pub(crate) fn dimensions(&mut self, dimensions: &[ast::DimensionStatement<'_>]) {
        for dimension in dimensions {
            self.dimension(dimension);
        }
    }

    fn dimension(&mut self, dimension: &ast::DimensionStatement<'_>) {
        let word = dimension.name;
        let Some(name) = self.new_name(word, "dimension") else {
            return;
        };
        let size = match dimension.size {
            None => Some(0),
            Some(size) => self.size(size, "the size of a dimension"),
        };
        let key = (self.group, name);
        if self.names.dims.contains_key(&key) {
            return self.duplicate(word, "dimension");
        }
        let Some(len) = size else {
            self.failed.insert(key.1);
            return;
        };
        // A size of 0 also means UNLIMITED: `NC_UNLIMITED` is 0.
        let unlimited = len == 0;
        if unlimited && self.schema.dims.iter().any(|d| d.unlimited) {
            self.enhanced(word.at, "a second unlimited dimension");
        }
        let (group, name) = key.clone();
        let id = self.schema.add_dim(Dimension {
            name,
            group,
            len,
            unlimited,
        });
        self.names.dims.insert(key, id);
    }

    /// Returns a number as a size; `what` names it in messages.
    pub(super) fn size(&mut self, word: StatementWord<'_>, what: &str) -> Option<u64> {
        match whole(word.text).map(u64::try_from) {
            Some(Ok(size)) if i64::try_from(size).is_ok() => return Some(size),
            Some(Ok(_)) => self.error(
                word.at,
                format!("{what} cannot be {}: too large", word.text),
            ),
            Some(Err(_)) => self.error(word.at, format!("{what} cannot be negative")),
            None => {
                self.error(
                    word.at,
                    format!("{what} must be a whole number, found `{}`", word.text),
                );
            }
        }
        None
    }

    /// `type name(dimension, …), …`
    pub(crate) fn variables(&mut self, variables: &ast::Variables<'_>) {
        let ty = self.type_of_variables(variables.ty);
        for (word, dims) in &variables.names {
            self.variable(ty, *word, dims);
        }
    }

    fn type_of_variables(&mut self, word: StatementWord<'_>) -> Option<DataType> {
        let ty = self.find_type(word)?;
        let classic = self.kind.is_some_and(|kind| kind.model == Model::Classic);
        if ty == Atomic::Int64.into() && classic {
            // As in ncgen, because `long` was the name of 32-bit integers. Values are range-checked.
            self.warning(word.at, "int64 variables become int in the classic model");
            return Some(Atomic::Int.into());
        }
        match ty {
            DataType::Atomic(a) => {
                let need = self.need(word.at);
                self.needs.atomic(a, need);
            }
            DataType::User(_) => self.enhanced(word.at, "a user-defined type"),
        }
        Some(ty)
    }

    fn variable(
        &mut self,
        ty: Option<DataType>,
        word: StatementWord<'_>,
        dims: &[StatementWord<'_>],
    ) {
        let Some(name) = self.new_name(word, "variable") else {
            return;
        };
        let dims = self.shape(word, dims);
        let key = (self.group, name);
        if self.names.vars.contains_key(&key) {
            return self.duplicate(word, "variable");
        }
        let (group, name) = key.clone();
        let (Some(ty), Some(dims)) = (ty, dims) else {
            self.failed.insert(name);
            return;
        };
        let (attributes, storage) = (vec![], Storage::default());
        let var = Variable {
            name,
            group,
            ty,
            dims,
            attributes,
            storage,
        };
        self.keyword_variables |= KEYWORDS.contains(&word.text);
        let id = self.schema.add_var(var);
        self.names.vars.insert(key, id);
    }

    /// Returns the dimensions of a variable if all dimensions are defined.
    fn shape(
        &mut self,
        name: StatementWord<'_>,
        words: &[StatementWord<'_>],
    ) -> Option<Vec<DimId>> {
        let most = self.limits.rank;
        if words.len() > usize::try_from(most).unwrap_or(usize::MAX) {
            self.error(
                name.at,
                format!("`{}` has more than {most} dimensions", name.text),
            );
            return None;
        }
        let dims: Vec<_> = words
            .iter()
            .filter_map(|&word| self.find_dim(word))
            .collect();
        for (&id, word) in dims.iter().zip(words).skip(1) {
            if self.schema.dim(id).is_some_and(|d| d.unlimited) {
                self.enhanced(word.at, "an unlimited dimension that is not the first");
            }
        }
        (dims.len() == words.len()).then_some(dims)
    }

    /// Returns a dimension of the group or of an ancestor.
    fn find_dim(&mut self, word: StatementWord<'_>) -> Option<DimId> {
        let (absolute, name, group) = self.place(word)?;
        let found = if absolute {
            self.names.dims.get(&(group, name)).copied()
        } else {
            outwards(&self.names.dims, &self.schema, group, &name)
        };
        if found.is_none() && !self.is_later(absolute) {
            let dims = visible(&self.schema, self.group);
            self.undefined(word, "dimension", dims.iter());
        }
        found
    }

    /// Returns a variable of the group, or of the group in its path.
    pub(crate) fn find_var(&mut self, word: StatementWord<'_>) -> Option<VarId> {
        let (absolute, parts) = split_path(word.text);
        let name = reference(parts.last()?);
        let group = match parts.split_last() {
            Some((_, groups)) if absolute => self.names.group_at(groups)?,
            _ => self.group,
        };
        self.names.vars.get(&(group, name)).copied()
    }

    pub(super) fn undefined_var(&mut self, word: StatementWord<'_>) {
        let vars = self
            .schema
            .group(self.group)
            .map(|g| g.vars.as_slice())
            .unwrap_or_default();
        let names = vars
            .iter()
            .filter_map(|&v| self.schema.var(v))
            .map(|v| v.name.clone());
        let names: Vec<Name> = names.collect();
        self.undefined(word, "variable", names.iter());
    }

    /// Returns whether the group has a variable with this name.
    pub(in crate::cdl) fn has_var(&self, name: &str) -> bool {
        let key = (self.group, Name::stored(name.as_bytes()));
        self.names.vars.contains_key(&key) || self.keywords.contains(&key)
    }

    /// Records variables with section names before their definition.
    pub(in crate::cdl) fn keyword_names(&mut self, variables: &ast::Variables<'_>) {
        for (word, _) in &variables.names {
            if KEYWORDS.contains(&word.text) {
                self.keywords.insert((self.group, reference(word.text)));
                self.keyword_variables = true;
            }
        }
    }

    /// Returns whether a path is absolute, its last name, and the group where the search begins.
    pub(super) fn place(&mut self, word: StatementWord<'_>) -> Option<(bool, Name, GroupId)> {
        let (absolute, parts) = split_path(word.text);
        let (last, groups) = parts.split_last()?;
        let group = if absolute {
            self.names.group_at(groups)
        } else {
            Some(self.group)
        };
        if group.is_none() && self.is_later(absolute) {
            return None;
        }
        let Some(group) = group else {
            let path = groups.join("/");
            self.error(word.at, format!("group `/{path}` is not defined"));
            return None;
        };
        Some((absolute, reference(last), group))
    }

    /// Returns a type: an atomic type, a type of the group or an ancestor, or the only type with this name.
    pub(crate) fn find_type(&mut self, word: StatementWord<'_>) -> Option<DataType> {
        let found = self.look_for_type(word)?;
        if found.is_none() && !self.is_later(word.text.starts_with('/')) {
            let mut known: Vec<Name> = self.schema.types.iter().map(|t| t.name.clone()).collect();
            known.extend(Atomic::ALL.map(|a| Name::stored(a.name().as_bytes())));
            self.undefined(word, "type", known.iter());
        }
        found
    }

    /// Returns `Some(None)` if the type does not exist, and `None` after another error, which is reported.
    pub(super) fn look_for_type(&mut self, word: StatementWord<'_>) -> Option<Option<DataType>> {
        if let Some(ty) = atomic(word.text) {
            return Some(Some(ty.into()));
        }
        let (absolute, name, group) = self.place(word)?;
        let found = if absolute {
            self.names.types.get(&(group, name)).copied()
        } else if self.is_postponed(group, &name) {
            self.waits = true;
            return None;
        } else {
            let near = outwards(&self.names.types, &self.schema, group, &name);
            match (near, self.names.types_named(&name)) {
                (None, [only]) => Some(*only),
                (None, [_, _, ..]) => {
                    let message = format!("several groups have a type `{}`", word.text);
                    self.hint(word.at, message, Some("give its path".to_owned()));
                    return None;
                }
                (near, _) => near,
            }
        };
        Some(found.map(DataType::User))
    }

    /// Returns whether the nearest type with a name, from a group outwards, is postponed.
    fn is_postponed(&self, group: GroupId, name: &Name) -> bool {
        let parent = |id: &GroupId| self.schema.group(*id)?.parent;
        let mut groups = std::iter::successors(Some(group), parent).map(|id| (id, name.clone()));
        let nearest =
            groups.find(|key| self.postponed.contains(key) || self.names.types.contains_key(key));
        self.may_wait && nearest.is_some_and(|key| self.postponed.contains(&key))
    }
}

/// Returns the names of the dimensions visible in `group`.
fn visible(schema: &Schema, group: GroupId) -> Vec<Name> {
    let (mut names, mut at) = (vec![], schema.group(group));
    while let Some(group) = at {
        names.extend(
            group
                .dims
                .iter()
                .filter_map(|&d| schema.dim(d))
                .map(|d| d.name.clone()),
        );
        at = group.parent.and_then(|p| schema.group(p));
    }
    names
}

/// Returns the value of `text` as a whole number: an integer, or a real number without fraction.
pub(super) fn whole(text: &str) -> Option<i128> {
    let (number, len) = literal(text.as_bytes())?;
    if len != text.len() {
        return None;
    }
    let real = match number {
        Literal::Integer(integer, _) if integer.invalid_octal => return None,
        Literal::Integer(integer, _) => return integer.value(),
        Literal::Float(value) => f64::from(value),
        Literal::Double(value) => value,
    };
    netcdf_core::model::convert::whole_number(real).filter(|_| real.fract() == 0.0)
}
