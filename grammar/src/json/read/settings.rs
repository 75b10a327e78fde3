//! Attributes. Special names are settings, as in CDL; a backslash before the name makes an attribute ordinary.

use netcdf_core::model::quantize::Algorithm;
use netcdf_core::model::special::Special;
use netcdf_core::model::{DataType, Values, VarId};

use super::define::{CdlWord, Define};
use super::object::MemberName;
use super::parts::AttributePart;
use super::value::attribute_values;
use crate::escape::{TextStyle, quote_text};

impl Define<'_> {
    /// Adds the attributes of a variable or of the group.
    pub(super) fn attributes(&mut self, var: Option<VarId>, parts: &[(MemberName, AttributePart)]) {
        for (key, part) in parts {
            let steps: &[&str] = match var {
                Some(_) => &[&key.name],
                None => &["attributes", &key.name],
            };
            self.within(steps, |define| define.attribute(var, key, part));
        }
    }

    fn attribute(&mut self, var: Option<VarId>, key: &MemberName, part: &AttributePart) {
        let Some(ty) = &part.ty else {
            return self.error(key.at, "`type` is missing");
        };
        let word = CdlWord::ty(ty);
        let Some(ty) = self.lower.find_type(word.word()) else {
            return;
        };
        let Some((data, at)) = &part.data else {
            return self.error(key.at, "`data` is missing");
        };
        let at = super::input::skip_blanks(self.source, *at);
        let read = attribute_values(data.get(), &self.lower.schema, ty);
        match read.map(|read| read.map_err(|failure| failure.moved(at))) {
            Ok(Ok(values)) => self.put(var, key, (ty, values)),
            Ok(Err(failure)) => {
                let message = failure.message(&format!("{}/data", self.lower.path));
                let at = failure.place(self.source);
                self.lower.report.error(super::START, at, message);
            }
            Err(e) => self.error(at, &e.to_string()),
        }
    }

    /// Returns whether a setting has no effect: `_Format` if the text has the member `kind`, and layouts that no output supports.
    fn is_ignored(&mut self, name: &[u8], values: &Values) -> bool {
        match (Special::from_name(name), values.as_text()) {
            (Some(Special::Format), _) => self.has_kind,
            (Some(Special::Storage), Some(b"virtual" | b"unknown")) => true,
            (Some(_) | None, _) => false,
        }
    }

    fn put(&mut self, var: Option<VarId>, key: &MemberName, (ty, values): (DataType, Values)) {
        let name = key.name.as_bytes();
        let special = Special::from_name(name).is_some();
        if self.is_ignored(name, &values) {
            return;
        }
        if special || (var.is_some() && Algorithm::from_attribute(name).is_some()) {
            let constants = constants(&values);
            let word = CdlWord::new(key.name.clone(), key.at);
            return self.lower.setting(var, word.word(), constants.as_deref());
        }
        let word = CdlWord::name(key);
        self.lower.typed_attribute(var, word.word(), ty, values);
    }
}

/// Returns the values of a setting as CDL constants, or `None` for types that settings cannot have.
fn constants(values: &Values) -> Option<Vec<u8>> {
    let mut out = vec![];
    match values {
        Values::Char(text) => quote_text(text, TextStyle::STRING, &mut out),
        Values::String(texts) => {
            for text in texts {
                quote_text(
                    text.as_deref().unwrap_or_default(),
                    TextStyle::STRING,
                    &mut out,
                );
                out.push(b',');
            }
            out.pop();
        }
        Values::Byte(v) => list(v, &mut out),
        Values::Short(v) => list(v, &mut out),
        Values::Int(v) => list(v, &mut out),
        Values::Int64(v) => list(v, &mut out),
        Values::UByte(v) => list(v, &mut out),
        Values::UShort(v) => list(v, &mut out),
        Values::UInt(v) => list(v, &mut out),
        Values::UInt64(v) => list(v, &mut out),
        Values::Float(_) | Values::Double(_) | Values::Enum(..) => return None,
        Values::Opaque { .. } | Values::Vlen(..) | Values::Compound { .. } => return None,
    }
    Some(out)
}

fn list<T: std::fmt::Display>(values: &[T], out: &mut Vec<u8>) {
    let numbers: Vec<_> = values.iter().map(T::to_string).collect();
    out.extend_from_slice(numbers.join(",").as_bytes());
}
