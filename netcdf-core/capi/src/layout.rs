//! The layouts of types in the memory of C programs.
//!
//! A file stores a compound with the offsets of its writer. Programs see the offsets of the C compiler: each field at the next multiple of
//! its alignment, a string as a pointer, a list as `nc_vlen_t`.

use netcdf_core::model::{Atomic, DataType, Schema, TypeId, TypeKind};

/// Size and alignment of a pointer.
const POINTER: usize = size_of::<usize>();
/// Size of a list (`nc_vlen_t`): length and pointer.
const LIST: usize = 2 * POINTER;
/// Maximum nesting of types.
const DEPTH: u32 = 64;

/// The layout of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeLayout {
    /// Size of a value in bytes.
    pub(crate) size: usize,
    align: usize,
    /// Offsets of the fields of a compound.
    pub(crate) offsets: Vec<usize>,
}

impl TypeLayout {
    fn plain(size: usize, align: usize) -> Self {
        Self {
            size,
            align,
            offsets: vec![],
        }
    }

    fn atomic(ty: Atomic) -> Self {
        let size = ty.size().unwrap_or(POINTER);
        Self::plain(size, size)
    }
}

/// The layouts of all types of a schema.
#[derive(Debug)]
pub(crate) struct Layouts {
    /// The layouts of the atomic types, by number - 1.
    atomic: Vec<TypeLayout>,
    /// The layouts of the user-defined types; `None` for damaged types.
    user: Vec<Option<TypeLayout>>,
}

impl Layouts {
    pub(crate) fn new(schema: &Schema) -> Self {
        let mut layouts = Self {
            atomic: Atomic::ALL.into_iter().map(TypeLayout::atomic).collect(),
            user: vec![None; schema.types.len()],
        };
        for id in (0..).map(TypeId).take(schema.types.len()) {
            layouts.add(schema, id, 0);
        }
        layouts
    }

    /// Returns the layout of a type, or `None` for an unknown or damaged type.
    pub(crate) fn of(&self, ty: DataType) -> Option<&TypeLayout> {
        match ty {
            DataType::Atomic(atomic) => {
                let number = usize::try_from(atomic.number()).ok()?;
                self.atomic.get(number.checked_sub(1)?)
            }
            DataType::User(id) => self.user.get(id.index())?.as_ref(),
        }
    }

    fn add(&mut self, schema: &Schema, id: TypeId, depth: u32) {
        if depth > DEPTH || self.of(DataType::User(id)).is_some() {
            return;
        }
        let made = self.made(schema, id, depth);
        if let Some(entry) = self.user.get_mut(id.index()) {
            *entry = made;
        }
    }

    fn made(&mut self, schema: &Schema, id: TypeId, depth: u32) -> Option<TypeLayout> {
        match &schema.user_type(id)?.kind {
            TypeKind::Enum { base, .. } => Some(TypeLayout::atomic(*base)),
            TypeKind::Opaque { size } => Some(TypeLayout::plain(usize::try_from(*size).ok()?, 1)),
            TypeKind::Vlen { .. } => Some(TypeLayout::plain(LIST, POINTER)),
            TypeKind::Compound { fields, .. } => {
                let mut all = TypeLayout::plain(0, 1);
                for field in fields {
                    if let DataType::User(id) = field.ty {
                        self.add(schema, id, depth.saturating_add(1));
                    }
                    let count = usize::try_from(field.elements().ok()?).ok()?;
                    all.append(self.of(field.ty)?, count)?;
                }
                all.size = all.size.checked_next_multiple_of(all.align)?;
                Some(all)
            }
        }
    }
}

impl TypeLayout {
    /// Appends a field with `count` elements.
    fn append(&mut self, field: &Self, count: usize) -> Option<()> {
        let offset = self.size.checked_next_multiple_of(field.align)?;
        self.offsets.push(offset);
        self.size = offset.checked_add(field.size.checked_mul(count)?)?;
        self.align = self.align.max(field.align);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcdf_core::model::{Field, GroupId, Kind, Name, UserType};

    #[test]
    fn fields_are_aligned_as_in_c() {
        let mut schema = Schema::new(Kind::NETCDF4);
        let field = |ty: DataType, dims: &[u64], offset| Field {
            name: Name::stored(b"f"),
            ty,
            dims: dims.to_vec(),
            offset,
        };
        let fields = vec![
            field(Atomic::Byte.into(), &[3], 0),
            field(Atomic::String.into(), &[], 3),
            field(Atomic::Short.into(), &[], 19),
        ];
        let kind = TypeKind::Compound { fields, size: 21 };
        let (name, group) = (Name::stored(b"t"), GroupId::ROOT);
        let id = schema.add_type(UserType { name, group, kind });
        let layouts = Layouts::new(&schema);
        let layout = layouts.of(DataType::User(id)).unwrap();
        assert_eq!((layout.size, layout.align), (24, 8));
        assert_eq!(layout.offsets, [0, 8, 16]);
    }
}
