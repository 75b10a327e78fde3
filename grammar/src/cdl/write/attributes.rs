//! Attributes.

use netcdf_core::model::special::Special;
use netcdf_core::model::{Atomic, Attribute, DataType, GroupId, Kind, TypeKind, Values, VarId};
use netcdf_core::model::{Schema, Variable};

use super::options::NumberText;
use super::value::plain;
use super::variables::push_name;
use super::{CdlWriter, Floats, cdl_text};
use crate::escape::{TextStyle, quote_text, trim_nuls};
use crate::number::{FloatForm, NumberToken, suffix};
use crate::write::{number, separate};

/// The column of a comment after an attribute.
const COMMENT_COLUMN: usize = 18;
/// The beginning of a comment.
const COMMENT: &[u8] = b"// ";

impl CdlWriter<'_, '_> {
    /// Writes the attributes of a variable. `name` is the escaped variable name.
    pub(super) fn variable_attributes(&mut self, id: VarId, var: &Variable, name: &[u8]) {
        let forms = self.options.forms.filter(|_| !var.attributes.is_empty());
        let comment = forms.and_then(|forms| forms.comment(id));
        for attribute in &var.attributes {
            self.attribute(var.group, name, attribute);
            self.out.bytes(b" ;");
            if let Some(form) = &comment {
                self.comment(attribute, &**form);
            }
            self.out.bytes(b"\n");
        }
    }

    /// Writes an attribute with its values. `owner` is the variable name, or empty for a group.
    pub(super) fn attribute(&mut self, group: GroupId, owner: &[u8], attribute: &Attribute) {
        self.line(b"\t\t");
        let typed = match attribute.ty {
            DataType::User(_) | DataType::Atomic(Atomic::String) => true,
            DataType::Atomic(_) => {
                self.options.fill_type && !owner.is_empty() && attribute.name.is("_FillValue")
            }
        };
        if typed {
            self.type_name(group, attribute.ty);
            self.out.bytes(b" ");
        }
        self.out.bytes(owner);
        self.out.bytes(b":");
        if Special::from_name(attribute.name.as_bytes()).is_some() {
            // A backslash keeps an ordinary attribute with a special name ordinary when it is read back.
            self.out.bytes(b"\\");
        }
        push_name(&attribute.name, &mut self.out.text);
        self.out.bytes(b" = ");
        if attribute.values.is_empty() {
            self.out.bytes(b"\"\"");
        } else if self.is_wrapped(attribute.ty) {
            self.wrapped(&attribute.values);
        } else {
            let text = AttributeText {
                floats: Floats::new(self.options, FloatForm::Attribute),
                style: style(self.schema.kind),
                schema: self.schema,
            };
            text.list(&attribute.values, &mut self.out.text);
        }
    }

    /// Returns whether the attribute values are a list with line breaks.
    fn is_wrapped(&self, ty: DataType) -> bool {
        let DataType::User(id) = ty else { return false };
        match self.schema.user_type(id).map(|t| &t.kind) {
            Some(TypeKind::Vlen { .. } | TypeKind::Compound { .. }) => true,
            Some(TypeKind::Enum { .. } | TypeKind::Opaque { .. }) | None => false,
        }
    }

    fn wrapped(&mut self, values: &Values) {
        let text = cdl_text(self.schema, self.data);
        let mut item = Vec::new();
        for i in 0..values.len() {
            item.clear();
            text.one(values, i, &mut item);
            if i + 1 < values.len() {
                item.extend_from_slice(b", ");
            }
            self.wrap.put(&item, &mut self.out.text);
        }
    }

    /// Repeats a numeric attribute in another form as a comment.
    fn comment(&mut self, attribute: &Attribute, form: &dyn NumberText) {
        let count = attribute.values.len();
        let mut item = Vec::new();
        let mut column = 0;
        for i in 0..count {
            let Some(number) = number(&attribute.values, i) else {
                return;
            };
            item.clear();
            if !form.write(number, &mut item) {
                plain(number, self.data, &mut item);
            }
            if i + 1 < count {
                item.push(b',');
            }
            column += 1 + item.len();
            let new_line = count > 2 && (i == 0 || column > self.options.line_length);
            if new_line {
                self.out.bytes(b"\n");
                self.line(b"\t\t  ");
                column = COMMENT_COLUMN + item.len();
            } else {
                self.out.bytes(b" ");
            }
            if new_line || i == 0 {
                self.out.bytes(COMMENT);
                column += COMMENT.len();
            }
            self.out.bytes(&item);
        }
    }
}

/// Returns the text style: in the netCDF-4 model every constant is a separate value, so a text must not be split.
fn style(kind: Kind) -> TextStyle {
    match kind.is_enhanced() {
        true => TextStyle::STRING,
        false => TextStyle::CLASSIC_ATTRIBUTE,
    }
}

/// The form of attribute values, which shows their types.
struct AttributeText<'a> {
    floats: Floats,
    style: TextStyle,
    schema: &'a Schema,
}

impl AttributeText<'_> {
    fn list(&self, values: &Values, out: &mut Vec<u8>) {
        match values {
            Values::Char(text) => quote_text(trim_nuls(text), self.style, out),
            Values::Byte(v) => integers(v, NumberToken::write_i32, suffix::BYTE, out),
            Values::Short(v) => integers(v, NumberToken::write_i32, suffix::SHORT, out),
            Values::Int(v) => integers(v, NumberToken::write_i32, b"", out),
            Values::UByte(v) => integers(v, NumberToken::write_u32, suffix::UBYTE, out),
            Values::UShort(v) => integers(v, NumberToken::write_u32, suffix::USHORT, out),
            Values::UInt(v) => integers(v, NumberToken::write_u32, suffix::UINT, out),
            Values::Int64(v) => integers(v, NumberToken::write_i64, suffix::INT64, out),
            Values::UInt64(v) => integers(v, NumberToken::write_u64, suffix::UINT64, out),
            Values::Float(v) => tokens(v, |x, t| self.floats.float.write_f32(x, t), out),
            Values::Double(v) => tokens(v, |x, t| self.floats.double.write_f64(x, t), out),
            Values::String(v) => self.strings(v, out),
            Values::Enum(..) | Values::Opaque { .. } => self.user(values, out),
            Values::Vlen(..) | Values::Compound { .. } => self.user(values, out),
        }
    }

    fn strings(&self, strings: &[Option<Box<[u8]>>], out: &mut Vec<u8>) {
        for (i, string) in strings.iter().enumerate() {
            separate(i, out);
            match string {
                Some(text) => quote_text(text, self.style, out),
                None => out.extend_from_slice(b"NIL"),
            }
        }
    }

    fn user(&self, values: &Values, out: &mut Vec<u8>) {
        cdl_text(self.schema, self.floats).items(values, 0..values.len(), out);
    }
}

fn integers<T: Copy + Into<W>, W>(
    values: &[T],
    write: impl Fn(&mut NumberToken, W),
    suffix: &[u8],
    out: &mut Vec<u8>,
) {
    let one = |x: T, token: &mut NumberToken| {
        write(token, x.into());
        token.push(suffix);
    };
    tokens(values, one, out);
}

fn tokens<T: Copy>(values: &[T], write: impl Fn(T, &mut NumberToken), out: &mut Vec<u8>) {
    let mut token = NumberToken::new();
    for (i, &x) in values.iter().enumerate() {
        separate(i, out);
        write(x, &mut token);
        token.append_to(out);
    }
}
