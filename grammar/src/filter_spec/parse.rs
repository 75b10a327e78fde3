//! Text to filters.

use netcdf_core::filter::names;
use netcdf_core::model::FilterSpec;
use netcdf_core::model::quantize::Algorithm;
use pest::Parser;
use pest::iterators::Pair;
use pest_derive::Parser;

use super::named::{Given, by_name};
use super::parameter::{Tag, integer, real};
use crate::diagnostic::nearest;
use crate::mistake::{Mistake, syntax};
use crate::pattern::Pattern;

/// pest's parser; its rules have no documentation of their own, `filter_spec.pest` has it.
#[allow(missing_docs, reason = "the derived rules cannot have documentation")]
mod rules {
    use super::Parser;

    #[derive(Parser)]
    #[grammar = "filter_spec/filter_spec.pest"]
    pub(super) struct Spec;
}

use rules::{Rule, Spec};

type Result<T> = std::result::Result<T, Mistake>;

/// What one `-F` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment<'a> {
    /// Variables that are not named have no filters.
    None,
    /// These variables have these filters, which are none if the list is empty.
    To(Vec<Pattern<'a>>, Vec<FilterSpec>),
}

/// `temp&wind*,zstd,3|fletcher32`, `temp,none`, `none`
///
/// # Errors
/// If the text is not such a specification, with the place.
pub fn assignment(text: &str) -> Result<Assignment<'_>> {
    let mut vars = vec![];
    let mut filters = vec![];
    let pairs = parse(Rule::assignment, text).map_err(|e| match filter_alone(text) {
        true => e.with_hint(Some(format!(
            "name the variables first: `*,{text}` for all"
        ))),
        false => e,
    });
    for pair in pairs? {
        match pair.as_rule() {
            Rule::variables => vars.extend(pair.into_inner().filter_map(pattern)),
            Rule::filter => filters.push(spec(pair)?),
            _ => {}
        }
    }
    let everything = matches!(vars.as_slice(), [one] if one.is_everything());
    if vars.is_empty() || filters.is_empty() && everything {
        return Ok(Assignment::None);
    }
    Ok(Assignment::To(vars, filters))
}

/// What one `--quantize` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantization<'a> {
    /// The variables.
    pub vars: Vec<Pattern<'a>>,
    /// How they are quantized; `None` if they are not.
    pub how: Option<How>,
}

/// How variables are quantized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct How {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The digits or bits that are kept, and where their number stands.
    pub keep: (i64, usize),
}

/// `temp&wind*,bitround,9`, `temp,none`
///
/// # Errors
/// If the text is not such a specification, with the place.
pub fn quantization(text: &str) -> Result<Quantization<'_>> {
    let (mut vars, mut found, mut keep) = (vec![], None, (0, 0));
    for pair in parse(Rule::quantization, text)? {
        let at = pair.as_span().start();
        match pair.as_rule() {
            Rule::variables => vars.extend(pair.into_inner().filter_map(pattern)),
            Rule::name => found = Some(algorithm(at, pair.as_str())?),
            Rule::keep => keep = (pair.as_str().parse().unwrap_or(i64::MAX), at),
            _ => {}
        }
    }
    let how = found.map(|algorithm| How { algorithm, keep });
    Ok(Quantization { vars, how })
}

/// Whether a text is filters alone, called by their names, where variables were expected before them.
pub(super) fn filter_alone(text: &str) -> bool {
    let named = text
        .trim_start()
        .starts_with(|c: char| c.is_ascii_alphabetic());
    named && filters(text).is_ok()
}

/// The algorithm with this name.
fn algorithm(at: usize, name: &str) -> Result<Algorithm> {
    Algorithm::from_name(name).ok_or_else(|| {
        let names = Algorithm::ALL.map(Algorithm::name);
        let hint = nearest(name, names.into_iter()).map(|near| format!("did you mean `{near}`?"));
        let message = format!(
            "no quantization algorithm is called `{name}` ({})",
            names.join(", ")
        );
        Mistake::new(at, message).with_hint(hint)
    })
}

/// `zstd,3|fletcher32`: a `_Filter` attribute.
///
/// # Errors
/// If the text is not a pipeline of filters, with the place.
pub fn filters(text: &str) -> Result<Vec<FilterSpec>> {
    let pairs = parse(Rule::filters, text)?;
    let filters = pairs.filter(|p| p.as_rule() == Rule::filter);
    filters.map(spec).collect()
}

/// `zstd,3`: a filter alone.
///
/// # Errors
/// If the text is not one filter, with the place.
pub fn filter(text: &str) -> Result<FilterSpec> {
    let mut pairs = parse(Rule::alone, text)?;
    let filter = pairs.find(|p| p.as_rule() == Rule::filter);
    let filter = filter.ok_or_else(|| Mistake::new(0, "expected a filter"))?;
    spec(filter)
}

fn pattern(pair: Pair<'_, Rule>) -> Option<Pattern<'_>> {
    let at = pair.as_span().start();
    (pair.as_rule() == Rule::pattern).then(|| Pattern::new(pair.as_str(), at))
}

fn spec(pair: Pair<'_, Rule>) -> Result<FilterSpec> {
    let (mut id, mut params) = (0, vec![]);
    let (mut called, mut given) = ("", vec![]);
    for part in pair.into_inner() {
        let at = part.as_span().start();
        if matches!(part.as_rule(), Rule::id | Rule::name) {
            called = part.as_str();
        }
        match part.as_rule() {
            Rule::id => {
                let beyond =
                    |_| Mistake::new(at, format!("{} does not fit into 32 bits", part.as_str()));
                id = part.as_str().parse().map_err(beyond)?;
            }
            Rule::name => id = number(at, part.as_str())?,
            Rule::parameter => params.extend(parameter(part)?),
            Rule::named | Rule::flag => given.push(named(part)),
            _ => {}
        }
    }
    match given.first() {
        None => Ok(FilterSpec { id, params }),
        Some(first) if !params.is_empty() => {
            let message = "give either all parameters by name or none";
            Err(Mistake::new(first.at, message))
        }
        Some(_) => Ok(FilterSpec {
            id,
            params: by_name(id, called, &given)?,
        }),
    }
}

fn named(pair: Pair<'_, Rule>) -> Given<'_> {
    let at = pair.as_span().start();
    let mut parts = pair.into_inner();
    let name = parts.next().map_or("", |p| p.as_str());
    let value = parts.find(|p| p.as_rule() == Rule::word);
    let value = value.map(|p| (p.as_str(), p.as_span().start()));
    Given { name, value, at }
}

/// The number of the filter with this name.
fn number(at: usize, name: &str) -> Result<u32> {
    names::number(name).ok_or_else(|| {
        let names = names::all().iter().map(|r| r.name);
        let hint = nearest(name, names).map(|near| format!("did you mean `{near}`?"));
        Mistake::new(at, format!("no filter is called `{name}`")).with_hint(hint)
    })
}

fn parameter(pair: Pair<'_, Rule>) -> Result<Vec<u32>> {
    let parts: Vec<_> = pair.into_inner().collect();
    let tag = parts.iter().find(|p| p.as_rule() == Rule::tag);
    let tag = match tag {
        Some(tag) => Tag::from_text(tag.as_span().start(), tag.as_str())?,
        None => Tag::None,
    };
    let Some(value) = parts.first() else {
        return Ok(vec![]);
    };
    let at = value.as_span().start();
    match value.as_rule() {
        Rule::integer => integer(at, value.as_str(), tag),
        _ => real(at, value.as_str(), tag),
    }
}

/// What is in the one rule that the text is.
fn parse(rule: Rule, text: &str) -> Result<impl Iterator<Item = Pair<'_, Rule>>> {
    match Spec::parse(rule, text) {
        Ok(mut pairs) => Ok(pairs.next().into_iter().flat_map(Pair::into_inner)),
        Err(e) => Err(syntax(&e, text, symbol)),
    }
}

/// A rule's name for people.
fn symbol(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end",
        Rule::comma => "`,`",
        Rule::and => "`&`",
        Rule::bar => "`|`",
        Rule::variables | Rule::pattern | Rule::class | Rule::escape => "a variable",
        Rule::assignment => "variables and filters",
        Rule::quantization => "variables and an algorithm",
        Rule::keep => "a number of digits or bits",
        Rule::filters | Rule::alone | Rule::pipeline | Rule::filter => "a filter",
        Rule::id | Rule::name => "a filter's name or number",
        Rule::none => "`none`",
        Rule::named | Rule::flag | Rule::key | Rule::word => "a parameter",
        Rule::equals => "`=`",
        Rule::parameter | Rule::integer | Rule::real | Rule::special => "a parameter",
        Rule::exponent | Rule::sign => "a parameter",
        Rule::tag => "a type (b, ub, s, us, u, l, ul, f, d)",
        Rule::blank => "a blank",
    }
}

#[cfg(test)]
mod tests;
