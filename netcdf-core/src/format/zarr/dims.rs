//! The dimensions of arrays.

use super::array::ArrayDescription;
use super::nczarr::{self, Extras};
use super::schema::{NodeObjects, StoreBuilder};
use crate::model::{DimId, GroupId, ZarrVersion};

/// A variable to define.
pub(super) struct VariableName<'a> {
    /// The group.
    pub group: GroupId,
    /// The name.
    pub name: &'a str,
}

impl StoreBuilder<'_> {
    /// Returns the variable dimensions. Missing dimensions are defined.
    pub(super) fn dims(
        &mut self,
        VariableName { group, name }: VariableName<'_>,
        described: &mut ArrayDescription,
        objects: &NodeObjects,
        extras: &Extras,
    ) -> Vec<DimId> {
        if extras.scalar && described.shape.iter().all(|&n| n == 1) {
            described.scalar();
            return vec![];
        }
        let shape = described.shape.clone();
        if let Some(paths) = extras.dims.as_ref().filter(|p| p.len() == shape.len()) {
            if let Some(known) = self.referenced(paths, &shape) {
                return known;
            }
            let path = self.path(group, name);
            self.note(&path, "the dimensions do not match the shape");
        }
        let names = self.dimension_names(described, objects, shape.len());
        let mut names = names.unwrap_or_default().into_iter();
        let dim = |&len: &u64| match names.next().flatten() {
            Some(dim) => self.named(group, (&dim, len), name),
            None => self.anonymous(len),
        };
        shape.iter().map(dim).collect()
    }

    /// Returns the dimensions with these paths if all exist and match the shape.
    fn referenced(&self, paths: &[String], shape: &[u64]) -> Option<Vec<DimId>> {
        let known: Vec<DimId> = paths
            .iter()
            .map(|path| self.find(path))
            .collect::<Option<_>>()?;
        let fits = |(d, &n): (&DimId, &u64)| {
            let dim = self.schema.dim(*d);
            dim.is_some_and(|d| d.len == n || (d.unlimited && n < d.len))
        };
        known.iter().zip(shape).all(fits).then_some(known)
    }

    /// Returns the dimension names in the array metadata: the version 3 names, or xarray's attribute.
    fn dimension_names(
        &self,
        described: &ArrayDescription,
        objects: &NodeObjects,
        rank: usize,
    ) -> Option<Vec<Option<String>>> {
        if described.names.is_some() {
            return described.names.clone();
        }
        if self.meta.store.hints().no_xarray && described.version == ZarrVersion::V2 {
            return None;
        }
        let names = nczarr::array_dimensions(&objects.attributes)?;
        let plain = |name: &String| !name.is_empty() && !name.contains('/');
        let usable = names.len() == rank && names.iter().all(plain);
        usable.then(|| names.into_iter().map(Some).collect())
    }

    /// Returns the dimension with this path.
    fn find(&self, path: &str) -> Option<DimId> {
        let (groups, name) = path
            .trim_start_matches('/')
            .rsplit_once('/')
            .unwrap_or(("", path.trim_start_matches('/')));
        let mut group = GroupId::ROOT;
        for part in groups.split('/').filter(|part| !part.is_empty()) {
            group = self.group_of(group, part)?;
        }
        self.dim_of(group, name)
    }

    /// Returns the dimension with this name in a group, or an anonymous dimension if the named dimension has another length.
    fn named(&mut self, group: GroupId, (dim, len): (&str, u64), var: &str) -> DimId {
        let Some(known) = self.dim_of(group, dim) else {
            return self.define(group, dim, len, len == 0);
        };
        let has = self.schema.dim(known).map_or(0, |d| d.len);
        if has == len {
            return known;
        }
        let what = format!("dimension {dim} has length {len} here, but {has} in another variable");
        self.note(&self.path(group, var), what);
        self.anonymous(len)
    }

    /// Returns the dimension for a length without a name.
    fn anonymous(&mut self, len: u64) -> DimId {
        let mut name = format!("_Anonymous_Dim_{len}");
        while let Some(known) = self.dim_of(GroupId::ROOT, &name) {
            if self.schema.dim(known).is_some_and(|d| d.len == len) {
                return known;
            }
            name.push('_');
        }
        self.define(GroupId::ROOT, &name, len, len == 0)
    }
}
