//! Filters of variables, with the semantics of netCDF-C's functions.
//!
//! A [`Schema`] is a dataset in define mode. Define mode ends when [`format::create`](crate::format::create) builds a writer from the
//! schema. The writer rejects definitions.
//!
//! | netCDF-C | here |
//! |---|---|
//! | `nc_def_var_filter` | [`Schema::define_filter`] |
//! | `nc_inq_var_filter_ids` | [`Schema::filter_ids`] |
//! | `nc_inq_var_filter_info` | [`Schema::filter`] |
//! | `nc_inq_var_filter` | [`Schema::first_filter`] |
//! | `nc_def_var_zstandard`, `nc_inq_var_zstandard` … | [`names::spec`](crate::filter::names::spec), [`names::number`](crate::filter::names::number) |
//! | `nc_inq_filter_avail` | [`FilterTable::entry`](crate::filter::FilterTable::entry) |
//!
//! ```
//! use netcdf_core::error::ErrorKind;
//! use netcdf_core::filter::names;
//! use netcdf_core::model::{Atomic, Dimension, GroupId, Kind, Name, Schema, Storage, Variable};
//!
//! let mut schema = Schema::new(Kind::NETCDF4);
//! let (group, name) = (GroupId::ROOT, Name::stored(b"x"));
//! let x = schema.add_dim(Dimension { name, group, len: 100, unlimited: false });
//! let v = schema.add_var(Variable {
//!     name: Name::stored(b"v"),
//!     group,
//!     ty: Atomic::Float.into(),
//!     dims: vec![x],
//!     attributes: vec![],
//!     storage: Storage::default(),
//! });
//! schema.define_filter(v, names::spec("zstd", &[3])?)?;
//! schema.define_filter(v, names::spec("shuffle", &[])?)?;
//! schema.define_filter(v, names::spec("zstd", &[7])?)?;
//! assert_eq!(schema.filter_ids(v)?, [2, 32015]);
//! assert_eq!(schema.filter(v, 32015)?.params, [7]);
//! assert_eq!(schema.filter(v, 307).unwrap_err().kind(), ErrorKind::NoFilter);
//! # Ok::<(), netcdf_core::error::Error>(())
//! ```

use super::substitutes::policy;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::model::kind::{Filterable, StorageFormat};
use crate::model::{Atomic, FilterSpec, Schema, Storage, VarId, Variable};

impl Schema {
    /// Adds a filter to a variable, which becomes chunked. Filters are applied in definition order; in netCDF-4 files `fletcher32`
    /// comes first, followed by `shuffle`. If the variable already has the filter, only the parameters change.
    ///
    /// The function checks neither whether the filter is available ([`FilterTable::entry`](crate::filter::FilterTable::entry)), nor its
    /// parameters.
    ///
    /// # Errors
    /// Returns errors of [`Schema::takes_filters`].
    pub fn define_filter(&mut self, var: VarId, filter: FilterSpec) -> Result<()> {
        self.takes_filters(var)?;
        let storage = self.kind.storage;
        if let Some(var) = self.vars.get_mut(var.index()) {
            var.storage.define_filter(filter, storage);
        }
        Ok(())
    }

    /// Checks whether a variable can have filters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NotNetcdf4`] for kinds without filters, and [`ErrorKind::NoVariable`] for an unknown id. Returns
    /// [`ErrorKind::Scalar`] for scalars and [`ErrorKind::VariableLength`] for types stored as references, with the variable's path.
    pub fn takes_filters(&self, id: VarId) -> Result<()> {
        let filterable = self.kind.storage.filterable();
        if filterable == Filterable::Nothing {
            let what = format!("{} files have no filters", self.kind.name());
            return Err(Error::new(ErrorKind::NotNetcdf4, what).with_remedy("use -k nc4"));
        }
        let var = self.known(id)?;
        let arrays = filterable == Filterable::Arrays;
        let text = arrays && var.ty == Atomic::String.into();
        let why = if var.dims.is_empty() {
            let what = match arrays {
                true => "a scalar has no filters",
                false => "a scalar has no chunks, which filters need",
            };
            Err(Error::new(ErrorKind::Scalar, what))
        } else if var.ty.fixed_size(self).is_none() && !text {
            let what = "filters do not reach data of variable length";
            Err(Error::new(ErrorKind::VariableLength, what))
        } else {
            Ok(())
        };
        why.in_object(|| self.var_path(id))
    }

    /// Returns the numbers of a variable's filters in application order; empty without filters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`] for an unknown id.
    pub fn filter_ids(&self, var: VarId) -> Result<Vec<u32>> {
        let filters = &self.known(var)?.storage.filters;
        Ok(filters.iter().map(|f| f.id).collect())
    }

    /// Returns a variable's filter with this number, with its parameters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`] for an unknown id, and [`ErrorKind::NoFilter`] if the variable does not have the filter.
    pub fn filter(&self, var: VarId, id: u32) -> Result<&FilterSpec> {
        let filters = &self.known(var)?.storage.filters;
        filters.iter().find(|f| f.id == id).ok_or_else(|| {
            let what = format!("the variable does not have the filter {id}");
            Error::new(ErrorKind::NoFilter, what).in_object(&self.var_path(var))
        })
    }

    /// Returns the first filter of a variable; `None` if it has no filters.
    ///
    /// # Errors
    /// Returns [`ErrorKind::NoVariable`] for an unknown id.
    pub fn first_filter(&self, var: VarId) -> Result<Option<&FilterSpec>> {
        Ok(self.known(var)?.storage.filters.first())
    }

    fn known(&self, id: VarId) -> Result<&Variable> {
        let no = || Error::new(ErrorKind::NoVariable, format!("no variable {}", id.0));
        self.var(id).ok_or_else(no)
    }
}

impl Storage {
    /// Adds a filter in the filter order of a format; an existing filter gets the new parameters.
    pub fn define_filter(&mut self, filter: FilterSpec, format: StorageFormat) {
        match format.filterable() {
            Filterable::Arrays => self.add_filter(filter),
            Filterable::Chunks | Filterable::Nothing => self.set_filter(filter),
        }
    }

    /// Sets a filter in netCDF-C's order: checksum, shuffle, then the other filters in the given order. An existing filter gets the new
    /// parameters.
    pub fn set_filter(&mut self, filter: FilterSpec) {
        let rank = |id: u32| policy(id).rank;
        if let Some(old) = self.filters.iter_mut().find(|f| f.id == filter.id) {
            old.params = filter.params;
            return;
        }
        let later = |f: &FilterSpec| rank(f.id) > rank(filter.id);
        let at = self.filters.iter().position(later);
        let at = at.unwrap_or(self.filters.len());
        self.filters.reserve_exact(1);
        self.filters.insert(at, filter);
    }

    /// Adds a filter after the existing filters, like netCDF-C in Zarr; an existing filter gets the new parameters.
    pub fn add_filter(&mut self, filter: FilterSpec) {
        match self.filters.iter_mut().find(|f| f.id == filter.id) {
            Some(old) => old.params = filter.params,
            None => {
                self.filters.reserve_exact(1);
                self.filters.push(filter);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids;
    use super::*;
    use crate::model::{DataType, Dimension, GroupId, Kind, Name, Storage, TypeKind, UserType};

    /// Returns a schema with the variables 0 (a field), 1 (a scalar), 2 (strings), 3 (lists).
    fn schema(kind: Kind) -> Schema {
        let mut s = Schema::new(kind);
        let group = GroupId::ROOT;
        let name = Name::stored(b"x");
        let x = s.add_dim(Dimension {
            name,
            group,
            len: 4,
            unlimited: false,
        });
        let list = s.add_type(UserType {
            name: Name::stored(b"list"),
            group,
            kind: TypeKind::Vlen {
                base: Atomic::Int.into(),
            },
        });
        for (ty, dims) in [
            (Atomic::Float.into(), vec![x]),
            (Atomic::Float.into(), vec![]),
            (Atomic::String.into(), vec![x]),
            (DataType::User(list), vec![x]),
        ] {
            s.add_var(Variable {
                name: Name::stored(format!("v{}", s.vars.len()).as_bytes()),
                group,
                ty,
                dims,
                attributes: vec![],
                storage: Storage::default(),
            });
        }
        s
    }

    fn spec(id: u32, params: &[u32]) -> FilterSpec {
        FilterSpec {
            id,
            params: params.to_vec(),
        }
    }

    #[test]
    fn filters_may_be_empty() {
        let s = schema(Kind::NETCDF4);
        assert!(s.filter_ids(VarId(0)).unwrap().is_empty());
        assert_eq!(s.first_filter(VarId(0)).unwrap(), None);
        let e = s.filter(VarId(0), 1).unwrap_err();
        assert_eq!((e.kind(), e.object()), (ErrorKind::NoFilter, Some("/v0")));
    }

    #[test]
    fn a_defined_filter_is_neither_removed_nor_moved() {
        let mut s = schema(Kind::NETCDF4_CLASSIC);
        for (id, param) in [
            (307, 9),
            (1, 3),
            (2, 0),
            (307, 5),
            (3, 0),
            (2, 4),
            (32015, 1),
        ] {
            s.define_filter(VarId(0), spec(id, &[param])).unwrap();
        }
        assert_eq!(s.filter_ids(VarId(0)).unwrap(), [3, 2, 307, 1, 32015]);
        assert_eq!(s.filter(VarId(0), 307).unwrap().params, [5]);
        assert_eq!(s.first_filter(VarId(0)).unwrap(), Some(&spec(3, &[0])));
    }

    #[test]
    fn strings_have_filters_in_zarr() {
        let mut s = schema(Kind::NCZARR);
        assert!(s.define_filter(VarId(2), spec(1, &[5])).is_ok());
        let e = s.define_filter(VarId(3), spec(1, &[5])).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::VariableLength);
    }

    #[test]
    fn scalars_have_no_filters() {
        for kind in [
            Kind::NETCDF4,
            Kind::NETCDF4_CLASSIC,
            Kind::NCZARR,
            Kind::NCZARR3,
            Kind::PURE_ZARR,
            Kind::PURE_ZARR3,
        ] {
            let e = schema(kind).define_filter(VarId(1), spec(1, &[5]));
            assert_eq!(e.unwrap_err().kind(), ErrorKind::Scalar, "{}", kind.name());
        }
    }

    #[test]
    fn variables_without_filters() {
        let mut s = schema(Kind::NETCDF4);
        for (var, kind) in [
            (1, ErrorKind::Scalar),
            (2, ErrorKind::VariableLength),
            (3, ErrorKind::VariableLength),
            (4, ErrorKind::NoVariable),
        ] {
            let e = s.define_filter(VarId(var), spec(1, &[5])).unwrap_err();
            assert_eq!(e.kind(), kind);
        }
        let no = ErrorKind::NoVariable;
        assert_eq!(s.filter_ids(VarId(4)).unwrap_err().kind(), no);
        assert_eq!(s.first_filter(VarId(4)).unwrap_err().kind(), no);
        assert_eq!(s.filter(VarId(4), 1).unwrap_err().kind(), no);
        for kind in [Kind::CLASSIC, Kind::OFFSET64, Kind::CDF5] {
            let e = schema(kind).define_filter(VarId(0), spec(1, &[5]));
            assert_eq!(e.unwrap_err().kind(), ErrorKind::NotNetcdf4);
        }
    }

    #[test]
    fn filters_keep_their_order() {
        let mut s = Storage::default();
        for id in [307, ids::DEFLATE, ids::SHUFFLE, ids::FLETCHER32, 32015] {
            let params = vec![id];
            s.set_filter(FilterSpec { id, params });
        }
        let (id, params) = (ids::DEFLATE, vec![9]);
        s.set_filter(FilterSpec { id, params });
        let order: Vec<_> = s.filters.iter().map(|f| f.id).collect();
        assert_eq!(
            order,
            [ids::FLETCHER32, ids::SHUFFLE, 307, ids::DEFLATE, 32015]
        );
        assert_eq!(s.filters[3].params, [9]);
    }

    #[test]
    fn filters_are_added_after_existing_ones() {
        let mut s = Storage::default();
        for (id, param) in [(1, 6), (ids::SHUFFLE, 4), (1, 9), (ids::FLETCHER32, 0)] {
            let params = vec![param];
            s.add_filter(FilterSpec { id, params });
        }
        let order: Vec<_> = s.filters.iter().map(|f| (f.id, f.params[0])).collect();
        assert_eq!(order, [(1, 9), (ids::SHUFFLE, 4), (ids::FLETCHER32, 0)]);
    }
}
