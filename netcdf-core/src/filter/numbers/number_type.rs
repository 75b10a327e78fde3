//! Kinds and sizes of numbers.

/// A kind and size of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
}

/// The types: letter of the kind, size, and name.
pub(super) const TYPES: [(NumberType, u8, u8, &str); 12] = [
    (NumberType::Bool, b'b', 1, "bool"),
    (NumberType::I8, b'i', 1, "int8"),
    (NumberType::I16, b'i', 2, "int16"),
    (NumberType::I32, b'i', 4, "int32"),
    (NumberType::I64, b'i', 8, "int64"),
    (NumberType::U8, b'u', 1, "uint8"),
    (NumberType::U16, b'u', 2, "uint16"),
    (NumberType::U32, b'u', 4, "uint32"),
    (NumberType::U64, b'u', 8, "uint64"),
    (NumberType::F16, b'f', 2, "float16"),
    (NumberType::F32, b'f', 4, "float32"),
    (NumberType::F64, b'f', 8, "float64"),
];

impl NumberType {
    pub(super) fn row(self) -> (u8, u8) {
        let row = TYPES.iter().find(|(ty, ..)| *ty == self);
        row.map_or((b'u', 1), |(_, kind, size, _)| (*kind, *size))
    }

    pub(super) fn is_float(self) -> bool {
        self.row().0 == b'f'
    }

    /// Returns the type in which numpy computes with numbers of both types.
    pub(super) fn with(self, other: Self) -> Self {
        let [(kind, size), (other_kind, other_size)] = [self.row(), other.row()];
        let of = |kind: u8, size: u8| {
            let row = TYPES.iter().find(|row| (row.1, row.2) == (kind, size));
            row.map_or(Self::F64, |row| row.0)
        };
        match (kind, other_kind) {
            (b'b', _) => other,
            (_, b'b') => self,
            _ if kind == other_kind => of(kind, size.max(other_size)),
            // A float type can represent integers of half its size.
            (b'f', _) => of(b'f', size.max(other_size.saturating_mul(2)).min(8)),
            (_, b'f') => of(b'f', other_size.max(size.saturating_mul(2)).min(8)),
            (b'u', _) => of(b'i', other_size.max(size.saturating_mul(2))),
            _ => of(b'i', size.max(other_size.saturating_mul(2))),
        }
    }
}
