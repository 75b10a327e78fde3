//! Field offsets of a compound type, according to the structure layout of a C compiler.

use std::collections::HashMap;

use netcdf_core::model::{DataType, Field, Schema, TypeId, TypeKind};

/// Size of a pointer.
const POINTER: u64 = 8;
/// Size of C's `nc_vlen_t`: a length and a pointer.
const VLEN: u64 = 16;

/// The layout of the fields so far.
#[derive(Debug)]
pub(super) struct FieldLayout {
    end: u64,
    alignment: u64,
}

impl Default for FieldLayout {
    fn default() -> Self {
        Self {
            end: 0,
            alignment: 1,
        }
    }
}

impl FieldLayout {
    /// Adds the next field. Returns its offset, or `None` on overflow.
    pub(super) fn place(
        &mut self,
        schema: &Schema,
        alignments: &HashMap<TypeId, u64>,
        field: &Field,
    ) -> Option<u64> {
        let (size, alignment) = extent(schema, alignments, field.ty)?;
        let offset = self.end.checked_next_multiple_of(alignment)?;
        let size = size.checked_mul(field.elements().ok()?)?;
        self.end = offset
            .checked_add(size)
            .filter(|&end| i64::try_from(end).is_ok())?;
        self.alignment = self.alignment.max(alignment);
        Some(offset)
    }

    /// Returns the alignment of the structure.
    pub(super) fn alignment(&self) -> u64 {
        self.alignment
    }

    /// Returns the size of the structure.
    pub(super) fn size(&self) -> u64 {
        self.end.next_multiple_of(self.alignment)
    }
}

/// Returns size and alignment of a type in memory.
fn extent(schema: &Schema, alignments: &HashMap<TypeId, u64>, ty: DataType) -> Option<(u64, u64)> {
    let id = match ty {
        DataType::Atomic(atomic) => {
            let size = atomic.size().map_or(POINTER, |n| n as u64);
            return Some((size, size));
        }
        DataType::User(id) => id,
    };
    match &schema.user_type(id)?.kind {
        TypeKind::Enum { base, .. } => extent(schema, alignments, (*base).into()),
        TypeKind::Opaque { size } => Some((*size, 1)),
        TypeKind::Vlen { .. } => Some((VLEN, POINTER)),
        TypeKind::Compound { size, .. } => Some((*size, alignments.get(&id).copied().unwrap_or(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::model::{Atomic, GroupId, Kind, Name, UserType};

    fn field(ty: impl Into<DataType>, dims: &[u64]) -> Field {
        Field {
            name: Name::stored(b"f"),
            ty: ty.into(),
            dims: dims.to_vec(),
            offset: 0,
        }
    }

    #[test]
    fn as_a_c_compiler_does() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let mut known = HashMap::new();
        let mut layout = FieldLayout::default();
        let fields = [
            field(Atomic::Byte, &[3]),
            field(Atomic::Short, &[]),
            field(Atomic::Double, &[]),
            field(Atomic::Char, &[]),
        ];
        let offsets = fields.map(|f| layout.place(&schema, &known, &f));
        assert_eq!(offsets, [Some(0), Some(4), Some(8), Some(16)]);
        assert_eq!((layout.size(), layout.alignment()), (24, 8));
        let kind = TypeKind::Compound {
            fields: vec![],
            size: 24,
        };
        let id = schema.add_type(UserType {
            name: Name::stored(b"c"),
            group: GroupId::ROOT,
            kind,
        });
        known.insert(id, 8);
        let mut outer = FieldLayout::default();
        let offsets = [
            field(Atomic::Int, &[]),
            field(DataType::User(id), &[2]),
            field(Atomic::String, &[]),
        ]
        .map(|f| outer.place(&schema, &known, &f));
        assert_eq!(offsets, [Some(0), Some(8), Some(56)]);
        assert_eq!(outer.size(), 64);
        assert_eq!(
            outer.place(&schema, &known, &field(Atomic::Int, &[u64::MAX / 4])),
            None
        );
    }
}
