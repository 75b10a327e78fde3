//! Comparison of single values of any types.

use super::rule::{Distance, EqualityRule, ExactNumber, NumberVerdict};
use crate::model::{Name, Schema, TypeKind, Values};

/// Maximum nesting depth of compared types.
const DEPTH: u32 = 64;

/// Compares single values of two datasets.
#[derive(Clone, Copy)]
pub(super) struct General<'a> {
    /// The schemas to which type ids belong.
    pub(super) schemas: [&'a Schema; 2],
    pub(super) rule: EqualityRule,
}

/// One value of a list.
type One<'v> = (&'v Values, usize);

/// Some values of a list.
type ListPart<'v> = (&'v Values, std::ops::Range<usize>);

/// The result of comparing two values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Agreement {
    Same,
    Different {
        distance: Option<Distance>,
        /// The first differing field.
        field: Option<String>,
    },
}

impl Agreement {
    fn when(same: bool) -> Self {
        match same {
            true => Self::Same,
            false => Self::Different {
                distance: None,
                field: None,
            },
        }
    }

    fn is_same(&self) -> bool {
        *self == Self::Same
    }
}

impl General<'_> {
    /// Compares a value of the first dataset with one of the second.
    pub(super) fn compare(&self, a: One<'_>, b: One<'_>) -> Agreement {
        self.at_depth(a, b, DEPTH)
    }

    /// Returns whether two lists have the same values in the same order.
    pub(super) fn all_same(&self, a: &Values, b: &Values) -> bool {
        self.lists((a, 0..a.len()), (b, 0..b.len()), DEPTH)
    }

    fn at_depth(&self, (a, i): One<'_>, (b, j): One<'_>, depth: u32) -> Agreement {
        match self.rule.exact {
            true => {
                if let Some(same) = same_bits((a, i), (b, j)) {
                    return Agreement::when(same);
                }
            }
            false if self.same_member((a, i), (b, j)) => return Agreement::Same,
            false => {}
        }
        if let (Some(x), Some(y)) = (ExactNumber::of(a, i), ExactNumber::of(b, j)) {
            return match self.rule.judge(x, y) {
                NumberVerdict::Same => Agreement::Same,
                NumberVerdict::Different(distance) => Agreement::Different {
                    distance,
                    field: None,
                },
            };
        }
        match (a, b) {
            (Values::Char(a), Values::Char(b)) => Agreement::when(a.get(i) == b.get(j)),
            (Values::String(a), Values::String(b)) => Agreement::when(a.get(i) == b.get(j)),
            (Values::Char(a), Values::String(b)) => {
                Agreement::when(is_character(a.get(i), b.get(j)))
            }
            (Values::String(a), Values::Char(b)) => {
                Agreement::when(is_character(b.get(j), a.get(i)))
            }
            (Values::Opaque { .. }, Values::Opaque { .. }) => {
                Agreement::when(bytes(a, i) == bytes(b, j))
            }
            (Values::Vlen(_, a), Values::Vlen(_, b)) => {
                let same = |a: &Values, b: &Values| {
                    depth > 0 && self.lists((a, 0..a.len()), (b, 0..b.len()), depth - 1)
                };
                Agreement::when(a.get(i).zip(b.get(j)).is_some_and(|(a, b)| same(a, b)))
            }
            (Values::Compound { .. }, Values::Compound { .. }) if depth > 0 => {
                self.compounds((a, i), (b, j), depth - 1)
            }
            _ => Agreement::when(false),
        }
    }

    fn lists(&self, (a, i): ListPart<'_>, (b, j): ListPart<'_>, depth: u32) -> bool {
        i.len() == j.len()
            && i.zip(j)
                .all(|(i, j)| self.at_depth((a, i), (b, j), depth).is_same())
    }

    /// Compares compounds field by field, in order.
    fn compounds(&self, (a, i): One<'_>, (b, j): One<'_>, depth: u32) -> Agreement {
        let (Some(left), Some(right)) = (columns(a, i), columns(b, j)) else {
            return Agreement::when(false);
        };
        if left.len() != right.len() {
            return Agreement::when(false);
        }
        let differing = left
            .into_iter()
            .zip(right)
            .position(|(a, b)| !self.lists(a, b, depth));
        match differing {
            None => Agreement::Same,
            Some(n) => Agreement::Different {
                distance: None,
                field: self.field(a, n),
            },
        }
    }

    /// Returns the name of a field in the first dataset.
    fn field(&self, values: &Values, n: usize) -> Option<String> {
        let Values::Compound { ty, .. } = values else {
            return None;
        };
        match &self.schemas[0].user_type(*ty)?.kind {
            TypeKind::Compound { fields, .. } => fields.get(n).map(|f| f.name.to_string()),
            TypeKind::Enum { .. } | TypeKind::Opaque { .. } | TypeKind::Vlen { .. } => None,
        }
    }

    /// Returns whether two enum values have the same name.
    fn same_member(&self, a: One<'_>, b: One<'_>) -> bool {
        let [x, y] = self.schemas;
        let named = member(x, a);
        named.is_some() && named == member(y, b)
    }
}

/// Returns whether two floating-point numbers of one type have the same bits; `None` for all other values.
fn same_bits((a, i): One<'_>, (b, j): One<'_>) -> Option<bool> {
    match (a, b) {
        (Values::Float(a), Values::Float(b)) => Some(a.get(i)?.to_bits() == b.get(j)?.to_bits()),
        (Values::Double(a), Values::Double(b)) => Some(a.get(i)?.to_bits() == b.get(j)?.to_bits()),
        _ => None,
    }
}

/// Returns the name of an enum value.
fn member<'s>(schema: &'s Schema, (values, at): One<'_>) -> Option<&'s Name> {
    let Values::Enum(ty, base) = values else {
        return None;
    };
    let ExactNumber::Whole(value) = ExactNumber::of(base, at)? else {
        return None;
    };
    match &schema.user_type(*ty)?.kind {
        TypeKind::Enum { members, .. } => {
            let member = members.iter().find(|(_, v)| *v == value);
            member.map(|(name, _)| name)
        }
        TypeKind::Opaque { .. } | TypeKind::Vlen { .. } | TypeKind::Compound { .. } => None,
    }
}

/// Returns whether a string consists only of this character. NUL equals the empty string. Some formats store characters as strings.
fn is_character(character: Option<&u8>, string: Option<&Option<Box<[u8]>>>) -> bool {
    let Some((character, Some(string))) = character.zip(string) else {
        return false;
    };
    **string == [*character] || string.is_empty() && *character == 0
}

/// Returns the bytes of an opaque value.
fn bytes(values: &Values, at: usize) -> Option<&[u8]> {
    let Values::Opaque { size, bytes, .. } = values else {
        return None;
    };
    bytes.chunks_exact((*size).max(1)).nth(at)
}

/// Returns the fields of a compound: each field's column, and the range of the compound's values in the column.
fn columns(values: &Values, at: usize) -> Option<Vec<ListPart<'_>>> {
    let Values::Compound { len, columns, .. } = values else {
        return None;
    };
    let own = |column: &Values| {
        let per = column.len().checked_div(*len).unwrap_or(0);
        at * per..(at + 1) * per
    };
    Some(columns.iter().map(|column| (column, own(column))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Atomic, Field, GroupId, Kind, TypeId, UserType};

    fn schema(members: &[(&str, i128)]) -> Schema {
        let mut schema = Schema::new(Kind::NETCDF4);
        let name = |text: &str| Name::stored(text.as_bytes());
        let mut add = |kind| {
            let (name, group) = (name("t"), GroupId::ROOT);
            schema.add_type(UserType { name, group, kind })
        };
        let members = members.iter().map(|(n, v)| (name(n), *v)).collect();
        let base = Atomic::Byte;
        add(TypeKind::Enum { base, members });
        let field = |text: &str, offset| Field {
            name: name(text),
            ty: Atomic::Int.into(),
            dims: vec![2],
            offset,
        };
        let fields = vec![field("x", 0), field("y", 8)];
        add(TypeKind::Compound { fields, size: 16 });
        schema
    }

    fn general(schemas: [&Schema; 2]) -> General<'_> {
        let rule = EqualityRule::default();
        General { schemas, rule }
    }

    #[test]
    fn members_are_the_same_by_name_or_by_number() {
        let (a, b) = (
            schema(&[("red", 1), ("blue", 2)]),
            schema(&[("red", 3), ("green", 2)]),
        );
        let of = |n| Values::Enum(TypeId(0), Box::new(Values::Byte(vec![n])));
        let same = |x, y| general([&a, &b]).all_same(&of(x), &of(y));
        assert!(same(1, 3), "the name");
        assert!(same(2, 2), "the number");
        assert!(!same(1, 2) && !same(2, 3) && !same(9, 3));
        assert!(general([&a, &b]).all_same(&of(2), &Values::Int(vec![2])));
    }

    #[test]
    fn copies_have_the_same_bits() {
        let (a, b) = (schema(&[("red", 1)]), schema(&[("red", 3)]));
        let rule = EqualityRule::EXACT;
        let schemas = [&a, &b];
        let same = |x: &Values, y: &Values| General { schemas, rule }.all_same(x, y);
        let nan = Values::Double(vec![f64::NAN]);
        let other = Values::Double(vec![f64::from_bits(f64::NAN.to_bits() | 1)]);
        assert!(same(&nan, &nan) && !same(&nan, &other));
        assert!(general(schemas).all_same(&nan, &other));
        assert!(!same(&Values::Float(vec![0.0]), &Values::Float(vec![-0.0])));
        assert!(!same(&Values::Float(vec![0.0]), &Values::Float(vec![])));
        let list = |x| Values::Vlen(TypeId(x), vec![nan.clone()]);
        assert!(same(&list(1), &list(2)));
        let member = |base| Values::Enum(TypeId(0), Box::new(base));
        assert!(!same(
            &member(Values::Byte(vec![1])),
            &member(Values::Byte(vec![3]))
        ));
        assert!(same(
            &member(Values::Byte(vec![1])),
            &member(Values::UByte(vec![1]))
        ));
    }

    #[test]
    fn the_first_field_that_differs_is_named() {
        let schema = schema(&[]);
        let of = |x: [i32; 4], y: [i32; 4]| Values::Compound {
            ty: TypeId(1),
            len: 2,
            columns: vec![Values::Int(x.to_vec()), Values::Int(y.to_vec())],
        };
        let general = general([&schema, &schema]);
        let a = of([1, 2, 3, 4], [5, 6, 7, 8]);
        let b = of([1, 2, 3, 4], [5, 6, 7, 9]);
        assert_eq!(general.compare((&a, 0), (&b, 0)), Agreement::Same);
        let Agreement::Different { field, .. } = general.compare((&a, 1), (&b, 1)) else {
            panic!()
        };
        assert_eq!(field.as_deref(), Some("y"));
    }

    #[test]
    fn lists_and_texts() {
        let schema = schema(&[]);
        let general = general([&schema, &schema]);
        let list = |n: &[i32]| Values::Vlen(TypeId(1), vec![Values::Int(n.to_vec())]);
        assert!(general.all_same(&list(&[1, 2]), &list(&[1, 2])));
        assert!(!general.all_same(&list(&[1, 2]), &list(&[1, 2, 3])));
        assert!(!general.all_same(&list(&[1, 2]), &list(&[1, 3])));
        let text = |t: Option<&[u8]>| Values::String(vec![t.map(Box::from)]);
        assert!(general.all_same(&text(Some(b"a")), &text(Some(b"a"))));
        assert!(!general.all_same(&text(Some(b"")), &text(None)));
        assert!(!general.all_same(&text(Some(b"a")), &Values::Int(vec![1])));
        let char = |c: u8| Values::Char(vec![c]);
        assert!(general.all_same(&text(Some(b"a")), &char(b'a')));
        assert!(general.all_same(&char(0), &text(Some(b""))));
        assert!(!general.all_same(&char(b'a'), &text(Some(b"ab"))));
    }
}
