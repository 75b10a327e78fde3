//! The report of a copy, one entry per variable.

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
    /// Input variables with quantization or lossy filters, and the largest difference of a value. The difference is infinite if a finite
    /// value became infinite or NaN.
    pub values: BTreeMap<VarId, f64>,
}

/// The results for all copied variables, in definition order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CopyReport {
    /// One entry per variable with copied data.
    pub vars: Vec<VarReport>,
    /// Attributes whose types the output does not record, found by comparison with the input.
    pub retyped: Vec<String>,
}

/// The result for one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct VarReport {
    /// The variable's path.
    pub path: String,
    /// The copy method.
    pub method: Method,
    /// Bytes of the elements in memory.
    pub raw: u64,
    /// Bytes of the input data after filters; 0 before [`CopyReport::add_before`].
    pub before: u64,
    /// Bytes of the output data after filters.
    pub after: u64,
    /// Time of copying this variable. Variables copied together share the time.
    pub time: Duration,
    /// Changes to the values.
    pub changes: Changes,
}

/// Changes to a variable's values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Quantization of the numbers.
    pub quantize: Option<Quantize>,
    /// The reason why patterns of lossy options skipped the variable.
    pub passed_over: Option<String>,
    /// The largest difference found by comparison with the input, if values may differ.
    pub largest: Option<f64>,
}

impl Changes {
    /// Returns the changes that a plan makes to a variable.
    #[must_use]
    pub fn of(plan: &Plan, pair: CopiedVariable) -> Self {
        let var = plan.schema.var(pair.to);
        Self {
            quantize: var.and_then(|v| v.storage.quantize),
            passed_over: plan.passed_over.get(&pair.from).cloned(),
            largest: None,
        }
    }

    /// Returns `bitround,9, differs by at most 0.5`, `skipped: a coordinate variable`, or an empty text.
    #[must_use]
    pub fn text(&self) -> String {
        let quantized = |Quantize { algorithm, keep }| format!("{},{keep}", algorithm.name());
        let passed = self.passed_over.as_ref();
        let largest = self.largest.map(|n| format!("differs by at most {n}"));
        let parts = [
            self.quantize.map(quantized),
            passed.map(|why| format!("skipped: {why}")),
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

    /// Adds the bytes of each variable in the input, from [`before`].
    pub fn add_before(&mut self, bytes: &[u64]) {
        for (var, &bytes) in self.vars.iter_mut().zip(bytes) {
            var.before = bytes;
        }
    }

    /// Returns the stored bytes of all variables in the input and in the output.
    #[must_use]
    pub fn stored(&self) -> (u64, u64) {
        let sum = |of: fn(&VarReport) -> u64| self.vars.iter().map(of).sum::<Amount>().get();
        (sum(|v| v.before), sum(|v| v.after))
    }
}

/// Returns the input's stored bytes per variable, in the plan's order. The copy itself does not need these numbers, and may replace the
/// input.
///
/// # Errors
/// Returns errors of locating stored chunks, with the variable's path.
pub fn before(set: Dataset<'_>, plan: &Plan) -> Result<Vec<u64>> {
    let vars = plan.data.iter().map(|pair| set.stored_bytes(pair.from));
    vars.collect()
}

/// Returns the ratio of `before` to `after`; `None` if `after` is 0.
#[must_use]
pub fn ratio(before: u64, after: u64) -> Option<f64> {
    // Exact up to 2^53 bytes, which is enough for a ratio.
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
