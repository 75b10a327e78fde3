//! Encodes values as stored elements, with their heap data.

use crate::chunk::elements;
use crate::error::{Error, ErrorKind, OrInternal as _, Result};
use crate::format::hdf5::datatype::{Datatype, Endianness, TypeClass};
use crate::format::hdf5::write::{FileWriter, Payload};
use crate::format::netcdf4::numbers;
use crate::limits::zeros;
use crate::model::Values;

/// The size of a heap reference in bytes.
const REFERENCE: usize = 16;

/// A global heap that takes objects.
pub(crate) trait HeapStore {
    /// Stores objects, each with its number of elements. Returns 16-byte references: number of elements, collection address, object index.
    ///
    /// # Errors
    /// Returns I/O errors.
    fn put_heap(&mut self, objects: &[(u32, &[u8])]) -> Result<Vec<u8>>;
}

impl HeapStore for FileWriter {
    fn put_heap(&mut self, objects: &[(u32, &[u8])]) -> Result<Vec<u8>> {
        Self::put_heap(self, objects)
    }
}

/// Returns whether [`payload`] encodes all values of a datatype.
pub(crate) fn can_encode(datatype: &Datatype) -> bool {
    match &datatype.class {
        TypeClass::VlenString { .. } | TypeClass::Opaque { .. } => true,
        TypeClass::Vlen { base } | TypeClass::Array { base, .. } => can_encode(base),
        TypeClass::Enum { base, .. } => numbers::plain(base).is_some(),
        TypeClass::Compound { members } => {
            members.iter().all(|member| can_encode(&member.datatype))
        }
        TypeClass::Integer { .. } | TypeClass::Float { .. } | TypeClass::String { .. } => {
            numbers::plain(datatype).is_some()
        }
        TypeClass::Time | TypeClass::Bitfield { .. } => false,
        TypeClass::Reference(_) | TypeClass::Complex { .. } => false,
    }
}

/// Encodes values of a datatype.
///
/// # Errors
/// Returns [`ErrorKind::BadType`] for values of another type, or [`ErrorKind::Limit`] for lists that are too long.
pub(crate) fn payload(values: &Values, datatype: &Datatype) -> Result<Payload> {
    match (values, &datatype.class) {
        (Values::String(strings), TypeClass::VlenString { .. }) => {
            let objects = strings.iter().map(|s| s.as_deref().map(text));
            heap(objects.map(|o| o.map(bytes).transpose()))
        }
        (Values::Vlen(_, lists), TypeClass::Vlen { base }) => heap(lists.iter().map(|list| {
            if list.is_empty() {
                return Ok(None);
            }
            Ok(Some((count(list.len())?, payload(list, base)?)))
        })),
        (Values::Compound { len, columns, .. }, TypeClass::Compound { members }) => {
            if columns.len() != members.len() {
                return Err(other_type());
            }
            let mut all = Payload::default();
            let size = at(datatype.size)?;
            all.bytes = zeros(len.checked_mul(size).ok_or_else(too_long)?, "structures")?;
            for (column, member) in columns.iter().zip(members) {
                let part = payload(column, &member.datatype)?;
                let place = (at(member.offset)?, at(member.datatype.size)?);
                interleave(&mut all, size, place, part)?;
            }
            Ok(all)
        }
        (values, TypeClass::Array { base, .. }) => payload(values, base),
        (Values::Enum(_, numbers), TypeClass::Enum { base, .. }) => payload(numbers, base),
        (values, _) => plain(values, datatype),
    }
}

/// Encodes values without heap data.
fn plain(values: &Values, datatype: &Datatype) -> Result<Payload> {
    let (order, size) = match (&datatype.class, values) {
        (TypeClass::Integer { bits, .. } | TypeClass::Float { bits, .. }, _) => {
            (bits.order, datatype.size)
        }
        (TypeClass::String { .. }, Values::Char(_)) => (Endianness::Little, 1),
        (TypeClass::Opaque { .. }, Values::Opaque { size, .. })
            if *size as u64 == datatype.size =>
        {
            (Endianness::Little, datatype.size)
        }
        _ => return Err(other_type()),
    };
    let mut bytes = vec![];
    elements::encode(values, order, &mut bytes)?;
    if size.checked_mul(values.len() as u64) != Some(bytes.len() as u64) {
        return Err(other_type());
    }
    Ok(bytes.into())
}

/// Returns references to objects on the heap. `None` is NIL, or an empty list.
fn heap(objects: impl Iterator<Item = Result<Option<(u32, Payload)>>>) -> Result<Payload> {
    let mut all = Payload::default();
    for object in objects {
        if let Some((count, object)) = object? {
            all.heap.push((all.bytes.len(), count, object));
        }
        all.bytes.extend_from_slice(&[0; REFERENCE]);
    }
    Ok(all)
}

/// Writes a column to the elements of a compound of `size` bytes.
fn interleave(
    all: &mut Payload,
    size: usize,
    (offset, width): (usize, usize),
    part: Payload,
) -> Result<()> {
    let wanted = all.bytes.len() / size.max(1) * width;
    if part.bytes.len() != wanted {
        return Err(other_type());
    }
    let slots = all.bytes.chunks_exact_mut(size.max(1));
    for (to, from) in slots.zip(part.bytes.chunks_exact(width.max(1))) {
        let to = to.get_mut(offset..offset + width);
        to.or_internal("a member beyond its structure")?
            .copy_from_slice(from);
    }
    let place = |n: usize| n / width.max(1) * size + offset + n % width.max(1);
    let heap = part.heap.into_iter();
    all.heap
        .extend(heap.map(|(n, count, o)| (place(n), count, o)));
    Ok(())
}

/// Returns a string up to the first zero byte. Stored strings end at a zero byte.
fn text(string: &[u8]) -> &[u8] {
    string.split(|&b| b == 0).next().unwrap_or_default()
}

fn bytes(string: &[u8]) -> Result<(u32, Payload)> {
    Ok((count(string.len())?, string.to_vec().into()))
}

fn count(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| too_long())
}

fn at(bytes: u64) -> Result<usize> {
    usize::try_from(bytes).map_err(|_| too_long())
}

fn too_long() -> Error {
    Error::new(ErrorKind::Limit, "values of 4 GiB or more in one list")
}

fn other_type() -> Error {
    Error::new(
        ErrorKind::BadType,
        "values of a type other than the declared one",
    )
}

/// Encodes values, and stores the heap data in the file.
///
/// # Errors
/// Returns the errors of [`payload`], or I/O errors of the file.
pub(crate) fn store(
    values: &Values,
    datatype: &Datatype,
    file: &mut dyn HeapStore,
) -> Result<Vec<u8>> {
    if let (Values::String(strings), TypeClass::VlenString { .. }) = (values, &datatype.class) {
        return store_strings(strings, file);
    }
    resolve(payload(values, datatype)?, file)
}

fn store_strings(strings: &[Option<Box<[u8]>>], file: &mut dyn HeapStore) -> Result<Vec<u8>> {
    let mut objects = Vec::with_capacity(strings.len());
    for string in strings.iter().flatten() {
        let string = text(string);
        objects.push((count(string.len())?, string));
    }
    let references = file.put_heap(&objects)?;
    let mut references = references.chunks_exact(REFERENCE);
    let mut all = Vec::with_capacity(strings.len() * REFERENCE);
    let lacking = || Error::internal("a string that was not stored");
    for string in strings {
        all.extend_from_slice(match string {
            Some(_) => references.next().ok_or_else(lacking)?,
            None => &[0; REFERENCE],
        });
    }
    Ok(all)
}

/// Stores heap data from the inside out, and returns bytes with heap references.
fn resolve(payload: Payload, file: &mut dyn HeapStore) -> Result<Vec<u8>> {
    let mut bytes = payload.bytes;
    if payload.heap.is_empty() {
        return Ok(bytes);
    }
    let (mut places, mut objects) = (vec![], vec![]);
    for (place, count, object) in payload.heap {
        places.push(place);
        objects.push((count, resolve(object, file)?));
    }
    let objects: Vec<_> = objects.iter().map(|(n, o)| (*n, o.as_slice())).collect();
    let references = file.put_heap(&objects)?;
    let references = references.chunks_exact(REFERENCE);
    if references.len() != places.len() {
        return Err(Error::internal("lists that were not stored"));
    }
    for (place, reference) in places.into_iter().zip(references) {
        let to = bytes.get_mut(place..place + REFERENCE);
        to.or_internal("a reference beyond its values")?
            .copy_from_slice(reference);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::datatypes::{atomic_type, packed, vlen};
    use super::*;
    use crate::model::{Atomic, TypeId};

    fn atomic(ty: Atomic) -> Datatype {
        atomic_type(ty, Endianness::Little)
    }

    #[test]
    fn compounds_are_put_together_from_columns() {
        let members = vec![
            ("s", atomic(Atomic::Short)),
            ("v", vlen(atomic(Atomic::Byte))),
        ];
        let lists = vec![Values::Byte(vec![]), Values::Byte(vec![7, 8])];
        let values = Values::Compound {
            ty: TypeId(0),
            len: 2,
            columns: vec![Values::Short(vec![1, 2]), Values::Vlen(TypeId(1), lists)],
        };
        let p = payload(&values, &packed(members)).unwrap();
        assert_eq!(p.bytes.len(), 36);
        assert_eq!((p.bytes[0], p.bytes[18]), (1, 2));
        let [(20, 2, list)] = p.heap.as_slice() else {
            panic!("{:?}", p.heap)
        };
        assert_eq!(list.bytes, [7, 8]);
    }

    #[test]
    fn nil_is_not_the_empty_string() {
        let strings = Values::String(vec![None, Some(b""[..].into()), Some(b"ab\0c"[..].into())]);
        let p = payload(&strings, &atomic(Atomic::String)).unwrap();
        assert_eq!(p.bytes, [0; 48]);
        let heap: Vec<_> = p
            .heap
            .iter()
            .map(|(at, n, o)| (*at, *n, &o.bytes[..]))
            .collect();
        assert_eq!(heap, [(16, 0, &b""[..]), (32, 2, b"ab")]);
    }

    #[test]
    fn values_of_another_type_are_refused() {
        let short = atomic(Atomic::Short);
        for wrong in [Values::Int(vec![1]), Values::String(vec![None])] {
            assert_eq!(
                payload(&wrong, &short).unwrap_err().kind(),
                ErrorKind::BadType
            );
        }
    }
}
