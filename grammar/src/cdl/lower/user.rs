//! Items to values of a type.

use netcdf_core::model::{Atomic, DataType, Field, Schema, TypeId, TypeKind, Values};

use super::list::{Item, Problem};
use super::names::{reference, split_path};
use crate::cdl::constant::{Constant, number_type};
use crate::cdl::values::element::{Element, Fit, describe};
use crate::escape::unescape_text;
use crate::number::{FloatFormat, Form, Literal, Precision, Token};

/// Types within types.
const DEPTH: u32 = 64;
/// Values that may be filled in for a field.
const MOST: u64 = 1 << 28;

/// Makes values out of items and collects what is wrong.
#[derive(Debug)]
pub(in crate::cdl) struct Builder<'a> {
    schema: &'a Schema,
    pub(in crate::cdl) errors: Vec<Problem>,
    pub(in crate::cdl) warnings: Vec<Problem>,
}

impl<'a> Builder<'a> {
    pub(in crate::cdl) fn new(schema: &'a Schema) -> Self {
        Self {
            schema,
            errors: vec![],
            warnings: vec![],
        }
    }

    /// The values of a whole list. Strings of char lists are joined.
    pub(in crate::cdl) fn values(&mut self, ty: DataType, list: &[Item<'_>]) -> Values {
        if ty == Atomic::Char.into() {
            return Values::Char(self.text(list));
        }
        let mut values = self.empty(ty, 0);
        for item in list {
            self.push(&mut values, ty, Some(item), 0);
        }
        values
    }

    /// No values of a type.
    pub(in crate::cdl) fn empty(&self, ty: DataType, depth: u32) -> Values {
        let id = match ty {
            DataType::Atomic(atomic) => return Values::with_capacity(atomic, 0),
            DataType::User(id) => id,
        };
        match self.kind(id) {
            Some(TypeKind::Enum { base, .. }) => {
                Values::Enum(id, Box::new(Values::with_capacity(*base, 0)))
            }
            Some(TypeKind::Opaque { size }) => {
                let size = usize::try_from(*size).unwrap_or(usize::MAX);
                Values::Opaque {
                    ty: id,
                    size,
                    bytes: vec![],
                }
            }
            Some(TypeKind::Compound { fields, .. }) if depth < DEPTH => {
                let columns = fields.iter().map(|f| self.empty(f.ty, depth + 1)).collect();
                Values::Compound {
                    ty: id,
                    len: 0,
                    columns,
                }
            }
            Some(TypeKind::Vlen { .. } | TypeKind::Compound { .. }) | None => {
                Values::Vlen(id, vec![])
            }
        }
    }

    /// Adds one value; without an item, or with `_`, the fill value.
    pub(in crate::cdl) fn push(
        &mut self,
        values: &mut Values,
        ty: DataType,
        item: Option<&Item<'_>>,
        depth: u32,
    ) {
        let item = item.filter(|item| !matches!(item, Item::One(Constant::Fill, _)));
        match values {
            Values::Char(v) => v.push(item.map_or(0, |item| self.character(item))),
            Values::Byte(v) => self.number(v, -127, item),
            Values::Short(v) => self.number(v, -32767, item),
            Values::Int(v) => self.number(v, -2_147_483_647, item),
            Values::Int64(v) => self.number(v, -9_223_372_036_854_775_806, item),
            Values::UByte(v) => self.number(v, 255, item),
            Values::UShort(v) => self.number(v, 65535, item),
            Values::UInt(v) => self.number(v, 4_294_967_295, item),
            Values::UInt64(v) => self.number(v, 18_446_744_073_709_551_614, item),
            Values::Float(v) => self.number(v, f32::from_bits(0x7cf0_0000), item),
            Values::Double(v) => self.number(v, f64::from_bits(0x479e_0000_0000_0000), item),
            Values::String(v) => v.push(self.string(item)),
            Values::Enum(id, base) => self.member(*id, base, item),
            Values::Opaque { size, bytes, .. } => self.opaque(*size, bytes, item),
            Values::Vlen(id, lists) => {
                let list = self.vlen(*id, item, depth);
                lists.push(list);
            }
            Values::Compound { len, columns, .. } => {
                *len += 1;
                self.compound(ty, columns, item, depth);
            }
        }
    }

    fn kind(&self, id: TypeId) -> Option<&'a TypeKind> {
        self.schema.user_type(id).map(|t| &t.kind)
    }

    fn error(&mut self, at: usize, message: impl Into<String>) {
        self.errors.push((at, message.into()));
    }

    /// The constant that an item is where no list may stand.
    fn one<'i, 't>(&mut self, item: &'i Item<'t>, what: &str) -> Option<&'i Constant<'t>> {
        match item {
            Item::One(constant, _) => Some(constant),
            Item::Many(_, at) => {
                self.error(*at, format!("expected {what}, found a list in braces"));
                None
            }
        }
    }

    /// The list that an item is where no single value may stand.
    fn many<'i, 't>(&mut self, item: &'i Item<'t>, what: &str) -> Option<&'i [Item<'t>]> {
        match item {
            Item::Many(list, _) => Some(list),
            Item::One(_, at) => {
                self.error(*at, format!("{what} stands in braces `{{…}}`"));
                None
            }
        }
    }

    fn number<T: Element>(&mut self, values: &mut Vec<T>, fill: T, item: Option<&Item<'_>>) {
        let Some(item) = item else {
            return values.push(fill);
        };
        let what = format!("a value of type {}", T::TYPE.name());
        let Some(constant) = self.one(item, &what) else {
            return;
        };
        match T::from_constant(constant) {
            Fit::Exact(value) => values.push(value),
            Fit::Lossy(value, why) => {
                self.warnings.push((item.at(), why));
                values.push(value);
            }
            Fit::Not(why) => self.error(item.at(), why),
        }
    }

    /// The characters of a list of strings, character constants and byte constants, one after the other.
    fn text(&mut self, list: &[Item<'_>]) -> Vec<u8> {
        let mut text = vec![];
        for item in list {
            match item {
                Item::One(Constant::String(written), at) => self.unescape(written, *at, &mut text),
                other => text.push(self.character(other)),
            }
        }
        text
    }

    fn unescape(&mut self, written: &[u8], at: usize, text: &mut Vec<u8>) {
        if let Err(e) = unescape_text(written, text) {
            self.error(at + 1 + e.offset, e.to_string());
        }
    }

    fn character(&mut self, item: &Item<'_>) -> u8 {
        let Some(constant) = self.one(item, "text") else {
            return 0;
        };
        match constant {
            Constant::Char(byte) => return *byte,
            Constant::Number(number) => match number_type(number) {
                Atomic::Byte => {
                    if let Fit::Exact(byte) = i8::from_number(number) {
                        return byte.to_le_bytes()[0];
                    }
                }
                Atomic::UByte => {
                    if let Fit::Exact(byte) = u8::from_number(number) {
                        return byte;
                    }
                }
                _ => {}
            },
            Constant::String(written) => {
                let mut text = vec![];
                self.unescape(written, item.at(), &mut text);
                if text.len() <= 1 {
                    return text.first().copied().unwrap_or(0);
                }
            }
            _ => {}
        }
        self.error(
            item.at(),
            format!("expected text, found {}", describe(constant)),
        );
        0
    }

    fn string(&mut self, item: Option<&Item<'_>>) -> Option<Box<[u8]>> {
        let Some(item) = item else {
            return Some(Box::default());
        };
        let constant = self.one(item, "a string")?;
        match constant {
            Constant::Nil => return None,
            Constant::String(written) => {
                let mut text = vec![];
                self.unescape(written, item.at(), &mut text);
                return Some(text.into());
            }
            // As ncgen does: the number in decimal digits.
            Constant::Number(number) => return Some(decimal(number).into()),
            Constant::Char(byte) => {
                return Some(i8::from_le_bytes([*byte]).to_string().into_bytes().into());
            }
            _ => self.error(
                item.at(),
                format!("expected a string, found {}", describe(constant)),
            ),
        }
        None
    }

    fn member(&mut self, id: TypeId, base: &mut Values, item: Option<&Item<'_>>) {
        let Some(TypeKind::Enum { members, .. }) = self.kind(id) else {
            return;
        };
        let value = match item {
            None => members.first().map(|m| m.1),
            Some(item) => self.member_value(id, item),
        };
        let Some(value) = value else {
            return;
        };
        macro_rules! add {
            ($($name:ident)*) => {
                match base {
                    $(Values::$name(v) => if let Ok(value) = value.try_into() { v.push(value) },)*
                    _ => {}
                }
            };
        }
        add!(Byte Short Int Int64 UByte UShort UInt UInt64);
    }

    fn member_value(&mut self, id: TypeId, item: &Item<'_>) -> Option<i128> {
        let ty = self.schema.user_type(id)?;
        let TypeKind::Enum { members, .. } = &ty.kind else {
            return None;
        };
        let expected = format!("a member of enum {}", ty.name);
        let constant = self.one(item, &expected)?;
        let Constant::Name(written) = constant else {
            self.error(
                item.at(),
                format!("expected {expected}, found {}", describe(constant)),
            );
            return None;
        };
        let written = String::from_utf8_lossy(written);
        let (_, parts) = split_path(&written);
        let last = parts.last().copied().unwrap_or_default();
        let own = last
            .strip_prefix(&*ty.name.to_string())
            .and_then(|rest| rest.strip_prefix('.'));
        let found = [Some(last), own].into_iter().flatten().find_map(|text| {
            let name = reference(text);
            members.iter().find(|m| m.0 == name)
        });
        if found.is_none() {
            self.error(item.at(), format!("`{written}` is not {expected}"));
        }
        found.map(|m| m.1)
    }

    fn opaque(&mut self, size: usize, bytes: &mut Vec<u8>, item: Option<&Item<'_>>) {
        let end = bytes.len().saturating_add(size);
        if let Some(item) = item
            && let Some(constant) = self.one(item, "an opaque value")
        {
            let digits = match constant {
                Constant::Opaque(digits) => *digits,
                _ => {
                    let found = describe(constant);
                    return self.error(
                        item.at(),
                        format!("expected an opaque value as `0x01ab`, found {found}"),
                    );
                }
            };
            let found = digits.len().div_ceil(2);
            if found != size {
                let message =
                    format!("{found} bytes for an opaque type of {size} are cut or filled with 0");
                self.warnings.push((item.at(), message));
            }
            // As with ncgen, an odd number of digits is filled up at the end.
            let pair = |p: &[u8]| {
                let digit = |i: usize| {
                    p.get(i)
                        .and_then(|&b| char::from(b).to_digit(16))
                        .unwrap_or(0)
                };
                u8::try_from(digit(0) * 16 + digit(1)).unwrap_or(0)
            };
            bytes.extend(digits.chunks(2).take(size).map(pair));
        }
        bytes.resize(end, 0);
    }

    fn vlen(&mut self, id: TypeId, item: Option<&Item<'_>>, depth: u32) -> Values {
        let Some(TypeKind::Vlen { base }) = self.kind(id) else {
            return Values::Vlen(id, vec![]);
        };
        let base = *base;
        let list = item.and_then(|item| self.many(item, "a value of a variable-length type"));
        let list = list.unwrap_or_default();
        if base == Atomic::Char.into() {
            return Values::Char(self.text(list));
        }
        let mut values = self.empty(base, 0);
        for item in list.iter().filter(|_| depth < DEPTH) {
            self.push(&mut values, base, Some(item), depth + 1);
        }
        values
    }

    fn compound(
        &mut self,
        ty: DataType,
        columns: &mut [Values],
        item: Option<&Item<'_>>,
        depth: u32,
    ) {
        let fields: &[Field] = match ty {
            DataType::User(id) => match self.kind(id) {
                Some(TypeKind::Compound { fields, .. }) if depth < DEPTH => fields,
                _ => return,
            },
            DataType::Atomic(_) => return,
        };
        let list = item.and_then(|item| self.many(item, "a value of a compound type"));
        let list = list.unwrap_or_default();
        if let Some(extra) = list.get(fields.len()) {
            self.error(
                extra.at(),
                format!("the compound type has only {} fields", fields.len()),
            );
        }
        for (i, (field, column)) in fields.iter().zip(columns).enumerate() {
            match field.dims.as_slice() {
                [] => self.push(column, field.ty, list.get(i), depth + 1),
                _ => self.field_array(field, column, list.get(i), depth),
            }
        }
    }

    /// The elements of a field with a shape.
    fn field_array(
        &mut self,
        field: &Field,
        column: &mut Values,
        item: Option<&Item<'_>>,
        depth: u32,
    ) {
        let Some(count) = field.elements().ok().filter(|&n| n <= MOST) else {
            return self.error(
                item.map_or(0, Item::at),
                format!("field {} is too large", field.name),
            );
        };
        let count = usize::try_from(count).unwrap_or(0);
        let item = item.filter(|item| !matches!(item, Item::One(Constant::Fill, _)));
        if let Values::Char(chars) = column {
            let end = chars.len() + count;
            let text = match item {
                None => vec![],
                Some(Item::Many(list, _)) => self.rows(field, list),
                Some(one) => self.rows(field, std::slice::from_ref(one)),
            };
            if text.len() > count {
                let at = item.map_or(0, Item::at);
                self.error(
                    at,
                    format!(
                        "{} characters for the {count} of field {}",
                        text.len(),
                        field.name
                    ),
                );
            }
            chars.extend(text.into_iter().take(count));
            return chars.resize(end, 0);
        }
        let list = item.and_then(|item| self.many(item, "a field with dimensions"));
        let list = list.unwrap_or_default();
        if let Some(extra) = list.get(count) {
            self.error(
                extra.at(),
                format!("field {} has only {count} values", field.name),
            );
        }
        for i in 0..count {
            self.push(column, field.ty, list.get(i), depth + 1);
        }
    }

    /// The strings of a char field, each filled up to whole rows.
    fn rows(&mut self, field: &Field, list: &[Item<'_>]) -> Vec<u8> {
        let row = field
            .dims
            .last()
            .and_then(|&n| usize::try_from(n).ok())
            .unwrap_or(1);
        let mut text = vec![];
        for item in list {
            let part = self.text(std::slice::from_ref(item));
            text.extend_from_slice(&part);
            if matches!(item, Item::One(Constant::String(_), _)) {
                let len = text.len().max(1).next_multiple_of(row.max(1));
                text.resize(len, 0);
            }
        }
        text
    }
}

/// A number as ncgen writes it into a string.
fn decimal(number: &Literal) -> Vec<u8> {
    let mut token = Token::new();
    match number {
        Literal::Integer(integer, _) => {
            return integer.value().unwrap_or_default().to_string().into_bytes();
        }
        Literal::Float(value) => {
            FloatFormat::new(Precision::Digits(8), Form::Data)
                .write_f64((*value).into(), &mut token);
        }
        Literal::Double(value) => {
            FloatFormat::new(Precision::Digits(8), Form::Data).write_f64(*value, &mut token);
        }
    }
    token.as_bytes().to_vec()
}
