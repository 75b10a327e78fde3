//! Datatypes as netCDF types. Committed types are identified by location, unnamed types by structure.

use std::collections::HashMap;
use std::sync::Arc;

use super::FileObject;
use super::numbers::{self, integer_of};
use super::type_reduction::{SkippedField, enum_base, is_raw, reduced, unsupported};
use crate::error::{Error, Result};
use crate::format::hdf5::datatype::{Datatype, Member, TypeClass};
use crate::model::name::Interner;
use crate::model::{Atomic, DataType, Field, GroupId, Name, Schema, TypeId, TypeKind, UserType};

/// The types of a file so far.
#[derive(Debug, Default)]
pub(crate) struct FileTypes {
    committed: HashMap<FileObject, TypeId>,
    /// The reductions of committed types.
    reductions: HashMap<FileObject, Arc<Reduction>>,
    anonymous: u32,
}

/// The part of a datatype that netCDF can express, and the skipped fields.
type Reduction = Result<(Arc<Datatype>, Vec<SkippedField>)>;

/// The name of a new type.
#[derive(Debug, Clone)]
pub(crate) struct NewType {
    /// The name.
    pub name: Name,
    /// The defining group.
    pub group: GroupId,
}

/// The location of an unnamed type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Home {
    /// The file number of the datatype.
    pub file: u32,
    /// The group for a new type; `None` if new types are not allowed.
    pub group: Option<GroupId>,
}

impl FileTypes {
    /// Defines a committed type under its name.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Unsupported`] if netCDF lacks the type.
    pub(crate) fn define(
        &mut self,
        schema: &mut Schema,
        NewType { name, group }: NewType,
        datatype: &Datatype,
        place: FileObject,
    ) -> Result<TypeId> {
        let home = Home {
            file: place.file,
            group: Some(group),
        };
        let kind = self.kind(schema, datatype, home)?;
        let id = schema.add_type(UserType { name, group, kind });
        self.committed.entry(place).or_insert(id);
        Ok(id)
    }

    /// Returns the netCDF type of a datatype. An unnamed type matches an equal type of the file, or becomes a new type `_Anonymous…`.
    ///
    /// # Errors
    /// Returns [`crate::ErrorKind::Unsupported`] if netCDF lacks the type, or if `home` forbids a new type.
    pub(crate) fn data_type(
        &mut self,
        schema: &mut Schema,
        datatype: &Datatype,
        home: Home,
    ) -> Result<DataType> {
        if let Some(atomic) = numbers::atomic(datatype) {
            return Ok(atomic.into());
        }
        let place = datatype.committed.map(|address| FileObject {
            file: home.file,
            address,
        });
        if let Some(&id) = place.and_then(|p| self.committed.get(&p)) {
            return Ok(DataType::User(id));
        }
        let kind = self.kind(schema, datatype, home)?;
        let known = schema.types.iter().position(|t| alike(&t.kind, &kind));
        if let Some(id) = known.and_then(|n| u32::try_from(n).ok()) {
            return Ok(DataType::User(TypeId(id)));
        }
        let Some(group) = home.group else {
            return Err(unsupported("an unnamed type that no variable has"));
        };
        let name = if is_raw(datatype) {
            format!("_raw{}_t", datatype.size)
        } else {
            self.anonymous += 1;
            format!("_Anonymous{}{}", class_name(&kind), self.anonymous)
        };
        let name = Name::stored(name.as_bytes());
        let id = schema.add_type(UserType { name, group, kind });
        if let Some(place) = place {
            self.committed.insert(place, id);
        }
        Ok(DataType::User(id))
    }

    /// Returns the part of a datatype that netCDF can express. `committed` is the location of a committed datatype. Many objects may share
    /// a committed datatype, so the result is cached.
    pub(crate) fn reduction(
        &mut self,
        datatype: &Arc<Datatype>,
        committed: Option<FileObject>,
    ) -> Arc<Reduction> {
        match committed {
            None => Arc::new(reduced(datatype)),
            Some(place) => {
                let known = self.reductions.entry(place);
                Arc::clone(known.or_insert_with(|| Arc::new(reduced(datatype))))
            }
        }
    }

    /// Returns the number of types created so far.
    #[must_use]
    pub(crate) fn invented(&self) -> u32 {
        self.anonymous
    }

    /// Checks whether the C library skips a variable with the type of the last lookup. `before` is the number of created types before the
    /// lookup. `reduced`: fields of the type were skipped. The C library fails at the first unnamed type that contains another unnamed
    /// type, or a field that netCDF cannot express.
    #[must_use]
    pub(crate) fn is_skipped_by_c(&self, before: u32, reduced: bool) -> bool {
        let new = self.anonymous.saturating_sub(before);
        new > 1 || new == 1 && reduced
    }

    /// Checks whether a committed type is known.
    #[must_use]
    pub(crate) fn knows(&self, place: FileObject) -> bool {
        self.committed.contains_key(&place)
    }

    fn kind(&mut self, schema: &mut Schema, datatype: &Datatype, home: Home) -> Result<TypeKind> {
        match &datatype.class {
            TypeClass::Compound { members } => self.compound(schema, members, datatype.size, home),
            TypeClass::Enum { base, members } => enumeration(base, members),
            TypeClass::Vlen { base } => Ok(TypeKind::Vlen {
                base: self.data_type(schema, base, home)?,
            }),
            TypeClass::Opaque { .. } => Ok(TypeKind::Opaque {
                size: datatype.size,
            }),
            TypeClass::Complex { base } => self.complex(schema, base, home),
            TypeClass::Reference(_)
            | TypeClass::Time
            | TypeClass::Bitfield { .. }
            | TypeClass::Array { .. } => Err(no_type()),
            TypeClass::Integer { .. } | TypeClass::Float { .. } => Err(no_type()),
            TypeClass::String { .. } | TypeClass::VlenString { .. } => Err(no_type()),
        }
    }

    fn compound(
        &mut self,
        schema: &mut Schema,
        members: &[Member],
        size: u64,
        home: Home,
    ) -> Result<TypeKind> {
        let mut names = Interner::default();
        let mut fields = vec![];
        for member in members {
            let (mut dims, mut element) = (vec![], &member.datatype);
            while let TypeClass::Array { dims: more, base } = &element.class {
                dims.extend_from_slice(more);
                element = base;
            }
            let mut ty = self.data_type(schema, element, home)?;
            if matches!(element.class, TypeClass::String { .. }) && element.size > 1 {
                // Fixed-length text within a compound becomes a character array.
                dims.push(element.size);
                ty = Atomic::Char.into();
            }
            fields.push(Field {
                name: names.stored(&member.name),
                ty,
                dims,
                offset: member.offset,
            });
        }
        Ok(TypeKind::Compound { fields, size })
    }

    fn complex(&mut self, schema: &mut Schema, base: &Datatype, home: Home) -> Result<TypeKind> {
        let ty = self.data_type(schema, base, home)?;
        let field = |name: &[u8], offset| Field {
            name: Name::stored(name),
            ty,
            dims: vec![],
            offset,
        };
        Ok(TypeKind::Compound {
            fields: vec![field(b"r", 0), field(b"i", base.size)],
            size: base.size.saturating_mul(2),
        })
    }
}

/// Returns the error for classes that [`super::type_reduction::reduced`] has already rejected.
fn no_type() -> Error {
    unsupported("this datatype")
}

fn enumeration(base: &Datatype, members: &[(Vec<u8>, Vec<u8>)]) -> Result<TypeKind> {
    let (atomic, bits, signed) = enum_base(base)?;
    let member =
        |(name, value): &(Vec<u8>, Vec<u8>)| (Name::stored(name), integer_of(value, &bits, signed));
    Ok(TypeKind::Enum {
        base: atomic,
        members: members.iter().map(member).collect(),
    })
}

fn class_name(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Enum { .. } => "Enum",
        TypeKind::Opaque { .. } => "Opaque",
        TypeKind::Vlen { .. } => "Vlen",
        TypeKind::Compound { .. } => "Compound",
    }
}

/// Checks whether two types have the same values. Field offsets are ignored.
fn alike(a: &TypeKind, b: &TypeKind) -> bool {
    match (a, b) {
        (TypeKind::Compound { fields: a, .. }, TypeKind::Compound { fields: b, .. }) => {
            let same =
                |(x, y): (&Field, &Field)| x.name == y.name && x.ty == y.ty && x.dims == y.dims;
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (a, b) => a == b,
    }
}
