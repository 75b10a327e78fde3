//! Survey of a dataset's storage and metadata location, which determine the speed of readers over a network.
//!
//! | file | contents |
//! |---|---|
//! | `variable` | the storage of a variable |
//! | `dataset_size` | the size of a dataset and its metadata |
//! | `mixed_pages` | pages that hold both metadata and data |
//! | `rules` | rule sets, and the shortcomings of a dataset |

mod dataset_size;
mod mixed_pages;
mod rules;
mod variable;

#[cfg(test)]
mod tests;

pub use dataset_size::{DatasetSize, size};
pub use rules::{RuleSet, Shortcoming, times};
pub use variable::{ChunkSizes, LayoutClass, VariableSurvey};

use std::collections::BTreeSet;

use crate::arithmetic::Amount;
use crate::chunk::{Dataset, FileMetadata, MetadataExtent};
use crate::error::Result;

/// The storage of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The variables, in definition order.
    pub vars: Vec<VariableSurvey>,
    /// The size, as far as known.
    pub size: DatasetSize,
    /// The extent of the metadata, if known.
    pub metadata: Option<MetadataExtent>,
    /// The first byte of the first page with both metadata and data.
    pub mixed: Option<u64>,
}

/// Surveys the storage of all variables. Reads metadata, but no data. The memory depends on the number of variables, not of chunks.
///
/// # Errors
/// Returns errors of locating stored chunks, with the variable's path, and [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
pub fn survey(set: Dataset<'_>, size: DatasetSize) -> Result<Survey> {
    let vars = set.reader.schema().var_ids();
    let vars = vars.map(|var| VariableSurvey::of(set, var));
    let mut survey = Survey {
        vars: vars.collect::<Result<_>>()?,
        size,
        // Includes the metadata read to locate chunks.
        metadata: set.reader.metadata(set.env)?,
        mixed: None,
    };
    survey.mixed = mixed_pages::page(set, &survey)?;
    Ok(survey)
}

impl Survey {
    /// Returns the metadata extent, if the dataset is a file that records it.
    #[must_use]
    pub fn file(&self) -> Option<&FileMetadata> {
        match &self.metadata {
            Some(MetadataExtent::File(file)) => Some(file),
            Some(MetadataExtent::Keys { .. }) | None => None,
        }
    }

    /// Returns the first byte of data in the file with the metadata.
    #[must_use]
    pub fn first_data(&self) -> Option<u64> {
        let others = self.file().and_then(|file| file.others.first);
        let firsts = self.vars.iter().filter_map(|var| var.first);
        firsts.chain(others).min()
    }

    /// Returns whether all metadata of a file precedes its data.
    #[must_use]
    pub fn in_front(&self) -> Option<bool> {
        let last = self.file()?.last;
        Some(self.first_data().is_none_or(|first| last < first))
    }

    /// Returns the bytes of variable data in the file with the metadata. Data with several names is counted once.
    #[must_use]
    pub fn data_within(&self) -> u64 {
        let places = self
            .vars
            .iter()
            .filter_map(|var| Some((var.first?, var.stored)));
        let places: BTreeSet<_> = places.collect();
        places.iter().map(|(_, bytes)| *bytes).sum::<Amount>().get()
    }
}
