//! Surveyed layout and rule violations of a dataset.

use netcdf_core::io::request_counter::RequestTotals;
use netcdf_core::model::{Schema, VarId};
use netcdf_core::survey::{RuleSet, Shortcoming, Survey, VariableSurvey};

/// The storage layout of a dataset, and violations of each rule set.
pub(super) struct DatasetLayout {
    /// The storage layout.
    pub(super) survey: Survey,
    /// The requests for opening the dataset over a network; `None` for joined datasets.
    pub(super) opening: Option<RequestTotals>,
    /// The unused bytes, if known.
    pub(super) unused: Option<u64>,
    /// The printed variables, or `None` for all.
    chosen: Option<Vec<VarId>>,
    /// The violations of [`RuleSet::ALL`]; empty for joined datasets, which are no files.
    missed: Vec<(RuleSet, Vec<Shortcoming>)>,
}

impl DatasetLayout {
    /// Returns the layout and its rule violations. Rules apply to all variables. `chosen` are the printed variables.
    pub(super) fn new(
        survey: Survey,
        schema: &Schema,
        chosen: Option<Vec<VarId>>,
        opening: RequestTotals,
    ) -> Self {
        Self {
            missed: RuleSet::ALL
                .map(|rules| (rules, rules.shortcomings(&survey, schema)))
                .into(),
            unused: survey.unused(schema),
            survey,
            opening: Some(opening),
            chosen,
        }
    }

    /// Returns the layout of a joined dataset: only the variables have a layout.
    pub(super) fn joined(survey: Survey, chosen: Option<Vec<VarId>>) -> Self {
        Self {
            survey,
            opening: None,
            unused: None,
            chosen,
            missed: vec![],
        }
    }

    /// Returns the printed variables.
    pub(super) fn shown(&self) -> impl Iterator<Item = &VariableSurvey> {
        let is_chosen = |var: &&VariableSurvey| {
            let chosen = self.chosen.as_ref();
            chosen.is_none_or(|chosen| chosen.contains(&var.var))
        };
        self.survey.vars.iter().filter(is_chosen)
    }

    /// Returns the violations of each rule set.
    pub(super) fn rules(&self) -> &[(RuleSet, Vec<Shortcoming>)] {
        &self.missed
    }

    /// Returns the violations of a rule set.
    pub(super) fn missed(&self, rules: RuleSet) -> &[Shortcoming] {
        let found = self.missed.iter().find(|(of, _)| *of == rules);
        found.map_or(&[], |(_, missed)| missed)
    }
}

/// Describes a violation as a sentence.
pub(super) fn reason(schema: &Schema, shortcoming: &Shortcoming) -> String {
    match shortcoming.var {
        Some(var) => format!("{}: {}", schema.var_path(var), shortcoming.what),
        None => shortcoming.what.clone(),
    }
}

/// Returns the mean bytes of a stored chunk.
pub(super) fn mean(var: &VariableSurvey) -> Option<u64> {
    var.stored.checked_div(var.chunks?.count)
}
