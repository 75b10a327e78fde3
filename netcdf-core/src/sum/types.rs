//! The description of types: by structure and by name, not by the place of fields in memory.

use super::paths::path;
use super::stream::Stream;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::model::{DataType, Field, Schema, TypeId, TypeKind};

/// Deepest nesting of types.
const DEPTH: u32 = 64;

/// The digests of the descriptions of all user-defined types: a type that is a part of many others is described once.
pub(super) struct Types(Vec<[u8; 32]>);

impl Types {
    /// Those of a schema.
    pub(super) fn of(schema: &Schema) -> Result<Self> {
        let mut known = vec![None; schema.types.len()];
        let ids = (0..).map(TypeId).take(schema.types.len());
        let described = ids.map(|id| described(schema, id, &mut known, 0));
        described.collect::<Result<_>>().map(Self)
    }

    /// Adds the description of a type: its keyword, or `user` and the digest.
    pub(super) fn describe(&self, ty: DataType, to: &mut Stream) -> Result<()> {
        match ty {
            DataType::Atomic(atomic) => to.text(atomic.name().as_bytes()),
            DataType::User(id) => {
                let digest = self.0.get(id.index()).or_internal("a type")?;
                user(digest, to);
            }
        }
        Ok(())
    }

    /// Paths and descriptions of the types of the dataset.
    pub(super) fn all(&self, schema: &Schema) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let one = |(ty, digest): (&crate::model::UserType, &[u8; 32])| {
            Ok((path(schema, ty.group, &ty.name), digest.to_vec()))
        };
        schema.types.iter().zip(&self.0).map(one).collect()
    }
}

fn user(digest: &[u8; 32], to: &mut Stream) {
    to.text(b"user");
    to.add(digest);
}

/// What is known of types so far, by id.
type Known = [Option<[u8; 32]>];

/// The digest of the description of a user-defined type.
fn described(schema: &Schema, id: TypeId, known: &mut Known, depth: u32) -> Result<[u8; 32]> {
    if let Some(digest) = known.get(id.index()).copied().flatten() {
        return Ok(digest);
    }
    if depth > DEPTH {
        return Err(Error::new(ErrorKind::Limit, "types nested too deeply"));
    }
    let missing = || Error::new(ErrorKind::NotFound, "a type that does not exist");
    let ty = schema.user_type(id).ok_or_else(missing)?;
    let mut to = Stream::part();
    let mut part = |ty: DataType, to: &mut Stream| {
        match ty {
            DataType::Atomic(atomic) => to.text(atomic.name().as_bytes()),
            DataType::User(id) => user(&described(schema, id, known, depth + 1)?, to),
        }
        Ok(())
    };
    let class = |to: &mut Stream, class: &str| {
        to.text(class.as_bytes());
        to.text(ty.name.as_bytes());
    };
    match &ty.kind {
        TypeKind::Enum { base, members } => {
            class(&mut to, "enum");
            part((*base).into(), &mut to)?;
            to.sorted(
                members
                    .iter()
                    .map(|(name, n)| member(name.as_bytes(), *n))
                    .collect(),
            );
        }
        TypeKind::Opaque { size } => {
            class(&mut to, "opaque");
            to.number(*size);
        }
        TypeKind::Vlen { base } => {
            class(&mut to, "vlen");
            part(*base, &mut to)?;
        }
        TypeKind::Compound { fields, .. } => {
            class(&mut to, "compound");
            to.number(fields.len() as u64);
            fields
                .iter()
                .try_for_each(|f| field(f, &mut part, &mut to))?;
        }
    }
    let digest = *to.digest().bytes();
    if let Some(place) = known.get_mut(id.index()) {
        *place = Some(digest);
    }
    Ok(digest)
}

/// A field of a compound: name, type and shape.
fn field(
    field: &Field,
    part: &mut impl FnMut(DataType, &mut Stream) -> Result<()>,
    to: &mut Stream,
) -> Result<()> {
    to.text(field.name.as_bytes());
    part(field.ty, to)?;
    to.number(field.dims.len() as u64);
    field.dims.iter().for_each(|&len| to.number(len));
    Ok(())
}

/// A member of an enum: its name, and the lowest eight bytes of its number.
fn member(name: &[u8], n: i128) -> (Vec<u8>, Vec<u8>) {
    let number = n.to_le_bytes().into_iter().take(8);
    (name.to_vec(), number.collect())
}
