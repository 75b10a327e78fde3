//! Dimensions.

use std::ffi::c_int;

use netcdf_core::model::DimId;

use crate::border::{InText, OutArray, OutText, export};
use crate::dataset::{OpenGroup, int, size, stored_name};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Returns the number of a dimension.
fn number(id: DimId) -> c_int {
    c_int::try_from(id.0).unwrap_or(c_int::MAX)
}

/// Returns the nearest dimension with a name.
fn named(group: &OpenGroup<'_>, name: &[u8]) -> Result<DimId, ErrorNumber> {
    if name == b"/" {
        return Err(ErrorNumber::EINVAL);
    }
    let called = |id: &DimId| {
        let dim = group.schema().dim(*id);
        dim.is_some_and(|dim| dim.name.as_bytes() == name)
    };
    let mut groups = group.with_ancestors();
    let found = groups.find_map(|g| g.dims.iter().copied().find(called));
    found.ok_or_else(|| group.not_found(name, ErrorNumber::EBADDIM))
}

fn inquire(
    ncid: c_int,
    dim: c_int,
    name: Option<OutText>,
    len: Option<OutArray<usize>>,
) -> Result<(), ErrorNumber> {
    with(ncid, |group| {
        let dim = group.dimension(dim)?;
        if let Some(name) = name {
            name.set_name(dim.name.as_bytes());
        }
        if let Some(len) = len {
            len.set(size(dim.len));
        }
        Ok(())
    })
}

/// Returns the dimensions that are visible in a group, or only its own, in ascending order.
fn visible(group: &OpenGroup<'_>, ancestors: bool) -> Vec<DimId> {
    let depth = if ancestors { usize::MAX } else { 1 };
    let groups = group.with_ancestors().take(depth);
    let mut dims: Vec<DimId> = groups.flat_map(|g| g.dims.iter().copied()).collect();
    dims.sort_unstable();
    dims
}

export! {
    fn nc_inq_dimid(ncid: c_int, name: InText, id: OutArray<c_int>) {
        with(ncid, |group| {
            let name = group.name(&name, ErrorNumber::EBADDIM)?;
            id.set(number(named(group, &stored_name(name))?));
            Ok(())
        })
    }

    fn nc_inq_dim(ncid: c_int, dim: c_int, name: OutText, len: OutArray<usize>) {
        inquire(ncid, dim, Some(name), Some(len))
    }

    fn nc_inq_dimname(ncid: c_int, dim: c_int, name: OutText) {
        inquire(ncid, dim, Some(name), None)
    }

    fn nc_inq_dimlen(ncid: c_int, dim: c_int, len: OutArray<usize>) {
        inquire(ncid, dim, None, Some(len))
    }

    fn nc_inq_dimids(
        ncid: c_int,
        count: OutArray<c_int>,
        ids: OutArray<c_int>,
        ancestors: c_int,
    ) {
        with(ncid, |group| {
            let dims = visible(group, ancestors != 0);
            count.set(int(dims.len()));
            ids.set_all(dims.into_iter().map(number));
            Ok(())
        })
    }

    /// Returns the nearest unlimited dimension, or -1.
    fn nc_inq_unlimdim(ncid: c_int, id: OutArray<c_int>) {
        with(ncid, |group| {
            let mut dims = group.with_ancestors().flat_map(|g| &g.dims);
            let found = dims.find(|&&id| group.schema().is_unlimited(id));
            id.set(found.map_or(-1, |&id| number(id)));
            Ok(())
        })
    }

    fn nc_inq_unlimdims(ncid: c_int, count: OutArray<c_int>, ids: OutArray<c_int>) {
        with(ncid, |group| {
            let mut dims = visible(group, false);
            dims.retain(|&id| group.schema().is_unlimited(id));
            count.set(int(dims.len()));
            ids.set_all(dims.into_iter().map(number));
            Ok(())
        })
    }

    fn nc_inq_ndims(ncid: c_int, dims: OutArray<c_int>) {
        with(ncid, |group| {
            dims.set(int(group.group()?.dims.len()));
            Ok(())
        })
    }

    fn nc_inq(
        ncid: c_int,
        dims: OutArray<c_int>,
        vars: OutArray<c_int>,
        attributes: OutArray<c_int>,
        unlimited: OutArray<c_int>,
    ) {
        with(ncid, |group| {
            let own = group.group()?;
            dims.set(int(own.dims.len()));
            vars.set(int(own.vars.len()));
            attributes.set(int(own.attributes.len()));
            let mut all = own.dims.iter();
            let found = all.find(|&&id| group.schema().is_unlimited(id));
            unlimited.set(found.map_or(-1, |&id| number(id)));
            Ok(())
        })
    }
}
