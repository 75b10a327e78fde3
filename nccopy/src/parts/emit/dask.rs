//! Scripts for Dask.

use super::facts::Facts;
use super::fill;

/// Returns a Python script for `distributed`.
pub(super) fn script(facts: &Facts) -> String {
    let mut values = facts.of_python();
    // This prefix of the digest distinguishes plans on one scheduler.
    values.push(("PLAN", facts.plan.to_string().chars().take(32).collect()));
    fill(include_str!("dask.py"), &values)
}
