#!/usr/bin/env python3
"""Makes rare_types.h5: numbers without a netCDF type, and attributes that netCDF does not have. Needs h5py 3.15 with HDF5 2.0.

long_double      a dataset of 16-byte floats; `next` is a dataset beside it
attributes       16-byte floats and complex numbers, both as attributes, in the class of HDF5 2.0 and as h5py's compound
committed        a committed type with attributes, and a dataset of this type
"""

import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def quad():
    """The IEEE type of 16 bytes, which NumPy does not have."""
    made = h5py.h5t.IEEE_F64LE.copy()
    made.set_size(16)
    made.set_precision(128)
    made.set_fields(127, 112, 15, 0, 112)
    made.set_ebias(16383)
    return made


def write(file, name, dtype, memory, values):
    """A dataset without a time, so that the file is the same each time."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)
    data = h5py.h5d.create(file.id, name, dtype, h5py.h5s.create_simple((len(values),)), properties)
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, values, memory)


def attribute(owner, name, dtype, values, memory=None):
    made = h5py.h5a.create(owner.id, name, dtype, h5py.h5s.create_simple((len(values),)))
    made.write(values, memory or dtype)


def main():
    os.chdir(HERE)
    with h5py.File("rare_types.h5", "w") as file:
        write(file, b"long_double", quad(), h5py.h5t.NATIVE_DOUBLE, np.array([1.5, -2.25, 0.1]))
        write(file, b"next", h5py.h5t.STD_I16LE, h5py.h5t.NATIVE_INT16, np.array([1, 2, 3], "i2"))
        owner = file["next"]
        attribute(owner, b"long_double", quad(), np.array([1.5]), h5py.h5t.NATIVE_DOUBLE)
        complex_numbers = np.array([1 + 2j, 3 - 4j])
        attribute(owner, b"complex", h5py.h5t.COMPLEX_IEEE_F64LE, complex_numbers)
        attribute(owner, b"compound", h5py.h5t.py_create(np.dtype("c16")), complex_numbers)
        attribute(owner, b"units", h5py.h5t.STD_I32LE, np.array([7], "i4"))
        file["committed"] = np.dtype([("a", "<i4"), ("b", "<f8")])
        file["committed"].attrs["note"] = np.int32(5)
        file["committed"].attrs["text"] = np.bytes_("of a type")
        data = file.create_dataset("of_committed", (2,), file["committed"], track_times=False)
        data[...] = np.array([(1, 1.5), (2, 2.5)], data.dtype)


if __name__ == "__main__":
    main()
