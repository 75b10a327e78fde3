//! Finds the joined dimension without a name: the only unlimited dimension, or the only dimension whose coordinate differs between inputs.

use std::collections::BTreeSet;

use netcdf_core::chunk::{Dataset, ReadCache, Reader};
use netcdf_core::env::Env;
use netcdf_core::error::{ErrorKind, Result};
use netcdf_core::model::cf::coordinate_variable;
use netcdf_core::model::{DimId, Region, VarId};
use netcdf_core::sum::Digest;

use super::coordinate::positions;
use super::dimension::{JoinedDimension, candidates, var_of};
use super::opener::InputOpener;

/// The coordinate of a dimension in the first input.
struct KnownCoordinate {
    dim: DimId,
    path: String,
    values: Digest,
}

/// Finds the joined dimension of inputs.
pub(super) struct DimensionSearch<'a> {
    pub(super) opener: &'a InputOpener,
    /// The first input.
    pub(super) first: &'a dyn Reader,
    pub(super) env: &'a Env,
}

impl DimensionSearch<'_> {
    /// Returns the joined dimension. Reads the coordinates of all inputs unless the first input has exactly one unlimited dimension.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] with the candidates if no dimension or several dimensions are possible, and read errors.
    pub(super) fn run(&self) -> Result<JoinedDimension> {
        let schema = self.first.schema();
        let all: Vec<DimId> = (0..).map(DimId).take(schema.dims.len()).collect();
        let unlimited: Vec<DimId> = all
            .iter()
            .copied()
            .filter(|id| schema.is_unlimited(*id))
            .collect();
        if let [one] = unlimited.as_slice() {
            return Ok(JoinedDimension::along(schema, *one));
        }
        let different: Vec<DimId> = self.different(&all)?.into_iter().collect();
        match different.as_slice() {
            [one] => Ok(JoinedDimension::along(schema, *one)),
            [] => Err(candidates(
                "the dimension to join is not clear",
                schema,
                &all,
            )),
            several => Err(candidates("several coordinates differ", schema, several)),
        }
    }

    /// Returns the dimensions whose coordinates in any input differ from the coordinates of the first input.
    fn different(&self, dims: &[DimId]) -> Result<BTreeSet<DimId>> {
        let known = self.known(dims)?;
        let mut different = BTreeSet::new();
        let read = |number| {
            let opened = self.opener.open(number, self.env)?;
            differing(&known, Dataset::new(&*opened.reader, self.env))
        };
        let others = 1..self.opener.paths.len();
        self.opener
            .each(others, self.env, read, |found| different.extend(found))?;
        Ok(different)
    }

    /// Returns the coordinates of the first input.
    fn known(&self, dims: &[DimId]) -> Result<Vec<KnownCoordinate>> {
        let schema = self.first.schema();
        let set = Dataset::new(self.first, self.env);
        let with_coordinate = |dim: &DimId| Some((*dim, coordinate_variable(schema, *dim)?));
        let found = dims.iter().filter_map(with_coordinate);
        let known = |(dim, id)| {
            Ok(KnownCoordinate {
                dim,
                path: schema.var_path(id),
                values: digest(set, id)?,
            })
        };
        found.map(known).collect()
    }
}

/// Returns the dimensions whose coordinates in an input have other values. A coordinate that the input lacks does not differ.
fn differing(known: &[KnownCoordinate], set: Dataset<'_>) -> Result<Vec<DimId>> {
    let cache = ReadCache::new(set.env);
    let set = set.with(&cache);
    let mut found = vec![];
    for coordinate in known {
        let Some(id) = var_of(set.reader.schema(), &coordinate.path) else {
            continue;
        };
        if digest(set, id)? != coordinate.values {
            found.push(coordinate.dim);
        }
    }
    Ok(found)
}

/// Returns the digest of decoded coordinate values.
fn digest(set: Dataset<'_>, id: VarId) -> Result<Digest> {
    let text = match positions(set, id) {
        Ok(positions) => format!("{positions:?}"),
        // Strings have no order, but the values can differ.
        Err(e) if e.kind() == ErrorKind::Argument => values(set, id)?,
        Err(e) => return Err(e),
    };
    Ok(Digest::of_bytes(text.as_bytes()))
}

/// Returns the values of a coordinate as text.
fn values(set: Dataset<'_>, id: VarId) -> Result<String> {
    let schema = set.reader.schema();
    let values = set.read(id, &Region::whole(&schema.shape(id)))?;
    Ok(format!("{values:?}"))
}
