//! What was found.

use netcdf_core::io::request_counter::RequestTotals;
use netcdf_core::model::{Schema, VarId};
use netcdf_core::survey::{RuleSet, Shortcoming, Survey, VariableSurvey};

/// How a dataset is stored, and where it falls short of each set of rules.
pub(super) struct DatasetLayout {
    /// How it is stored.
    pub(super) survey: Survey,
    /// What opening it would take over a network.
    pub(super) opening: RequestTotals,
    /// The bytes that nothing explains.
    pub(super) unused: Option<u64>,
    /// The variables that are shown, if not all are.
    chosen: Option<Vec<VarId>>,
    /// What is missing for [`RuleSet::ALL`].
    missed: [(RuleSet, Vec<Shortcoming>); 3],
}

impl DatasetLayout {
    /// What was found. Rules are about all variables; `chosen` are those that are shown.
    pub(super) fn new(
        survey: Survey,
        schema: &Schema,
        chosen: Option<Vec<VarId>>,
        opening: RequestTotals,
    ) -> Self {
        Self {
            missed: RuleSet::ALL.map(|rules| (rules, rules.shortcomings(&survey, schema))),
            unused: survey.unused(schema),
            survey,
            opening,
            chosen,
        }
    }

    /// The variables that are shown.
    pub(super) fn shown(&self) -> impl Iterator<Item = &VariableSurvey> {
        let is_chosen = |var: &&VariableSurvey| {
            let chosen = self.chosen.as_ref();
            chosen.is_none_or(|chosen| chosen.contains(&var.var))
        };
        self.survey.vars.iter().filter(is_chosen)
    }

    /// What is missing for each set of rules.
    pub(super) fn rules(&self) -> &[(RuleSet, Vec<Shortcoming>)] {
        &self.missed
    }

    /// What is missing for a set of rules.
    pub(super) fn missed(&self, rules: RuleSet) -> &[Shortcoming] {
        let found = self.missed.iter().find(|(of, _)| *of == rules);
        found.map_or(&[], |(_, missed)| missed)
    }
}

/// A shortcoming as a sentence.
pub(super) fn reason(schema: &Schema, shortcoming: &Shortcoming) -> String {
    match shortcoming.var {
        Some(var) => format!("{}: {}", schema.var_path(var), shortcoming.what),
        None => shortcoming.what.clone(),
    }
}

/// Mean bytes of a stored chunk.
pub(super) fn mean(var: &VariableSurvey) -> Option<u64> {
    var.stored.checked_div(var.chunks?.count)
}
