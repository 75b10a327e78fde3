//! Element types of Zarr arrays: NumPy spellings (version 2 and NCZarr attributes) and the version 3 names.

use crate::json::Json;
use crate::model::{Atomic, Endianness};

/// The names of a number type.
pub(super) struct NumberTypeNames {
    /// The type.
    pub ty: Atomic,
    /// The name in version 2, without byte order.
    pub v2: &'static str,
    /// The name in version 3.
    pub v3: &'static str,
}

const fn number(ty: Atomic, v2: &'static str, v3: &'static str) -> NumberTypeNames {
    NumberTypeNames { ty, v2, v3 }
}

/// All number types that netCDF has.
pub(super) const NUMBERS: [NumberTypeNames; 10] = [
    number(Atomic::Byte, "i1", "int8"),
    number(Atomic::UByte, "u1", "uint8"),
    number(Atomic::Short, "i2", "int16"),
    number(Atomic::UShort, "u2", "uint16"),
    number(Atomic::Int, "i4", "int32"),
    number(Atomic::UInt, "u4", "uint32"),
    number(Atomic::Int64, "i8", "int64"),
    number(Atomic::UInt64, "u8", "uint64"),
    number(Atomic::Float, "f4", "float32"),
    number(Atomic::Double, "f8", "float64"),
];

/// The element type.
#[derive(Debug, Clone, PartialEq)]
pub enum Dtype {
    /// A number type that netCDF has.
    Number(Atomic),
    /// A character of netCDF, one byte.
    Char,
    /// True or false, one byte.
    Bool,
    /// A number of half precision.
    Half,
    /// The upper half of a float's bits (`bfloat16`).
    Brain,
    /// A pair of numbers of this type.
    Complex(Atomic),
    /// Text or bytes, padded with zeros to this number of bytes.
    Bytes(u64),
    /// Text of this number of four-byte characters, padded with zeros.
    Utf32(u64),
    /// A count of units of time.
    Time(Time),
    /// This number of uninterpreted bytes.
    Raw(u64),
    /// Fields, without gaps.
    Struct(Vec<StructMember>),
    /// Text of variable length.
    Text,
    /// Bytes of variable length.
    Blob,
    /// An unknown type: the name, and the size in bytes if known.
    Unknown(String, Option<u64>),
}

/// A unit of time, as in NumPy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// `ns`, `D` …; `generic` for none.
    pub unit: String,
    /// The number of units per count.
    pub factor: u64,
    /// Whether times count from the start of 1970.
    pub since: bool,
}

/// A structure field.
#[derive(Debug, Clone, PartialEq)]
pub struct StructMember {
    /// The field name.
    pub name: String,
    /// The element type.
    pub stored: StoredType,
    /// The field shape in elements; empty for a single element.
    pub dims: Vec<u64>,
}

/// An element type with byte order.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredType {
    /// The type.
    pub dtype: Dtype,
    /// The byte order. `None` if the metadata gives no byte order, or the type has none.
    pub order: Option<Endianness>,
}

/// Maximum nesting depth of types.
const DEPTH: u32 = 16;
/// Maximum element size in bytes.
const LARGEST: u64 = 1 << 28;

impl StoredType {
    fn plain(dtype: Dtype) -> Self {
        Self { dtype, order: None }
    }

    /// Returns an unknown type.
    #[must_use]
    pub fn unknown(name: impl Into<String>, size: Option<u64>) -> Self {
        Self::plain(Dtype::Unknown(name.into(), size))
    }

    /// Returns the byte order of numbers.
    #[must_use]
    pub fn endianness(&self) -> Endianness {
        self.order.unwrap_or(Endianness::Little)
    }

    /// Returns the element size in bytes, or `None` for variable-length types.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        match &self.dtype {
            Dtype::Number(a) => a.size().map(|n| n as u64),
            Dtype::Char | Dtype::Bool => Some(1),
            Dtype::Half | Dtype::Brain => Some(2),
            Dtype::Complex(a) => a.size().map(|n| 2 * n as u64),
            Dtype::Bytes(n) | Dtype::Raw(n) => Some(*n),
            Dtype::Utf32(n) => n.checked_mul(4),
            Dtype::Time(_) => Some(8),
            Dtype::Struct(members) => members.iter().try_fold(0u64, |sum, m| {
                sum.checked_add(m.stored.size()?.checked_mul(m.elements()?)?)
            }),
            Dtype::Text | Dtype::Blob => None,
            Dtype::Unknown(_, size) => *size,
        }
    }

    /// Parses the type of a version 2 array.
    #[must_use]
    pub fn v2(json: &Json) -> Self {
        let stored = v2(json, 0);
        stored.checked(json)
    }

    /// Parses the type of a version 3 array.
    #[must_use]
    pub fn v3(json: &Json) -> Self {
        let stored = v3(json, 0);
        stored.checked(json)
    }

    /// Returns the name for users: `int`, `double`, `complex of float`, `text of 5 bytes` …, followed by `big-endian` if that applies.
    #[must_use]
    pub fn spelling(&self) -> String {
        let name = match &self.dtype {
            Dtype::Number(a) => a.name().to_owned(),
            Dtype::Char => "char".to_owned(),
            Dtype::Bool => "bool".to_owned(),
            Dtype::Half => "half".to_owned(),
            Dtype::Brain => "bfloat16".to_owned(),
            Dtype::Complex(a) => format!("complex of {}", a.name()),
            Dtype::Bytes(n) => format!("text of {n} bytes"),
            Dtype::Utf32(n) => format!("text of {n} characters"),
            Dtype::Time(time) => {
                let what = if time.since { "datetime" } else { "timedelta" };
                let factor = match time.factor {
                    1 => String::new(),
                    n => n.to_string(),
                };
                format!("{what} [{factor}{}]", time.unit)
            }
            Dtype::Raw(n) => format!("{n} raw bytes"),
            Dtype::Struct(members) => {
                let member = |m: &StructMember| format!("{}: {}", m.name, m.stored.spelling());
                let members: Vec<_> = members.iter().map(member).collect();
                format!("{{{}}}", members.join(", "))
            }
            Dtype::Text => "text".to_owned(),
            Dtype::Blob => "bytes".to_owned(),
            Dtype::Unknown(name, _) => format!("unknown ({name})"),
        };
        match self.order {
            Some(Endianness::Big) => format!("{name}, big-endian"),
            Some(Endianness::Little) | None => name,
        }
    }

    /// Replaces types of size zero, or above the size limit, with unknown types.
    fn checked(self, json: &Json) -> Self {
        let fits = match (&self.dtype, self.size()) {
            (Dtype::Text | Dtype::Blob, _) => true,
            (Dtype::Unknown(..), None) => true,
            (_, size) => size.is_some_and(|n| (1..=LARGEST).contains(&n)),
        };
        if fits {
            return self;
        }
        Self::unknown(shown(json), None)
    }

    /// Sets the byte order of all numbers without a byte order.
    #[must_use]
    pub fn in_order(mut self, order: Endianness) -> Self {
        if let Dtype::Struct(members) = &mut self.dtype {
            for member in members {
                member.stored = member.stored.clone().in_order(order);
            }
        }
        let single = self.size() == Some(1);
        self.order = self.order.or((!single).then_some(order));
        self
    }
}

impl StructMember {
    /// Returns the number of elements.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        crate::model::region::product(&self.dims)
    }
}

/// Returns JSON as text for messages, without quotes around a text.
#[must_use]
pub(super) fn shown(json: &Json) -> String {
    quoted(json).trim_matches('"').to_owned()
}

/// Returns JSON as text for messages that need the type of the value.
#[must_use]
pub(super) fn quoted(json: &Json) -> String {
    let text = json.to_bytes();
    String::from_utf8_lossy(text.get(..200).unwrap_or(&text)).into_owned()
}

fn v2(json: &Json, depth: u32) -> StoredType {
    match json {
        Json::Array(fields) => match structure(fields, v2, depth) {
            Some(members) => StoredType::plain(Dtype::Struct(members)),
            None => StoredType::unknown(shown(json), None),
        },
        other => match other.as_str() {
            Some(text) => numpy(text),
            None => StoredType::unknown(shown(json), None),
        },
    }
}

/// Parses fields given as `[name, type]`, `[name, type, shape]` or `{"name": …, "data_type": …}`.
fn structure(
    fields: &[Json],
    of: fn(&Json, u32) -> StoredType,
    depth: u32,
) -> Option<Vec<StructMember>> {
    if depth >= DEPTH || fields.is_empty() {
        return None;
    }
    let member = |field: &Json| {
        let (name, ty, dims) = match field.items() {
            Some([name, ty]) => (name, ty, None),
            Some([name, ty, dims]) => (name, ty, Some(dims)),
            Some(_) => return None,
            None => (field.get("name")?, field.get("data_type")?, None),
        };
        // NumPy may give a field a title: `[title, name]`.
        let name = name.items().and_then(<[Json]>::last).unwrap_or(name);
        let dims = match dims {
            None => vec![],
            Some(Json::Array(dims)) => dims.iter().map(Json::as_u64).collect::<Option<_>>()?,
            Some(one) => vec![one.as_u64()?],
        };
        let stored = of(ty, depth + 1);
        let known = !matches!(stored.dtype, Dtype::Unknown(..));
        let member = StructMember {
            name: name.as_str()?.to_owned(),
            stored,
            dims,
        };
        // Without this check, an array could have any number of zero-size elements.
        let bytes = member.stored.size().zip(member.elements());
        let some = bytes.is_some_and(|(size, n)| size > 0 && n > 0);
        (known && some).then_some(member)
    };
    fields.iter().map(member).collect()
}

/// Parses a NumPy spelling: `<f8`, `|S5`, `>M8[ns]` …
#[must_use]
pub(super) fn numpy(text: &str) -> StoredType {
    let (order, rest) = match text.as_bytes().first() {
        Some(b'<') => (Some(Endianness::Little), text.get(1..)),
        Some(b'>') => (Some(Endianness::Big), text.get(1..)),
        Some(b'|' | b'=') => (None, text.get(1..)),
        _ => (None, Some(text)),
    };
    let parsed = rest.and_then(|rest| letter(rest, order));
    match parsed {
        Some((dtype, true)) => StoredType { dtype, order },
        Some((dtype, false)) => StoredType::plain(dtype),
        None => StoredType::unknown(text, None),
    }
}

/// Parses a type without byte order. The second result is whether the type has a byte order.
fn letter(text: &str, order: Option<Endianness>) -> Option<(Dtype, bool)> {
    use Atomic as A;
    let (kind, rest) = text.split_at_checked(1)?;
    let (digits, unit) = match rest.find('[') {
        Some(at) => rest.split_at_checked(at)?,
        None => (rest, ""),
    };
    let size: Option<u64> = digits.parse().ok();
    let name = size.map(|size| format!("{kind}{size}"));
    if let Some(row) = NUMBERS.iter().find(|row| name.as_deref() == Some(row.v2)) {
        return Some((Dtype::Number(row.ty), true));
    }
    match (kind, size) {
        ("O", _) => Some((Dtype::Unknown("object".into(), None), false)),
        ("b", Some(1)) => Some((Dtype::Bool, false)),
        ("f", Some(2)) => Some((Dtype::Half, true)),
        ("c", Some(8)) => Some((Dtype::Complex(A::Float), true)),
        ("c", Some(16)) => Some((Dtype::Complex(A::Double), true)),
        ("S" | "a", Some(1)) if order == Some(Endianness::Big) => Some((Dtype::Bytes(1), true)),
        ("S" | "a", Some(n)) => Some((Dtype::Bytes(n), false)),
        ("U", Some(n)) => Some((Dtype::Utf32(n), true)),
        ("V", Some(n)) => Some((Dtype::Raw(n), false)),
        ("M" | "m", Some(8)) => Some((Dtype::Time(time(unit, kind == "M")?), true)),
        (_, size) => Some((Dtype::Unknown(text.to_owned(), size), false)),
    }
}

/// Parses `[ns]`, `[25s]`, or an empty text.
fn time(unit: &str, since: bool) -> Option<Time> {
    let unit = match unit {
        "" => "generic",
        unit => unit.strip_prefix('[')?.strip_suffix(']')?,
    };
    let digits = unit.bytes().take_while(u8::is_ascii_digit).count();
    let (factor, unit) = unit.split_at_checked(digits)?;
    Some(Time {
        unit: unit.to_owned(),
        factor: factor.parse().unwrap_or(1),
        since,
    })
}

/// Parses a type name of version 3, with or without configuration.
fn v3(json: &Json, depth: u32) -> StoredType {
    let name = json.as_str().or_else(|| json.get("name")?.as_str());
    let empty = Json::Object(vec![]);
    let configuration = json.get("configuration").unwrap_or(&empty);
    let known =
        name.and_then(|name| simple(name).or_else(|| configured(name, configuration, depth)));
    match known {
        Some(dtype) => StoredType::plain(dtype),
        None => StoredType::unknown(shown(json), None),
    }
}

/// Returns the type for a plain name of version 3.
fn simple(name: &str) -> Option<Dtype> {
    use Atomic as A;
    let raw = || {
        let bits: u64 = name.strip_prefix('r')?.parse().ok()?;
        bits.is_multiple_of(8).then_some(Dtype::Raw(bits / 8))
    };
    Some(match name {
        "bool" => Dtype::Bool,
        "float16" => Dtype::Half,
        "complex64" | "complex_float32" => Dtype::Complex(A::Float),
        "complex128" | "complex_float64" => Dtype::Complex(A::Double),
        "string" => Dtype::Text,
        "bytes" | "variable_length_bytes" => Dtype::Blob,
        "bfloat16" => Dtype::Brain,
        _ => match NUMBERS.iter().find(|row| row.v3 == name) {
            Some(row) => Dtype::Number(row.ty),
            None => return raw(),
        },
    })
}

/// Returns the type for a name with configuration of version 3.
fn configured(name: &str, configuration: &Json, depth: u32) -> Option<Dtype> {
    let number = |key| configuration.get(key).and_then(Json::as_u64);
    let time = |since| {
        let unit = configuration.get("unit")?.as_str()?.to_owned();
        let factor = number("scale_factor").unwrap_or(1);
        Some(Dtype::Time(Time {
            unit,
            factor,
            since,
        }))
    };
    match name {
        "numpy.datetime64" => time(true),
        "numpy.timedelta64" => time(false),
        "null_terminated_bytes" => number("length_bytes").map(Dtype::Bytes),
        "fixed_length_utf32" => {
            let bytes = number("length_bytes").filter(|n| n.is_multiple_of(4));
            bytes.map(|n| Dtype::Utf32(n / 4))
        }
        "raw_bytes" => number("length_bytes").map(Dtype::Raw),
        "structured" | "struct" => {
            let fields = configuration.get("fields")?.items()?;
            structure(fields, v3, depth).map(Dtype::Struct)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> StoredType {
        StoredType::v2(&Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn spellings_of_numpy() {
        use Endianness::{Big, Little};
        let number = Dtype::Number;
        for (text, dtype, order) in [
            ("<i4", number(Atomic::Int), Some(Little)),
            (">f8", number(Atomic::Double), Some(Big)),
            ("|u1", number(Atomic::UByte), None),
            ("|b1", Dtype::Bool, None),
            ("<c8", Dtype::Complex(Atomic::Float), Some(Little)),
            ("|S5", Dtype::Bytes(5), None),
            (">S1", Dtype::Bytes(1), Some(Big)),
            (">U3", Dtype::Utf32(3), Some(Big)),
            ("|V7", Dtype::Raw(7), None),
        ] {
            assert_eq!(numpy(text), StoredType { dtype, order }, "{text}");
        }
        let Dtype::Time(time) = numpy("<M8[25s]").dtype else {
            panic!()
        };
        assert_eq!(
            (time.unit.as_str(), time.factor, time.since),
            ("s", 25, true)
        );
        assert!(matches!(numpy("<f16").dtype, Dtype::Unknown(_, Some(16))));
        assert!(matches!(numpy("what").dtype, Dtype::Unknown(_, None)));
    }

    #[test]
    fn structures_have_sizes() {
        let stored = of(r#"[["a","<i4"],["b",[["c","|S2"],["d","<f8",[2,3]]]]]"#);
        assert_eq!(stored.size(), Some(4 + 2 + 48));
        let deep = format!("{}[]{}", "[[\"a\",".repeat(40), "]]".repeat(40));
        assert!(matches!(of(&deep).dtype, Dtype::Unknown(..)));
        assert!(matches!(of(r#"[["a","|O"]]"#).dtype, Dtype::Unknown(..)));
        for empty in [
            r#"[["a","|S0",[99999999999999]],["b","i1"]]"#,
            r#"[["a","<i4",[2,0]],["b","i1"]]"#,
        ] {
            assert!(matches!(of(empty).dtype, Dtype::Unknown(..)), "{empty}");
        }
    }

    #[test]
    fn sizes_are_bounded() {
        for text in ["\"|S0\"", "\"|V99999999999\"", "\"<U4611686018427387904\""] {
            assert!(matches!(of(text).dtype, Dtype::Unknown(_, None)), "{text}");
        }
    }

    #[test]
    fn names_of_version_3() {
        let of = |text: &str| StoredType::v3(&Json::parse(text.as_bytes()).unwrap()).dtype;
        assert_eq!(of("\"r24\""), Dtype::Raw(3));
        assert_eq!(of("\"string\""), Dtype::Text);
        let text = r#"{"name":"fixed_length_utf32","configuration":{"length_bytes":20}}"#;
        assert_eq!(of(text), Dtype::Utf32(5));
        let text =
            r#"{"name":"structured","configuration":{"fields":[["a","int32"],["b","float64"]]}}"#;
        assert!(matches!(of(text), Dtype::Struct(m) if m.len() == 2));
        assert!(matches!(of("\"r7\""), Dtype::Unknown(..)));
    }
}
