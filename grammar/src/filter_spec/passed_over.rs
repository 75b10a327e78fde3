//! What options ask for of the variables of a dataset, and what patterns do not reach.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use netcdf_core::model::{Schema, VarId, cf};

use crate::mistake::Mistake;
use crate::pattern::{Found, Pattern};

/// What options ask for, with the names of a dataset resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolved<T> {
    /// What is asked for.
    pub asked: T,
    /// Variables that a pattern of what changes values stands for, but which it passes over, and why.
    pub passed_over: BTreeMap<VarId, String>,
    /// Names and patterns that stand for nothing: the option's place in the list, and what is wrong.
    pub unmatched: Vec<(usize, Mistake)>,
}

/// The variables that patterns pass over, found when they are first asked for.
pub(super) struct Exact<'s> {
    schema: &'s Schema,
    found: OnceCell<BTreeMap<VarId, String>>,
}

impl<'s> Exact<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let found = OnceCell::new();
        Self { schema, found }
    }

    fn why(&self, var: VarId) -> Option<&String> {
        self.found.get_or_init(|| cf::exact(self.schema)).get(&var)
    }

    /// Takes those variables out of `found` that a pattern passes over, and says so in `passed_over`. A name in full passes
    /// over nothing.
    pub(super) fn pass_over(
        &self,
        found: Found,
        pattern: Pattern<'_>,
        passed_over: &mut BTreeMap<VarId, String>,
    ) -> Result<Found, Mistake> {
        let ids = match found {
            Found::Named(id) => return Ok(Found::Named(id)),
            Found::Matching(ids) => ids,
        };
        let (passed, left): (Vec<_>, Vec<_>) =
            ids.into_iter().partition(|id| self.why(*id).is_some());
        if left.is_empty() && !passed.is_empty() {
            let message = "all of these variables are coordinates or describe them, and patterns do not change their values";
            let hint = "name a variable in full to change it anyway".to_owned();
            return Err(Mistake::new(pattern.at, message).with_hint(Some(hint)));
        }
        let said = passed
            .into_iter()
            .filter_map(|id| Some((id, self.why(id)?.clone())));
        passed_over.extend(said);
        Ok(Found::Matching(left))
    }
}

/// Keeps what stands for nothing for later.
///
/// # Errors
/// All other mistakes.
pub(super) fn set_aside(
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
