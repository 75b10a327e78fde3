//! Declarations of exported functions, for the fuzzer: the feature `calls`.

#![allow(missing_docs, reason = "netcdf.h describes the functions")]

use std::ffi::{c_char, c_double, c_float, c_int, c_uint, c_void};

// SAFETY: this crate defines the functions with these types. The caller keeps the contract of `netcdf.h`.
unsafe extern "C" {
    pub safe fn nc_open_mem(
        path: *const c_char,
        mode: c_int,
        size: usize,
        memory: *mut c_void,
        ncid: *mut c_int,
    ) -> c_int;
    pub safe fn nc_close(ncid: c_int) -> c_int;
    pub safe fn nc_sync(ncid: c_int) -> c_int;
    pub safe fn nc_inq(
        ncid: c_int,
        dims: *mut c_int,
        vars: *mut c_int,
        attributes: *mut c_int,
        unlimited: *mut c_int,
    ) -> c_int;
    pub safe fn nc_inq_var(
        ncid: c_int,
        var: c_int,
        name: *mut c_char,
        ty: *mut c_int,
        rank: *mut c_int,
        dims: *mut c_int,
        attributes: *mut c_int,
    ) -> c_int;
    pub safe fn nc_inq_dim(ncid: c_int, dim: c_int, name: *mut c_char, len: *mut usize) -> c_int;
    pub safe fn nc_inq_dimid(ncid: c_int, name: *const c_char, dim: *mut c_int) -> c_int;
    pub safe fn nc_inq_varid(ncid: c_int, name: *const c_char, var: *mut c_int) -> c_int;
    pub safe fn nc_inq_att(
        ncid: c_int,
        var: c_int,
        name: *const c_char,
        ty: *mut c_int,
        len: *mut usize,
    ) -> c_int;
    pub safe fn nc_inq_attname(ncid: c_int, var: c_int, number: c_int, name: *mut c_char) -> c_int;
    pub safe fn nc_inq_type(ncid: c_int, ty: c_int, name: *mut c_char, size: *mut usize) -> c_int;
    pub safe fn nc_inq_user_type(
        ncid: c_int,
        ty: c_int,
        name: *mut c_char,
        size: *mut usize,
        base: *mut c_int,
        fields: *mut usize,
        class: *mut c_int,
    ) -> c_int;
    pub safe fn nc_inq_compound_field(
        ncid: c_int,
        ty: c_int,
        field: c_int,
        name: *mut c_char,
        offset: *mut usize,
        field_type: *mut c_int,
        rank: *mut c_int,
        sizes: *mut c_int,
    ) -> c_int;
    pub safe fn nc_inq_enum_member(
        ncid: c_int,
        ty: c_int,
        member: c_int,
        name: *mut c_char,
        value: *mut c_void,
    ) -> c_int;
    pub safe fn nc_inq_enum_ident(ncid: c_int, ty: c_int, value: i64, name: *mut c_char) -> c_int;
    pub safe fn nc_inq_grps(ncid: c_int, count: *mut c_int, groups: *mut c_int) -> c_int;
    pub safe fn nc_inq_grp_full_ncid(ncid: c_int, name: *const c_char, group: *mut c_int) -> c_int;
    pub safe fn nc_inq_grpname_full(ncid: c_int, len: *mut usize, name: *mut c_char) -> c_int;
    pub safe fn nc_inq_typeids(ncid: c_int, count: *mut c_int, types: *mut c_int) -> c_int;
    pub safe fn nc_inq_dimids(
        ncid: c_int,
        count: *mut c_int,
        dims: *mut c_int,
        ancestors: c_int,
    ) -> c_int;
    pub safe fn nc_inq_unlimdims(ncid: c_int, count: *mut c_int, dims: *mut c_int) -> c_int;
    pub safe fn nc_inq_var_chunking(
        ncid: c_int,
        var: c_int,
        storage: *mut c_int,
        chunks: *mut usize,
    ) -> c_int;
    pub safe fn nc_inq_var_fill(
        ncid: c_int,
        var: c_int,
        none: *mut c_int,
        value: *mut c_void,
    ) -> c_int;
    pub safe fn nc_inq_var_filter_ids(
        ncid: c_int,
        var: c_int,
        count: *mut usize,
        ids: *mut c_uint,
    ) -> c_int;
    pub safe fn nc_inq_var_filter_info(
        ncid: c_int,
        var: c_int,
        id: c_uint,
        count: *mut usize,
        params: *mut c_uint,
    ) -> c_int;
    pub safe fn nc_inq_format_extended(ncid: c_int, format: *mut c_int, mode: *mut c_int) -> c_int;
    pub safe fn nc_get_att(
        ncid: c_int,
        var: c_int,
        name: *const c_char,
        value: *mut c_void,
    ) -> c_int;
    pub safe fn nc_get_att_double(
        ncid: c_int,
        var: c_int,
        name: *const c_char,
        value: *mut c_double,
    ) -> c_int;
    pub safe fn nc_get_att_text(
        ncid: c_int,
        var: c_int,
        name: *const c_char,
        value: *mut c_char,
    ) -> c_int;
    pub safe fn nc_get_var1_double(
        ncid: c_int,
        var: c_int,
        index: *const usize,
        value: *mut c_double,
    ) -> c_int;
    pub safe fn nc_get_vara(
        ncid: c_int,
        var: c_int,
        start: *const usize,
        count: *const usize,
        values: *mut c_void,
    ) -> c_int;
    pub safe fn nc_get_vara_double(
        ncid: c_int,
        var: c_int,
        start: *const usize,
        count: *const usize,
        values: *mut c_double,
    ) -> c_int;
    pub safe fn nc_get_vara_schar(
        ncid: c_int,
        var: c_int,
        start: *const usize,
        count: *const usize,
        values: *mut i8,
    ) -> c_int;
    pub safe fn nc_get_vara_text(
        ncid: c_int,
        var: c_int,
        start: *const usize,
        count: *const usize,
        values: *mut c_char,
    ) -> c_int;
    pub safe fn nc_get_vars_float(
        ncid: c_int,
        var: c_int,
        start: *const usize,
        count: *const usize,
        stride: *const isize,
        values: *mut c_float,
    ) -> c_int;
    pub safe fn nc_get_varm_double(
        ncid: c_int,
        var: c_int,
        start: *const usize,
        count: *const usize,
        stride: *const isize,
        map: *const isize,
        values: *mut c_double,
    ) -> c_int;
    pub safe fn nc_reclaim_data(ncid: c_int, ty: c_int, values: *mut c_void, count: usize)
    -> c_int;
    pub safe fn nc_put_var_int(ncid: c_int, var: c_int, values: *const c_int) -> c_int;
    pub safe fn nc_def_dim(ncid: c_int, name: *const c_char, len: usize, dim: *mut c_int) -> c_int;
}
