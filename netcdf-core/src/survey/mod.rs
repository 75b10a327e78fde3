//! How the variables of a dataset are stored and where its metadata lies, which is what readers over a network depend on.
//!
//! | file | what |
//! |---|---|
//! | `variable` | how a variable is stored |
//! | `whole` | the size of a dataset, and of the parts of it |
//! | `mixed` | pages that hold both metadata and data |
//! | `rules` | sets of rules, and where a dataset falls short of them |

mod mixed;
mod rules;
mod variable;
mod whole;

#[cfg(test)]
mod tests;

pub use rules::{RuleSet, Shortcoming, times};
pub use variable::{ChunkSizes, LayoutClass, VariableSurvey};
pub use whole::{DatasetSize, size};

use std::collections::BTreeSet;

use crate::arithmetic::Amount;
use crate::chunk::{Dataset, FileMetadata, MetadataExtent};
use crate::error::Result;

/// How a dataset is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// Its variables, in the order of their definition.
    pub vars: Vec<VariableSurvey>,
    /// Its size, as far as known.
    pub size: DatasetSize,
    /// Where its metadata lies, if that is known.
    pub metadata: Option<MetadataExtent>,
    /// The first page that holds both metadata and data, by its first byte.
    pub mixed: Option<u64>,
}

/// Looks at how all variables are stored. Metadata is read, and no data: memory is needed for variables, not for their chunks.
///
/// # Errors
/// Those of finding the stored chunks, with the variable's path; [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
pub fn survey(set: Dataset<'_>, size: DatasetSize) -> Result<Survey> {
    let vars = set.reader.schema().var_ids();
    let vars = vars.map(|var| VariableSurvey::of(set, var));
    let mut survey = Survey {
        vars: vars.collect::<Result<_>>()?,
        size,
        // What was read to find the chunks counts.
        metadata: set.reader.metadata(set.env)?,
        mixed: None,
    };
    survey.mixed = mixed::page(set, &survey)?;
    Ok(survey)
}

impl Survey {
    /// Where the metadata lies, if it is in a file that says so.
    #[must_use]
    pub fn file(&self) -> Option<&FileMetadata> {
        match &self.metadata {
            Some(MetadataExtent::File(file)) => Some(file),
            Some(MetadataExtent::Keys { .. }) | None => None,
        }
    }

    /// The first byte of data in the file that holds the metadata.
    #[must_use]
    pub fn first_data(&self) -> Option<u64> {
        let others = self.file().and_then(|file| file.others.first);
        let firsts = self.vars.iter().filter_map(|var| var.first);
        firsts.chain(others).min()
    }

    /// Whether all metadata of a file lies before its data.
    #[must_use]
    pub fn in_front(&self) -> Option<bool> {
        let last = self.file()?.last;
        Some(self.first_data().is_none_or(|first| last < first))
    }

    /// Bytes of data of the variables in the file that holds the metadata; data with several names is counted once.
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
