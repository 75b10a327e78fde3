//! Reads a finished output back, and compares every value with the input, before the output becomes visible.
//!
//! The output is opened like any other dataset, without information from the writer. `diff` compares the output with the schema of the
//! plan and with the values of the input. A chunk with the same stored bytes in both datasets is decoded once; other chunks are decoded
//! in both datasets. If a filter is missing, only stored bytes are compared. [`Allowed`] reports differences that the output's kind or an
//! option causes.

mod schema;
mod values;

use super::Plan;
use super::report::Allowed;
use crate::arithmetic::Amount;
use crate::chunk::{Dataset, ReadCache, Reader};
use crate::error::{Context as _, Error, ErrorKind, OrInternal as _, Result};
use crate::format;
use crate::io::Container;
use crate::io::deferred::DeferredOutput;

/// Returns the number of progress bytes that [`verify`] will report: the bytes of the elements to compare.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for missing variables.
pub fn bytes(reader: &dyn Reader, plan: &Plan) -> Result<u64> {
    let mut all = Amount::default();
    for pair in &plan.data {
        let size = reader.layout(pair.from)?.element.size;
        all = all + Amount::product(&reader.schema().shape(pair.from)) * size;
    }
    Ok(all.get())
}

/// Compares a finished output with the input, and makes the output visible if both agree. Returns the permitted differences.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] with the variable and position of a different value, errors of reading, [`ErrorKind::Io`] if an input
/// file changed during the comparison, and the errors of [`Output::commit`](crate::io::Output::commit).
pub fn verify(set: Dataset<'_>, plan: &Plan, kept: &DeferredOutput) -> Result<Allowed> {
    let mut output = kept.take()?;
    let allowed = compare(set, plan, output.written()?)?;
    super::unchanged(set.reader)?;
    output.commit()?;
    Ok(allowed)
}

/// Compares the variables in `plan`, and the attributes of its schema, with the written output.
pub(super) fn compare(from: Dataset<'_>, plan: &Plan, written: Container) -> Result<Allowed> {
    let env = from.env;
    let output = format::open(written, env)?;
    let schema::Verified { attributes, vars } = schema::compare(&plan.schema, output.schema())?;
    let mut allowed = Allowed {
        attributes,
        ..Allowed::default()
    };
    let cache = ReadCache::new(env);
    let to = Dataset::new(&*output, env).with(&cache);
    for pair in &plan.data {
        let found = *vars.get(&pair.to).or_internal("a variable")?;
        let both = values::Copied {
            sets: [from, to],
            vars: [pair.from, found],
            planned: plan.schema.var(pair.to).or_internal("a variable")?,
        };
        let largest = both.compare().in_object(|| plan.schema.var_path(pair.to))?;
        if let Some(largest) = largest {
            allowed.values.insert(pair.from, largest);
        }
    }
    Ok(allowed)
}

fn differs(what: impl Into<String>) -> Error {
    let what = format!("read back, {}", what.into());
    Error::new(ErrorKind::Corrupt, what)
}
