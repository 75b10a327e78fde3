//! Parses references in JSON, versions 0 and 1.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};

use super::generated;
use super::members;
use super::table::ReferenceTable;
use super::template::Templates;
use super::urls::Urls;
use crate::bytes::base64;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::io::invalid_entries::{EntryDefect, InvalidEntry};
use crate::io::key;
use crate::io::reference::{Reference, SourceState};
use crate::io::store::MARKERS;
use crate::json::Json;

/// The member with the states of the sources, which other readers ignore.
pub(super) const SOURCES: &str = "netcdf_tools_sources";

/// The prefix of base64 text.
const BASE64: &str = "base64:";

/// The contents of a JSON file.
#[derive(Debug, Default)]
pub(super) struct JsonReferences {
    pub refs: ReferenceTable,
    pub states: BTreeMap<String, SourceState>,
}

/// Parses references. Returns `None` for text that is not JSON, and for JSON without references.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for invalid references, [`ErrorKind::Limit`] for too many, and errors of templates.
pub(super) fn parse(text: &[u8]) -> Result<Option<JsonReferences>> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Ok(None);
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut members = Vec::new();
    let mut add = |name: String, value| {
        members.push((name, value));
        Ok(())
    };
    // A truncated file of references is an error, but most invalid JSON belongs to other formats.
    if let Err(e) = members::each(text, &mut add) {
        let refs = members.iter().any(|(name, _)| name == "refs");
        return if refs { Err(e) } else { Ok(None) };
    }
    match last(&members, "refs") {
        Some(refs) if refs.starts_with('{') => version_1(&members, refs).map(Some),
        _ => version_0(&members),
    }
}

fn last<'t>(members: &[(String, &'t str)], name: &str) -> Option<&'t str> {
    let found = members.iter().rev().find(|(key, _)| key == name);
    found.map(|(_, value)| *value)
}

fn version_1(members: &[(String, &str)], refs: &str) -> Result<JsonReferences> {
    let json = |name| last(members, name).map(|text| Json::parse(text.as_bytes()));
    let json = |name| json(name).transpose().in_object(|| name.to_owned());
    let templates = Templates::new(json("templates")?.as_ref())?;
    let mut out = JsonReferences {
        states: json(SOURCES)?.map(|json| states(&json)).unwrap_or_default(),
        ..JsonReferences::default()
    };
    let mut parser = ValueParser {
        urls: Urls::default(),
        templates: &templates,
    };
    members::each(refs, &mut |key, value| {
        let reference = parser.value(value).in_object(|| key.clone())?;
        insert(&mut out.refs, key, reference)
    })?;
    let Some(entries) = json("gen")? else {
        return Ok(out);
    };
    let urls = &mut parser.urls;
    generated::each(&entries, &templates, &mut |key, made| {
        let url = urls.shared(&made.url);
        let reference = match made.range {
            None => Reference::Whole(url),
            Some((offset, len)) => Reference::Range { url, offset, len },
        };
        insert(&mut out.refs, key, reference)
    })?;
    Ok(out)
}

/// Parses version 0, in which each member is a reference. An object without Zarr metadata is not a file of references.
fn version_0(members: &[(String, &str)]) -> Result<Option<JsonReferences>> {
    let marked = |(name, _): &(String, &str)| {
        let part = name.rsplit('/').next().unwrap_or_default();
        MARKERS.contains(&part)
    };
    if !members.iter().any(marked) {
        return Ok(None);
    }
    let mut out = JsonReferences::default();
    let templates = Templates::default();
    let mut parser = ValueParser {
        urls: Urls::default(),
        templates: &templates,
    };
    for (key, value) in members {
        let reference = parser.value(value).in_object(|| key.clone())?;
        insert(&mut out.refs, key.clone(), reference)?;
    }
    Ok(Some(out))
}

/// Adds a reference. Names that are not keys are skipped, and readers get a note.
fn insert(refs: &mut ReferenceTable, key: String, reference: Reference) -> Result<()> {
    match key::check(&key) {
        Ok(()) => refs.insert(key, reference),
        Err(_) => {
            let entry = InvalidEntry::new(EntryDefect::NoKey, key.as_bytes());
            refs.invalid.add(entry);
            Ok(())
        }
    }
}

/// Returns the states of the sources.
pub(super) fn states(json: &Json) -> BTreeMap<String, SourceState> {
    let state = |(url, json): &(String, Json)| {
        let state = SourceState {
            size: json.get("size")?.as_u64()?,
            state: json
                .get("state")
                .and_then(|state| Some(state.as_str()?.to_owned())),
        };
        Some((url.clone(), state))
    };
    json.members().iter().filter_map(state).collect()
}

/// Parses the values of references.
struct ValueParser<'a> {
    urls: Urls,
    templates: &'a Templates,
}

impl ValueParser<'_> {
    fn value(&mut self, text: &str) -> Result<Reference> {
        match text.bytes().next() {
            Some(b'{') => Ok(Reference::Inline(text.as_bytes().into())),
            Some(b'"') => inline(&parsed::<Cow<'_, str>>(text)?),
            Some(b'[') => self.located(parsed(text)?),
            _ => Err(invalid(text)),
        }
    }

    fn located(&mut self, parts: ReferenceParts<'_>) -> Result<Reference> {
        let Some(url) = parts.url else {
            let e = Error::new(ErrorKind::Unsupported, "a reference without a URL");
            return Err(e.with_remedy("write the URL of the source into the references"));
        };
        let url = self.templates.expand(&url, &[])?;
        let url = self.urls.shared(&url);
        Ok(match parts.range {
            None => Reference::Whole(url),
            Some((offset, len)) => Reference::Range { url, offset, len },
        })
    }
}

fn parsed<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| invalid(text))
}

fn invalid(text: &str) -> Error {
    let short: String = text.chars().take(60).collect();
    let what = format!(
        "not a reference: {short}; expected text, an object, [URL] or [URL, offset, length]"
    );
    Error::new(ErrorKind::Corrupt, what)
}

/// Returns inline bytes: text, or base64 after a prefix.
fn inline(text: &str) -> Result<Reference> {
    let bytes = match text.strip_prefix(BASE64) {
        None => return Ok(Reference::Inline(text.as_bytes().into())),
        Some(text) => base64::decode(text.as_bytes()),
    };
    let wrong = || Error::new(ErrorKind::Corrupt, "the text after `base64:` is not base64");
    Ok(Reference::Inline(bytes.ok_or_else(wrong)?.into()))
}

/// The parts of a reference to a source.
struct ReferenceParts<'t> {
    url: Option<Cow<'t, str>>,
    range: Option<(u64, u64)>,
}

impl<'t> Deserialize<'t> for ReferenceParts<'t> {
    fn deserialize<D: Deserializer<'t>>(parser: D) -> std::result::Result<Self, D::Error> {
        parser.deserialize_seq(ReferencePartsVisitor)
    }
}

struct ReferencePartsVisitor;

impl<'t> Visitor<'t> for ReferencePartsVisitor {
    type Value = ReferenceParts<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[URL] or [URL, offset, length]")
    }

    fn visit_seq<A: SeqAccess<'t>>(
        self,
        mut items: A,
    ) -> std::result::Result<ReferenceParts<'t>, A::Error> {
        let url = items.next_element::<OptionalUrl<'t>>()?;
        let url = url.ok_or_else(|| A::Error::custom("no URL"))?;
        let range = match items.next_element::<u64>()? {
            None => None,
            Some(offset) => {
                let len = items.next_element::<u64>()?;
                let len = len.ok_or_else(|| A::Error::custom("no length"))?;
                Some((offset, len))
            }
        };
        Ok(ReferenceParts { url: url.0, range })
    }
}

/// A URL, borrowed from the text if the text has no escapes.
struct OptionalUrl<'t>(Option<Cow<'t, str>>);

impl<'t> Deserialize<'t> for OptionalUrl<'t> {
    fn deserialize<D: Deserializer<'t>>(parser: D) -> std::result::Result<Self, D::Error> {
        parser.deserialize_any(OptionalUrlVisitor)
    }
}

struct OptionalUrlVisitor;

impl<'t> Visitor<'t> for OptionalUrlVisitor {
    type Value = OptionalUrl<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a URL or null")
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> std::result::Result<OptionalUrl<'t>, E> {
        Ok(OptionalUrl(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<OptionalUrl<'t>, E> {
        Ok(OptionalUrl(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_unit<E>(self) -> std::result::Result<OptionalUrl<'t>, E> {
        Ok(OptionalUrl(None))
    }
}
