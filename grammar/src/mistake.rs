//! Mistakes in short texts, such as command-line options.

use netcdf_core::shown::{ShownText, is_control, number_agreement};
use pest::RuleType;
use pest::error::{Error, ErrorVariant, InputLocation};

/// A mistake in a one-line text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The byte offset.
    pub at: usize,
    /// The message: expected and actual text.
    pub message: String,
    /// A correction hint.
    pub hint: Option<String>,
    /// Whether the syntax is correct, but the name is unknown.
    pub is_unmatched: bool,
}

impl Mistake {
    /// Returns a mistake without a hint.
    #[must_use]
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: number_agreement(message.into().into()).into_owned(),
            hint: None,
            is_unmatched: false,
        }
    }

    /// Returns the mistake of an unmatched name or pattern.
    #[must_use]
    pub fn unmatched(at: usize, message: impl Into<String>) -> Self {
        Self {
            is_unmatched: true,
            ..Self::new(at, message)
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Returns the message and the hint in one line.
    #[must_use]
    pub fn in_line(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns several lines: the message, the text with a caret below the position, and the hint.
    #[must_use]
    pub fn shown(&self, text: &str) -> String {
        let before = text.get(..self.at).unwrap_or(text);
        let plain = |c: char| if is_control(c) { '\u{fffd}' } else { c };
        let line: String = text.chars().map(plain).collect();
        let indent = " ".repeat(before.chars().count());
        let hint = match &self.hint {
            Some(hint) => format!("\n  hint: {}", ShownText::new(hint)),
            None => String::new(),
        };
        let message = ShownText::new(&self.message);
        format!("{message}\n  {line}\n  {indent}^{hint}")
    }
}

/// Returns the mistake for a text that does not match a grammar. `symbol` names rules in messages.
pub(crate) fn syntax<R: RuleType>(
    e: &Error<R>,
    text: &str,
    symbol: fn(R) -> &'static str,
) -> Mistake {
    let at = place(e);
    let rest = text.get(at..).unwrap_or_default();
    let len = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
        .count();
    let found = match (rest.get(..len).unwrap_or_default(), rest.chars().next()) {
        (_, None) => "the end".to_owned(),
        ("", Some(c)) => format!("`{}`", c.escape_debug()),
        (word, Some(_)) => format!("`{word}`"),
    };
    Mistake::new(
        at,
        format!("expected {}, found {found}", expected(e, symbol)),
    )
}

/// Returns the position at which a text stops matching a grammar.
pub(crate) fn place<R: RuleType>(e: &Error<R>) -> usize {
    match e.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// Returns the expected symbols: `a`, `a or b`, `a, b or c`.
pub(crate) fn expected<R: RuleType>(e: &Error<R>, symbol: fn(R) -> &'static str) -> String {
    let rules = match &e.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { message } => return message.clone(),
    };
    any_of(rules.iter().map(|&rule| symbol(rule)))
}

/// Sorts names and removes duplicates: `a`, `a or b`, `a, b or c`.
pub(crate) fn any_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names.dedup();
    match names.split_last() {
        None => "something else".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_is_below_the_place() {
        let wrong = Mistake::new(3, "odd").with_hint(Some("write x".to_owned()));
        assert_eq!(
            wrong.shown("ä\tx"),
            "odd\n  ä\u{fffd}x\n    ^\n  hint: write x"
        );
    }
}
