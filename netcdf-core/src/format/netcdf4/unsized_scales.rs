//! Dimension scales with a null or scalar dataspace. These scales name dimensions without defining a length.
//!
//! The first variable that refers to a scale defines the dimension length. A scale without references defines no dimension.

use super::FileObject;
use super::builder::FileBuilder;
use super::companions::{FoundDimension, UnsizedScale};
use super::dims::{DimIndex, DimSize};
use crate::model::{DimId, Dimension, GroupId};

impl FileBuilder<'_> {
    /// Records a scale without a length.
    pub(super) fn add_unsized_scale(
        &mut self,
        group: GroupId,
        name: &[u8],
        place: FileObject,
        number: Option<i64>,
    ) {
        let name = self.names.stored(name);
        let links = self.unsized_scales.0.entry(place).or_default();
        links.push(UnsizedScale {
            group,
            name,
            number,
            dim: None,
        });
    }

    /// Returns the dimension of a scale without a length. `size` is the size of the first variable along the dimension.
    pub(super) fn dim_of_unsized_scale(
        &mut self,
        place: FileObject,
        (group, size): (GroupId, DimSize),
        index: &mut DimIndex,
    ) -> Option<DimId> {
        let links = self.unsized_scales.0.get(&place)?;
        let of = |g: GroupId| links.iter().position(|link| link.group == g);
        let nearest = self.above(group).find_map(of).unwrap_or(0);
        let link = links.get(nearest)?;
        let (name, group, stored) = (link.name.clone(), link.group, link.number);
        if link.dim.is_some() {
            return link.dim;
        }
        let number = self.dim_number(stored);
        let scale = Some(place);
        self.dims.push(FoundDimension { number, scale });
        // netCDF interprets length 0 as "unlimited".
        let (len, unlimited) = (size.0, size.1 || size.0 == 0);
        let id = self.schema.add_dim(Dimension {
            name,
            group,
            len,
            unlimited,
        });
        index.add(id, group, (len, unlimited));
        let link = self.unsized_scales.0.get_mut(&place)?.get_mut(nearest)?;
        link.dim = Some(id);
        link.dim
    }

    /// Returns netCDF's id of a new dimension: the stored id, or the next one.
    pub(super) fn dim_number(&mut self, stored: Option<i64>) -> i64 {
        let number = stored.unwrap_or(self.next_dim);
        self.next_dim = self.next_dim.max(number.saturating_add(1));
        number
    }
}
