//! Changes attributes and names of a dataset in place.

use super::Plan;
use crate::chunk::{Dataset, Placement, Update};
use crate::error::Result;
use crate::model::VarId;

/// Gives the dataset that `update` changes the attributes and names of `plan`, without a commit. `plan` is a copy of `set`, whose schema has
/// the ids of the dataset. A plan that changes the form of data must be written anew; the dataset is then unchanged.
///
/// # Errors
/// Returns the errors of [`Update::define`].
pub fn redefine(set: Dataset<'_>, plan: &Plan, update: &mut dyn Update) -> Result<Placement> {
    let own = update.reader().schema();
    let ids: Vec<VarId> = set.reader.schema().var_ids().collect();
    let same_ids = plan.data.iter().map(|pair| (pair.from, pair.to));
    if !same_ids.eq(ids.iter().map(|id| (*id, *id))) || plan.schema.dims.len() != own.dims.len() {
        return Ok(Placement::Anew("variables or dimensions change"));
    }
    let mut schema = plan.schema.clone();
    // Plans have no lengths of unlimited dimensions.
    let unlimited = schema.dims.iter_mut().zip(&own.dims);
    unlimited
        .filter(|(dim, own)| dim.unlimited && own.unlimited)
        .for_each(|(dim, own)| dim.len = own.len);
    update.define(&schema)
}
