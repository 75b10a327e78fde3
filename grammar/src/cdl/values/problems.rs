//! Errors and warnings in data lists, with their positions.

use std::ops::Range;

use crate::diagnostic::{Anchor, Reporter, Severity};

/// An error or a warning in a data list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The severity.
    pub severity: Severity,
    /// The byte range in the source.
    pub range: Range<u64>,
    /// The message.
    pub what: String,
}

/// Problems found so far, at most [`Problems::MOST`] of each severity. Further problems are only counted.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    found: Vec<Problem>,
    errors: u64,
    warnings: u64,
}

impl Problems {
    /// Maximum number of recorded problems per severity.
    pub const MOST: u64 = 20;

    /// Adds an error.
    #[cold]
    pub fn error(&mut self, range: Range<u64>, what: impl Into<String>) {
        self.errors += 1;
        if self.errors <= Self::MOST {
            self.push(Severity::Error, range, what.into());
        }
    }

    /// Adds a warning.
    #[cold]
    pub fn warning(&mut self, range: Range<u64>, what: impl Into<String>) {
        self.warnings += 1;
        if self.warnings <= Self::MOST {
            self.push(Severity::Warning, range, what.into());
        }
    }

    fn push(&mut self, severity: Severity, range: Range<u64>, what: String) {
        self.found.push(Problem {
            severity,
            range,
            what,
        });
    }

    /// Returns the recorded problems in the order of detection.
    #[must_use]
    pub fn found(&self) -> &[Problem] {
        &self.found
    }

    /// Reports the recorded problems of a list at `anchor`.
    pub fn report(&self, anchor: Anchor, reporter: &mut Reporter<'_>) {
        for problem in &self.found {
            let (at, what) = (problem.range.start, &*problem.what);
            match problem.severity {
                Severity::Error => reporter.error(anchor, at, what),
                Severity::Warning => reporter.warning(anchor, at, what),
            }
        }
    }

    /// Returns the number of errors, including unrecorded errors.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// Returns the number of warnings, including unrecorded warnings.
    #[must_use]
    pub fn warnings(&self) -> u64 {
        self.warnings
    }

    /// Returns whether the reader should stop, because further errors are not recorded.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.errors >= Self::MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_first_of_each_severity() {
        let mut problems = Problems::default();
        for i in 0..30 {
            problems.error(i..i + 1, "e");
            problems.warning(i..i + 1, "w");
        }
        assert_eq!((problems.errors(), problems.warnings()), (30, 30));
        assert!(problems.is_full());
        let mut errors = problems.found().iter().filter(|p| p.what == "e");
        assert_eq!(errors.next_back().unwrap().range, 19..20);
        assert_eq!(problems.found().len(), 40);
    }
}
