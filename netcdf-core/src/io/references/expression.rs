//! Expressions in templates: the subset of Jinja that Kerchunk's specification shows. Names, whole numbers, texts, calls with named
//! arguments, `+ - * // %` and parentheses.

use crate::error::{Error, ErrorKind, Result};

/// The maximum nesting depth of parentheses.
const DEEPEST: u32 = 32;

/// A variable of an expression.
pub(super) type TemplateVariable = (String, TemplateValue);

/// The names that an expression can use.
pub(super) trait TemplateScope {
    /// Returns the value of a name. `arguments` are the variables of a template that is called.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for an unknown name, and errors of expanding a template.
    fn value(&self, name: &str, arguments: &[TemplateVariable]) -> Result<TemplateValue>;
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TemplateValue {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl TemplateValue {
    /// The value as text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Number(n) => n.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// A parser that evaluates an expression.
pub(super) struct Expression<'t> {
    rest: &'t str,
    depth: u32,
}

impl<'t> Expression<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            depth: 0,
        }
    }

    /// Evaluates the whole text.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`] for invalid expressions, and errors of [`TemplateScope::value`].
    pub(super) fn value(mut self, scope: &dyn TemplateScope) -> Result<TemplateValue> {
        let value = self.sum(scope)?;
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.wrong()),
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Skips `text` if it follows.
    fn take(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn wrong(&self) -> Error {
        let short: String = self.rest.chars().take(40).collect();
        let what = format!("cannot evaluate an expression at `{short}`");
        Error::new(ErrorKind::Corrupt, what)
    }

    fn sum(&mut self, scope: &dyn TemplateScope) -> Result<TemplateValue> {
        let mut left = self.product(scope)?;
        loop {
            let step: fn(i64, i64) -> Option<i64> = if self.take("+") {
                i64::checked_add
            } else if self.take("-") {
                i64::checked_sub
            } else {
                return Ok(left);
            };
            let right = self.product(scope)?;
            left = combined(&left, &right, step)?;
        }
    }

    fn product(&mut self, scope: &dyn TemplateScope) -> Result<TemplateValue> {
        let mut left = self.atom(scope)?;
        loop {
            let step: fn(i64, i64) -> Option<i64> = if self.take("*") {
                i64::checked_mul
            } else if self.take("//") {
                i64::checked_div_euclid
            } else if self.take("%") {
                i64::checked_rem_euclid
            } else {
                return Ok(left);
            };
            let right = self.atom(scope)?;
            left = combined(&left, &right, step)?;
        }
    }

    fn atom(&mut self, scope: &dyn TemplateScope) -> Result<TemplateValue> {
        match self.peek() {
            Some('(') => self.parentheses(scope),
            Some('-') => {
                self.take("-");
                let value = self.nested(scope, Self::atom)?;
                combined(&TemplateValue::Number(0), &value, i64::checked_sub)
            }
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(c) if c.is_ascii_digit() => {
                let digits = self.word(|c| c.is_ascii_digit());
                let number = digits.parse().map_err(|_| overflow())?;
                Ok(TemplateValue::Number(number))
            }
            Some(c) if is_name(c) => self.name(scope),
            _ => Err(self.wrong()),
        }
    }

    /// Evaluates a part that may nest.
    fn nested(
        &mut self,
        scope: &dyn TemplateScope,
        part: fn(&mut Self, &dyn TemplateScope) -> Result<TemplateValue>,
    ) -> Result<TemplateValue> {
        if self.depth >= DEEPEST {
            let what = format!("an expression nested more than {DEEPEST} deep");
            return Err(Error::new(ErrorKind::Limit, what));
        }
        self.depth += 1;
        let value = part(self, scope);
        self.depth -= 1;
        value
    }

    fn parentheses(&mut self, scope: &dyn TemplateScope) -> Result<TemplateValue> {
        self.take("(");
        let value = self.nested(scope, Self::sum)?;
        match self.take(")") {
            true => Ok(value),
            false => Err(self.wrong()),
        }
    }

    fn quoted(&mut self, quote: char) -> Result<TemplateValue> {
        let rest = self.rest.strip_prefix(quote).unwrap_or_default();
        let Some((text, rest)) = rest.split_once(quote).filter(|(t, _)| !t.contains('\\')) else {
            return Err(self.wrong());
        };
        self.rest = rest;
        Ok(TemplateValue::Text(text.to_owned()))
    }

    fn word(&mut self, belongs: fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn name(&mut self, scope: &dyn TemplateScope) -> Result<TemplateValue> {
        let name = self.word(|c| is_name(c) || c.is_ascii_digit());
        let mut arguments: Vec<TemplateVariable> = vec![];
        if !self.take("(") {
            return scope.value(name, &arguments);
        }
        while !self.take(")") {
            if !arguments.is_empty() && !self.take(",") {
                return Err(self.wrong());
            }
            self.peek();
            let argument = self.word(|c| is_name(c) || c.is_ascii_digit()).to_owned();
            if argument.is_empty() || !self.take("=") {
                return Err(self.wrong());
            }
            let value = self.nested(scope, Self::sum)?;
            arguments.push((argument, value));
        }
        scope.value(name, &arguments)
    }
}

fn is_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn overflow() -> Error {
    Error::new(ErrorKind::Corrupt, "a number exceeds 2^63")
}

/// Combines two numbers.
fn combined(
    left: &TemplateValue,
    right: &TemplateValue,
    step: fn(i64, i64) -> Option<i64>,
) -> Result<TemplateValue> {
    match (left, right) {
        (TemplateValue::Number(left), TemplateValue::Number(right)) => {
            let number = step(*left, *right).ok_or_else(overflow)?;
            Ok(TemplateValue::Number(number))
        }
        _ => {
            let what = "an expression calculates with text";
            Err(Error::new(ErrorKind::Corrupt, what))
        }
    }
}
