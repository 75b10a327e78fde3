//! Sets of rules, and where a dataset falls short of them.

use super::{Survey, VariableSurvey};
use crate::model::{Schema, Values};

/// Fewest bytes of a chunk before filters, unless it is the whole variable.
const CHUNK: u64 = 4 << 20;
/// Of other rules than those of CMIP7.
const FACTOR: u64 = 4;

/// A set of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Metadata in front of all data; chunks of 1 MiB and more, or the whole variable.
    Cloud,
    /// Those of CMIP7: metadata in front; time and its bounds in one chunk each; other chunks of 4 MiB and more, or the whole variable.
    Cmip7,
    /// Those of [`Rules::Cloud`], in a file of pages.
    Paged,
}

/// What a dataset lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcoming {
    /// The path of the variable that is meant; `None` for the file.
    pub object: Option<String>,
    /// What it is, for people.
    pub what: String,
}

impl Rules {
    /// All sets of rules, with their names.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Cloud, "cloud"),
        (Self::Cmip7, "cmip7"),
        (Self::Paged, "paged"),
    ];

    /// Where a dataset falls short.
    #[must_use]
    pub fn shortcomings(self, survey: &Survey, schema: &Schema) -> Vec<Shortcoming> {
        let mut found = vec![];
        let mut of_file = |what: String| found.push(Shortcoming { object: None, what });
        match survey.metadata {
            None => of_file("it is no file that has its metadata in one place".to_owned()),
            Some(metadata) => {
                if let Some(first) = survey.first().filter(|first| *first < metadata.last) {
                    let last = metadata.last;
                    of_file(format!(
                        "there is metadata at byte {last}, behind data at byte {first}"
                    ));
                }
                if self == Self::Paged && metadata.page.is_none() {
                    of_file("it is not stored in pages".to_owned());
                }
            }
        }
        let times = times(schema);
        for var in &survey.vars {
            let path = schema.var_path(var.var);
            let what = match self {
                Self::Cmip7 if times.contains(&path) => in_one(var),
                Self::Cmip7 => small(var, CHUNK),
                Self::Cloud | Self::Paged => small(var, CHUNK / FACTOR),
            };
            found.extend(what.map(|what| Shortcoming {
                object: Some(path),
                what,
            }));
        }
        found
    }
}

fn in_one(var: &VariableSurvey) -> Option<String> {
    let chunks = var.chunks;
    (chunks > 1 && !var.is_one_piece()).then(|| format!("it has {chunks} chunks, one is expected"))
}

fn small(var: &VariableSurvey, least: u64) -> Option<String> {
    let bytes = var.chunk_bytes().filter(|bytes| *bytes < least)?;
    (!var.is_one_piece() && var.chunks > 1)
        .then(|| format!("its chunks have {bytes} bytes before filters, {least} are expected"))
}

/// The paths of time and of its bounds, which lie in the root group.
fn times(schema: &Schema) -> Vec<String> {
    let find = |path: &str| schema.var_ids().find(|&id| schema.var_path(id) == path);
    let Some(time) = find("/time") else {
        return vec![];
    };
    let bounds = schema.var(time).and_then(|var| {
        let attribute = var.attribute("bounds")?;
        match &attribute.values {
            Values::Char(text) => Some(String::from_utf8_lossy(text).trim_end().to_owned()),
            Values::String(texts) => {
                let text = texts.first()?.as_deref()?;
                Some(String::from_utf8_lossy(text).into_owned())
            }
            _ => None,
        }
    });
    let bounds = bounds.map(|name| format!("/{name}"));
    std::iter::once("/time".to_owned()).chain(bounds).collect()
}
