//! NcML attributes.

use netcdf_core::model::{Attribute, DataType, TypeId, Values};
use netcdf_grammar::cdl::write::constants;
use netcdf_grammar::escape::trim_nuls;
use netcdf_grammar::number::{FloatForm, FloatFormat, NumberToken};

use super::Ncml;

impl Ncml<'_> {
    /// Writes an attribute. Text has no `type`, because text is NcML's default.
    pub(super) fn attribute(&mut self, attribute: &Attribute) {
        self.open("attribute");
        self.name(&attribute.name);
        if let Values::Char(text) = &attribute.values {
            self.value("value", trim_nuls(text));
        } else if let Some(texts) = self.texts(&attribute.values) {
            self.list(&texts);
        } else {
            if let DataType::Atomic(ty) = attribute.ty {
                let word = self.atomic(ty);
                self.value("type", word.as_bytes());
            }
            let values = self.numbers(&attribute.values);
            self.value("value", &values);
        }
        self.bytes(" />\n");
    }

    /// Returns the texts of values that NcML can only store as text. These types exist only in the netCDF-4 model.
    fn texts(&self, values: &Values) -> Option<Vec<Vec<u8>>> {
        let bytes = |text: &Option<Box<[u8]>>| text.as_deref().unwrap_or_default().to_vec();
        match values {
            _ if !self.enhanced => None,
            Values::String(strings) => Some(strings.iter().map(bytes).collect()),
            Values::Enum(ty, base) => Some(self.members(*ty, base)),
            Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => {
                let digits = (self.digits.float, self.digits.double);
                Some(constants(self.schema, values, digits))
            }
            Values::Byte(_) | Values::Short(_) | Values::Int(_) | Values::Int64(_) => None,
            Values::UByte(_) | Values::UShort(_) | Values::UInt(_) | Values::UInt64(_) => None,
            Values::Float(_) | Values::Double(_) | Values::Char(_) => None,
        }
    }

    /// Returns the names of enum members, and numbers for values without a member.
    fn members(&self, ty: TypeId, base: &Values) -> Vec<Vec<u8>> {
        let digits = (self.digits.float, self.digits.double);
        let members = self.schema.enum_members(ty).unwrap_or_default();
        let name = |number: Vec<u8>| {
            let value = std::str::from_utf8(&number).ok()?.parse::<i128>().ok()?;
            let (name, _) = members.iter().find(|(_, v)| *v == value)?;
            Some(trim_nuls(name.as_bytes()).to_vec())
        };
        let numbers = constants(self.schema, base, digits).into_iter();
        numbers
            .map(|number| name(number.clone()).unwrap_or(number))
            .collect()
    }

    /// Writes texts as one value, with a separator between texts.
    fn list(&mut self, texts: &[Vec<u8>]) {
        if texts.len() < 2 {
            return self.value("value", &texts.concat());
        }
        let free = |c: &char| {
            let mut bytes = [0; 4];
            let c = c.encode_utf8(&mut bytes).as_bytes();
            !texts.iter().any(|t| t.windows(c.len()).any(|w| w == c))
        };
        let usable = |c: &char| c.is_ascii_punctuation() && *c != '\\';
        let mut separators = ('!'..='~').filter(usable);
        let separator = ['|'].into_iter().chain(separators.by_ref());
        let separator = separator.chain('\u{e000}'..='\u{f8ff}').find(free);
        let mut bytes = [0; 4];
        let separator = separator.unwrap_or('|').encode_utf8(&mut bytes).as_bytes();
        self.value("value", &texts.join(separator));
        self.value("separator", separator);
    }

    fn numbers(&self, values: &Values) -> Vec<u8> {
        let float = FloatFormat::new(self.digits.float, FloatForm::Ncml);
        let double = FloatFormat::new(self.digits.double, FloatForm::Ncml);
        match values {
            Values::Byte(v) => list(v, |x, t| t.write_i32(x.into())),
            Values::Short(v) => list(v, |x, t| t.write_i32(x.into())),
            Values::Int(v) => list(v, |x, t| t.write_i32(x)),
            Values::Int64(v) => list(v, |x, t| t.write_i64(x)),
            Values::UByte(v) => list(v, |x, t| t.write_u32(x.into())),
            Values::UShort(v) => list(v, |x, t| t.write_u32(x.into())),
            Values::UInt(v) => list(v, |x, t| t.write_u32(x)),
            Values::UInt64(v) => list(v, |x, t| t.write_u64(x)),
            Values::Float(v) => list(v, |x, t| float.write_f32(x, t)),
            Values::Double(v) => list(v, |x, t| double.write_f64(x, t)),
            // In netCDF-4 files the classic model may contain strings: only the first one is written.
            Values::String(v) => v
                .first()
                .and_then(|s| s.as_deref())
                .unwrap_or_default()
                .into(),
            Values::Char(text) => text.clone(),
            Values::Enum(..) | Values::Opaque { .. } => Vec::new(),
            Values::Vlen(..) | Values::Compound { .. } => Vec::new(),
        }
    }
}

fn list<T: Copy>(values: &[T], write: impl Fn(T, &mut NumberToken)) -> Vec<u8> {
    let (mut token, mut out) = (NumberToken::new(), Vec::new());
    for (i, &x) in values.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        write(x, &mut token);
        token.append_to(&mut out);
    }
    out
}
