//! Variables, and the fields of compound types, which NcML writes as variables.

use netcdf_core::error::{Context as _, Result};
use netcdf_core::model::{Atomic, DataType, DimId, Field, GroupId, TypeId, TypeKind};
use netcdf_core::model::{Name, VarId};

use super::{Ncml, too_many_fields};

/// Maximum nesting depth of types.
const DEPTH: usize = 64;

/// The NcML form of a type.
struct Spelled<'a> {
    /// The value of `type`.
    word: &'static str,
    /// The name of the enum.
    typedef: Option<Vec<u8>>,
    /// The number of variable-length lists around the type.
    lists: usize,
    fields: &'a [Field],
}

impl<'a> Ncml<'a> {
    pub(super) fn variable(&mut self, id: VarId) -> Result<()> {
        let schema = self.schema;
        let Some(var) = schema.var(id) else {
            return Ok(());
        };
        let dims = var.dims.iter().map(|&d| self.dimension(var.group, d));
        let shape: Vec<_> = dims.collect();
        let spelled = self.spelled(var.group, var.ty);
        self.start(&var.name, shape, &spelled);
        let empty = var.attributes.is_empty() && spelled.fields.is_empty();
        if empty && (self.short)(id) {
            self.bytes(" />\n");
            return Ok(());
        }
        self.bytes(">\n");
        self.within(|ncml| {
            for attribute in &var.attributes {
                ncml.attribute(attribute);
            }
            ncml.inner(var.group, spelled.fields, 0)
        })
        .in_object(|| schema.var_path(id))?;
        self.close("variable");
        Ok(())
    }

    /// Writes the fields of a compound type.
    fn inner(&mut self, group: GroupId, fields: &[Field], depth: usize) -> Result<()> {
        for field in fields {
            self.fields = self.fields.checked_sub(1).ok_or_else(too_many_fields)?;
            if depth > DEPTH {
                return Err(too_many_fields());
            }
            let shape = field.dims.iter().map(|n| n.to_string().into_bytes());
            let spelled = self.spelled(group, field.ty);
            self.start(&field.name, shape.collect(), &spelled);
            if spelled.fields.is_empty() {
                self.bytes(" />\n");
                continue;
            }
            self.bytes(">\n");
            self.within(|ncml| ncml.inner(group, spelled.fields, depth + 1))?;
            self.close("variable");
        }
        Ok(())
    }

    /// Writes a variable's tag without its end.
    fn start(&mut self, name: &Name, mut shape: Vec<Vec<u8>>, spelled: &Spelled<'_>) {
        self.open("variable");
        self.name(name);
        shape.extend((0..spelled.lists).map(|_| b"*".to_vec()));
        if !shape.is_empty() {
            self.value("shape", &shape.join(&b' '));
        }
        self.value("type", spelled.word.as_bytes());
        if let Some(name) = &spelled.typedef {
            self.value("typedef", name);
        }
    }

    fn dimension(&self, from: GroupId, id: DimId) -> Vec<u8> {
        let schema = self.schema;
        let Some(dim) = schema.dim(id) else {
            return Vec::new();
        };
        self.reference(from, (dim.group, &dim.name), |group| {
            let mut names = group.dims.iter().filter_map(|&d| schema.dim(d));
            names.any(|d| d.name == dim.name)
        })
    }

    fn spelled(&self, from: GroupId, ty: DataType) -> Spelled<'a> {
        let (ty, lists) = self.element(ty);
        let mut spelled = Spelled {
            word: "opaque",
            typedef: None,
            lists,
            fields: &[],
        };
        let id = match ty {
            DataType::Atomic(atomic) => {
                spelled.word = self.atomic(atomic);
                return spelled;
            }
            DataType::User(id) => id,
        };
        match self.schema.user_type(id).map(|ty| &ty.kind) {
            Some(TypeKind::Enum { base, members }) => match enumeration(*base, members) {
                Some(word) => {
                    spelled.word = word;
                    spelled.typedef = self.typedef(from, id);
                }
                None => spelled.word = self.atomic(*base),
            },
            Some(TypeKind::Compound { fields, .. }) => {
                spelled.word = "Structure";
                spelled.fields = fields;
            }
            Some(TypeKind::Opaque { .. } | TypeKind::Vlen { .. }) | None => {}
        }
        spelled
    }

    /// Returns the innermost type of nested variable-length lists, and the number of lists.
    fn element(&self, mut ty: DataType) -> (DataType, usize) {
        for lists in 0..DEPTH {
            let id = match ty {
                DataType::Atomic(_) => return (ty, lists),
                DataType::User(id) => id,
            };
            match self.schema.vlen_base(id) {
                Some(base) => ty = base,
                None => return (ty, lists),
            }
        }
        (ty, DEPTH)
    }

    fn typedef(&self, from: GroupId, id: TypeId) -> Option<Vec<u8>> {
        let schema = self.schema;
        let ty = schema.user_type(id)?;
        Some(self.reference(from, (ty.group, &ty.name), |group| {
            let mut names = group.types.iter().filter_map(|&t| schema.user_type(t));
            names.any(|t| t.name == ty.name)
        }))
    }

    /// Returns the NcML name of an atomic type. In the classic model, returns the CDL name, as in the C tool.
    pub(super) fn atomic(&self, ty: Atomic) -> &'static str {
        if !self.enhanced {
            return ty.name();
        }
        match ty {
            Atomic::Int64 => "long",
            Atomic::UInt64 => "ulong",
            Atomic::String => "String",
            Atomic::Byte | Atomic::Char | Atomic::Short | Atomic::Int => ty.name(),
            Atomic::UByte | Atomic::UShort | Atomic::UInt => ty.name(),
            Atomic::Float | Atomic::Double => ty.name(),
        }
    }
}

/// Returns the NcML name of an enum with this base type. NcML has no enums of eight bytes and none without members, and their keys are
/// signed integers of four bytes. All other enums are written as integers.
pub(super) fn enumeration(base: Atomic, members: &[(Name, i128)]) -> Option<&'static str> {
    let fits = |(_, key): &(Name, i128)| i32::try_from(*key).is_ok();
    if members.is_empty() || !members.iter().all(fits) {
        return None;
    }
    Some(match base.size() {
        Some(1) => "enum1",
        Some(2) => "enum2",
        Some(_) | None => "enum4",
    })
}
