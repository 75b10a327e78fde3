//! Reports what a copy did, variable by variable.

use std::collections::BTreeMap;
use std::time::Duration;

use super::methods::Method;
use super::{CopiedVariable, Plan};
use crate::arithmetic::Amount;
use crate::chunk::Dataset;
use crate::error::Result;
use crate::model::{Quantize, VarId};

/// The permitted differences from the input.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Allowed {
    /// Attributes whose type the output's kind does not record, with both types: `/t:flag (short is int)`.
    pub attributes: Vec<String>,
    /// Variables of the input that were quantized, or went through lossy filters, with the largest difference of
    /// a value: infinite if a finite value became infinite or NaN.
    pub values: BTreeMap<VarId, f64>,
}

/// The results for all copied variables, in definition order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CopyReport {
    /// One entry per variable whose data was copied.
    pub vars: Vec<VarReport>,
    /// Attributes whose types the output does not keep, as found by comparison with the input.
    pub retyped: Vec<String>,
}

/// The result for one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct VarReport {
    /// The variable's path.
    pub path: String,
    /// How its data was copied.
    pub method: Method,
    /// Bytes of its elements in memory.
    pub raw: u64,
    /// Bytes of its data in the input, after filters; 0 until [`CopyReport::add_before`].
    pub before: u64,
    /// Bytes of its data in the output, after filters.
    pub after: u64,
    /// Time taken to copy this variable. Variables that are copied together share it.
    pub time: Duration,
    /// What changed its values.
    pub changes: Changes,
}

/// What changed the values of a variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// How its numbers are quantized.
    pub quantize: Option<Quantize>,
    /// Why patterns of lossy options skipped it, if they did.
    pub passed_over: Option<String>,
    /// The largest difference that a comparison with the input found, if values may differ.
    pub largest: Option<f64>,
}

impl Changes {
    /// What a plan changes in a variable.
    #[must_use]
    pub fn of(plan: &Plan, pair: CopiedVariable) -> Self {
        let var = plan.schema.var(pair.to);
        Self {
            quantize: var.and_then(|v| v.storage.quantize),
            passed_over: plan.passed_over.get(&pair.from).cloned(),
            largest: None,
        }
    }

    /// `bitround,9, differs by at most 0.5`, `passed over: a coordinate variable`, or nothing.
    #[must_use]
    pub fn text(&self) -> String {
        let quantized = |Quantize { algorithm, keep }| format!("{},{keep}", algorithm.name());
        let passed = self.passed_over.as_ref();
        let largest = self.largest.map(|n| format!("differs by at most {n}"));
        let parts = [
            self.quantize.map(quantized),
            passed.map(|why| format!("passed over: {why}")),
            largest,
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        parts.join(", ")
    }
}

impl CopyReport {
    /// Adds the permitted differences that a comparison with the input found.
    pub fn add_allowed(&mut self, plan: &Plan, allowed: Allowed) {
        self.retyped = allowed.attributes;
        for (pair, var) in plan.data.iter().zip(&mut self.vars) {
            var.changes.largest = allowed.values.get(&pair.from).copied();
        }
    }

    /// Adds the bytes of each variable in the input, as [`before`] found them.
    pub fn add_before(&mut self, bytes: &[u64]) {
        for (var, &bytes) in self.vars.iter_mut().zip(bytes) {
            var.before = bytes;
        }
    }

    /// Stored bytes of all variables in the input and in the output.
    #[must_use]
    pub fn stored(&self) -> (u64, u64) {
        let sum = |of: fn(&VarReport) -> u64| self.vars.iter().map(of).sum::<Amount>().get();
        (sum(|v| v.before), sum(|v| v.after))
    }
}

/// Bytes that the input stores of each variable, in the order of the plan. The copy itself does not need to know, and
/// may replace the input.
///
/// # Errors
/// Those of finding the stored chunks, with the variable's path.
pub fn before(set: Dataset<'_>, plan: &Plan) -> Result<Vec<u64>> {
    let vars = plan.data.iter().map(|pair| set.stored_bytes(pair.from));
    vars.collect()
}

/// How many times larger `before` is than `after`; `None` if `after` is 0.
#[must_use]
pub fn ratio(before: u64, after: u64) -> Option<f64> {
    // Exact to 2^53 bytes, which is enough for a ratio.
    (after > 0).then(|| before as f64 / after as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_ratios() {
        let var = |before, after| VarReport {
            path: "/v".to_owned(),
            method: Method::Move,
            raw: 10,
            before,
            after,
            time: Duration::ZERO,
            changes: Changes::default(),
        };
        let report = CopyReport {
            vars: vec![var(4, 2), var(u64::MAX, 6)],
            retyped: vec![],
        };
        assert_eq!(report.stored(), (u64::MAX, 8));
        assert_eq!(ratio(4, 8), Some(0.5));
        assert_eq!(ratio(4, 0), None);
    }
}
