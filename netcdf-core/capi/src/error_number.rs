//! Error numbers of `netcdf.h`.

use std::ffi::c_int;

/// An error number: negative for netCDF, positive for the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ErrorNumber(pub(crate) c_int);

macro_rules! codes {
    ($($name:ident = $number:literal,)*) => {
        impl ErrorNumber {
            $(pub(crate) const $name: Self = Self($number);)*
        }
    };
}

codes! {
    EBADID = -33,
    ENFILE = -34,
    EEXIST = -35,
    EINVAL = -36,
    EPERM = -37,
    ENOTINDEFINE = -38,
    EINDEFINE = -39,
    EINVALCOORDS = -40,
    ENOTATT = -43,
    EBADTYPE = -45,
    EBADDIM = -46,
    ENOTVAR = -49,
    ENOTNC = -51,
    EMAXNAME = -53,
    EUNLIMIT = -54,
    ECHAR = -56,
    EEDGE = -57,
    ESTRIDE = -58,
    EBADNAME = -59,
    ERANGE = -60,
    ENOMEM = -61,
    EVARSIZE = -62,
    EDIMSIZE = -63,
    ETRUNC = -64,
    EIO = -68,
    EURL = -74,
    EINTERNAL = -92,
    EHDFERR = -101,
    EATTMETA = -107,
    ENOTNC4 = -111,
    ESTRICTNC3 = -112,
    EBADGRPID = -116,
    EBADTYPID = -117,
    EBADFIELD = -119,
    EMAPTYPE = -121,
    ELATEDEF = -123,
    ENOGRP = -125,
    ENOTBUILT = -128,
    EDISKLESS = -129,
    EFILTER = -132,
    ENOFILTER = -136,
    EEMPTY = -139,
    ENOOBJECT = -141,
}

/// Version 2 functions return this number for all errors.
pub(crate) const OLD_ERROR: c_int = -1;
