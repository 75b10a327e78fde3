//! Values in the memory of C programs, in the layout of the compiler.

use netcdf_core::model::{DataType, Schema, TypeKind, Values};

use crate::border::MemoryBlock;
use crate::dataset::OpenGroup;
use crate::error_number::ErrorNumber;
use crate::layout::Layouts;

/// Maximum nesting of values.
const DEPTH: u32 = 64;

/// The positions of elements in memory, at a nesting depth.
#[derive(Clone, Copy)]
struct ElementPositions<'a> {
    of: &'a dyn Fn(usize) -> Option<usize>,
    depth: u32,
}

impl<'a> ElementPositions<'a> {
    /// Returns the positions of elements within these elements.
    fn within(self, of: &'a dyn Fn(usize) -> Option<usize>) -> Self {
        Self {
            of,
            depth: self.depth.saturating_add(1),
        }
    }

    fn get(self, n: usize) -> Result<usize, ErrorNumber> {
        (self.of)(n).ok_or(ErrorNumber::EINTERNAL)
    }
}

/// The memory for values of a type: element `n` is at position `n`.
pub(crate) struct Spots<'a> {
    schema: &'a Schema,
    layouts: &'a Layouts,
    ty: DataType,
    size: usize,
    block: MemoryBlock,
}

impl<'a> Spots<'a> {
    /// Returns consecutive elements in a block.
    pub(crate) fn new(
        group: &OpenGroup<'a>,
        ty: DataType,
        block: MemoryBlock,
    ) -> Result<Self, ErrorNumber> {
        Ok(Self {
            schema: group.schema(),
            layouts: group.loaded.layouts(),
            ty,
            size: group.memory_size(ty)?,
            block,
        })
    }
}

/// Writes values to memory.
pub(crate) fn put_values(values: &Values, to: &Spots<'_>) -> Result<(), ErrorNumber> {
    let position = |n: usize| n.checked_mul(to.size);
    let positions = ElementPositions {
        of: &position,
        depth: 0,
    };
    to.put(values, to.ty, positions)
}

macro_rules! put_numbers {
    ($spots:expr, $list:expr, $positions:expr) => {{
        for (n, value) in $list.iter().enumerate() {
            $spots.block.put($positions.get(n)?, &value.to_ne_bytes())?;
        }
        Ok(())
    }};
}

impl Spots<'_> {
    fn put(
        &self,
        values: &Values,
        ty: DataType,
        positions: ElementPositions<'_>,
    ) -> Result<(), ErrorNumber> {
        match values {
            Values::Byte(v) => put_numbers!(self, v, positions),
            Values::Char(v) | Values::UByte(v) => put_numbers!(self, v, positions),
            Values::Short(v) => put_numbers!(self, v, positions),
            Values::Int(v) => put_numbers!(self, v, positions),
            Values::Float(v) => put_numbers!(self, v, positions),
            Values::Double(v) => put_numbers!(self, v, positions),
            Values::UShort(v) => put_numbers!(self, v, positions),
            Values::UInt(v) => put_numbers!(self, v, positions),
            Values::Int64(v) => put_numbers!(self, v, positions),
            Values::UInt64(v) => put_numbers!(self, v, positions),
            Values::String(v) => self.put_strings(v, positions),
            Values::Enum(_, base) => self.put(base, ty, positions),
            Values::Opaque { size, bytes, .. } => self.put_opaque(bytes, *size, positions),
            Values::Vlen(_, lists) => self.put_lists(lists, ty, positions),
            Values::Compound { len, columns, .. } => {
                self.put_columns((*len, columns), ty, positions)
            }
        }
    }

    fn put_strings(
        &self,
        list: &[Option<Box<[u8]>>],
        positions: ElementPositions<'_>,
    ) -> Result<(), ErrorNumber> {
        for (n, text) in list.iter().enumerate() {
            let at = positions.get(n)?;
            self.block.put_string(at, text.as_deref())?;
        }
        Ok(())
    }

    fn put_opaque(
        &self,
        bytes: &[u8],
        size: usize,
        positions: ElementPositions<'_>,
    ) -> Result<(), ErrorNumber> {
        for (n, value) in bytes.chunks_exact(size.max(1)).enumerate() {
            let at = positions.get(n)?;
            self.block.put(at, value)?;
        }
        Ok(())
    }

    fn put_lists(
        &self,
        lists: &[Values],
        ty: DataType,
        positions: ElementPositions<'_>,
    ) -> Result<(), ErrorNumber> {
        let Some(TypeKind::Vlen { base }) = self.kind(ty).filter(|_| positions.depth < DEPTH)
        else {
            return Err(ErrorNumber::EBADTYPE);
        };
        let size = self.size_of(*base)?;
        for (n, list) in lists.iter().enumerate() {
            let at = positions.get(n)?;
            let bytes = list.len().checked_mul(size).ok_or(ErrorNumber::ENOMEM)?;
            let block = self.block.put_list(at, list.len(), bytes)?;
            let elements = Spots {
                ty: *base,
                size,
                block,
                ..*self
            };
            let position = |n: usize| n.checked_mul(size);
            elements.put(list, *base, positions.within(&position))?;
        }
        Ok(())
    }

    fn put_columns(
        &self,
        (len, columns): (usize, &[Values]),
        ty: DataType,
        positions: ElementPositions<'_>,
    ) -> Result<(), ErrorNumber> {
        let Some(TypeKind::Compound { fields, .. }) =
            self.kind(ty).filter(|_| positions.depth < DEPTH)
        else {
            return Err(ErrorNumber::EBADTYPE);
        };
        let layout = self.layouts.of(ty).ok_or(ErrorNumber::EBADTYPE)?;
        for ((field, &offset), column) in fields.iter().zip(&layout.offsets).zip(columns) {
            let size = self.size_of(field.ty)?;
            let per = column.len().checked_div(len).unwrap_or(0).max(1);
            let within = |n: usize| {
                let first = (positions.of)(n / per)?.checked_add(offset)?;
                first.checked_add((n % per).checked_mul(size)?)
            };
            self.put(column, field.ty, positions.within(&within))?;
        }
        Ok(())
    }

    fn kind(&self, ty: DataType) -> Option<&TypeKind> {
        match ty {
            DataType::Atomic(_) => None,
            DataType::User(id) => Some(&self.schema.user_type(id)?.kind),
        }
    }

    fn size_of(&self, ty: DataType) -> Result<usize, ErrorNumber> {
        let layout = self.layouts.of(ty);
        layout.map(|l| l.size).ok_or(ErrorNumber::EBADTYPE)
    }
}

/// Frees the strings and lists within `count` values.
pub(crate) fn free_values(from: &Spots<'_>, count: usize) -> Result<(), ErrorNumber> {
    from.free(from.ty, count, 0)
}

impl Spots<'_> {
    fn free(&self, ty: DataType, count: usize, depth: u32) -> Result<(), ErrorNumber> {
        if depth > DEPTH || !self.has_pointers(ty, 0) {
            return Ok(());
        }
        let size = self.size_of(ty)?;
        for n in 0..count {
            let at = n.checked_mul(size).ok_or(ErrorNumber::EINVAL)?;
            self.free_one(ty, at, depth)?;
        }
        Ok(())
    }

    fn free_one(&self, ty: DataType, at: usize, depth: u32) -> Result<(), ErrorNumber> {
        match self.kind(ty) {
            None => self.block.free_string(at),
            Some(TypeKind::Vlen { base }) => {
                let size = self.size_of(*base)?;
                let (len, block) = self.block.list(at, size)?;
                let elements = Spots { block, ..*self };
                elements.free(*base, len, depth.saturating_add(1))?;
                self.block.free_list(at)
            }
            Some(TypeKind::Compound { fields, .. }) => {
                let layout = self.layouts.of(ty).ok_or(ErrorNumber::EBADTYPE)?;
                for (field, &offset) in fields.iter().zip(&layout.offsets) {
                    if !self.has_pointers(field.ty, 0) {
                        continue;
                    }
                    let size = self.size_of(field.ty)?;
                    let count = field.elements().map_err(|_| ErrorNumber::EBADTYPE)?;
                    for n in 0..crate::dataset::size(count) {
                        let within = n.checked_mul(size).and_then(|o| o.checked_add(offset));
                        let field_at = within.and_then(|o| o.checked_add(at));
                        let field_at = field_at.ok_or(ErrorNumber::EINVAL)?;
                        self.free_one(field.ty, field_at, depth.saturating_add(1))?;
                    }
                }
                Ok(())
            }
            Some(TypeKind::Enum { .. } | TypeKind::Opaque { .. }) => Ok(()),
        }
    }

    /// Returns whether values contain strings or lists.
    fn has_pointers(&self, ty: DataType, depth: u32) -> bool {
        match self.kind(ty) {
            _ if depth > DEPTH => false,
            None => ty == netcdf_core::model::Atomic::String.into(),
            Some(TypeKind::Vlen { .. }) => true,
            Some(TypeKind::Compound { fields, .. }) => {
                let mut types = fields.iter().map(|f| f.ty);
                types.any(|ty| self.has_pointers(ty, depth.saturating_add(1)))
            }
            Some(TypeKind::Enum { .. } | TypeKind::Opaque { .. }) => false,
        }
    }
}
