//! Descriptions of types by structure and name, independent of field offsets in memory.

use super::paths::path;
use super::stream::Stream;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::{DataType, Field, Name, Schema, TypeId, TypeKind, UserType};

/// Maximum nesting depth of types.
const DEPTH: u32 = 64;

/// The digest of a description.
type Description = [u8; 32];

/// The descriptions of all user-defined types. A type within several types is described once.
pub(super) struct TypeDescriptions(Vec<Description>);

impl TypeDescriptions {
    /// Describes the types of a schema.
    pub(super) fn of(schema: &Schema) -> Result<Self> {
        let mut describing = Describing {
            schema,
            known: vec![None; schema.types.len()],
        };
        let ids = (0..).map(TypeId).take(schema.types.len());
        let described = ids.map(|id| describing.user(id, 0));
        described.collect::<Result<_>>().map(Self)
    }

    /// Adds a type: its keyword, or `user` and the description.
    pub(super) fn describe(&self, ty: DataType, to: &mut Stream) -> Result<()> {
        match ty {
            DataType::Atomic(atomic) => to.text(atomic.name().as_bytes()),
            DataType::User(id) => user(self.0.get(id.index()).or_internal("a type")?, to),
        }
        Ok(())
    }

    /// Returns the paths and descriptions of the dataset's types.
    pub(super) fn all(&self, schema: &Schema) -> Vec<(Vec<u8>, Vec<u8>)> {
        let one = |(ty, description): (&UserType, &Description)| {
            (path(schema, ty.group, &ty.name), description.to_vec())
        };
        schema.types.iter().zip(&self.0).map(one).collect()
    }
}

/// Adds a user-defined type.
fn user(description: &Description, to: &mut Stream) {
    to.text(b"user");
    to.add(description);
}

/// Describes a schema's types.
struct Describing<'a> {
    schema: &'a Schema,
    /// The descriptions so far, by id.
    known: Vec<Option<Description>>,
}

impl Describing<'_> {
    /// Returns the description of a user-defined type.
    fn user(&mut self, id: TypeId, depth: u32) -> Result<Description> {
        if let Some(known) = self.known.get(id.index()).copied().flatten() {
            return Ok(known);
        }
        if depth > DEPTH {
            return Err(Error::new(ErrorKind::Limit, "types nested too deeply"));
        }
        let missing = || Error::new(ErrorKind::NotFound, "a type that does not exist");
        let ty = self.schema.user_type(id).ok_or_else(missing)?;
        let mut to = Stream::part();
        self.class(ty, depth, &mut to)?;
        let made = *to.digest().bytes();
        if let Some(place) = self.known.get_mut(id.index()) {
            *place = Some(made);
        }
        Ok(made)
    }

    /// Adds the class of a user-defined type, its name, and the properties of the class.
    fn class(&mut self, ty: &UserType, depth: u32, to: &mut Stream) -> Result<()> {
        let mut begin = |class: &str| {
            to.text(class.as_bytes());
            to.text(ty.name.as_bytes());
        };
        match &ty.kind {
            TypeKind::Enum { base, members } => {
                begin("enum");
                self.part((*base).into(), depth, to)?;
                to.sorted(members.iter().map(member).collect());
            }
            TypeKind::Opaque { size } => {
                begin("opaque");
                to.number(*size);
            }
            TypeKind::Vlen { base } => {
                begin("vlen");
                self.part(*base, depth, to)?;
            }
            TypeKind::Compound { fields, .. } => {
                begin("compound");
                to.number(fields.len() as u64);
                fields.iter().try_for_each(|f| self.field(f, depth, to))?;
            }
        }
        Ok(())
    }

    /// Adds a type within another type.
    fn part(&mut self, ty: DataType, depth: u32, to: &mut Stream) -> Result<()> {
        match ty {
            DataType::Atomic(atomic) => to.text(atomic.name().as_bytes()),
            DataType::User(id) => user(&self.user(id, depth + 1)?, to),
        }
        Ok(())
    }

    /// Adds a field of a compound: name, type and shape.
    fn field(&mut self, field: &Field, depth: u32, to: &mut Stream) -> Result<()> {
        to.text(field.name.as_bytes());
        self.part(field.ty, depth, to)?;
        to.number(field.dims.len() as u64);
        field.dims.iter().for_each(|&len| to.number(len));
        Ok(())
    }
}

/// Returns a member of an enum: its name, and the lowest eight bytes of its number.
fn member((name, n): &(Name, i128)) -> (Vec<u8>, Vec<u8>) {
    let number = n.to_le_bytes().into_iter().take(8);
    (name.as_bytes().to_vec(), number.collect())
}
