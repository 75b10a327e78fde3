//! For GNU parallel.

use super::facts::Facts;
use super::fill;

/// A shell script.
pub fn script(facts: &Facts) -> String {
    let mut values = facts.of_shell();
    values.push(("LAST", (facts.parts.max(1) - 1).to_string()));
    fill(include_str!("parallel.sh"), &values)
}
