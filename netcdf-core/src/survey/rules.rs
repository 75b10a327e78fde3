//! Sets of rules, and where a dataset falls short of them.

use super::{Survey, VariableSurvey};
use crate::arithmetic::Amount;
use crate::chunk::{FileMetadata, FilePages, MetadataExtent};
use crate::model::kind::StorageFormat;
use crate::model::{Schema, Values, VarId};

/// Fewest bytes of a chunk before filters for readers over a network.
const CHUNK: u64 = 1 << 20;
/// As [`CHUNK`], for CMIP7.
const CMIP7_CHUNK: u64 = 4 << 20;
/// Fewest bytes of a page.
const PAGE: u64 = 64 << 10;

/// A set of rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSet {
    /// Metadata in front of all data; chunks of 1 MiB and more, or one for each variable.
    Cloud,
    /// Those of CMIP7: a netCDF-4 file; metadata in front; one chunk for time and one for its bounds; chunks of 4 MiB and more for other
    /// variables, or one.
    Cmip7,
    /// A netCDF-4 file with metadata in pages of its own.
    Paged,
}

/// What a dataset lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcoming {
    /// The variable that is meant; `None` for the dataset.
    pub var: Option<VarId>,
    /// What is wrong, for people.
    pub what: String,
}

impl RuleSet {
    /// All sets of rules.
    pub const ALL: [Self; 3] = [Self::Cloud, Self::Cmip7, Self::Paged];

    /// The name for users.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cloud => "cloud",
            Self::Cmip7 => "cmip7",
            Self::Paged => "paged",
        }
    }

    /// Where a dataset falls short: first the file, then its variables.
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

/// Whether readers find all metadata together.
fn metadata(survey: &Survey) -> Option<Shortcoming> {
    match &survey.metadata {
        None => Some(of_file("where its metadata lies is not known")),
        Some(MetadataExtent::Keys { consolidated }) => {
            (*consolidated == Some(false)).then(|| of_file("it has no consolidated metadata"))
        }
        Some(MetadataExtent::File(file)) => behind(survey, file),
    }
}

fn behind(survey: &Survey, file: &FileMetadata) -> Option<Shortcoming> {
    let first = survey.first_data()?;
    let last = file.last;
    let what =
        || format!("there is metadata at byte {last}, behind the first data at byte {first}");
    (last >= first).then(|| of_file(what()))
}

fn cmip7(var: &VariableSurvey, times: &[VarId]) -> Option<Shortcoming> {
    if !times.contains(&var.var) {
        return small(var, CMIP7_CHUNK, one_more(var));
    }
    let count = var.chunk_count();
    (count > 1).then(|| of_var(var, format!("it has {count} chunks, one is expected")))
}

/// Bytes that a chunk has more if it is one element longer along the first of several dimensions: CMIP7 accepts chunks that could not
/// be closer to the size.
fn one_more(var: &VariableSurvey) -> u64 {
    match var.chunk() {
        Some([_, rest @ ..]) if !rest.is_empty() => {
            (Amount::product(rest) * var.element.unwrap_or(0)).get()
        }
        Some(_) | None => 0,
    }
}

/// Whether there are several chunks with fewer bytes than these, less what may be missing.
fn small(var: &VariableSurvey, least: u64, missing: u64) -> Option<Shortcoming> {
    let (bytes, count) = (var.chunk_bytes()?, var.chunk_count());
    let enough = (Amount::of(bytes) + missing).get() >= least;
    let what = || {
        let least = (Amount::of(least) - missing).get();
        format!(
            "its {count} chunks have {bytes} bytes before filters, at least {least} or one chunk are expected"
        )
    };
    (count > 1 && !enough).then(|| of_var(var, what()))
}

fn paged(survey: &Survey) -> Vec<Shortcoming> {
    match survey.file().and_then(|file| file.pages) {
        None => vec![of_file("it is not stored in pages")],
        Some(pages) => of_pages(survey, pages).map(of_file).collect(),
    }
}

fn of_pages(survey: &Survey, pages: FilePages) -> impl Iterator<Item = String> {
    let FilePages { base, size } = pages;
    let short =
        (size < PAGE).then(|| format!("its pages have {size} bytes, at least {PAGE} are expected"));
    let len = survey.size.bytes.and_then(|bytes| bytes.checked_sub(base));
    let rest = len.and_then(|len| len.checked_rem(size)).unwrap_or(0);
    let cut = (rest > 0).then(|| "it does not end at the end of a page".to_owned());
    let mixed = survey
        .mixed
        .map(|at| format!("the page at byte {at} holds both metadata and data"));
    [short, cut, mixed].into_iter().flatten()
}

/// The time coordinate and its bounds, in the root group.
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

/// A variable of the root group.
fn root_var(schema: &Schema, name: &[u8]) -> Option<VarId> {
    let mut ids = schema.var_ids();
    ids.find(|&id| {
        let var = schema.var(id);
        var.is_some_and(|var| var.group.index() == 0 && var.name.as_bytes() == name)
    })
}
