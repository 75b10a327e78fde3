//! Detects the form of bytes, and formats JSON for people.

use netcdf_core::json::Json;
use netcdf_core::shown::{is_control, json as escaped};

/// Maximum characters of a list on one line.
const WIDTH: usize = 100;

/// The form of a key's bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BytesForm {
    /// An object or a list. For metadata, any JSON.
    Json(Json),
    /// Text without control characters other than newlines and tabs.
    Text(String),
    /// Anything else.
    Bytes,
}

impl BytesForm {
    /// Detects the form of bytes.
    pub(super) fn of(bytes: &[u8], metadata: bool) -> Self {
        let starts = bytes.iter().find(|b| !b.is_ascii_whitespace());
        if (metadata || matches!(starts, Some(b'{' | b'[')))
            && let Ok(json) = Json::parse(bytes)
        {
            return Self::Json(json);
        }
        let odd = |c: char| is_control(c) && !matches!(c, '\n' | '\r' | '\t');
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.is_empty() && !text.contains(odd) => Self::Text(text.to_owned()),
            Ok(_) | Err(_) => Self::Bytes,
        }
    }
}

/// Formats JSON over several lines: members in their original order, including duplicates, and numbers as written.
pub(super) fn pretty(json: &Json) -> String {
    let mut out = String::new();
    write(json, 0, &mut out);
    out
}

fn write(json: &Json, depth: usize, out: &mut String) {
    let simple = |item: &Json| !matches!(item, Json::Array(_) | Json::Object(_));
    match json {
        Json::Array(items) if !items.is_empty() => {
            let line = one_line(items).filter(|line| {
                items.iter().all(simple) && line.len().saturating_add(2 * depth) <= WIDTH
            });
            match line {
                Some(line) => out.push_str(&line),
                None => {
                    let items = items.iter().map(|item| (None, item));
                    lines(('[', ']'), items, depth, out);
                }
            }
        }
        Json::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(key, value)| (Some(key), value));
            lines(('{', '}'), members, depth, out);
        }
        Json::Null
        | Json::Bool(_)
        | Json::Number(_)
        | Json::Text(_)
        | Json::Array(_)
        | Json::Object(_) => out.push_str(&plain(json)),
    }
}

/// Formats a list on one line. Returns `None` if it would be too long.
fn one_line(items: &[Json]) -> Option<String> {
    if items.len() > WIDTH {
        return None;
    }
    let items: Vec<_> = items.iter().map(plain).collect();
    Some(format!("[{}]", items.join(", ")))
}

fn lines<'j>(
    (open, close): (char, char),
    items: impl Iterator<Item = (Option<&'j String>, &'j Json)>,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    for (n, (key, value)) in items.enumerate() {
        out.push_str(if n > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            out.push_str(&plain(&Json::text(key)));
            out.push_str(": ");
        }
        write(value, depth + 1, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(close);
}

/// Formats JSON on one line, without characters that control a terminal.
fn plain(json: &Json) -> String {
    let text = json.to_bytes();
    let text = String::from_utf8_lossy(&text);
    escaped(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Json {
        Json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn json_is_shown_in_lines() {
        let json = parsed(
            r#"{"b": 1.50, "a": [1,2.0,"x"], "b": NaN, "e": {}, "l": [], "o": [{"id": "zlib"}], "t": "\u009b\n"}"#,
        );
        let want = r#"{
  "b": 1.50,
  "a": [1, 2.0, "x"],
  "b": NaN,
  "e": {},
  "l": [],
  "o": [
    {
      "id": "zlib"
    }
  ],
  "t": "\u009b\n"
}"#;
        assert_eq!(pretty(&json), want);
        assert_eq!(pretty(&parsed(want)), want);
        let long = format!("[{}1]", "1,".repeat(99));
        assert_eq!(pretty(&parsed(&long)).lines().count(), 102);
    }

    #[test]
    fn bytes_are_recognised() {
        assert_eq!(BytesForm::of(b"3", true), BytesForm::Json(Json::int(3)));
        assert_eq!(BytesForm::of(b"3", false), BytesForm::Text("3".to_owned()));
        assert!(matches!(BytesForm::of(b" [1]", false), BytesForm::Json(_)));
        assert!(matches!(
            BytesForm::of(b"{oh dear", true),
            BytesForm::Text(_)
        ));
        assert_eq!(BytesForm::of(b"a\nb\t\x1b[0m", false), BytesForm::Bytes);
        assert_eq!(BytesForm::of(b"\xff", true), BytesForm::Bytes);
        assert_eq!(BytesForm::of(b"", false), BytesForm::Bytes);
    }
}
