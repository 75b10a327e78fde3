//! How the variables of a dataset are stored and where its metadata lies, which is what readers over a network depend on.
//!
//! | file | what |
//! |---|---|
//! | `rules` | sets of rules, and where a dataset falls short of them |

mod rules;
#[cfg(test)]
mod tests;

pub use rules::{Rules, Shortcoming};

use crate::arithmetic::{Amount, length};
use crate::chunk::{Dataset, Metadata};
use crate::error::Result;
use crate::model::VarId;

/// How a dataset is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// Its variables, in the order of their definition.
    pub vars: Vec<VariableSurvey>,
    /// Where its metadata lies, if it is a file that says so.
    pub metadata: Option<Metadata>,
}

/// How a variable is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableSurvey {
    /// The variable.
    pub var: VarId,
    /// Length of each dimension, in elements.
    pub shape: Vec<u64>,
    /// Elements of a chunk per dimension; `None` for data in one piece or in records.
    pub chunk: Option<Vec<u64>>,
    /// Bytes of an element before filters.
    pub element: u64,
    /// Number of stored chunks.
    pub chunks: u64,
    /// Bytes of all elements before filters.
    pub raw: u64,
    /// Bytes of the stored chunks, after filters and without heap data.
    pub stored: u64,
    /// Bytes of the smallest and of the largest stored chunk.
    pub sizes: Option<[u64; 2]>,
    /// The first byte of its data in the file that holds the metadata.
    pub first: Option<u64>,
}

/// Looks at how each of these variables is stored. Metadata is read, and no data.
///
/// # Errors
/// Those of finding the stored chunks, with the variable's path; [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
pub fn survey(set: Dataset<'_>, vars: impl IntoIterator<Item = VarId>) -> Result<Survey> {
    let vars = vars.into_iter().map(|var| variable(set, var));
    Ok(Survey {
        vars: vars.collect::<Result<_>>()?,
        // What was read to find the chunks counts.
        metadata: set.reader.metadata(),
    })
}

fn variable(set: Dataset<'_>, var: VarId) -> Result<VariableSurvey> {
    let schema = set.reader.schema();
    let (layout, shape) = (set.layout(var)?, schema.shape(var));
    let chunk = schema.var(var).and_then(|v| v.storage.chunk());
    let mut found = VariableSurvey {
        var,
        raw: (Amount::product(&shape) * layout.element.size).get(),
        shape,
        chunk: chunk.map(<[u64]>::to_vec),
        element: layout.element.size,
        chunks: 0,
        stored: 0,
        sizes: None,
        first: None,
    };
    if set.reader.assembles(var) {
        return Ok(found);
    }
    set.locate(var, &mut |chunk| {
        let size = length(&chunk.range);
        let [least, most] = found.sizes.unwrap_or([size, size]);
        found.sizes = Some([least.min(size), most.max(size)]);
        found.chunks += 1;
        found.stored = (Amount::of(found.stored) + size).get();
        if chunk.object == 0 && size > 0 {
            let first = found.first.unwrap_or(u64::MAX);
            found.first = Some(first.min(chunk.range.start));
        }
        Ok(())
    })?;
    Ok(found)
}

impl VariableSurvey {
    /// Bytes of a chunk before filters.
    #[must_use]
    pub fn chunk_bytes(&self) -> Option<u64> {
        let chunk = self.chunk.as_deref()?;
        Some((Amount::product(chunk) * self.element).get())
    }

    /// Whether all elements lie in one piece, or in one chunk.
    #[must_use]
    pub fn is_one_piece(&self) -> bool {
        let lines = |chunk: &[u64]| {
            self.shape
                .iter()
                .zip(chunk)
                .all(|(len, chunk)| len <= chunk)
        };
        self.chunk.as_deref().is_none_or(lines)
    }
}

impl Survey {
    /// The first byte of data of the variables.
    #[must_use]
    pub fn first(&self) -> Option<u64> {
        self.vars.iter().filter_map(|var| var.first).min()
    }
}
