//! netCDF types as HDF5 datatypes.

use crate::arithmetic::claimed;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::datatype::{
    Charset, Datatype, FloatFields, Member, Padding, ReferenceTarget, TypeClass, ValueBits,
};
use crate::format::hdf5::write::{ObjectId, PlannedType};
use crate::limits::Limits;
use crate::model::region::product;
use crate::model::{Atomic, DataType, Endianness, Field, Name, Schema, TypeId, TypeKind};

/// The size of a heap reference to a string or list, in bytes.
const HEAP_REFERENCE: u64 = 16;
/// Maximum number of types within a type. A larger type exceeds an object header.
const MAX_PARTS: u64 = 1 << 14;
/// The types of a dataset.
#[derive(Debug)]
pub(crate) struct WrittenTypes {
    /// Parallel to `schema.types`.
    user: Vec<Datatype>,
    /// The object of the first type. The objects of all other types follow.
    first: u32,
}

impl WrittenTypes {
    /// Creates the datatypes for all types of a schema. `first` is the first object number. The nesting depth does not exceed the limit of
    /// the reader.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadType`] for impossible types, or [`ErrorKind::Limit`] for types that are nested too deeply or have too many
    /// parts. Errors contain the type path.
    pub(crate) fn new(schema: &Schema, first: ObjectId) -> Result<Self> {
        let mut making = TypeMaker {
            schema,
            depth: Limits::default().depth,
            made: vec![None; schema.types.len()],
        };
        for (id, _) in (0..).zip(&schema.types) {
            making.user(TypeId(id), 0)?;
        }
        let user = making.made.into_iter().flatten().map(|made| made.datatype);
        Ok(Self {
            user: user.collect(),
            first: first.0,
        })
    }

    /// Returns the committed types in id order.
    pub(crate) fn committed(&self) -> impl Iterator<Item = &Datatype> {
        self.user.iter()
    }

    /// Returns the datatype of a type. `order` is the byte order of atomic types. User-defined types include the byte order.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotFound`] for an id that is not in the schema.
    pub(crate) fn of(&self, ty: DataType, order: Endianness) -> Result<PlannedType> {
        let id = match ty {
            DataType::Atomic(atomic) => return Ok(PlannedType::Here(atomic_type(atomic, order))),
            DataType::User(id) => id,
        };
        let datatype = self.user.get(id.index()).cloned();
        let datatype = datatype.ok_or_else(|| Error::new(ErrorKind::NotFound, "no such type"))?;
        Ok(PlannedType::Committed(
            ObjectId(self.first + id.0),
            datatype,
        ))
    }
}

/// A datatype, the number of types within, and the nesting depth.
#[derive(Clone)]
struct MadeType {
    datatype: Datatype,
    parts: u64,
    levels: u32,
}

struct TypeMaker<'a> {
    schema: &'a Schema,
    /// Maximum nesting depth of types.
    depth: u32,
    made: Vec<Option<MadeType>>,
}

impl TypeMaker<'_> {
    fn user(&mut self, id: TypeId, depth: u32) -> Result<MadeType> {
        if let Some(Some(made)) = self.made.get(id.index()) {
            return Ok(made.clone());
        }
        let schema = self.schema;
        let ty = schema.user_type(id).ok_or_else(|| bad("no such type"))?;
        if depth >= self.depth {
            return Err(self.too_deep());
        }
        let made = self.kind(&ty.kind, depth);
        let made = made.map_err(|e| e.in_object(&path(schema, id)))?;
        if made.levels > self.depth {
            return Err(self.too_deep().in_object(&path(schema, id)));
        }
        if made.parts > MAX_PARTS {
            let what = format!(
                "a type made of {} types cannot be stored: at most {MAX_PARTS} fit",
                made.parts
            );
            return Err(Error::new(ErrorKind::Limit, what).in_object(&path(schema, id)));
        }
        let slot = self.made.get_mut(id.index());
        *slot.or_internal("a type without a place")? = Some(made.clone());
        Ok(made)
    }

    fn too_deep(&self) -> Error {
        let what = format!("types nested more than {} deep", self.depth);
        Error::new(ErrorKind::Limit, what)
    }

    fn any(&mut self, ty: DataType, depth: u32) -> Result<MadeType> {
        match ty {
            DataType::Atomic(atomic) => Ok(MadeType {
                datatype: atomic_type(atomic, Endianness::Little),
                parts: 1,
                // A string contains the character type.
                levels: if atomic == Atomic::String { 2 } else { 1 },
            }),
            DataType::User(id) => self.user(id, depth + 1),
        }
    }

    fn kind(&mut self, kind: &TypeKind, depth: u32) -> Result<MadeType> {
        match kind {
            TypeKind::Enum { base, members } => enumeration(*base, members),
            TypeKind::Opaque { size: 0 } => Err(bad("an opaque type of size 0")),
            TypeKind::Opaque { size } => Ok(MadeType {
                datatype: Datatype::of(*size, TypeClass::Opaque { tag: vec![] }),
                parts: 1,
                levels: 1,
            }),
            TypeKind::Vlen { base } => {
                let base = self.any(*base, depth)?;
                Ok(MadeType {
                    parts: base.parts + 1,
                    levels: base.levels + 1,
                    datatype: vlen(base.datatype),
                })
            }
            TypeKind::Compound { fields, size } => self.compound(fields, *size, depth),
        }
    }

    fn compound(&mut self, fields: &[Field], size: u64, depth: u32) -> Result<MadeType> {
        if fields.is_empty() {
            return Err(bad("a compound type without fields"));
        }
        let (mut members, mut in_memory, mut parts) = (vec![], vec![], 1u64);
        let mut levels = 0;
        for field in fields {
            let one = self.any(field.ty, depth)?;
            parts += one.parts;
            if parts > MAX_PARTS {
                break;
            }
            levels = levels.max(one.levels + u32::from(!field.dims.is_empty()));
            let many = field.elements()?;
            let bytes = self.schema.memory_size(field.ty).checked_mul(many);
            in_memory.push(bytes.ok_or_else(too_large)?);
            members.push(Member {
                name: field.name.as_bytes().to_vec(),
                offset: field.offset,
                datatype: array(one.datatype, &field.dims)?,
            });
        }
        let size = place(&mut members, &in_memory, size)?;
        Ok(MadeType {
            datatype: Datatype::of(size, TypeClass::Compound { members }),
            parts,
            levels: levels + 1,
        })
    }
}

/// Sets the member offsets of a compound in the file, and returns the compound size in the file.
///
/// The given offsets are file offsets, or offsets in a C structure. C structures store strings in less space, so the members after a string
/// move, as in HDF5.
fn place(members: &mut [Member], in_memory: &[u64], size: u64) -> Result<u64> {
    if fit(members, size) {
        return Ok(size);
    }
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|&n| members.get(n).map(|m| m.offset));
    let mut more = 0u64;
    for &n in &order {
        let (Some(member), Some(&before)) = (members.get_mut(n), in_memory.get(n)) else {
            continue;
        };
        let moved = member.offset.checked_add(more);
        member.offset = moved.ok_or_else(too_large)?;
        let larger = member.datatype.size.saturating_sub(before);
        more = more.checked_add(larger).ok_or_else(too_large)?;
    }
    let size = size.checked_add(more).ok_or_else(too_large)?;
    if fit(members, size) {
        return Ok(size);
    }
    pack(members, &order)
}

/// Packs members without gaps, and returns the compound size. Source files with unusual number forms need packing: a two-byte float is
/// smaller than the netCDF type.
fn pack(members: &mut [Member], order: &[usize]) -> Result<u64> {
    let mut end = 0u64;
    for &n in order {
        let member = members.get_mut(n).or_internal("a member without a place")?;
        member.offset = end;
        let behind = end.checked_add(member.datatype.size);
        end = behind.ok_or_else(too_large)?;
    }
    Ok(end)
}

/// Checks whether members fit into a compound of this size without overlap.
fn fit(members: &[Member], size: u64) -> bool {
    let mut spans: Vec<_> = members
        .iter()
        .map(|m| (m.offset, claimed(m.offset, m.datatype.size).end))
        .collect();
    spans.sort_unstable();
    let starts = spans.iter().skip(1).map(|s| s.0).chain([size]);
    spans
        .iter()
        .zip(starts)
        .all(|((_, end), next)| *end <= next)
}

fn path(schema: &Schema, id: TypeId) -> String {
    let Some(ty) = schema.user_type(id) else {
        return String::new();
    };
    let group = schema.group_path(ty.group);
    format!("{}/{}", group.trim_end_matches('/'), ty.name)
}

fn bad(what: &'static str) -> Error {
    Error::new(ErrorKind::BadType, what)
}

fn too_large() -> Error {
    Error::new(ErrorKind::Limit, "a type of more than 2^64 bytes")
}

fn array(base: Datatype, dims: &[u64]) -> Result<Datatype> {
    if dims.is_empty() {
        return Ok(base);
    }
    let size = product(dims).and_then(|n| n.checked_mul(base.size));
    let size = size.ok_or_else(too_large)?;
    if size == 0 {
        return Err(bad("a field without elements"));
    }
    let (dims, base) = (dims.to_vec(), Box::new(base));
    Ok(Datatype::of(size, TypeClass::Array { dims, base }))
}

/// Returns a list type for elements of a type.
pub(crate) fn vlen(base: Datatype) -> Datatype {
    let base = Box::new(base);
    Datatype::of(HEAP_REFERENCE, TypeClass::Vlen { base })
}

/// Returns the type of a reference to an object.
pub(crate) fn object_reference() -> Datatype {
    Datatype::of(8, TypeClass::Reference(ReferenceTarget::Object))
}

/// Returns the type of fixed-length text, with a minimum length of 1. netCDF stores `char` in this form.
pub(crate) fn text(len: u64) -> Datatype {
    let (padding, charset) = (Padding::NullTerminated, Charset::Ascii);
    Datatype::of(len.max(1), TypeClass::String { padding, charset })
}

/// Returns a compound without gaps between members.
pub(crate) fn packed(members: Vec<(&str, Datatype)>) -> Datatype {
    let mut size = 0;
    let mut member = |(name, datatype): (&str, Datatype)| {
        let offset = size;
        size += datatype.size;
        let name = name.as_bytes().to_vec();
        Member {
            name,
            offset,
            datatype,
        }
    };
    let members = members.into_iter().map(&mut member).collect();
    Datatype::of(size, TypeClass::Compound { members })
}

/// Returns an atomic type. Text has no byte order.
pub(crate) fn atomic_type(ty: Atomic, order: Endianness) -> Datatype {
    let signed = |signed| (Some(signed), ty.size());
    let (signed, size) = match ty {
        Atomic::Byte | Atomic::Short | Atomic::Int | Atomic::Int64 => signed(true),
        Atomic::UByte | Atomic::UShort | Atomic::UInt | Atomic::UInt64 => signed(false),
        Atomic::Float | Atomic::Double => (None, ty.size()),
        Atomic::Char => return text(1),
        Atomic::String => {
            let charset = Charset::Utf8;
            return Datatype::of(HEAP_REFERENCE, TypeClass::VlenString { charset });
        }
    };
    let size = size.map_or(1, |n| n as u64);
    let bits = ValueBits {
        order,
        offset: 0,
        precision: u16::try_from(8 * size).unwrap_or(64), // the largest numbers have 64 bits
    };
    let class = match signed {
        Some(signed) => TypeClass::Integer { bits, signed },
        None => {
            let (exponent, mantissa) = if size == 4 { (8, 23) } else { (11, 52) };
            let fields = FloatFields::ieee(exponent, mantissa);
            TypeClass::Float { bits, fields }
        }
    };
    Datatype::of(size, class)
}

fn enumeration(base: Atomic, members: &[(Name, i128)]) -> Result<MadeType> {
    if !base.is_integer() {
        return Err(bad("an enum with a base type other than an integer"));
    }
    if members.is_empty() {
        return Err(bad("an enum without members"));
    }
    let base = atomic_type(base, Endianness::Little);
    let size = usize::try_from(base.size).unwrap_or(1);
    let member = |(name, value): &(Name, i128)| {
        let bytes = value.to_le_bytes().into_iter().take(size).collect();
        (name.as_bytes().to_vec(), bytes)
    };
    let members = members.iter().map(member).collect();
    let (size, base) = (base.size, Box::new(base));
    Ok(MadeType {
        datatype: Datatype::of(size, TypeClass::Enum { base, members }),
        parts: 2,
        levels: 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{GroupId, Kind, UserType};

    fn compound(schema: &mut Schema, fields: &[(DataType, u64)], size: u64) -> DataType {
        let field = |(n, &(ty, offset)): (usize, &(DataType, u64))| Field {
            name: Name::stored(&[b'a', b'0' + n as u8]),
            ty,
            dims: vec![],
            offset,
        };
        let fields = fields.iter().enumerate().map(field).collect();
        DataType::User(schema.add_type(UserType {
            name: Name::stored(b"c"),
            group: GroupId::ROOT,
            kind: TypeKind::Compound { fields, size },
        }))
    }

    fn offsets(types: &WrittenTypes, ty: DataType) -> (Vec<u64>, u64) {
        let ty = types.of(ty, Endianness::Little).unwrap();
        let TypeClass::Compound { members } = &ty.datatype().class else {
            panic!()
        };
        let offsets = members.iter().map(|m| m.offset).collect();
        (offsets, ty.datatype().size)
    }

    #[test]
    fn strings_of_a_c_structure_get_room() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let (int, string) = (Atomic::Int.into(), Atomic::String.into());
        let double = Atomic::Double.into();
        let c = compound(&mut schema, &[(int, 0), (string, 8), (double, 16)], 24);
        let outer = compound(&mut schema, &[(c, 0), (int, 24), (c, 32)], 56);
        let stored = compound(&mut schema, &[(int, 0), (string, 8), (double, 24)], 32);
        let types = WrittenTypes::new(&schema, ObjectId(1)).unwrap();
        assert_eq!(offsets(&types, c), (vec![0, 8, 24], 32));
        assert_eq!(offsets(&types, stored), (vec![0, 8, 24], 32));
        assert_eq!(offsets(&types, outer), (vec![0, 32, 40], 72));
    }

    #[test]
    fn fields_that_overlap_get_room() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let float = Atomic::Float.into();
        let c = compound(&mut schema, &[(float, 2), (float, 0)], 4);
        let types = WrittenTypes::new(&schema, ObjectId(1)).unwrap();
        assert_eq!(offsets(&types, c), (vec![4, 0], 8));
    }

    #[test]
    fn types_that_double_all_the_way_are_refused_in_time() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let (mut ty, mut size) = (DataType::from(Atomic::Int), 4);
        for _ in 0..40 {
            ty = compound(&mut schema, &[(ty, 0), (ty, size)], 2 * size);
            size *= 2;
        }
        let e = WrittenTypes::new(&schema, ObjectId(1)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
    }
}
