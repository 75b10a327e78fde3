//! Text to requests.

use netcdf_core::copy::options::VarLayout;
use pest::Parser;
use pest::iterators::Pair;
use pest_derive::Parser;

use crate::mistake::{Mistake, syntax};
use crate::pattern::Pattern;

/// pest's parser; its rules have no documentation of their own, `chunk_spec.pest` has it.
#[allow(missing_docs, reason = "the derived rules cannot have documentation")]
mod rules {
    use super::Parser;

    #[derive(Parser)]
    #[grammar = "chunk_spec/chunk_spec.pest"]
    pub(super) struct Spec;
}

use rules::{Rule, Spec};

type Result<T> = std::result::Result<T, Mistake>;

/// What one `-c` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request<'a> {
    /// `/`: no chunks.
    Nothing,
    /// `variable:…`, and where the layout stands.
    Variable(Pattern<'a>, VarLayout, usize),
    /// `dimension/…,…`
    Dimensions(Vec<Along<'a>>),
}

/// Length of chunks along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Along<'a> {
    /// The dimension's name, with escapes.
    pub name: &'a str,
    /// Where it stands.
    pub at: usize,
    /// Elements; `None` for all of the dimension.
    pub size: Option<u64>,
}

/// Reads one `-c`.
///
/// # Errors
/// If the text is not such a request, with the place.
pub fn parse(text: &str) -> Result<Request<'_>> {
    let rule = match Spec::parse(Rule::head, text) {
        Ok(_) => Rule::by_variable,
        Err(_) => Rule::by_dimension,
    };
    let mut pairs = Spec::parse(rule, text).map_err(|e| syntax(&e, text, symbol))?;
    let inner = pairs.next().into_iter().flat_map(Pair::into_inner);
    let mut parts = inner.peekable();
    match parts.next_if(|p| p.as_rule() == Rule::variable) {
        Some(name) => {
            let name = Pattern::new(name.as_str(), name.as_span().start());
            variable(name, parts)
        }
        None => dimensions(parts),
    }
}

fn variable<'a>(
    name: Pattern<'a>,
    parts: impl Iterator<Item = Pair<'a, Rule>>,
) -> Result<Request<'a>> {
    let (mut layout, mut at) = (VarLayout::Contiguous, name.at);
    let mut sizes = vec![];
    for part in parts {
        match part.as_rule() {
            Rule::layout => {
                let mut inner = part.into_inner();
                if inner.any(|p| p.as_rule() == Rule::compact) {
                    layout = VarLayout::Compact;
                }
            }
            Rule::size => {
                if sizes.is_empty() {
                    at = part.as_span().start();
                }
                sizes.push(size(&part)?);
            }
            _ => {}
        }
    }
    if !sizes.is_empty() {
        layout = VarLayout::Chunked(sizes);
    }
    Ok(Request::Variable(name, layout, at))
}

fn dimensions<'a>(parts: impl Iterator<Item = Pair<'a, Rule>>) -> Result<Request<'a>> {
    let along = parts.filter(|p| p.as_rule() == Rule::dimension);
    let along = along.map(dimension).collect::<Result<Vec<_>>>()?;
    Ok(if along.is_empty() {
        Request::Nothing
    } else {
        Request::Dimensions(along)
    })
}

fn dimension(pair: Pair<'_, Rule>) -> Result<Along<'_>> {
    let mut along = Along {
        name: "",
        at: pair.as_span().start(),
        size: None,
    };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::name => along.name = part.as_str(),
            Rule::size => along.size = Some(size(&part)?),
            _ => {}
        }
    }
    Ok(along)
}

fn size(pair: &Pair<'_, Rule>) -> Result<u64> {
    let size = pair.as_str().parse().ok().filter(|&n| n > 0);
    size.ok_or_else(|| {
        let message = format!("a chunk cannot have {} elements", pair.as_str());
        Mistake::new(pair.as_span().start(), message)
    })
}

/// A rule's name for people.
fn symbol(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end",
        Rule::colon => "`:`",
        Rule::comma => "`,`",
        Rule::slash => "`/`",
        Rule::by_variable | Rule::by_dimension | Rule::head | Rule::nothing => {
            "a dimension and `/`, or a variable and `:`"
        }
        Rule::variable => "a variable",
        Rule::dimension | Rule::name => "a dimension",
        Rule::layout | Rule::compact | Rule::contiguous => "`compact` or `contiguous`",
        Rule::size => "a number",
        Rule::escape => "a name",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match parse(text) {
            Ok(Request::Nothing) => "nothing".to_owned(),
            Ok(Request::Variable(name, layout, at)) => {
                format!("{name:?} {layout:?} {at}").replace("Pattern ", "")
            }
            Ok(Request::Dimensions(dims)) => {
                let one = |d: &Along<'_>| format!("{}@{}={:?}", d.name, d.at, d.size);
                dims.iter().map(one).collect::<Vec<_>>().join(" ")
            }
            Err(e) => format!("{}: {}", e.at, e.message),
        }
    }

    #[test]
    fn all_forms() {
        for (text, want) in [
            ("/", "nothing"),
            ("//", "nothing"),
            ("t/5,x/", "t@0=Some(5) x@4=None"),
            ("/g/t/5", "/g/t@0=Some(5)"),
            (r"a\,b/2,c\:d/3", r"a\,b@0=Some(2) c\:d@7=Some(3)"),
            ("v:1,2", r#"{ text: "v", at: 0 } Chunked([1, 2]) 2"#),
            ("/g/v:", r#"{ text: "/g/v", at: 0 } Contiguous 0"#),
            ("v:CONTIGUOUS", r#"{ text: "v", at: 0 } Contiguous 0"#),
            ("v:compact", r#"{ text: "v", at: 0 } Compact 0"#),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn mistakes_have_places() {
        for (text, want) in [
            ("garbage", "7: expected `/`, found the end"),
            ("v:1,", "4: expected a number, found the end"),
            ("v:0", "2: a chunk cannot have 0 elements"),
            ("t/1,,x/2", "4: expected a dimension, found `,`"),
            (
                "t/99999999999999999999",
                "2: a chunk cannot have 99999999999999999999 elements",
            ),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
        for text in ["", ":1", "t/x", "t/1x", "v:1;2", "v:packed", "t/-1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
