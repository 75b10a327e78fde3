#!/usr/bin/env python3
"""Makes records_*.h5: netCDF-4 datasets without records, whose chunks are in extensible and fixed arrays. Needs h5py with HDF5 2.0.

  testdata/hdf5/make_records.py

`time` is unlimited. `t` and `time` have records of numbers; the unlimited dimension of `turned` is not the slowest. `fixed` has one chunk;
`few` and `wide` have fixed arrays, without and with pages. The number in a file name is the number of records per chunk; `deflated` means filters.
"""

import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PURE = "This is a netCDF dimension but not a netCDF variable.%10d"


def scale(file, name, length, most, number, **storage):
    """Creates a dimension scale; with storage, it is a variable."""
    dset = file.create_dataset(name, (length,), "<f8" if storage else ">f4", maxshape=(most,), **storage)
    dset.make_scale(name if storage else PURE % length)
    dset.attrs["_Netcdf4Dimid"] = np.int32(number)
    return dset


def make(name, libver, chunk, filters):
    with h5py.File(os.path.join(HERE, f"records_{name}.h5"), "w", libver=libver, track_order=True) as file:
        time = scale(file, "time", 0, None, 0, chunks=(chunk,), **filters)
        x, y = scale(file, "x", 3, 3, 1), scale(file, "y", 2500, 2500, 2)

        def variable(name, scales, chunks, **storage):
            shape = tuple(len(one) for one in scales)
            most = tuple(None if one is time else len(one) for one in scales)
            dset = file.create_dataset(name, shape, "<f8", maxshape=most, chunks=chunks, **storage)
            for axis, one in enumerate(scales):
                dset.dims[axis].attach_scale(one)
            return dset

        variable("t", (time, x), (chunk, 3), **filters)
        variable("turned", (x, time), (1, chunk), **filters)
        variable("fixed", (x,), (3,), **filters)[:] = [7, 8, 9]
        variable("few", (x,), (1,), **filters)
        variable("wide", (y,), (1,), **filters)


def make_without_scales():
    """Datasets that netCDF shows with dimensions of the same length."""
    with h5py.File(os.path.join(HERE, "records_without_scales.h5"), "w", libver=("v110", "v110"), track_order=True) as file:
        file.create_dataset("v", data=np.zeros((2, 3)), maxshape=(None, 3), chunks=(1, 3))
        file.create_dataset("w", data=np.zeros(2), maxshape=(None,), chunks=(4,))
        file.create_dataset("other", data=np.zeros(7), maxshape=(None,), chunks=(4,))


make_without_scales()
for limit in "v110", "v200":
    make(f"{limit}_1", (limit, limit), 1, {})
    make(f"{limit}_16_deflated", (limit, limit), 16, {"compression": 1, "shuffle": True})
