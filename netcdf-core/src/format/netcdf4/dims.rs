//! Finds the dimensions of variables, and creates dimensions that a file does not define.

use std::collections::HashMap;

use super::FileObject;
use super::builder::FileBuilder;
use super::companions::FoundDimension;
use crate::model::{DimId, Dimension, GroupId, VarId};
use crate::notes::Note;

/// Tables for looking up dimensions.
pub(super) struct DimIndex {
    by_number: HashMap<i64, DimId>,
    by_scale: HashMap<FileObject, Vec<DimId>>,
    /// The dimensions of each group by length and unlimited flag, in definition order.
    by_size: HashMap<(GroupId, DimSize), Vec<DimId>>,
}

/// A dimension length, and whether the dimension is unlimited.
pub(super) type DimSize = (u64, bool);

impl DimIndex {
    /// Adds a dimension of a group.
    pub(super) fn add(&mut self, id: DimId, group: GroupId, size: DimSize) {
        self.by_size.entry((group, size)).or_default().push(id);
    }

    /// Returns the first dimension of this size in the group that the variable does not use yet.
    fn like(&self, group: GroupId, size: DimSize, used: &[DimId]) -> Option<DimId> {
        let all = self.by_size.get(&(group, size))?;
        all.iter().copied().find(|id| !used.contains(id))
    }
}

impl FileBuilder<'_> {
    /// Sets the dimensions of every variable, and the length of every unlimited dimension.
    pub(super) fn settle_dims(&mut self) {
        let mut index = self.index();
        // Variables that the C library skips come last, so that all other variables get the same dimension numbers as in the C library.
        for left_out in [false, true] {
            self.match_group(GroupId::ROOT, left_out, &mut index);
        }
        self.set_lengths();
        self.sort_dims();
    }

    fn index(&self) -> DimIndex {
        let mut by_number = HashMap::new();
        let mut by_scale: HashMap<FileObject, Vec<DimId>> = HashMap::new();
        for (n, dim) in self.dims.iter().enumerate() {
            let id = DimId(u32::try_from(n).unwrap_or(u32::MAX));
            by_number.entry(dim.number).or_insert(id);
            if let Some(place) = dim.scale {
                by_scale.entry(place).or_default().push(id);
            }
        }
        let mut by_size: HashMap<_, Vec<DimId>> = HashMap::new();
        for group in &self.schema.groups {
            for &id in &group.dims {
                if let Some(dim) = self.schema.dim(id) {
                    let size = (dim.len, dim.unlimited);
                    by_size.entry((dim.group, size)).or_default().push(id);
                }
            }
        }
        DimIndex {
            by_number,
            by_scale,
            by_size,
        }
    }

    /// Matches dimensions in subgroups first, because the C library creates dimensions in this order.
    fn match_group(&mut self, group: GroupId, left_out: bool, index: &mut DimIndex) {
        let Some(g) = self.schema.group(group) else {
            return;
        };
        let (groups, vars) = (g.groups.clone(), g.vars.clone());
        for id in groups {
            self.match_group(id, left_out, index);
        }
        for id in vars {
            let var = self.vars.get(id.index());
            if var.is_none_or(|var| var.skipped_by_c != left_out) {
                continue;
            }
            let dims = self.dims_of(group, id, index);
            if let Some(var) = self.schema.vars.get_mut(id.index()) {
                var.dims = dims;
            }
        }
    }

    fn dims_of(&mut self, group: GroupId, id: VarId, index: &mut DimIndex) -> Vec<DimId> {
        let Some(var) = self.vars.get(id.index()) else {
            return vec![];
        };
        let rank = var.dataset.dataspace.dims.len();
        let numbers = var.coordinates.as_ref().filter(|c| c.len() == rank);
        let mut found: Vec<Option<DimId>> = vec![None; rank];
        if let Some(numbers) = numbers {
            found = numbers
                .iter()
                .map(|n| index.by_number.get(n).copied())
                .collect();
        }
        if let (1, Some(scale)) | (_, Some(scale)) = (rank, var.scale)
            && let Some(first) = found.first_mut()
        {
            first.get_or_insert(scale);
        }
        let scales = var.scales.clone().unwrap_or_default();
        let file = var.file;
        let space = &var.dataset.dataspace;
        let sizes = space.dims.iter().zip(&space.max);
        let sizes: Vec<DimSize> = sizes.map(|(&len, max)| (len, max.is_none())).collect();
        for ((dim, scale), size) in found.iter_mut().zip(scales).zip(sizes) {
            if let (None, Some(address)) = (&dim, scale) {
                let scale = FileObject { file, address };
                let of_unsized = self.dim_of_unsized_scale(scale, (group, size), index);
                *dim = of_unsized.or_else(|| self.nearest(scale, group, index));
            }
        }
        self.complete((group, id), &found, index)
    }

    /// Returns the dimension of a scale in a group, or in the nearest enclosing group.
    fn nearest(&self, scale: FileObject, group: GroupId, index: &DimIndex) -> Option<DimId> {
        let all = index.by_scale.get(&scale)?;
        let of = |g: GroupId| {
            all.iter()
                .copied()
                .find(|d| self.schema.dim(*d).is_some_and(|d| d.group == g))
        };
        // Fall back to a dimension in another branch. ncdump writes this dimension with the path.
        self.above(group)
            .find_map(of)
            .or_else(|| all.first().copied())
    }

    /// Returns a group and the enclosing groups, innermost first.
    pub(super) fn above(&self, group: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        let parent = |g: &GroupId| self.schema.group(*g).and_then(|g| g.parent);
        std::iter::successors(Some(group), parent).take(self.schema.groups.len())
    }

    /// Replaces missing and unsuitable dimensions: with a dimension of the same size in the group, or with a new dimension.
    fn complete(
        &mut self,
        (group, id): (GroupId, VarId),
        found: &[Option<DimId>],
        index: &mut DimIndex,
    ) -> Vec<DimId> {
        let space = self
            .vars
            .get(id.index())
            .map(|v| v.dataset.dataspace.clone());
        let Some(space) = space else {
            return vec![];
        };
        let mut dims: Vec<DimId> = vec![];
        let sizes = space.dims.iter().zip(&space.max);
        for (found, (&len, max)) in found.iter().zip(sizes) {
            let unlimited = max.is_none();
            let dim = found
                .filter(|&dim| self.fits(id, dim, len))
                .or_else(|| index.like(group, (len, unlimited), &dims))
                .unwrap_or_else(|| self.invent(group, (len, unlimited), index));
            dims.push(dim);
        }
        dims
    }

    /// Checks whether a dimension is unlimited or as long as the variable's data. Notes an unsuitable dimension, which would hide elements
    /// or show elements that are not stored.
    fn fits(&self, id: VarId, dim: DimId, len: u64) -> bool {
        let Some(dim) = self.schema.dim(dim) else {
            return false;
        };
        let fits = dim.unlimited || dim.len == len;
        if !fits {
            let name = String::from_utf8_lossy(dim.name.as_bytes());
            let (other, object) = (dim.len, self.schema.var_path(id));
            let what = format!(
                "has {len} elements along {name}, which has {other}: shown with another dimension"
            );
            self.env.notes.say(Note {
                object,
                what,
                remedy: None,
            });
        }
        fits
    }

    fn invent(&mut self, group: GroupId, (len, unlimited): DimSize, index: &mut DimIndex) -> DimId {
        // netCDF interprets length 0 as "unlimited".
        let unlimited = unlimited || len == 0;
        let number = self.dim_number(None);
        self.dims.push(FoundDimension {
            number,
            scale: None,
        });
        let name = self.names.stored(format!("phony_dim_{number}").as_bytes());
        let id = self.schema.add_dim(Dimension {
            name,
            group,
            len,
            unlimited,
        });
        index.add(id, group, (len, unlimited));
        id
    }

    /// Sets every unlimited dimension to the length of the longest variable along the dimension.
    fn set_lengths(&mut self) {
        let mut longest = vec![0u64; self.schema.dims.len()];
        for (var, stored) in self.schema.vars.iter().zip(&self.vars) {
            for (dim, &len) in var.dims.iter().zip(&stored.dataset.dataspace.dims) {
                if let Some(most) = longest.get_mut(dim.index()) {
                    *most = len.max(*most);
                }
            }
        }
        for (dim, len) in self.schema.dims.iter_mut().zip(longest) {
            if dim.unlimited {
                dim.len = len;
            }
        }
    }

    /// Sorts dimensions by netCDF's ids.
    fn sort_dims(&mut self) {
        let mut order: Vec<usize> = (0..self.schema.dims.len()).collect();
        order.sort_by_key(|&n| self.dims.get(n).map(|d| d.number));
        let mut place = vec![DimId(0); order.len()];
        for (new, &old) in order.iter().enumerate() {
            if let Some(slot) = place.get_mut(old) {
                *slot = DimId(u32::try_from(new).unwrap_or(u32::MAX));
            }
        }
        let renumber = |id: &mut DimId| {
            if let Some(&new) = place.get(id.index()) {
                *id = new;
            }
        };
        let found = std::mem::take(&mut self.dims);
        self.dims = order
            .iter()
            .filter_map(|&n| found.get(n).copied())
            .collect();
        let old = std::mem::take(&mut self.schema.dims);
        self.schema.dims = order.iter().filter_map(|&n| old.get(n).cloned()).collect();
        self.schema
            .vars
            .iter_mut()
            .flat_map(|v| &mut v.dims)
            .for_each(renumber);
        for group in &mut self.schema.groups {
            group.dims.iter_mut().for_each(renumber);
            group.dims.sort_unstable();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_of_a_length_are_found_in_their_order() {
        let (of, other) = (GroupId::ROOT, GroupId(1));
        let (first, second) = (DimId(1), DimId(4));
        let index = DimIndex {
            by_number: HashMap::new(),
            by_scale: HashMap::new(),
            by_size: HashMap::from([((of, (3, false)), vec![first, second])]),
        };
        assert_eq!(index.like(of, (3, false), &[]), Some(first));
        assert_eq!(index.like(of, (3, false), &[first]), Some(second));
        assert_eq!(index.like(of, (3, false), &[second, first]), None);
        for (group, size) in [(other, (3, false)), (of, (3, true)), (of, (4, false))] {
            assert_eq!(index.like(group, size, &[]), None);
        }
    }
}
