//! Lenient reader of the JSON in Zarr stores. netCDF-C sometimes writes invalid JSON (`[0.,1.]`, bare `NaN`, `01`, control characters in
//! strings, bytes that are not UTF-8). The reader keeps the text of numbers and the order of members. [`Json::line`] writes strict JSON
//! with `serde_json`.

mod locate;
mod write;

pub use locate::JsonStep;
pub use write::Between;

use crate::error::{Error, ErrorKind, Result};

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number with its original text.
    Number(String),
    /// A string, without quotes and escapes; not always UTF-8.
    Text(Vec<u8>),
    /// A list.
    Array(Vec<Json>),
    /// Members in order, duplicates included.
    Object(Vec<(String, Json)>),
}

/// The maximum nesting depth.
const DEEPEST: usize = 128;

impl Json {
    /// Parses a value.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] with the byte position for invalid JSON, and [`ErrorKind::Limit`] for values nested too deeply.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        parser.blanks();
        match parser.peek() {
            None => Ok(value),
            Some(_) => Err(parser.wrong("the end")),
        }
    }

    /// Returns a string.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }

    /// Returns a whole number.
    #[must_use]
    pub fn int(n: impl std::fmt::Display) -> Self {
        Self::Number(n.to_string())
    }

    /// Returns an object with these members, in order.
    #[must_use]
    pub fn object<'k>(members: impl IntoIterator<Item = (&'k str, Self)>) -> Self {
        let members = members.into_iter();
        Self::Object(members.map(|(k, v)| (k.to_owned(), v)).collect())
    }

    /// Returns a list of whole numbers.
    #[must_use]
    pub fn ints(list: &[u64]) -> Self {
        Self::Array(list.iter().map(Self::int).collect())
    }

    /// Returns the member with this name; the last one if names repeat.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let mut members = self.members().iter().rev();
        members.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Returns the members of an object, in order; empty for other values.
    #[must_use]
    pub fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Array(_) => &[],
        }
    }

    /// Returns the items of a list.
    #[must_use]
    pub fn items(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::Object(_) => None,
        }
    }

    /// Returns the string, if the value is one and UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => std::str::from_utf8(text).ok(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Returns the number, if it is whole and not negative.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.parse().ok()
    }

    /// Returns a number as text.
    #[must_use]
    pub fn as_number(&self) -> Option<&str> {
        match self {
            Self::Number(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Returns the numbers of a list of whole numbers.
    #[must_use]
    pub fn lengths(&self) -> Option<Vec<u64>> {
        let whole = |j: &Self| match j {
            Self::Number(text) => j.as_u64().or_else(|| text.strip_suffix(".0")?.parse().ok()),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::Array(_) | Self::Object(_) => None,
        };
        self.items()?.iter().map(whole).collect()
    }

    /// Returns one line of JSON in netCDF-C's format: `": "`, `", "` between members, `","` between items. Invalid UTF-8 is written
    /// unchanged.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend(b"null"),
            Self::Bool(true) => out.extend(b"true"),
            Self::Bool(false) => out.extend(b"false"),
            Self::Number(text) => out.extend(text.as_bytes()),
            Self::Text(text) => quote(text, out),
            Self::Array(items) => {
                out.push(b'[');
                for (n, item) in items.iter().enumerate() {
                    out.extend(if n > 0 { &b","[..] } else { b"" });
                    item.write(out);
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (n, (key, value)) in members.iter().enumerate() {
                    out.extend(if n > 0 { &b", "[..] } else { b"" });
                    quote(key.as_bytes(), out);
                    out.extend(b": ");
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            8 => out.extend(b"\\b"),
            12 => out.extend(b"\\f"),
            0..0x20 => out.extend(format!("\\u{byte:04x}").into_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn wrong(&self, expected: &str) -> Error {
        let found = self.peek().map_or("the end".to_owned(), |byte| {
            format!("'{}'", byte.escape_ascii())
        });
        let at = self.at;
        let what = format!("not JSON: {found} where {expected} is expected, at byte {at}");
        Error::new(ErrorKind::Corrupt, what)
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Skips blanks and, if it follows, `byte`.
    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn value(&mut self, depth: usize) -> Result<Json> {
        if depth > DEEPEST {
            let what = format!("JSON nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        self.blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::Text),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json> {
        self.at += 1;
        let mut members = Vec::new();
        while !self.take(b'}') {
            if !members.is_empty() {
                self.comma(b'}')?;
            }
            self.blanks();
            let key = String::from_utf8_lossy(&self.string()?).into_owned();
            if !self.take(b':') {
                return Err(self.wrong("':'"));
            }
            members.push((key, self.value(depth + 1)?));
        }
        Ok(Json::Object(members))
    }

    fn array(&mut self, depth: usize) -> Result<Json> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.take(b']') {
            if !items.is_empty() {
                self.comma(b']')?;
            }
            items.push(self.value(depth + 1)?);
        }
        Ok(Json::Array(items))
    }

    /// Skips the comma before another item of a list or object that ends with `end`.
    fn comma(&mut self, end: u8) -> Result<()> {
        let end = char::from(end);
        if !self.take(b',') {
            return Err(self.wrong(&format!("',' or '{end}'")));
        }
        self.blanks();
        if self.peek().map(char::from) == Some(end) {
            let what = format!(
                "not JSON: a comma too many before '{end}', at byte {}",
                self.at
            );
            return Err(Error::new(ErrorKind::Corrupt, what));
        }
        Ok(())
    }

    /// Parses numbers in all spellings, and literal names.
    fn word(&mut self) -> Result<Json> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_');
        let len = rest.iter().take_while(part).count();
        let word = rest.get(..len).unwrap_or_default();
        let text = String::from_utf8_lossy(word).into_owned();
        let value = match word {
            b"null" => Json::Null,
            b"true" => Json::Bool(true),
            b"false" => Json::Bool(false),
            _ if is_number(word) => Json::Number(text),
            _ => return Err(self.wrong("a value")),
        };
        self.at += len;
        Ok(value)
    }

    fn string(&mut self) -> Result<Vec<u8>> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("'\"'"));
        }
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let byte = self.peek().ok_or_else(|| self.wrong("'\"'"))?;
            self.at += 1;
            match byte {
                b'"' => return Ok(out),
                b'\\' => self.escape(&mut out)?,
                _ => out.push(byte),
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let byte = self.peek().ok_or_else(|| self.wrong("an escape"))?;
        self.at += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'u' => {
                let c = self.unicode()?;
                out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => out.push(byte),
        }
        Ok(())
    }

    /// Returns the character after `\u`; unpaired surrogates become U+FFFD.
    fn unicode(&mut self) -> Result<char> {
        let high = self.hex()?;
        let pair = self.text.get(self.at..).unwrap_or_default();
        if !(0xD800..0xDC00).contains(&high) || !pair.starts_with(b"\\u") {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let back = self.at;
        self.at += 2;
        let low = self.hex()?;
        if !(0xDC00..0xE000).contains(&low) {
            self.at = back;
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32> {
        let end = self.at.saturating_add(4);
        let digits = self.text.get(self.at..end).map(<[u8]>::to_ascii_lowercase);
        let text = digits.and_then(|d| String::from_utf8(d).ok());
        let digits = text.filter(|t| t.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|t| u32::from_str_radix(&t, 16).ok());
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits"))?;
        self.at = end;
        Ok(code)
    }
}

/// Checks whether a lenient number parser would accept a spelling.
fn is_number(word: &[u8]) -> bool {
    let unsigned = word.strip_prefix(b"-").or(word.strip_prefix(b"+"));
    let unsigned = unsigned.unwrap_or(word).to_ascii_lowercase();
    let digits = unsigned.strip_prefix(b".").unwrap_or(&unsigned);
    digits.first().is_some_and(u8::is_ascii_digit)
        || matches!(&*unsigned, b"nan" | b"inf" | b"infinity")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) {
        let value = Json::parse(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(value.to_bytes()).unwrap(), text);
    }

    #[test]
    fn lenient_json_round_trips() {
        same(r#"{"a": [1,2.50,-0,1e5], "b": {"c": null, "a": true}, "d": []}"#);
        same(r#"[0.,1.,NaN,-Infinity,01,0x10]"#);
        same(r#""\"\\\n\u0001ü""#);
    }

    #[test]
    fn escapes_are_decoded() {
        let text = Json::parse(br#""\u00e9\ud83d\ude00\ud83d\/""#).unwrap();
        assert_eq!(text.as_str(), Some("é😀\u{fffd}/"));
        assert_eq!(Json::parse(b"\"\xff\"").unwrap(), Json::Text(vec![0xff]));
    }

    #[test]
    fn the_last_duplicate_member_counts() {
        let value = Json::parse(br#" { "a" : 1 , "a" : 2 } "#).unwrap();
        assert_eq!(value.get("a").and_then(Json::as_u64), Some(2));
        assert_eq!(value.members().len(), 2);
    }

    #[test]
    fn invalid_json_is_rejected_with_its_position() {
        for (text, what) in [
            ("[1,", "the end where a value is expected, at byte 3"),
            ("{\"a\" 1}", "'1' where ':' is expected, at byte 5"),
            ("[1 2]", "'2' where ',' or ']' is expected, at byte 3"),
            ("[1, ]", "a comma too many before ']', at byte 4"),
            ("{\"a\":1,}", "a comma too many before '}', at byte 7"),
            ("{,}", "',' where '\"' is expected, at byte 1"),
            ("{} x", "'x' where the end is expected, at byte 3"),
            ("\"a", "the end where '\"' is expected, at byte 2"),
            ("nope", "'n' where a value is expected, at byte 0"),
        ] {
            let e = Json::parse(text.as_bytes()).unwrap_err();
            assert_eq!(e.what(), format!("not JSON: {what}"), "{text}");
        }
        let deep = "[".repeat(100_000);
        let e = Json::parse(deep.as_bytes()).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit);
    }
}
