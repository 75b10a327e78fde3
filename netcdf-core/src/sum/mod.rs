//! Digests of a dataset's content, independent of its storage.
//!
//! A digest is BLAKE3 over a *canonical stream*: text and numbers in an order that does not depend on the file. The document `docs/sum.md`
//! defines the stream. Any change of the stream requires a new number in [`VERSION`].
//!
//! | file | contents |
//! |---|---|
//! | `digest` | a digest, and its hexadecimal form |
//! | `stream` | canonical streams: numbers, text, lists |
//! | `paths` | object paths in bytes |
//! | `types` | descriptions of types |
//! | `values` | values in canonical form |
//! | `elements` | the elements of a variable, in row-major order, within the memory limit |
//! | `contents` | digests of the elements or of the stored chunks of a variable |

mod contents;
mod digest;
mod elements;
mod paths;
mod stream;
mod types;
mod values;

use crate::chunk::Dataset;
use crate::error::{Context as _, OrInternal as _, Result};
use crate::model::{Attribute, Schema, VarId, Variable};

pub use contents::{characters_digest, chunks_digest, elements_digest};
pub use digest::Digest;
pub use paths::var_path;
use stream::Stream;
use types::TypeDescriptions;

/// The version of the canonical stream, which begins each stream.
pub const VERSION: &str = "netcdf-sum 1";

/// Computes the digests of a dataset.
pub struct DigestMaker<'a> {
    set: Dataset<'a>,
    types: TypeDescriptions,
}

impl<'a> DigestMaker<'a> {
    /// Creates a digest maker for an open dataset.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`](crate::ErrorKind::Limit) for types nested too deeply, and
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) for missing types.
    pub fn new(set: Dataset<'a>) -> Result<Self> {
        let types = TypeDescriptions::of(set.reader.schema())?;
        Ok(Self { set, types })
    }

    /// Returns the digest of a variable: its path, type, shape, attributes and elements.
    ///
    /// # Errors
    /// Returns errors of reading, with the variable's path.
    pub fn variable(&self, id: VarId) -> Result<Digest> {
        let schema = self.set.reader.schema();
        let var = schema.var(id).or_internal("a variable")?;
        let mut to = Stream::new("variable");
        to.text(&var_path(schema, id));
        self.head(var, &mut to).in_object(|| schema.var_path(id))?;
        elements::all(self.set, id, &mut to)?;
        Ok(to.digest())
    }

    /// Adds the type, shape and attributes of a variable.
    fn head(&self, var: &Variable, to: &mut Stream) -> Result<()> {
        let schema = self.set.reader.schema();
        self.types.describe(var.ty, to)?;
        to.number(var.dims.len() as u64);
        for &id in &var.dims {
            let dim = schema.dim(id).or_internal("a dimension")?;
            match schema.is_nearest_dim(var.group, id) {
                true => to.text(dim.name.as_bytes()),
                false => to.text(&paths::path(schema, dim.group, &dim.name)),
            }
            to.number(dim.len);
        }
        self.attributes(&var.attributes, to)
    }

    /// Adds the attributes, sorted by name.
    fn attributes(&self, attributes: &[Attribute], to: &mut Stream) -> Result<()> {
        let one = |attribute: &Attribute| {
            let mut to = Stream::part();
            self.types.describe(attribute.ty, &mut to)?;
            to.number(attribute.values.len() as u64);
            to.add(&values::canonical(&attribute.values)?);
            Ok((attribute.name.as_bytes().to_vec(), to.into_bytes()))
        };
        let all = attributes.iter().map(one).collect::<Result<Vec<_>>>()?;
        to.sorted(all);
        Ok(())
    }

    /// Returns the digest of the dataset: groups with their attributes, dimensions, types, and the digests of all variables.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the dataset does not have these variables.
    pub fn dataset(&self, vars: &[(VarId, Digest)]) -> Result<Digest> {
        let schema = self.set.reader.schema();
        let mut to = Stream::new("dataset");
        to.sorted(self.groups(schema)?);
        to.sorted(paths::dims(schema));
        to.sorted(self.types.all(schema));
        let vars = vars.iter();
        let vars = vars.map(|(id, digest)| (var_path(schema, *id), digest.bytes().to_vec()));
        to.sorted(vars.collect());
        Ok(to.digest())
    }

    /// Returns the paths and attributes of groups.
    fn groups(&self, schema: &Schema) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let one = |(id, group): (_, &crate::model::Group)| {
            let mut to = Stream::part();
            self.attributes(&group.attributes, &mut to)
                .in_object(|| schema.group_path(id))?;
            Ok((paths::group_path(schema, id), to.into_bytes()))
        };
        schema.group_ids().zip(&schema.groups).map(one).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests;
