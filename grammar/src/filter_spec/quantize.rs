//! Resolves the names in `--quantize` options to the variables of a dataset.

use std::collections::BTreeMap;

use netcdf_core::copy::options::Quantizing;
use netcdf_core::model::{Quantize, Schema, VarId};

use super::parse::{QuantizeSpec, quantization};
use super::skipped_variables::{Resolved, SkippedVariables, keep_unmatched};
use crate::mistake::Mistake;
use crate::pattern::{MatchedVariables, Pattern};

/// Quantization settings by variable.
type Vars = BTreeMap<VarId, Quantizing>;

/// Returns the quantization settings of the options `texts` by variable of `schema`. A name takes precedence over a pattern. A pattern only
/// applies to variables of type float or double, and skips variables with protected values. `none` excludes variables. Unmatched names and
/// patterns are not errors.
///
/// # Errors
/// Returns the index of the option with its mistake: a syntax error, a name or pattern without a variable of these types, a variable
/// matched by two names or two patterns, or a precision above the precision of the type.
pub fn quantize(texts: &[String], schema: &Schema) -> Result<Resolved<Vars>, (usize, Mistake)> {
    let mut all = Resolved::default();
    let exact = SkippedVariables::new(schema);
    let mut out = vec![];
    for (n, text) in texts.iter().enumerate() {
        let asked = quantization(text).map_err(|e| (n, e))?;
        for &pattern in &asked.vars {
            let done = match asked.how {
                Some(how) => add(&mut all, pattern, how, (schema, &exact)),
                None => pattern.variables(schema).map(|found| out.push(found)),
            };
            keep_unmatched(done, n, &mut all.unmatched)?;
        }
    }
    out.into_iter().for_each(|found| exclude(&mut all, found));
    let named = |id: &VarId| all.asked.get(id).is_some_and(|asked| asked.by_name);
    all.passed_over.retain(|id, _| !named(id));
    Ok(all)
}

/// Excludes variables. A pattern does not exclude variables that were given by name.
fn exclude(all: &mut Resolved<Vars>, MatchedVariables { ids, by_name }: MatchedVariables) {
    for id in ids {
        if by_name || !all.asked.get(&id).is_some_and(|old| old.by_name) {
            all.asked.remove(&id);
            all.passed_over.remove(&id);
        }
    }
}

fn add(
    all: &mut Resolved<Vars>,
    pattern: Pattern<'_>,
    how: QuantizeSpec,
    (schema, exact): (&Schema, &SkippedVariables<'_>),
) -> Result<(), Mistake> {
    let mut found = pattern.variables(schema)?;
    found
        .ids
        .retain(|id| found.by_name || is_real(*id, how, schema));
    if found.ids.is_empty() {
        let message = "none of these variables is of type float or double";
        return Err(Mistake::new(pattern.at, message));
    }
    let found = exact.skip(found, pattern, &mut all.passed_over)?;
    let by_name = found.by_name;
    for id in found.ids {
        match all.asked.get(&id) {
            Some(old) if old.by_name == by_name => {
                let message = format!("variable {} is named twice", schema.var_path(id));
                return Err(Mistake::new(pattern.at, message));
            }
            Some(old) if old.by_name => continue,
            Some(_) | None => {}
        }
        let quantize = fitting(id, pattern, how, schema)?;
        all.asked.insert(id, Quantizing { quantize, by_name });
    }
    Ok(())
}

/// Returns whether a variable can be quantized.
fn is_real(id: VarId, how: QuantizeSpec, schema: &Schema) -> bool {
    let var = schema.var(id);
    var.is_some_and(|v| how.algorithm.most(v.ty).is_some())
}

fn fitting(
    id: VarId,
    pattern: Pattern<'_>,
    how: QuantizeSpec,
    schema: &Schema,
) -> Result<Quantize, Mistake> {
    let (keep, at) = how.keep;
    let Some(ty) = schema.var(id).map(|v| v.ty) else {
        return Err(Mistake::new(pattern.at, "no such variable"));
    };
    Quantize::new(how.algorithm, keep, ty).map_err(|e| {
        let at = match how.algorithm.most(ty) {
            Some(_) => at,
            None => pattern.at,
        };
        Mistake::new(at, format!("{} in {}", e.what(), schema.var_path(id)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec_tests::schema;
    use netcdf_core::model::Atomic;

    /// `/temp` is a float, `/time` a double; all other variables are integers.
    fn quantized(texts: &[&str]) -> Result<Vec<String>, String> {
        let mut schema = schema();
        schema.vars[0].ty = Atomic::Float.into();
        schema.vars[1].ty = Atomic::Double.into();
        let texts: Vec<_> = texts.iter().map(|&t| t.to_owned()).collect();
        let all =
            quantize(&texts, &schema).map_err(|(n, e)| format!("{n}: {}", e.shown(&texts[n])))?;
        if let Some((n, e)) = all.unmatched.first() {
            return Err(format!("{n}: {}", e.in_line()));
        }
        let passed = all.passed_over.keys();
        let passed = passed.map(|&id| format!("not {}", schema.var_path(id)));
        let one = |(id, q): (&VarId, &Quantizing)| {
            let Quantize { algorithm, keep } = q.quantize;
            format!("{} {} {keep}", schema.var_path(*id), algorithm.name())
        };
        Ok(all.asked.iter().map(one).chain(passed).collect())
    }

    #[test]
    fn names_count_more_than_patterns() {
        assert_eq!(
            quantized(&["*,bitround,9", "temp,BitGroom,3"]).unwrap(),
            ["/temp bitgroom 3", "not /time"]
        );
        assert_eq!(
            quantized(&["temp&time, granularbitround , 4"]).unwrap(),
            ["/temp granularbr 4", "/time granularbr 4"]
        );
        assert_eq!(
            quantized(&["t*,granularbr,1"]).unwrap(),
            ["/temp granularbr 1", "not /time"]
        );
        assert!(quantized(&[]).unwrap().is_empty());
    }

    #[test]
    fn none_takes_variables_out() {
        for (texts, want) in [
            (&["*,bitround,9", "temp,none"][..], &["not /time"][..]),
            (&["t*,NONE", "temp,bitround,9"], &["/temp bitround 9"]),
            (&["none"], &[]),
            (&["*,bitround,9", "time,none"], &["/temp bitround 9"]),
        ] {
            assert_eq!(quantized(texts).unwrap(), want);
        }
    }

    #[test]
    fn mistakes_have_places() {
        for (texts, want) in [
            (
                &["temp,bitgrom,3"][..],
                "0: no quantization algorithm is called `bitgrom` (bitgroom, granularbr, bitround)\n  temp,bitgrom,3\n       ^\n  \
                 hint: did you mean `bitgroom`?",
            ),
            (
                &["temp,bitround,24"],
                "0: bitround keeps 1 to 23 bits of this type, not 24 in /temp\n  temp,bitround,24\n                ^",
            ),
            (
                &["temp,bitround,9", "temp&xy,bitround,9"],
                "1: variable /temp is named twice\n  temp&xy,bitround,9\n  ^",
            ),
            (
                &["time&xy,bitround,0"],
                "0: bitround keeps 1 to 52 bits of this type, not 0 in /time\n  time&xy,bitround,0\n                   ^",
            ),
            (
                &["xy,bitround,9"],
                "0: only float and double variables can be quantized in /xy\n  xy,bitround,9\n  ^",
            ),
            (
                &["/g/*,bitround,9"],
                "0: none of these variables is of type float or double\n  /g/*,bitround,9\n  ^",
            ),
            (
                &["temp,bitround"],
                "0: expected `,`, found the end\n  temp,bitround\n               ^",
            ),
            (
                &["temp,bitround,-1"],
                "0: expected a number of digits or bits, found `-`\n  temp,bitround,-1\n                ^",
            ),
        ] {
            assert_eq!(quantized(texts).unwrap_err(), want);
        }
        for wrong in [
            "",
            "temp",
            "temp,9",
            "temp,bitround,9,9",
            "temp,bitround,9x",
            "q,bitround,3",
        ] {
            assert!(quantized(&[wrong]).is_err(), "{wrong}");
        }
    }
}
