//! Resolves the names in `-F` options to the variables of a dataset.

use netcdf_core::copy::options::{Filtering, VariableFilters};
use netcdf_core::filter::names;
use netcdf_core::model::{FilterSpec, Schema, VarId};

use super::parse::{Assignment, assignment, filter_alone};
use super::skipped_variables::{Resolved, SkippedVariables, keep_unmatched};
use crate::mistake::Mistake;
use crate::pattern::{MatchedVariables, Pattern};

/// Returns the filters of the options `texts` by variable of `schema`. A name takes precedence over a pattern. A pattern with lossy filters
/// skips variables with protected values. Unmatched names and patterns are not errors.
///
/// # Errors
/// Returns the index of the option with its mistake: a syntax error, or a variable matched by two names or two patterns.
pub fn resolve(
    texts: &[String],
    schema: &Schema,
) -> Result<Resolved<VariableFilters>, (usize, Mistake)> {
    let mut all = Resolved::<VariableFilters>::default();
    let exact = SkippedVariables::new(schema);
    // As in the C tool, an empty text has no effect.
    let texts = texts
        .iter()
        .enumerate()
        .filter(|(_, text)| !text.is_empty());
    for (n, text) in texts {
        match assignment(text).map_err(|e| (n, e))? {
            Assignment::None => all.asked.none = true,
            Assignment::To(patterns, filters) => {
                for pattern in patterns {
                    let done = add(&mut all, pattern, &filters, (schema, &exact));
                    let done = done.map_err(|e| meant(e, pattern, text));
                    keep_unmatched(done, n, &mut all.unmatched)?;
                }
            }
        }
    }
    let named = |id: &VarId| all.asked.vars.get(id).is_some_and(|asked| asked.by_name);
    all.passed_over.retain(|id, _| !named(id));
    Ok(all)
}

fn add(
    all: &mut Resolved<VariableFilters>,
    pattern: Pattern<'_>,
    filters: &[FilterSpec],
    (schema, exact): (&Schema, &SkippedVariables<'_>),
) -> Result<(), Mistake> {
    let mut found = pattern.variables(schema)?;
    if filters.iter().any(names::is_lossy) {
        found = exact.skip(found, pattern, &mut all.passed_over)?;
    }
    let MatchedVariables { ids, by_name } = found;
    let vars = &mut all.asked.vars;
    for id in ids {
        match vars.get(&id) {
            Some(old) if old.by_name == by_name => return Err(twice(pattern, schema, id)),
            Some(old) if old.by_name => continue,
            Some(_) | None => {}
        }
        let filters = filters.to_vec();
        vars.insert(id, Filtering { filters, by_name });
    }
    Ok(())
}

/// Returns the mistake, with a hint if a filter is given in place of a variable.
fn meant(e: Mistake, pattern: Pattern<'_>, text: &str) -> Mistake {
    if e.is_unmatched && pattern.at == 0 && filter_alone(text) {
        let hint = format!("name the variables first: `*,{text}` for all");
        return e.with_hint(Some(hint));
    }
    e
}

fn twice(pattern: Pattern<'_>, schema: &Schema, id: VarId) -> Mistake {
    let message = format!("variable {} is named twice", schema.var_path(id));
    let hint = "put all filters of a variable into one specification, with `|` between them";
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
        if let Some((n, e)) = all.unmatched.first() {
            return Err(format!("{n}: {}", e.in_line()));
        }
        let all = all.asked;
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
        let wrong = "1: variable /temp is named twice\n  time&temp,2\n       ^\n  hint: put all filters of a variable into \
                     one specification, with `|` between them";
        assert_eq!(resolved(&["temp,1", "time&temp,2"]).unwrap_err(), wrong);
        assert!(resolved(&["temp&/temp,1"]).is_err());
        assert!(resolved(&["t*,1", "?emp,2"]).is_err(), "two patterns");
    }

    #[test]
    fn unmatched_names_are_recorded() {
        let texts = ["q*&time,1", "tmep,2"].map(str::to_owned);
        let all = resolve(&texts, &schema()).unwrap();
        assert_eq!(all.asked.vars.len(), 1);
        let said = all
            .unmatched
            .iter()
            .map(|(n, e)| format!("{n}: {}", e.in_line()));
        assert_eq!(
            said.collect::<Vec<_>>(),
            [
                "0: no variable matches `q*`",
                "1: there is no variable `tmep` (did you mean `temp`?)"
            ]
        );
    }

    #[test]
    fn a_filter_in_the_place_of_a_variable_is_known() {
        let hint = "(name the variables first: `*,zstd,3|shuffle` for all)";
        let wrong = resolved(&["zstd,3|shuffle"]).unwrap_err();
        assert!(wrong.ends_with(hint), "{wrong}");
        let wrong = resolved(&["zstd"]).unwrap_err();
        assert!(
            wrong.ends_with("hint: name the variables first: `*,zstd` for all"),
            "{wrong}"
        );
        assert!(!resolved(&["nosuch,3"]).unwrap_err().contains("for all"));
    }

    #[test]
    fn patterns_of_lossy_filters_pass_over_coordinates() {
        let passed = |texts: &[&str]| {
            let texts: Vec<_> = texts.iter().map(|&t| t.to_owned()).collect();
            let all = resolve(&texts, &schema()).unwrap();
            assert!(all.unmatched.is_empty());
            let has = |id: u32| all.asked.vars.contains_key(&VarId(id));
            (has(0), has(1), all.passed_over.len())
        };
        assert_eq!(passed(&["*,zfp,2,0,9"]), (true, false, 1));
        assert_eq!(passed(&["t*,shuffle|sz3"]), (true, false, 1));
        assert_eq!(passed(&["*,zfp,5"]), (true, true, 0));
        assert_eq!(passed(&["*,zfp,2,0,9", "time,zfp,2,0,20"]), (true, true, 0));
        assert_eq!(passed(&["*,zfp,2,0,9", "ti*,zstd"]), (true, true, 1));
        let wrong = resolve(&["tim*,zfp,2,0,9".to_owned()], &schema()).unwrap_err();
        assert!(wrong.1.message.starts_with("all of these variables"));
    }
}
