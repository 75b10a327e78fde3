//! Coordinates of an element: the values of coordinate variables at its index.

use super::Compared;
use super::difference::ElementCoordinate;
use crate::error::Result;
use crate::model::cf::coordinate_variable;
use crate::model::{Region, VarId};

/// Returns the coordinates of a variable's element, along the dimensions with a coordinate variable.
pub(super) fn of(side: Compared<'_>, var: VarId, index: &[u64]) -> Result<Vec<ElementCoordinate>> {
    let schema = side.set.reader.schema();
    let dims = schema
        .var(var)
        .map(|v| v.dims.as_slice())
        .unwrap_or_default();
    let mut found = vec![];
    for (&dim, &at) in dims.iter().zip(index) {
        // An element of a coordinate variable is its own coordinate.
        let Some(coordinate) = coordinate_variable(schema, dim).filter(|&id| id != var) else {
            continue;
        };
        let one = Region::boxed(vec![at], vec![1]);
        found.push(ElementCoordinate {
            var: coordinate,
            name: schema
                .dim(dim)
                .map_or_else(String::new, |d| d.name.to_string()),
            value: side.set.read(coordinate, &one)?,
        });
    }
    Ok(found)
}
