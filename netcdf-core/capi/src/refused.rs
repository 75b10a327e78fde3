//! Functions that write. Datasets are open for reading only. The error number depends on the first check of netCDF-C that fails.

use std::ffi::c_int;

use crate::border::{InArray, refuse};
use crate::error_number::ErrorNumber;
use crate::handles::with;

/// Returns the error number of an open dataset: `classic` for classic files.
fn by_format(ncid: c_int, classic: ErrorNumber) -> ErrorNumber {
    let refused = with(ncid, |group| match group.is_classic() {
        true => Ok(classic),
        false => Ok(ErrorNumber::EPERM),
    });
    refused.unwrap_or_else(|e| e)
}

/// Refuses all changes.
fn read_only(ncid: c_int) -> ErrorNumber {
    by_format(ncid, ErrorNumber::EPERM)
}

/// Refuses definitions, for which classic files must be in define mode.
fn definition(ncid: c_int) -> ErrorNumber {
    by_format(ncid, ErrorNumber::ENOTINDEFINE)
}

/// Refuses definitions that classic files cannot have.
fn netcdf4_definition(ncid: c_int) -> ErrorNumber {
    by_format(ncid, ErrorNumber::ENOTNC4)
}

/// Refuses to create or delete datasets.
fn creation() -> ErrorNumber {
    ErrorNumber::EPERM
}

/// Refuses the end of define mode: a dataset is never in define mode.
fn end_of_definitions(ncid: c_int) -> ErrorNumber {
    let refused = with(ncid, |_| Ok(ErrorNumber::ENOTINDEFINE));
    refused.unwrap_or_else(|e| e)
}

/// Refuses to write elements of a variable, which must exist.
fn elements(ncid: c_int, var: c_int, start: Option<InArray<usize>>) -> ErrorNumber {
    let refused = with(ncid, |group| {
        let rank = group.rank(group.variable_id(var)?);
        Ok(match start {
            Some(start) if rank > 0 && start.is_null() => ErrorNumber::EINVALCOORDS,
            Some(_) | None => ErrorNumber::EPERM,
        })
    });
    refused.unwrap_or_else(|e| e)
}

fn all_elements(ncid: c_int, var: c_int) -> ErrorNumber {
    elements(ncid, var, None)
}

fn some_elements(ncid: c_int, var: c_int, start: InArray<usize>) -> ErrorNumber {
    elements(ncid, var, Some(start))
}

refuse! {
    creation() =>
        nc_create
        nc__create
        nc_create_mem
        nc_delete;
    end_of_definitions(ncid: c_int) =>
        nc_enddef
        nc__enddef;
    definition(ncid: c_int) =>
        nc_def_dim
        nc_def_var
        nc_del_att;
    netcdf4_definition(ncid: c_int) =>
        nc_def_compound
        nc_def_enum
        nc_def_grp
        nc_def_opaque
        nc_def_var_blosc
        nc_def_var_bzip2
        nc_def_var_chunking
        nc_def_var_deflate
        nc_def_var_endian
        nc_def_var_filter
        nc_def_var_fletcher32
        nc_def_var_quantize
        nc_def_var_szip
        nc_def_var_zstandard
        nc_def_vlen
        nc_insert_array_compound
        nc_insert_compound
        nc_insert_enum
        nc_rename_grp;
    read_only(ncid: c_int) =>
        nc_redef
        nc_copy_att
        nc_copy_var
        nc_def_var_fill
        nc_put_att
        nc_put_att_double
        nc_put_att_float
        nc_put_att_int
        nc_put_att_long
        nc_put_att_longlong
        nc_put_att_schar
        nc_put_att_short
        nc_put_att_string
        nc_put_att_text
        nc_put_att_ubyte
        nc_put_att_uchar
        nc_put_att_uint
        nc_put_att_ulonglong
        nc_put_att_ushort
        nc_rename_att
        nc_rename_dim
        nc_rename_var
        nc_set_fill;
    all_elements(ncid: c_int, var: c_int) =>
        nc_put_var
        nc_put_var_double
        nc_put_var_float
        nc_put_var_int
        nc_put_var_long
        nc_put_var_longlong
        nc_put_var_schar
        nc_put_var_short
        nc_put_var_string
        nc_put_var_text
        nc_put_var_ubyte
        nc_put_var_uchar
        nc_put_var_uint
        nc_put_var_ulonglong
        nc_put_var_ushort;
    some_elements(ncid: c_int, var: c_int, start: InArray<usize>) =>
        nc_put_var1
        nc_put_var1_double
        nc_put_var1_float
        nc_put_var1_int
        nc_put_var1_long
        nc_put_var1_longlong
        nc_put_var1_schar
        nc_put_var1_short
        nc_put_var1_string
        nc_put_var1_text
        nc_put_var1_ubyte
        nc_put_var1_uchar
        nc_put_var1_uint
        nc_put_var1_ulonglong
        nc_put_var1_ushort
        nc_put_vara
        nc_put_vara_double
        nc_put_vara_float
        nc_put_vara_int
        nc_put_vara_long
        nc_put_vara_longlong
        nc_put_vara_schar
        nc_put_vara_short
        nc_put_vara_string
        nc_put_vara_text
        nc_put_vara_ubyte
        nc_put_vara_uchar
        nc_put_vara_uint
        nc_put_vara_ulonglong
        nc_put_vara_ushort
        nc_put_varm
        nc_put_varm_double
        nc_put_varm_float
        nc_put_varm_int
        nc_put_varm_long
        nc_put_varm_longlong
        nc_put_varm_schar
        nc_put_varm_short
        nc_put_varm_string
        nc_put_varm_text
        nc_put_varm_ubyte
        nc_put_varm_uchar
        nc_put_varm_uint
        nc_put_varm_ulonglong
        nc_put_varm_ushort
        nc_put_vars
        nc_put_vars_double
        nc_put_vars_float
        nc_put_vars_int
        nc_put_vars_long
        nc_put_vars_longlong
        nc_put_vars_schar
        nc_put_vars_short
        nc_put_vars_string
        nc_put_vars_text
        nc_put_vars_ubyte
        nc_put_vars_uchar
        nc_put_vars_uint
        nc_put_vars_ulonglong
        nc_put_vars_ushort;
}
