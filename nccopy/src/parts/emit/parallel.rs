//! Scripts for GNU parallel.

use super::facts::Facts;
use super::fill;

/// Returns a shell script.
pub(super) fn script(facts: &Facts) -> String {
    fill(include_str!("parallel.sh"), &facts.of_shell())
}
