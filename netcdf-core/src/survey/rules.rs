//! Rule sets for storage, and the shortcomings of a dataset under a rule set.

use super::{Survey, VariableSurvey};
use crate::arithmetic::Amount;
use crate::chunk::{FileMetadata, FilePages, MetadataExtent};
use crate::model::kind::StorageFormat;
use crate::model::{Schema, Values, VarId};

/// Minimum bytes of a chunk before filters, for readers over a network.
const CHUNK: u64 = 1 << 20;
/// Like [`CHUNK`], for CMIP7.
const CMIP7_CHUNK: u64 = 4 << 20;
/// Minimum bytes of a page.
const PAGE: u64 = 64 << 10;

/// A rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSet {
    /// Metadata before all data; chunks of at least 1 MiB, or one chunk per variable.
    Cloud,
    /// The CMIP7 rules: a netCDF-4 file; metadata before all data; one chunk for time, and one chunk for its bounds; chunks of at least 4
    /// MiB, or one chunk, for all remaining variables.
    Cmip7,
    /// A netCDF-4 file with separate pages for metadata.
    Paged,
}

/// A shortcoming of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcoming {
    /// The variable; `None` for the dataset.
    pub var: Option<VarId>,
    /// The shortcoming as text for users.
    pub what: String,
}

impl RuleSet {
    /// All rule sets.
    pub const ALL: [Self; 3] = [Self::Cloud, Self::Cmip7, Self::Paged];

    /// Returns the name for users.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cloud => "cloud",
            Self::Cmip7 => "cmip7",
            Self::Paged => "paged",
        }
    }

    /// Returns the shortcomings of a dataset: first of the file, then of its variables.
    #[must_use]
    pub fn shortcomings(self, survey: &Survey, schema: &Schema) -> Vec<Shortcoming> {
        let hdf5 = schema.kind.storage == StorageFormat::Hdf5;
        if !hdf5 && self != Self::Cloud {
            return vec![of_file("it is not a netCDF-4 file")];
        }
        match self {
            Self::Paged => paged(survey),
            Self::Cloud => {
                let chunks = survey.vars.iter().filter_map(|var| small(var, CHUNK, 0));
                metadata(survey).into_iter().chain(chunks).collect()
            }
            Self::Cmip7 => {
                let times = times(schema);
                let chunks = survey.vars.iter().filter_map(|var| cmip7(var, &times));
                metadata(survey).into_iter().chain(chunks).collect()
            }
        }
    }
}

fn of_file(what: impl Into<String>) -> Shortcoming {
    Shortcoming {
        var: None,
        what: what.into(),
    }
}

fn of_var(var: &VariableSurvey, what: String) -> Shortcoming {
    Shortcoming {
        var: Some(var.var),
        what,
    }
}

/// Checks whether readers find all metadata in one range.
fn metadata(survey: &Survey) -> Option<Shortcoming> {
    match &survey.metadata {
        None => Some(of_file("the location of the metadata is unknown")),
        Some(MetadataExtent::Keys { consolidated }) => {
            (*consolidated == Some(false)).then(|| of_file("no consolidated metadata"))
        }
        Some(MetadataExtent::File(file)) => behind(survey, file),
    }
}

fn behind(survey: &Survey, file: &FileMetadata) -> Option<Shortcoming> {
    let first = survey.first_data()?;
    let last = file.last;
    let what = || format!("metadata at byte {last} follows the first data at byte {first}");
    (last >= first).then(|| of_file(what()))
}

fn cmip7(var: &VariableSurvey, times: &[VarId]) -> Option<Shortcoming> {
    if !times.contains(&var.var) {
        return small(var, CMIP7_CHUNK, one_more(var));
    }
    let count = var.chunk_count();
    (count > 1).then(|| of_var(var, format!("{count} chunks, expected one")))
}

/// Returns the additional bytes of a chunk if it is one element longer along the first of several dimensions. CMIP7 accepts a chunk within
/// this distance from the size.
fn one_more(var: &VariableSurvey) -> u64 {
    match var.chunk() {
        Some([_, rest @ ..]) if !rest.is_empty() => {
            (Amount::product(rest) * var.element.unwrap_or(0)).get()
        }
        Some(_) | None => 0,
    }
}

/// Checks for several chunks that are smaller than `least` minus `missing` bytes.
fn small(var: &VariableSurvey, least: u64, missing: u64) -> Option<Shortcoming> {
    let (bytes, count) = (var.chunk_bytes()?, var.chunk_count());
    let enough = (Amount::of(bytes) + missing).get() >= least;
    let what = || {
        let least = (Amount::of(least) - missing).get();
        format!(
            "{count} chunks of {bytes} bytes before filters, expected one chunk or at least {least} bytes"
        )
    };
    (count > 1 && !enough).then(|| of_var(var, what()))
}

fn paged(survey: &Survey) -> Vec<Shortcoming> {
    match survey.file().and_then(|file| file.pages) {
        None => vec![of_file("not stored in pages")],
        Some(pages) => of_pages(survey, pages).map(of_file).collect(),
    }
}

fn of_pages(survey: &Survey, pages: FilePages) -> impl Iterator<Item = String> {
    let FilePages { base, size } = pages;
    let short = (size < PAGE).then(|| format!("pages of {size} bytes, expected at least {PAGE}"));
    let len = survey.size.bytes.and_then(|bytes| bytes.checked_sub(base));
    let rest = len.and_then(|len| len.checked_rem(size)).unwrap_or(0);
    let cut = (rest > 0).then(|| "the file does not end at the end of a page".to_owned());
    let mixed = survey
        .mixed
        .map(|at| format!("the page at byte {at} contains both metadata and data"));
    [short, cut, mixed].into_iter().flatten()
}

/// Returns the time coordinate and its bounds, in the root group.
#[must_use]
pub fn times(schema: &Schema) -> Vec<VarId> {
    let Some(time) = root_var(schema, b"time") else {
        return vec![];
    };
    let bounds = schema.var(time).and_then(|var| {
        let name = match &var.attribute("bounds")?.values {
            Values::Char(text) => Some(text.as_slice()),
            Values::String(texts) => texts.first()?.as_deref(),
            _ => None,
        };
        let name = name?.trim_ascii_end();
        root_var(schema, name.strip_suffix(b"\0").unwrap_or(name))
    });
    std::iter::once(time).chain(bounds).collect()
}

/// Returns a variable of the root group.
fn root_var(schema: &Schema, name: &[u8]) -> Option<VarId> {
    let mut ids = schema.var_ids();
    ids.find(|&id| {
        let var = schema.var(id);
        var.is_some_and(|var| var.group.index() == 0 && var.name.as_bytes() == name)
    })
}
