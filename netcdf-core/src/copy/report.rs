//! What a copy did, variable by variable.

use std::time::Duration;

use super::methods::Method;
use super::verify::Allowed;
use super::{Pair, Plan};
use crate::model::Quantize;

/// What became of the data of the variables of a dataset, in the order in which they are defined.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// One entry a variable whose data was copied.
    pub vars: Vec<VarReport>,
    /// Attributes of which the output does not have the types, as a comparison with the input found.
    pub retyped: Vec<String>,
}

/// What became of the data of one variable.
#[derive(Debug, Clone, PartialEq)]
pub struct VarReport {
    /// The variable's path.
    pub path: String,
    /// How its data was copied.
    pub method: Method,
    /// Bytes of its elements, as they are in memory.
    pub raw: u64,
    /// Bytes that its data takes in the input, filters applied.
    pub before: u64,
    /// Bytes that its data takes in the output, filters applied.
    pub after: u64,
    /// Time that the copy of this variable took. Variables that are copied together share it.
    pub time: Duration,
    /// What changes its values.
    pub changes: Changes,
}

/// What changes the values of a variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// How its numbers are quantized.
    pub quantize: Option<Quantize>,
    /// Why patterns of what changes values did not reach it, if that is so.
    pub passed_over: Option<String>,
    /// The largest difference that a comparison with the input found where values may differ.
    pub largest: Option<f64>,
}

impl Changes {
    /// What a plan changes of a variable.
    #[must_use]
    pub fn of(plan: &Plan, pair: Pair) -> Self {
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

impl Report {
    /// Adds what a comparison with the input found to differ as it may.
    pub fn add_allowed(&mut self, plan: &Plan, allowed: Allowed) {
        self.retyped = allowed.attributes;
        for (pair, var) in plan.data.iter().zip(&mut self.vars) {
            var.changes.largest = allowed.values.get(&pair.from).copied();
        }
    }

    /// Stored bytes of all variables in the input and in the output.
    #[must_use]
    pub fn stored(&self) -> (u64, u64) {
        let sum = |of: fn(&VarReport) -> u64| self.vars.iter().map(of).fold(0, u64::saturating_add);
        (sum(|v| v.before), sum(|v| v.after))
    }
}

/// How many times as large `before` is; `None` if `after` is nothing.
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
        let report = Report {
            vars: vec![var(4, 2), var(u64::MAX, 6)],
            retyped: vec![],
        };
        assert_eq!(report.stored(), (u64::MAX, 8));
        assert_eq!(ratio(4, 8), Some(0.5));
        assert_eq!(ratio(4, 0), None);
    }
}
