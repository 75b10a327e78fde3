//! The findings in key order.

use std::borrow::Cow;
use std::collections::BTreeMap;

use netcdf_core::error::Result;
use netcdf_core::json::Json;

use super::rule::{Rule, RuleSeverity};
use super::text::counted;
use crate::out::{Colour, CommandOut, plain};

/// Maximum findings per rule and node. Further findings are only counted.
pub(super) const MOST: u64 = 1000;

/// An error or a warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// The key.
    pub key: String,
    /// The broken rule.
    pub rule: Rule,
    /// The error.
    pub what: String,
    /// The remedy.
    pub remedy: Cow<'static, str>,
}

impl Finding {
    /// Returns a finding with the usual remedy of its rule.
    pub(super) fn new(rule: Rule, key: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            rule,
            what: what.into(),
            remedy: rule.remedy().into(),
        }
    }
}

/// All findings.
#[derive(Debug, Default)]
pub(crate) struct CheckReport {
    /// The retained findings.
    findings: Vec<Finding>,
    /// The number of findings per rule and node.
    of_nodes: BTreeMap<(String, Rule), u64>,
    /// The content counts.
    pub counts: StoreCounts,
}

/// Content counts of a store.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct StoreCounts {
    /// Keys.
    pub keys: u64,
    /// Arrays.
    pub arrays: u64,
    /// Chunks and shards.
    pub chunks: u64,
    /// Decoded chunks; chunks in shards count one by one.
    pub decoded: u64,
}

impl CheckReport {
    /// Adds a finding about a node. Only a limited number per rule is retained.
    pub(super) fn add(&mut self, node: &str, finding: Finding) {
        if self.count(node, finding.rule, 1) <= MOST {
            self.findings.push(finding);
        }
    }

    /// Counts findings of a rule about a node. Returns the new count.
    pub(super) fn count(&mut self, node: &str, rule: Rule, more: u64) -> u64 {
        let count = self.of_nodes.entry((node.to_owned(), rule)).or_default();
        *count = count.saturating_add(more);
        *count
    }

    /// Returns the number of findings of a severity.
    fn total(&self, severity: RuleSeverity) -> u64 {
        let all = self.of_nodes.iter();
        let of_severity = all.filter(|((_, rule), _)| rule.severity() == severity);
        of_severity.fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Checks whether there are errors.
    pub(super) fn has_errors(&self) -> bool {
        self.total(RuleSeverity::Error) > 0
    }

    /// Returns the number of errors of a node.
    pub(super) fn errors_of(&self, node: &str) -> u64 {
        let from = (node.to_owned(), Rule::KeyUnreadable);
        let of_node = self
            .of_nodes
            .range(from..)
            .take_while(|((n, _), _)| n == node);
        let errors = of_node.filter(|((_, rule), _)| rule.severity() == RuleSeverity::Error);
        errors.map(|(_, count)| count).sum()
    }

    /// Returns the retained findings, sorted by key.
    #[cfg(test)]
    pub(super) fn sorted(&mut self) -> &[Finding] {
        self.findings.sort();
        &self.findings
    }

    /// Prints all findings, and the counts of the store.
    ///
    /// # Errors
    /// Returns write errors.
    pub(super) fn print(mut self, out: &mut CommandOut<'_>) -> Result<()> {
        self.findings.sort();
        for finding in &self.findings {
            match out.json {
                true => out.record("finding", members(finding))?,
                false => text(finding, out)?,
            }
        }
        let more = self.of_nodes.iter().filter(|(_, count)| **count > MOST);
        for ((node, rule), count) in more {
            let count = count - MOST;
            let path = format!("/{node}");
            if out.json {
                let (rule, path) = (Json::text(rule.name()), Json::text(&path));
                let count = Json::int(count);
                out.record("more", [("rule", rule), ("path", path), ("count", count)])?;
            } else {
                let (name, path) = (rule.name(), plain(&path));
                out.line(&format!("{path}: {count} more of {name}, not shown"))?;
            }
        }
        self.summary(out)
    }

    fn summary(&self, out: &mut CommandOut<'_>) -> Result<()> {
        let [errors, warnings] =
            [RuleSeverity::Error, RuleSeverity::Warning].map(|s| self.total(s));
        let counts = self.counts;
        if out.json {
            let verdict = if errors > 0 { "problems" } else { "sound" };
            return out.record(
                "summary",
                [
                    ("verdict", Json::text(verdict)),
                    ("errors", Json::int(errors)),
                    ("warnings", Json::int(warnings)),
                    ("keys", Json::int(counts.keys)),
                    ("arrays", Json::int(counts.arrays)),
                    ("chunks", Json::int(counts.chunks)),
                    ("decoded", Json::int(counts.decoded)),
                ],
            );
        }
        let (keys, arrays) = (counted(counts.keys, "key"), counted(counts.arrays, "array"));
        let (wrong, odd) = (counted(errors, "error"), counted(warnings, "warning"));
        let line = match (errors, warnings) {
            (0, 0) => out.paint(Colour::Green, &format!("sound: {keys}, {arrays}")),
            (0, _) => out.paint(
                Colour::Yellow,
                &format!("sound, but {odd}: {keys}, {arrays}"),
            ),
            _ => out.paint(Colour::Red, &format!("{wrong}, {odd}: {keys}, {arrays}")),
        };
        out.line(&line)
    }
}

fn members(finding: &Finding) -> [(&'static str, Json); 5] {
    [
        ("severity", Json::text(finding.rule.severity().name())),
        ("rule", Json::text(finding.rule.name())),
        ("key", Json::text(&finding.key)),
        ("what", Json::text(&finding.what)),
        ("remedy", Json::text(&finding.remedy)),
    ]
}

/// Prints a line: `error json-invalid: v/.zarray: what is wrong (remedy)`.
fn text(finding: &Finding, out: &mut CommandOut<'_>) -> Result<()> {
    let severity = finding.rule.severity();
    let colour = match severity {
        RuleSeverity::Error => Colour::Red,
        RuleSeverity::Warning => Colour::Yellow,
    };
    let severity = out.paint(colour, severity.name());
    let key = out.paint(Colour::Bold, &plain(&finding.key));
    let (rule, what) = (finding.rule.name(), plain(&finding.what));
    let remedy = out.paint(Colour::Dim, &format!("({})", plain(&finding.remedy)));
    out.line(&format!("{key}: {severity} {rule}: {what} {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_without_end_are_counted() {
        let mut report = CheckReport::default();
        for n in 0..MOST + 7 {
            let finding = Finding::new(Rule::ChunkOutside, format!("v/{n:09}"), "outside");
            report.add("v", finding);
        }
        report.add("w", Finding::new(Rule::KeyLong, "a", "long"));
        let totals = [RuleSeverity::Error, RuleSeverity::Warning].map(|s| report.total(s));
        assert_eq!(totals, [MOST + 7, 1]);
        assert_eq!(report.sorted().len(), 1001);
        assert_eq!(report.sorted()[0].key, "a");
        assert!(report.has_errors());
    }
}
