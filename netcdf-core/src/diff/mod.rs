//! Compares two datasets of any formats: first schemas, then values.
//!
//! Objects are matched by path. An object found in only one dataset counts as one difference; its contents are not compared. The schemas
//! are compared first, then the values of each variable in turn.
//!
//! | file | contents |
//! |---|---|
//! | `difference` | differences between two datasets |
//! | `group_walk` | differences found so far, and objects matched by name |
//! | `schema` | groups, dimensions, variables, the order of definitions |
//! | `matching` | common objects of two datasets, matched by name |
//! | `types` | user-defined types |
//! | `attributes` | attributes |
//! | `storage` | storage of datasets and variables, on request |
//! | `values` | the values of a variable |
//! | `boxes` | boxes of elements, compared on all threads |
//! | `stored_chunks` | chunks with the same storage: equal bytes need no decoding |
//! | `numbers` | numbers of one type, block by block |
//! | `rule` | equality and distance of two numbers |
//! | `single_values` | comparison of single values of any types |
//! | `changes` | changes of a variable in a copy |
//! | `copy_comparison` | comparison of a copy with its input |
//! | `tally` | counts of elements that differ |
//! | `elements` | elements that differ, with values and coordinates |
//! | `coordinates` | the coordinates of an element |

mod attributes;
mod boxes;
mod changes;
mod coordinates;
mod copy_comparison;
mod difference;
mod elements;
mod group_walk;
mod matching;
mod numbers;
mod rule;
mod schema;
mod single_values;
mod storage;
mod stored_chunks;
mod tally;
mod types;
mod values;

pub(crate) use changes::{ChunkCheck, Convert, Expected, Mismatch};
pub use copy_comparison::same_values;
pub(crate) use copy_comparison::{SchemaDifferences, compare_copy, compare_schemas};
pub use difference::{
    AttributeValues, DatasetSide, Difference, DifferenceKind, DifferentElement, DifferentValues,
    ElementCoordinate, Farthest, ObjectKind,
};
pub use rule::Tolerance;

use crate::chunk::Dataset;
use crate::error::{Error, ErrorKind, Result};

/// One of the two datasets.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The dataset.
    pub set: Dataset<'a>,
    /// A dataset name for errors without a resource name; `None` adds no name.
    pub name: Option<&'a str>,
}

/// An object that the options may exclude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IgnoreCandidate<'a> {
    /// The dataset with the object; the first dataset for a common object.
    pub side: DatasetSide,
    /// The kind of the object.
    pub kind: ObjectKind,
    /// The path of the object, or of the owner of an attribute.
    pub path: &'a str,
    /// The name of an attribute or a special attribute.
    pub attribute: Option<&'a str>,
}

/// Options of a comparison.
#[derive(Clone, Copy)]
pub struct DiffOptions<'a> {
    /// The permitted difference between numbers.
    pub tolerance: Tolerance,
    /// Whether to compare storage.
    pub layout: bool,
    /// Whether to compare variable values.
    pub values: bool,
    /// Returns whether to compare an object. Excluding a group excludes its contents.
    pub takes: &'a (dyn Fn(&IgnoreCandidate<'_>) -> bool + Sync),
}

/// Compares two datasets, and passes the differences to `visit`: first schema differences, then value differences. Returns the errors that
/// prevented comparisons of variable values. The differences and their order do not depend on threads or memory.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`], and errors of `visit`.
pub fn diff(
    sides: [Compared<'_>; 2],
    options: &DiffOptions<'_>,
    visit: &mut dyn FnMut(Difference) -> Result<()>,
) -> Result<Vec<Error>> {
    let schemas = sides.map(|side| side.set.reader.schema());
    let mut walk = group_walk::GroupWalk::new(schemas, options);
    if options.layout {
        storage::of_datasets(sides.map(|side| side.set), options, &mut walk.found);
    }
    walk.run();
    walk.found.into_iter().try_for_each(&mut *visit)?;
    let mut failed = vec![];
    if !options.values {
        return Ok(failed);
    }
    for pair in walk.pairs.into_iter().filter(|pair| pair.comparable) {
        match values::compare(sides, &pair, options.tolerance) {
            Ok(Some(difference)) => visit(difference)?,
            Ok(None) => {}
            Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => failed.push(e.in_object(&pair.path)),
        }
    }
    Ok(failed)
}

impl Compared<'_> {
    /// Adds the dataset name to an error without a resource name.
    fn named(&self, e: Error) -> Error {
        match self.name {
            Some(name) => e.of(name),
            None => e,
        }
    }
}

#[cfg(test)]
mod tests;
