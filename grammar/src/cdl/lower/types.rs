//! User-defined types.

use std::collections::HashSet;

use netcdf_core::model::{Atomic, DataType, Field, Name, TypeKind, UserType};

use super::compounds::FieldLayout;
use super::variables::whole;
use super::{Lower, LowerPass};
use crate::cdl::ast::{self, StatementWord, TypeBody};

/// Maximum number of component types of a type; an HDF5 file cannot store more.
const MOST_PARTS: u64 = 1 << 14;

/// The number of component types of a type, and their nesting depth.
#[derive(Debug, Clone, Copy)]
pub(super) struct MadeOf {
    levels: u32,
    parts: u64,
}

impl MadeOf {
    const ATOMIC: Self = Self {
        levels: 1,
        parts: 1,
    };

    /// Adds the counts of two sibling components.
    fn and(self, other: Self) -> Self {
        Self {
            levels: self.levels.max(other.levels),
            parts: self.parts.saturating_add(other.parts),
        }
    }

    fn check(self, depth: u32) -> Result<(), String> {
        if self.levels > depth {
            return Err(format!("types nested more than {depth} deep"));
        }
        match self.parts > MOST_PARTS {
            true => Err(format!("a type made of more than {MOST_PARTS} types")),
            false => Ok(()),
        }
    }
}

impl Lower<'_> {
    /// Defines types, each after its components.
    pub(crate) fn types(&mut self, types: &[ast::TypeDeclaration<'_>]) {
        for ty in types {
            self.enhanced(ty.name.at, "a user-defined type");
            self.user_type(ty);
        }
    }

    fn user_type(&mut self, ty: &ast::TypeDeclaration<'_>) {
        let Some(name) = self.new_name(ty.name, "type") else {
            return;
        };
        let key = (self.group, name.clone());
        if self.pass == LowerPass::Types && !self.postponed.contains(&key) {
            return;
        }
        self.waits = false;
        let mut alignment = 1;
        let kind = match &ty.body {
            TypeBody::Enum { base, members } => self.enumeration(*base, members),
            TypeBody::Opaque(size) => self.opaque(*size),
            TypeBody::Vlen(base) => self
                .base_type(*base, &name)
                .map(|base| TypeKind::Vlen { base }),
            TypeBody::Compound(fields) => self.compound(&name, fields).map(|(kind, a)| {
                alignment = a;
                kind
            }),
        };
        let postponed = self.postponed.remove(&key);
        if self.names.types.contains_key(&key) || (postponed && self.pass == LowerPass::Definitions)
        {
            return self.duplicate(ty.name, "type");
        }
        if kind.is_none() && self.waits {
            self.postponed.insert(key);
            return;
        }
        let Some(kind) = kind else {
            self.failed.insert(name);
            return;
        };
        let made_of = self.made_of(&kind);
        if let Err(what) = made_of.check(self.limits.depth) {
            self.error(ty.name.at, what);
            self.failed.insert(name);
            return;
        }
        let group = self.group;
        let id = self.schema.add_type(UserType {
            name: name.clone(),
            group,
            kind,
        });
        self.alignments.insert(id, alignment);
        self.made_of.insert(id, made_of);
        self.names.add_type(group, &name, id);
    }

    /// Returns the component count of a type. The count grows exponentially if each type has two fields of the previous type.
    fn made_of(&self, kind: &TypeKind) -> MadeOf {
        let of = |ty: DataType| match ty {
            DataType::Atomic(_) => MadeOf::ATOMIC,
            DataType::User(id) => self.made_of.get(&id).copied().unwrap_or(MadeOf::ATOMIC),
        };
        let inner = match kind {
            TypeKind::Enum { .. } | TypeKind::Opaque { .. } => MadeOf::ATOMIC,
            TypeKind::Vlen { base } => of(*base),
            TypeKind::Compound { fields, .. } => {
                let start = MadeOf {
                    levels: 0,
                    parts: 0,
                };
                fields.iter().map(|f| of(f.ty)).fold(start, MadeOf::and)
            }
        };
        MadeOf {
            levels: inner.levels.saturating_add(1),
            parts: inner.parts.saturating_add(1),
        }
    }

    /// Returns the type of a component, which must differ from the new type.
    fn base_type(&mut self, word: StatementWord<'_>, new: &Name) -> Option<DataType> {
        let found = self.look_for_type(word)?;
        if found.is_none() && super::names::reference(word.text) == *new {
            self.error(
                word.at,
                format!("type `{}` cannot be part of itself", word.text),
            );
            return None;
        }
        found.or_else(|| self.find_type(word))
    }

    fn opaque(&mut self, word: StatementWord<'_>) -> Option<TypeKind> {
        let size = self.size(word, "the size of an opaque type")?;
        if size == 0 || u32::try_from(size).is_err() {
            self.error(
                word.at,
                "the size of an opaque type must be from 1 to 4294967295 bytes",
            );
            return None;
        }
        Some(TypeKind::Opaque { size })
    }

    fn enumeration(
        &mut self,
        base: StatementWord<'_>,
        members: &[(StatementWord<'_>, StatementWord<'_>)],
    ) -> Option<TypeKind> {
        let base = match self.find_type(base)? {
            DataType::Atomic(a) if a.is_integer() => a,
            DataType::Atomic(_) | DataType::User(_) => {
                let message = format!(
                    "the values of an enum must be integers, not `{}`",
                    base.text
                );
                self.error(base.at, message);
                return None;
            }
        };
        let (mut found, mut seen) = (vec![], HashSet::new());
        let mut values = HashSet::new();
        for (name, value) in members {
            let member = self.name(*name);
            let (Some(member), Some(number)) = (member, self.enum_value(*value, base)) else {
                continue;
            };
            if !seen.insert(member.clone()) {
                self.duplicate(*name, "enum member");
            } else if !values.insert(number) {
                self.error(
                    value.at,
                    format!("two members of the enum have the value {number}"),
                );
            } else {
                found.push((member, number));
            }
        }
        Some(TypeKind::Enum {
            base,
            members: found,
        })
    }

    /// Returns the value of a member. Like all CDL integers, a value of the opposite signedness and the same size keeps its bits.
    fn enum_value(&mut self, word: StatementWord<'_>, base: Atomic) -> Option<i128> {
        let Some(value) = whole(word.text) else {
            let message = format!(
                "the value of an enum member must be an integer, found `{}`",
                word.text
            );
            self.error(word.at, message);
            return None;
        };
        let (low, high) = range(base);
        let modulus = high - low + 1;
        if (low..=high).contains(&value) {
            return Some(value);
        }
        let same = if low < 0 {
            value - modulus
        } else {
            value + modulus
        };
        let other_sign = if low < 0 {
            value >= 0
        } else {
            value >= -(modulus / 2)
        };
        if (low..=high).contains(&same) && other_sign {
            return Some(same);
        }
        self.error(
            word.at,
            format!("{value} does not fit type {}", base.name()),
        );
        None
    }

    fn compound(
        &mut self,
        name: &Name,
        fields: &[ast::FieldStatement<'_>],
    ) -> Option<(TypeKind, u64)> {
        let (mut found, mut seen) = (vec![], HashSet::new());
        let mut layout = FieldLayout::default();
        let mut complete = true;
        for field in fields {
            let Some(new) = self.field(name, field) else {
                complete = false;
                continue;
            };
            if !seen.insert(new.name.clone()) {
                self.duplicate(field.name, "field");
                continue;
            }
            match layout.place(&self.schema, &self.alignments, &new) {
                Some(offset) => found.push(Field { offset, ..new }),
                None => {
                    self.error(field.name.at, "the compound type is too large");
                    return None;
                }
            }
        }
        let size = layout.size();
        complete.then_some((
            TypeKind::Compound {
                fields: found,
                size,
            },
            layout.alignment(),
        ))
    }

    fn field(&mut self, compound: &Name, field: &ast::FieldStatement<'_>) -> Option<Field> {
        let ty = self.base_type(field.ty, compound)?;
        let name = self.name(field.name)?;
        let mut dims = vec![];
        for &word in &field.dims {
            let size = self.size(word, "the size of a field")?;
            if size == 0 || i32::try_from(size).is_err() {
                self.error(word.at, "the size of a field must be from 1 to 2147483647");
                return None;
            }
            dims.push(size);
        }
        Some(Field {
            name,
            ty,
            dims,
            offset: 0,
        })
    }
}

/// Returns the minimum and maximum of an integer type.
pub(super) fn range(ty: Atomic) -> (i128, i128) {
    match ty {
        Atomic::Byte => (i8::MIN.into(), i8::MAX.into()),
        Atomic::Short => (i16::MIN.into(), i16::MAX.into()),
        Atomic::Int => (i32::MIN.into(), i32::MAX.into()),
        Atomic::UByte => (0, u8::MAX.into()),
        Atomic::UShort => (0, u16::MAX.into()),
        Atomic::UInt => (0, u32::MAX.into()),
        Atomic::UInt64 => (0, u64::MAX.into()),
        Atomic::Int64 | Atomic::Char | Atomic::Float | Atomic::Double | Atomic::String => {
            (i64::MIN.into(), i64::MAX.into())
        }
    }
}
