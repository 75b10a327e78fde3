//! Generated references: the member `gen` of version 1, which describes many references by expressions.

use super::expression::{TemplateValue, TemplateVariable};
use super::template::Templates;
use crate::arithmetic::Amount;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::json::Json;

/// The maximum number of generated references in a file.
const MAX_GENERATED: u64 = 4 << 20;

/// The maximum size of generated keys and URLs in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// A generated reference.
#[derive(Debug)]
pub(super) struct GeneratedReference {
    pub url: String,
    /// The offset and the length.
    pub range: Option<(u64, u64)>,
}

/// A visitor of keys and generated references.
type VisitGenerated<'v> = &'v mut dyn FnMut(String, GeneratedReference) -> Result<()>;

/// Visits the references of all entries.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for invalid entries, [`ErrorKind::Limit`] for too many references, and errors of `visit`.
pub(super) fn each(json: &Json, templates: &Templates, visit: VisitGenerated<'_>) -> Result<()> {
    let entries = json.items().ok_or_else(|| wrong("not a list"))?;
    let (mut count, mut bytes) = (Amount::of(0u64), Amount::of(0u64));
    for entry in entries {
        let entry = GeneratedEntry::new(entry)?;
        count = count + entry.count();
        if count.get() > MAX_GENERATED {
            return Err(limit(format!("more than {MAX_GENERATED} references")));
        }
        entry.each(templates, &mut |key, made| {
            bytes = bytes + key.len() + made.url.len();
            if bytes.get() > MAX_TEXT {
                return Err(limit(format!("texts of more than {MAX_TEXT} bytes")));
            }
            visit(key, made)
        })?;
    }
    Ok(())
}

fn wrong(what: &str) -> Error {
    Error::new(ErrorKind::Corrupt, format!("invalid `gen`: {what}"))
}

fn limit(what: String) -> Error {
    Error::new(ErrorKind::Limit, format!("`gen` generates {what}"))
}

/// An entry of `gen`.
struct GeneratedEntry<'j> {
    key: &'j str,
    url: &'j str,
    range: Option<(String, String)>,
    dimensions: Vec<(&'j str, GeneratedDimension)>,
}

/// The values of a dimension.
enum GeneratedDimension {
    List(Vec<TemplateValue>),
    Range { start: i64, step: i64, count: u64 },
}

impl GeneratedDimension {
    fn count(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            Self::Range { count, .. } => *count,
        }
    }

    fn value(&self, n: u64) -> Option<TemplateValue> {
        match self {
            Self::List(values) => values.get(usize::try_from(n).ok()?).cloned(),
            Self::Range { start, step, .. } => {
                let n = i64::try_from(n).ok()?;
                let value = step.checked_mul(n)?.checked_add(*start)?;
                Some(TemplateValue::Number(value))
            }
        }
    }

    fn new(json: &Json) -> Result<Self> {
        if let Some(items) = json.items() {
            let values = items.iter().map(value).collect::<Option<_>>();
            return values.map(Self::List).ok_or_else(|| wrong("dimensions"));
        }
        let number = |name: &str, default: Option<i64>| {
            let found = json.get(name).map(|json| json.as_number()?.parse().ok());
            found.unwrap_or(default).ok_or_else(|| wrong("dimensions"))
        };
        let (start, stop) = (number("start", Some(0))?, number("stop", None)?);
        let step: i64 = number("step", Some(1))?;
        let ascends = if step > 0 { stop > start } else { stop < start };
        let span = if ascends { stop.abs_diff(start) } else { 0 };
        let count = span.div_ceil(step.unsigned_abs().max(1));
        match step {
            0 => Err(wrong("a step of 0")),
            _ => Ok(Self::Range { start, step, count }),
        }
    }
}

fn value(json: &Json) -> Option<TemplateValue> {
    match json.as_number() {
        Some(number) => number.parse().ok().map(TemplateValue::Number),
        None => Some(TemplateValue::Text(json.as_str()?.to_owned())),
    }
}

impl<'j> GeneratedEntry<'j> {
    fn new(json: &'j Json) -> Result<Self> {
        let text = |name: &str| json.get(name).and_then(Json::as_str);
        let number = |name: &str| {
            let value = json.get(name)?;
            let text = value.as_number().or_else(|| value.as_str());
            text.map(str::to_owned)
        };
        let range = match (number("offset"), number("length")) {
            (Some(offset), Some(len)) => Some((offset, len)),
            (None, None) => None,
            _ => return Err(wrong("an entry has only one of offset and length")),
        };
        let dimensions = json.get("dimensions").map_or(&[][..], Json::members);
        let dimensions = dimensions
            .iter()
            .map(|(name, json)| Ok((name.as_str(), GeneratedDimension::new(json)?)));
        Ok(Self {
            key: text("key").ok_or_else(|| wrong("an entry without key"))?,
            url: text("url").ok_or_else(|| wrong("an entry without url"))?,
            range,
            dimensions: dimensions.collect::<Result<_>>()?,
        })
    }

    fn count(&self) -> u64 {
        let counts = self.dimensions.iter().map(|(_, d)| d.count());
        Amount::product(&counts.collect::<Vec<_>>()).get()
    }

    fn each(&self, templates: &Templates, visit: VisitGenerated<'_>) -> Result<()> {
        for n in 0..self.count() {
            let variables = self.variables(n)?;
            let text = |text: &str| templates.expand(text, &variables).map(String::from);
            let number = |of: &str| text(of)?.trim().parse().map_err(|_| wrong(of));
            let key = text(self.key)?;
            let range = match &self.range {
                None => None,
                Some((offset, len)) => Some((number(offset)?, number(len)?)),
            };
            let url = text(self.url)?;
            visit(key, GeneratedReference { url, range })
                .in_object(|| format!("gen {}", self.key))?;
        }
        Ok(())
    }

    /// Returns the variables of a combination. The last dimension varies fastest.
    fn variables(&self, n: u64) -> Result<Vec<TemplateVariable>> {
        let mut rest = n;
        let mut variables = vec![];
        for (name, dimension) in self.dimensions.iter().rev() {
            let count = dimension.count().max(1);
            let value = dimension.value(rest % count);
            let value = value.ok_or_else(|| wrong("a number exceeds 2^63"))?;
            variables.push(((*name).to_owned(), value));
            rest /= count;
        }
        Ok(variables)
    }
}
