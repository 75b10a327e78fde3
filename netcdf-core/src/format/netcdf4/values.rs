//! Decodes stored elements of any HDF5 datatype to values of the corresponding netCDF type.

use super::numbers;
use crate::error::{Error, ErrorKind, Result};
use crate::format::hdf5::Hdf5File;
use crate::format::hdf5::datatype::{Datatype, Member, TypeClass};
use crate::model::{Atomic, DataType, Schema, Values};

/// Maximum memory in bytes for the values of one decoder, beyond the file size. In a hostile file, all lists may refer to the same heap
/// object.
const MAX_MEMORY: u64 = 1 << 26;

/// Decodes elements.
pub(crate) struct ValueDecoder<'a> {
    /// The file that contains the heaps.
    pub file: &'a Hdf5File,
    /// The types.
    pub schema: &'a Schema,
    left: u64,
}

impl<'a> ValueDecoder<'a> {
    /// Creates a decoder of elements from a file.
    #[must_use]
    pub(crate) fn new(file: &'a Hdf5File, schema: &'a Schema) -> Self {
        Self {
            file,
            schema,
            left: file.source().len().saturating_add(MAX_MEMORY),
        }
    }

    /// Returns the values of all complete elements in `bytes`.
    ///
    /// # Errors
    /// Returns errors from reading the heap, or [`ErrorKind::Unsupported`] for a datatype without netCDF values.
    pub(crate) fn decode(
        &mut self,
        datatype: &Datatype,
        ty: DataType,
        bytes: &[u8],
    ) -> Result<Values> {
        match &datatype.class {
            TypeClass::Integer { .. } | TypeClass::Float { .. } => self.numbers(datatype, bytes),
            TypeClass::String { .. } => Ok(text(datatype.size, ty, bytes)),
            TypeClass::VlenString { .. } => self.strings(datatype, bytes),
            TypeClass::Vlen { base } => self.lists(datatype, base, ty, bytes),
            TypeClass::Opaque { .. } => opaque(datatype, ty, bytes),
            TypeClass::Enum { base, .. } => {
                let id = user(ty)?;
                Ok(Values::Enum(id, Box::new(self.numbers(base, bytes)?)))
            }
            TypeClass::Compound { members } => self.compound(datatype, members, ty, bytes),
            TypeClass::Complex { base } => self.complex(base, ty, bytes),
            TypeClass::Array { base, .. } => self.decode(base, ty, bytes),
            TypeClass::Time | TypeClass::Bitfield { .. } | TypeClass::Reference(_) => {
                Err(no_values())
            }
        }
    }

    fn numbers(&mut self, datatype: &Datatype, bytes: &[u8]) -> Result<Values> {
        let unsigned = Datatype {
            class: match &datatype.class {
                TypeClass::Bitfield { bits } => TypeClass::Integer {
                    bits: *bits,
                    signed: false,
                },
                other => other.clone(),
            },
            ..*datatype
        };
        numbers::decode(&unsigned, bytes).ok_or_else(no_values)
    }

    /// Counts bytes against the limit.
    fn take(&mut self, bytes: u64) -> Result<()> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| {
            let what = "variable-length values of far more bytes than the file has";
            Error::new(ErrorKind::Limit, what).of(self.file.name())
        })?;
        Ok(())
    }

    /// Returns the heap data of a variable-length element, or `None` for NIL. NIL has address 0 and any length, or an undefined address and
    /// length 0.
    fn heap(&mut self, element: &[u8], size: u64) -> Result<Option<Vec<u8>>> {
        let mut c = self.file.fields_of(element, None);
        let len = u64::from(c.u32_le()?);
        let address = c.address()?;
        let index = c.u32_le()?;
        let Some(address) = address.filter(|&a| a != 0) else {
            return match address {
                None if len > 0 => Err(undefined(self.file, len)),
                None | Some(_) => Ok(None),
            };
        };
        let want = len
            .checked_mul(size)
            .ok_or_else(|| short(self.file, address))?;
        self.take(want.saturating_add(32))?;
        if want == 0 {
            return Ok(Some(vec![]));
        }
        let object = self.file.heap_object(address, index)?;
        let object = object.as_deref().unwrap_or_default();
        let want = usize::try_from(want).map_err(|_| short(self.file, address))?;
        match object.get(..want) {
            Some(bytes) => Ok(Some(bytes.to_vec())),
            None => Err(short(self.file, address)),
        }
    }

    fn strings(&mut self, datatype: &Datatype, bytes: &[u8]) -> Result<Values> {
        let mut all = vec![];
        for element in chunks(bytes, datatype.size) {
            let text = self.heap(element, 1)?;
            all.push(text.map(|t| until_zero(&t).into()));
        }
        Ok(Values::String(all))
    }

    fn lists(
        &mut self,
        datatype: &Datatype,
        base: &Datatype,
        ty: DataType,
        bytes: &[u8],
    ) -> Result<Values> {
        let id = user(ty)?;
        let inner = self.schema.vlen_base(id).ok_or_else(no_values)?;
        let mut lists = vec![];
        for element in chunks(bytes, datatype.size) {
            let stored = self.heap(element, base.size)?.unwrap_or_default();
            lists.push(self.decode(base, inner, &stored)?);
        }
        Ok(Values::Vlen(id, lists))
    }

    fn compound(
        &mut self,
        datatype: &Datatype,
        members: &[Member],
        ty: DataType,
        bytes: &[u8],
    ) -> Result<Values> {
        let id = user(ty)?;
        let fields = self.schema.compound_fields(id).ok_or_else(no_values)?;
        let mut columns = vec![];
        for (member, field) in members.iter().zip(fields) {
            let column = column(bytes, datatype.size, member.offset, member.datatype.size);
            columns.push(self.decode(&member.datatype, field.ty, &column)?);
        }
        let len = chunks(bytes, datatype.size).count();
        Ok(Values::Compound {
            ty: id,
            len,
            columns,
        })
    }

    fn complex(&mut self, base: &Datatype, ty: DataType, bytes: &[u8]) -> Result<Values> {
        let id = user(ty)?;
        let size = base.size.saturating_mul(2);
        let mut columns = vec![];
        for part in [0, base.size] {
            columns.push(self.numbers(base, &column(bytes, size, part, base.size))?);
        }
        let len = chunks(bytes, size).count();
        Ok(Values::Compound {
            ty: id,
            len,
            columns,
        })
    }
}

fn no_values() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "a datatype that netCDF has no values for",
    )
}

fn short(file: &Hdf5File, address: u64) -> Error {
    let what = "a variable-length value is longer than its object in the global heap";
    file.error(ErrorKind::Corrupt, address, what)
}

/// Returns the error for a value with an undefined address. The offset of the reference is unknown here.
fn undefined(file: &Hdf5File, len: u64) -> Error {
    let what = format!("the address of a variable-length value of {len} elements is undefined");
    Error::new(ErrorKind::Corrupt, what).of(file.name())
}

fn user(ty: DataType) -> Result<crate::model::TypeId> {
    match ty {
        DataType::User(id) => Ok(id),
        DataType::Atomic(_) => Err(no_values()),
    }
}

fn chunks(bytes: &[u8], size: u64) -> std::slice::ChunksExact<'_, u8> {
    bytes.chunks_exact(usize::try_from(size).unwrap_or(usize::MAX).max(1))
}

fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|&b| b == 0).next().unwrap_or_default()
}

/// Returns the bytes of one member from all elements.
fn column(bytes: &[u8], size: u64, offset: u64, len: u64) -> Vec<u8> {
    let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let range = at(offset)..at(offset.saturating_add(len));
    let parts = chunks(bytes, size).filter_map(|e| e.get(range.clone()));
    parts.flatten().copied().collect()
}

/// Decodes fixed-length text: to characters if the netCDF type is `char`, otherwise to strings. Strings end at a zero byte. Trailing blanks
/// belong to the string.
fn text(size: u64, ty: DataType, bytes: &[u8]) -> Values {
    if ty == DataType::Atomic(Atomic::Char) {
        return Values::Char(bytes.to_vec());
    }
    let string = |e: &[u8]| Some(until_zero(e).into());
    Values::String(chunks(bytes, size).map(string).collect())
}

fn opaque(datatype: &Datatype, ty: DataType, bytes: &[u8]) -> Result<Values> {
    let size = usize::try_from(datatype.size).unwrap_or(usize::MAX).max(1);
    let whole = bytes.len() - bytes.len() % size;
    Ok(Values::Opaque {
        ty: user(ty)?,
        size,
        bytes: bytes.get(..whole).unwrap_or_default().to_vec(),
    })
}
