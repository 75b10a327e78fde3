//! Templates in URLs: `{{name}}`, `{{name(x='text')}}` and `{{(i + 1) * 1000}}`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::expression::{Expression, TemplateScope, TemplateValue, TemplateVariable};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Json;

/// The maximum length of an expanded text in bytes.
const LONGEST: usize = 64 << 10;

/// The maximum nesting depth of templates.
const DEEPEST: u32 = 16;

/// The maximum number of expansions for a file. Templates that use others several times would take very long.
const MOST_STEPS: u64 = 200_000_000;

/// The templates of a file.
#[derive(Debug, Default)]
pub(super) struct Templates {
    texts: BTreeMap<String, String>,
    /// The number of expansions so far.
    steps: AtomicU64,
}

impl Templates {
    /// Returns the templates of a JSON object.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for a template that is not text.
    pub(super) fn new(json: Option<&Json>) -> Result<Self> {
        let mut all = BTreeMap::new();
        for (name, value) in json.map_or(&[][..], Json::members) {
            let text = value.as_str().ok_or_else(|| {
                let what = format!("the template {name} is not text");
                Error::new(ErrorKind::Corrupt, what)
            })?;
            all.insert(name.clone(), text.to_owned());
        }
        Ok(Self {
            texts: all,
            steps: AtomicU64::new(0),
        })
    }

    /// Expands the expressions in a text. Variables take precedence over templates.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for unknown names and invalid expressions, and [`ErrorKind::Limit`] for long results and deep
    /// nesting.
    pub(super) fn expand<'t>(
        &self,
        text: &'t str,
        variables: &[TemplateVariable],
    ) -> Result<Cow<'t, str>> {
        match text.contains("{{") {
            false => Ok(Cow::Borrowed(text)),
            true => self.expanded(text, variables, 0).map(Cow::Owned),
        }
    }

    fn expanded(&self, text: &str, variables: &[TemplateVariable], depth: u32) -> Result<String> {
        if depth > DEEPEST {
            let what = format!("templates nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let cost = text.len() as u64 / 64 + 1;
        if self.steps.fetch_add(cost, Ordering::Relaxed) > MOST_STEPS {
            let what = format!("templates take more than {MOST_STEPS} expansions");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((expression, behind)) = after.split_once("}}") else {
                return Err(wrong(text, "`}}` is missing"));
            };
            let scope = NestedTemplate {
                templates: self,
                variables,
                depth,
            };
            let value = Expression::new(expression).value(&scope);
            let value = value.map_err(|e| e.within(&format!("the template {text}")))?;
            append(&mut out, before)?;
            append(&mut out, &value.text())?;
            rest = behind;
        }
        append(&mut out, rest)?;
        Ok(out)
    }
}

fn append(out: &mut String, text: &str) -> Result<()> {
    if out.len() + text.len() > LONGEST {
        let what = format!("a template expands to more than {LONGEST} bytes");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    out.push_str(text);
    Ok(())
}

fn wrong(text: &str, why: &str) -> Error {
    let what = format!("invalid template {text}: {why}");
    Error::new(ErrorKind::Corrupt, what)
}

/// The names in an expression of a template.
struct NestedTemplate<'a> {
    templates: &'a Templates,
    variables: &'a [TemplateVariable],
    depth: u32,
}

impl TemplateScope for NestedTemplate<'_> {
    fn value(&self, name: &str, arguments: &[TemplateVariable]) -> Result<TemplateValue> {
        if let Some((_, value)) = self.variables.iter().find(|(known, _)| known == name) {
            return Ok(value.clone());
        }
        let Some(text) = self.templates.texts.get(name) else {
            let what = format!("unknown name {name}");
            return Err(Error::new(ErrorKind::Corrupt, what));
        };
        let variables = match arguments {
            [] => self.variables,
            arguments => arguments,
        };
        let depth = self.depth + 1;
        let text = self.templates.expanded(text, variables, depth)?;
        Ok(TemplateValue::Text(text))
    }
}
