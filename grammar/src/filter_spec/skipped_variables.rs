//! Resolved options for the variables of a dataset, and the variables that patterns skip.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use netcdf_core::model::{Schema, VarId, cf};

use crate::mistake::Mistake;
use crate::pattern::{MatchedVariables, Pattern};

/// Option requests with resolved names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolved<T> {
    /// The requests.
    pub asked: T,
    /// Matching variables that are skipped, because their values must not change, with the reason.
    pub passed_over: BTreeMap<VarId, String>,
    /// Unmatched names and patterns: the index of the option, and the mistake.
    pub unmatched: Vec<(usize, Mistake)>,
}

/// The variables that patterns skip, determined on first use.
pub(super) struct SkippedVariables<'s> {
    schema: &'s Schema,
    found: OnceCell<BTreeMap<VarId, String>>,
}

impl<'s> SkippedVariables<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let found = OnceCell::new();
        Self { schema, found }
    }

    fn why(&self, var: VarId) -> Option<&String> {
        self.found.get_or_init(|| cf::exact(self.schema)).get(&var)
    }

    /// Moves the variables that a pattern skips from `found` to `passed_over`. A full name skips no variable.
    pub(super) fn skip(
        &self,
        found: MatchedVariables,
        pattern: Pattern<'_>,
        passed_over: &mut BTreeMap<VarId, String>,
    ) -> Result<MatchedVariables, Mistake> {
        if found.by_name {
            return Ok(found);
        }
        let (passed, left): (Vec<_>, Vec<_>) =
            (found.ids.into_iter()).partition(|id| self.why(*id).is_some());
        if left.is_empty() && !passed.is_empty() {
            let message = "all of these variables are coordinates or describe them, and patterns do not change their values";
            let hint = "name a variable in full to change it anyway".to_owned();
            return Err(Mistake::new(pattern.at, message).with_hint(Some(hint)));
        }
        let said = passed
            .into_iter()
            .filter_map(|id| Some((id, self.why(id)?.clone())));
        passed_over.extend(said);
        let (ids, by_name) = (left, false);
        Ok(MatchedVariables { ids, by_name })
    }
}

/// Records mistakes about unmatched names for later.
///
/// # Errors
/// Returns all other mistakes.
pub(super) fn keep_unmatched(
    done: Result<(), Mistake>,
    n: usize,
    unmatched: &mut Vec<(usize, Mistake)>,
) -> Result<(), (usize, Mistake)> {
    match done {
        Err(e) if e.is_unmatched => {
            unmatched.push((n, e));
            Ok(())
        }
        done => done.map_err(|e| (n, e)),
    }
}
