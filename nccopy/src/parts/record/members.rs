//! Members of JSON objects, and objects in lines.

use std::fmt::Write as _;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::{Between, Json};
use netcdf_core::sum::Digest;

/// The members of an object.
pub(crate) struct RecordMembers<'a>(pub &'a Json);

impl<'a> RecordMembers<'a> {
    pub(crate) fn get(&self, name: &str) -> Result<&'a Json> {
        self.0.get(name).ok_or_else(|| lacks(name))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&'a str> {
        self.get(name)?.as_str().ok_or_else(|| lacks(name))
    }

    pub(crate) fn number(&self, name: &str) -> Result<u64> {
        self.get(name)?.as_u64().ok_or_else(|| lacks(name))
    }

    pub(crate) fn list(&self, name: &str) -> Result<&'a [Json]> {
        self.get(name)?.items().ok_or_else(|| lacks(name))
    }

    pub(crate) fn digest(&self, name: &str) -> Result<Digest> {
        Digest::parse(self.text(name)?.as_bytes()).ok_or_else(|| lacks(name))
    }

    pub(crate) fn truth(&self, name: &str) -> Result<bool> {
        match self.get(name)? {
            Json::Bool(value) => Ok(*value),
            Json::Null | Json::Number(_) | Json::Text(_) | Json::Array(_) | Json::Object(_) => {
                Err(lacks(name))
            }
        }
    }
}

/// Returns files with their states as JSON.
pub(crate) fn files_json(files: &[(String, String)]) -> Json {
    let pair =
        |(name, state): &(String, String)| Json::Array(vec![Json::text(name), Json::text(state)]);
    Json::Array(files.iter().map(pair).collect())
}

/// Returns the files of a member `files`, with their states.
pub(crate) fn files_of(of: &RecordMembers<'_>) -> Result<Vec<(String, String)>> {
    let pair = |json: &Json| match json.items() {
        Some([name, state]) => Some((name.as_str()?.to_owned(), state.as_str()?.to_owned())),
        Some(_) | None => None,
    };
    let pairs: Option<Vec<_>> = of.list("files")?.iter().map(pair).collect();
    pairs.ok_or_else(|| lacks("files"))
}

pub(crate) fn lacks(name: &str) -> Error {
    let what = format!("expected a member `{name}`, as nccopy writes it");
    Error::new(ErrorKind::Corrupt, what)
}

pub(crate) fn utf8(text: Option<&str>) -> Result<&str> {
    let what = "--plan: paths and options must be UTF-8";
    text.ok_or_else(|| Error::new(ErrorKind::Argument, what))
}

/// Returns an object with one line per member and per list item.
pub(crate) fn lines(members: &[(&str, Json)]) -> Result<String> {
    let mut text = String::from("{");
    for (n, (name, value)) in members.iter().enumerate() {
        text.push_str(if n > 0 { ",\n" } else { "\n" });
        let _ = write!(text, "  \"{name}\": ");
        match value.items() {
            Some(items) if !items.is_empty() => {
                let items = items.iter().map(|item| item.line(Between::CommaBlank));
                let items = items.collect::<Result<Vec<_>>>()?;
                let _ = write!(text, "[\n    {}\n  ]", items.join(",\n    "));
            }
            Some(_) | None => text.push_str(&value.line(Between::CommaBlank)?),
        }
    }
    text.push_str("\n}\n");
    Ok(text)
}
