//! For Dask.

use super::facts::Facts;
use super::fill;

/// A Python script on `distributed`.
pub(super) fn script(facts: &Facts) -> String {
    let mut values = facts.of_python();
    // Enough of the digest to tell plans on one scheduler apart.
    values.push(("PLAN", facts.plan.to_string().chars().take(32).collect()));
    fill(include_str!("dask.py"), &values)
}
