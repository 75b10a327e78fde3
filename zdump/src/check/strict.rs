//! Checks whether Python's reader, and therefore zarr-python, accepts a JSON text. Our reader accepts more, because netCDF-C sometimes
//! writes invalid JSON.
//!
//! `serde_json` is not suitable. It rejects `NaN`, which occurs in stores and which Python's reader accepts. It reports line and column
//! instead of a byte offset.
//!
//! Specification: RFC 8259, with the words `NaN`, `Infinity` and `-Infinity`, which Python reads and writes.

use std::collections::HashSet;

use netcdf_core::json::Json;

/// Maximum nesting of values. The lenient reader has rejected deeper values.
const DEEPEST: usize = 256;

/// The first mistake in a JSON text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StrictMistake {
    /// The byte offset.
    pub at: usize,
    /// The description.
    pub what: String,
}

/// Checks a text that the lenient reader accepted.
///
/// # Errors
/// Returns the first mistake.
pub(super) fn strict(text: &[u8]) -> Result<(), StrictMistake> {
    if let Err(e) = std::str::from_utf8(text) {
        let what = "bytes that are not UTF-8".to_owned();
        let at = e.valid_up_to();
        return Err(StrictMistake { at, what });
    }
    let mut reader = StrictReader { text, at: 0 };
    reader.value(0)?;
    reader.blanks();
    match reader.peek() {
        None => Ok(()),
        Some(_) => Err(reader.mistake("more text after the value")),
    }
}

/// Returns the paths of duplicate members.
pub(super) fn duplicates(json: &Json) -> Vec<String> {
    let mut found = vec![];
    collect(json, "", &mut found, 0);
    found
}

fn collect(json: &Json, path: &str, found: &mut Vec<String>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    let mut seen = HashSet::new();
    for (name, value) in json.members() {
        let path = format!("{path}/{name}");
        collect(value, &path, found, depth + 1);
        if !seen.insert(name) {
            found.push(path);
        }
    }
    for (n, value) in json.items().unwrap_or_default().iter().enumerate() {
        if matches!(value, Json::Object(_) | Json::Array(_)) {
            collect(value, &format!("{path}/{n}"), found, depth + 1);
        }
    }
}

struct StrictReader<'t> {
    text: &'t [u8],
    at: usize,
}

type StrictResult = Result<(), StrictMistake>;

impl StrictReader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn mistake(&self, what: impl Into<String>) -> StrictMistake {
        let (at, what) = (self.at, what.into());
        StrictMistake { at, what }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips blanks, and `byte` if it follows.
    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn value(&mut self, depth: usize) -> StrictResult {
        if depth > DEEPEST {
            return Err(self.mistake("values nested too deeply"));
        }
        self.blanks();
        match self.peek() {
            Some(b'{') => self.list(b'}', depth, true),
            Some(b'[') => self.list(b']', depth, false),
            Some(b'"') => self.string(),
            Some(_) | None => self.word(),
        }
    }

    /// Checks an object or a list.
    fn list(&mut self, end: u8, depth: usize, members: bool) -> StrictResult {
        self.at += 1;
        if self.take(end) {
            return Ok(());
        }
        loop {
            if members {
                self.blanks();
                self.string()?;
                if !self.take(b':') {
                    return Err(self.mistake("no ':' after the name of a member"));
                }
            }
            self.value(depth + 1)?;
            if self.take(end) {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.mistake("no ',' between values"));
            }
        }
    }

    fn word(&mut self) -> StrictResult {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_');
        let len = rest.iter().take_while(part).count();
        let word = rest.get(..len).unwrap_or_default();
        let known: [&[u8]; 6] = [
            b"null",
            b"true",
            b"false",
            b"NaN",
            b"Infinity",
            b"-Infinity",
        ];
        if !known.contains(&word) && !is_number(word) {
            let word = String::from_utf8_lossy(word).into_owned();
            return Err(self.mistake(match word.as_str() {
                "" => "no JSON value".to_owned(),
                word => format!("{word}, which is not a JSON value"),
            }));
        }
        self.at += len;
        Ok(())
    }

    fn string(&mut self) -> StrictResult {
        if !self.take(b'"') {
            return Err(self.mistake("no string where one is required"));
        }
        loop {
            match self.peek() {
                None => return Err(self.mistake("a string without a closing quote")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(0..0x20) => return Err(self.mistake("a control character in a string")),
                Some(b'\\') => self.escape()?,
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> StrictResult {
        let after = self.text.get(self.at + 1).copied();
        let len = match after {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => 6,
            Some(_) | None => return Err(self.mistake("an escape that JSON does not have")),
        };
        let digits = self.text.get(self.at + 2..self.at + len);
        if !digits.is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit)) {
            return Err(self.mistake("\\u without four hexadecimal digits"));
        }
        self.at += len;
        Ok(())
    }
}

/// Checks a number: `-`, digits without a leading zero, `.` and digits, `e` and digits.
fn is_number(word: &[u8]) -> bool {
    let digits = |b: &[u8]| !b.is_empty() && b.iter().all(u8::is_ascii_digit);
    let word = word.strip_prefix(b"-").unwrap_or(word);
    let exponent = word.iter().position(|b| matches!(b, b'e' | b'E'));
    let (word, exponent) = match exponent.and_then(|at| word.split_at_checked(at)) {
        None => (word, None),
        Some((word, exponent)) => (word, exponent.get(1..)),
    };
    let signed = |e: &[u8]| {
        let sign = e.strip_prefix(b"-").or(e.strip_prefix(b"+"));
        digits(sign.unwrap_or(e))
    };
    let point = word.iter().position(|b| *b == b'.');
    let (whole, part) = match point.and_then(|at| word.split_at_checked(at)) {
        None => (word, None),
        Some((whole, part)) => (whole, part.get(1..)),
    };
    digits(whole)
        && (whole == b"0" || !whole.starts_with(b"0"))
        && part.is_none_or(digits)
        && exponent.is_none_or(signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_reads_is_strict() {
        for text in [
            r#" {"a": [1, -2.5, 0, 1e5, 1.5E-3, 0.0], "b": {}, "c": [null,true,false] } "#,
            r#"[NaN,Infinity,-Infinity]"#,
            r#""\"\\\/\b\f\n\r\t\u00e9ü""#,
        ] {
            assert_eq!(strict(text.as_bytes()), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_python_refuses_is_not() {
        for (text, at, what) in [
            (&b"[0.,1]"[..], 1, "0., which"),
            (b"[01]", 1, "01, which"),
            (b"[0x10]", 1, "0x10, which"),
            (b"[.5]", 1, ".5, which"),
            (b"[+1]", 1, "+1, which"),
            (b"[1e]", 1, "1e, which"),
            (b"[nan]", 1, "nan, which"),
            (b"[-NaN]", 1, "-NaN, which"),
            (b"\"a\nb\"", 2, "control character"),
            (b"\"\\q\"", 1, "escape"),
            (b"\"\\u12\"", 1, "four hexadecimal"),
            (b"\"\xff\"", 1, "UTF-8"),
            (b"[1,]", 3, "no JSON value"),
            (b"\x0c1", 0, "no JSON value"),
            (b"[1 2]", 3, "no ','"),
            (b"{\"a\" 1}", 5, "no ':'"),
            (b"1 x", 2, "after the value"),
        ] {
            let mistake = strict(text).unwrap_err();
            assert_eq!(mistake.at, at, "{mistake:?}");
            assert!(mistake.what.contains(what), "{mistake:?}");
        }
        assert!(strict("[".repeat(100_000).as_bytes()).is_err());
    }

    #[test]
    fn members_that_come_twice_are_found() {
        let json = Json::parse(br#"{"a":1,"b":[{"c":1,"c":2,"d":1}],"a":{}}"#).unwrap();
        assert_eq!(duplicates(&json), ["/b/0/c", "/a"]);
    }
}
