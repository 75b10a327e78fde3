//! From the variables that `-F` options name to those of a dataset.

use netcdf_core::copy::options::{Filtering, Filters};
use netcdf_core::model::{FilterSpec, Schema, VarId};

use super::parse::{Assignment, assignment};
use crate::mistake::Mistake;
use crate::pattern::{Found, Pattern};

/// What the options `texts` ask for the variables of `schema`. A name counts more than a pattern.
///
/// # Errors
/// The option's place in the list, and what is wrong with it: syntax, a name or pattern without a variable, a variable that
/// two names or two patterns stand for.
pub fn resolve(texts: &[String], schema: &Schema) -> Result<Filters, (usize, Mistake)> {
    let mut all = Filters::default();
    // As in the C tool, nothing asks for nothing.
    let texts = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| !text.is_empty());
    for (n, text) in texts {
        match assignment(text).map_err(|e| (n, e))? {
            Assignment::None => all.none = true,
            Assignment::To(patterns, filters) => {
                for pattern in patterns {
                    add(&mut all, pattern, &filters, schema).map_err(|e| (n, e))?;
                }
            }
        }
    }
    Ok(all)
}

fn add(
    all: &mut Filters,
    pattern: Pattern<'_>,
    filters: &[FilterSpec],
    schema: &Schema,
) -> Result<(), Mistake> {
    let (ids, by_name) = match pattern.variables(schema)? {
        Found::Named(id) => (vec![id], true),
        Found::Matching(ids) => (ids, false),
    };
    for id in ids {
        match all.vars.get(&id) {
            Some(old) if old.by_name == by_name => return Err(twice(pattern, schema, id)),
            Some(old) if old.by_name => continue,
            Some(_) | None => {}
        }
        let filters = filters.to_vec();
        all.vars.insert(id, Filtering { filters, by_name });
    }
    Ok(())
}

fn twice(pattern: Pattern<'_>, schema: &Schema, id: VarId) -> Mistake {
    let message = format!("variable {} is named twice", schema.var_path(id));
    let hint = "all filters of a variable go into one specification, with `|` between them";
    Mistake::new(pattern.at, message).with_hint(Some(hint.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec_tests::schema;

    fn resolved(texts: &[&str]) -> Result<Vec<String>, String> {
        let schema = schema();
        let texts: Vec<_> = texts.iter().map(|&t| t.to_owned()).collect();
        let all =
            resolve(&texts, &schema).map_err(|(n, e)| format!("{n}: {}", e.shown(&texts[n])))?;
        let none = all.none.then(|| "none".to_owned());
        let one = |(id, f): (&VarId, &Filtering)| {
            let ids: Vec<_> = f.filters.iter().map(|f| f.id).collect();
            format!("{} {ids:?}", schema.var_path(*id))
        };
        Ok(none.into_iter().chain(all.vars.iter().map(one)).collect())
    }

    #[test]
    fn names_count_more_than_patterns() {
        for order in [["t*,307,9", "temp,zstd"], ["temp,zstd", "t*,307,9"]] {
            assert_eq!(resolved(&order).unwrap(), ["/temp [32015]", "/time [307]"]);
        }
        let all = resolved(&["none", "g/temp&time,shuffle|deflate,1", "temp,none"]);
        assert_eq!(
            all.unwrap(),
            ["none", "/temp []", "/time [2, 1]", "/g/temp [2, 1]"]
        );
        assert_eq!(
            resolved(&["*,none", "temp,3"]).unwrap(),
            ["none", "/temp [3]"]
        );
    }

    #[test]
    fn a_variable_is_named_once() {
        let wrong = "1: variable /temp is named twice\n  time&temp,2\n       ^\n  hint: all filters of a variable go into \
                     one specification, with `|` between them";
        assert_eq!(resolved(&["temp,1", "time&temp,2"]).unwrap_err(), wrong);
        assert!(resolved(&["temp&/temp,1"]).is_err());
        assert!(resolved(&["t*,1", "?emp,2"]).is_err(), "two patterns");
        assert!(resolved(&["t*,1", "q*,2"]).is_err(), "no variable");
    }
}
