//! Declarations: text to syntax, one piece at a time.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::Pair;
use pest_derive::Parser;

use super::ast::{Attribute, Dimension, Field, Type, TypeBody, Variables, Word};
use super::split::continues_name;
use crate::mistake::any_of;

/// pest's parser; its rules have no documentation of their own, `cdl.pest` has it.
#[allow(missing_docs, reason = "the derived rules cannot have documentation")]
mod rules {
    use super::Parser;

    #[derive(Parser)]
    #[grammar = "cdl/cdl.pest"]
    pub(super) struct Cdl;
}

use rules::{Cdl, Rule};

/// A text that is no declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Position in the piece in bytes.
    pub at: usize,
    /// What was found and what was expected.
    pub message: String,
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// `lat = 4, time = UNLIMITED`
///
/// # Errors
/// If the text is not such a declaration.
pub fn dimensions(text: &str) -> Result<Vec<Dimension<'_>>> {
    let pairs = parse(Rule::dimensions, text)?;
    Ok(pairs
        .filter(|p| p.as_rule() == Rule::dimension)
        .map(dimension)
        .collect())
}

fn dimension(pair: Pair<'_, Rule>) -> Dimension<'_> {
    let mut words = words(pair);
    let name = words.next().unwrap_or(NOTHING);
    Dimension {
        name,
        size: words.next(),
    }
}

/// Types; a `;` between them may be missing.
///
/// # Errors
/// If the text is not such a declaration.
pub fn types(text: &str) -> Result<Vec<Type<'_>>> {
    Ok(parse(Rule::types, text)?
        .filter_map(type_declaration)
        .collect())
}

fn type_declaration(pair: Pair<'_, Rule>) -> Option<Type<'_>> {
    let rule = pair.as_rule();
    if rule == Rule::compound {
        return Some(compound(pair));
    }
    let members = pair
        .clone()
        .into_inner()
        .filter(|p| p.as_rule() == Rule::member);
    let members: Vec<_> = members
        .map(words)
        .filter_map(|mut w| w.next().zip(w.next()))
        .collect();
    let (first, name) = {
        let mut words = words(pair);
        (words.next()?, words.next()?)
    };
    let body = match rule {
        Rule::enumeration => TypeBody::Enum {
            base: first,
            members,
        },
        Rule::opaque => TypeBody::Opaque(first),
        Rule::vlen => TypeBody::Vlen(first),
        _ => return None,
    };
    Some(Type { name, body })
}

fn compound(pair: Pair<'_, Rule>) -> Type<'_> {
    let name = words(pair.clone()).next().unwrap_or(NOTHING);
    let mut fields = vec![];
    for line in pair.into_inner().filter(|p| p.as_rule() == Rule::fields) {
        let ty = words(line.clone()).next().unwrap_or(NOTHING);
        for field in line.into_inner().filter(|p| p.as_rule() == Rule::field) {
            let mut words = words(field);
            let name = words.next().unwrap_or(NOTHING);
            fields.push(Field {
                ty,
                name,
                dims: words.collect(),
            });
        }
    }
    Type {
        name,
        body: TypeBody::Compound(fields),
    }
}

/// `float t(time, lat), p(time)`
///
/// # Errors
/// If the text is not such a declaration.
pub fn variables(text: &str) -> Result<Variables<'_>> {
    let mut pairs = parse(Rule::variables, text)?;
    let ty = pairs.next().map_or(NOTHING, |p| word(&p));
    let variable = |pair| {
        let mut words = words(pair);
        (words.next().unwrap_or(NOTHING), words.collect())
    };
    let names = pairs
        .filter(|p| p.as_rule() == Rule::variable)
        .map(variable)
        .collect();
    Ok(Variables { ty, names })
}

/// `t:units =`; the values are not part of the text.
///
/// # Errors
/// If the text is not such a declaration.
pub fn attribute(text: &str) -> Result<Attribute<'_>> {
    match plain_attribute(text) {
        Some(found) => Ok(found),
        None => any_attribute(text),
    }
}

/// `variable:name =` with names of ASCII letters: what nearly all attributes look like. Files have so many of them that
/// the grammar would take most of the time.
fn plain_attribute(text: &str) -> Option<Attribute<'_>> {
    let (prefix, rest) = text.split_once(':')?;
    let rest = rest.strip_suffix('=')?;
    let name = plain_name(rest, prefix.len() + 1)?;
    let prefix = match prefix.trim_ascii() {
        "" => vec![],
        _ => vec![plain_name(prefix, 0)?],
    };
    Some(Attribute { prefix, name })
}

/// The name that `text` is, apart from blanks around it.
fn plain_name(text: &str, at: usize) -> Option<Word<'_>> {
    let blanks = text.len() - text.trim_ascii_start().len();
    let text = text.trim_ascii();
    let (first, rest) = text.as_bytes().split_first()?;
    let plain = first.is_ascii_alphabetic() || *first == b'_';
    let plain = plain
        && rest
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b"_.@+-".contains(b));
    plain.then_some(Word {
        text,
        at: at + blanks,
    })
}

fn any_attribute(text: &str) -> Result<Attribute<'_>> {
    let (prefix, name) = (Vec::with_capacity(2), NOTHING);
    let mut found = Attribute { prefix, name };
    for pair in parse(Rule::attribute, text)? {
        match pair.as_rule() {
            Rule::path => found.prefix.push(word(&pair)),
            Rule::name => found.name = word(&pair),
            _ => {}
        }
    }
    Ok(found)
}

/// A group's name.
///
/// # Errors
/// If the text is something else.
pub fn group(text: &str) -> Result<Word<'_>> {
    Ok(parse(Rule::group, text)?
        .next()
        .map_or(NOTHING, |p| word(&p)))
}

/// The variable that data are for.
///
/// # Errors
/// If the text is something else.
pub fn data(text: &str) -> Result<Word<'_>> {
    match plain_name(text, 0) {
        Some(found) => Ok(found),
        None => any_data(text),
    }
}

fn any_data(text: &str) -> Result<Word<'_>> {
    Ok(parse(Rule::data, text)?
        .next()
        .map_or(NOTHING, |p| word(&p)))
}

const NOTHING: Word<'static> = Word { text: "", at: 0 };

fn word<'t>(pair: &Pair<'t, Rule>) -> Word<'t> {
    Word {
        text: pair.as_str(),
        at: pair.as_span().start(),
    }
}

/// The names, paths and numbers directly in a rule.
fn words(pair: Pair<'_, Rule>) -> impl Iterator<Item = Word<'_>> {
    let wanted = |p: &Pair<'_, Rule>| matches!(p.as_rule(), Rule::path | Rule::name | Rule::size);
    pair.into_inner().filter(wanted).map(|p| word(&p))
}

/// What is in the one rule that the text is.
fn parse(rule: Rule, text: &str) -> Result<impl Iterator<Item = Pair<'_, Rule>>> {
    match Cdl::parse(rule, text) {
        Ok(mut pairs) => Ok(pairs.next().into_iter().flat_map(Pair::into_inner)),
        Err(e) => Err(syntax_error(&e, text)),
    }
}

fn syntax_error(e: &pest::error::Error<Rule>, text: &str) -> SyntaxError {
    let at = match e.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    // What is missing at the end is missing behind the last word, not behind the blanks after it.
    let at = at.min(text.trim_ascii_end().len());
    let expected = match &e.variant {
        ErrorVariant::ParsingError { positives, .. } => {
            any_of(positives.iter().map(|&rule| symbol(rule)))
        }
        ErrorVariant::CustomError { message } => message.clone(),
    };
    let found = found(text.get(at..).unwrap_or_default().trim_ascii_start());
    SyntaxError {
        at,
        message: format!("expected {expected}, found {found}"),
    }
}

/// What stands at the beginning of `rest`, for messages.
fn found(rest: &str) -> String {
    let len = rest.bytes().take_while(|&b| continues_name(b)).count();
    match (
        rest.get(..len).filter(|word| !word.is_empty()),
        rest.chars().next(),
    ) {
        (Some(word), _) => format!("`{word}`"),
        (None, None) => "`;`".to_owned(),
        (None, Some('"')) => "a string".to_owned(),
        (None, Some(c)) => format!("`{c}`"),
    }
}

/// A rule's name for people.
fn symbol(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI | Rule::semicolon => "`;`",
        Rule::colon => "`:`",
        Rule::comma => "`,`",
        Rule::equals => "`=`",
        Rule::open => "`(`",
        Rule::close => "`)`",
        Rule::begin => "`{`",
        Rule::end => "`}`",
        Rule::star => "`*`",
        Rule::name | Rule::field | Rule::member | Rule::variable | Rule::dimension => "a name",
        Rule::dimensions => "a dimension",
        Rule::path | Rule::data | Rule::variables | Rule::fields => "a name",
        Rule::size => "a number",
        Rule::unlimited => "`UNLIMITED`",
        Rule::enum_keyword => "`enum`",
        Rule::opaque_keyword => "`opaque`",
        Rule::compound_keyword => "`compound`",
        Rule::types | Rule::enumeration | Rule::opaque | Rule::vlen | Rule::compound => "a type",
        Rule::attribute => "an attribute",
        Rule::group => "a group's name",
        Rule::list | Rule::item | Rule::constant | Rule::text | Rule::character => "a value",
        Rule::number | Rule::fill | Rule::nil | Rule::special | Rule::real => "a value",
        Rule::integer | Rule::width | Rule::sign | Rule::exponent => "a value",
        Rule::word | Rule::more | Rule::escape | Rule::wide => "a name",
        Rule::WHITESPACE | Rule::COMMENT => "a blank",
    }
}

#[cfg(test)]
mod tests;
