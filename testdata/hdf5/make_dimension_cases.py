#!/usr/bin/env python3
"""Makes inexpressible.h5: compounds with fields without a netCDF type; scales.h5: scales on some
dimensions only, with other lengths, with several dimensions, in groups; unsized_scales.h5: scales without a length; phony.h5: dimensions
without names. Needs h5py.
"""
import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def inexpressible():
    with h5py.File("inexpressible.h5", "w") as file:
        target = file.create_dataset("target", data=np.arange(3, dtype="<i4"), track_times=False)
        inner = np.dtype([("x", "<i2"), ("ref", h5py.ref_dtype)])
        only = np.dtype([("ref", h5py.regionref_dtype)])
        fields = [("a", "<i4"), ("ref", h5py.ref_dtype), ("refs", h5py.ref_dtype, (2,)),
                  ("inner", inner, (2,)), ("only", only), ("b", ">f8")]
        record = np.dtype(fields)
        values = np.zeros(2, record)
        for n in range(2):
            value = values[n]
            value["a"], value["b"] = n + 1, n + 0.5
            value["ref"] = target.ref
            value["refs"] = target.ref
            value["inner"]["x"] = [10 * n + 1, 10 * n + 2]
            value["inner"]["ref"] = target.ref
            value["only"]["ref"] = target.regionref[0:2]
        file["committed"] = record
        for name, dtype in [("plain", record), ("of_committed", file["committed"])]:
            data = file.create_dataset(name, (2,), dtype, track_times=False)
            data[...] = values
        target.attrs.create("attribute", values[:1], dtype=record)
        target.attrs.create("nothing_else", values["only"][:1].copy(), dtype=only)
        bits(file)


def bits(file):
    """h5py has no bit fields: they are written as integers."""
    stored, memory = h5py.h5t.create(h5py.h5t.COMPOUND, 7), np.dtype([("a", "<i4"), ("bits", "<u2"), ("b", "i1")])
    for name, offset, dtype in [(b"a", 0, h5py.h5t.STD_I32LE), (b"bits", 4, h5py.h5t.STD_B16LE),
                                (b"b", 6, h5py.h5t.STD_I8LE)]:
        stored.insert(name, offset, dtype)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_obj_track_times(False)
    data = h5py.h5d.create(file.id, b"with_bits", stored, h5py.h5s.create_simple((2,)), dcpl)
    data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([(1, 3, 4), (2, 5, 6)], memory), stored)


def phony():
    """Variables with types that the C library does not support, each with a distinct length."""
    with h5py.File("phony.h5", "w") as file:
        nested = np.dtype([("n", "<i4"), ("c", "<c8")])
        lists = h5py.vlen_dtype(np.dtype([("x", "<i4")]))
        with_ref = np.dtype([("n", "<i4"), ("ref", h5py.ref_dtype)])
        for length, (name, dtype) in enumerate([
                ("a", "<i4"), ("b_nested", nested), ("c", "<i4"), ("d_lists", lists), ("e_nested", nested), ("f", "<c8"),
                ("g/a_nested", nested), ("g/b", "<i4"), ("h_ref", with_ref), ("i", "<i4"), ("j_lists", lists),
                ("k_ref", with_ref), ("l", "<i4")], 2):
            file.create_dataset(name, (length,), dtype, track_times=False)


def scales():
    with h5py.File("scales.h5", "w") as file:
        def made(name, values, *scales):
            data = file.create_dataset(name, data=np.asarray(values, "<i2"), track_times=False)
            for dim, scale in zip(data.dims, scales):
                if scale:
                    dim.attach_scale(file[scale])
            return data

        made("x", [0, 10, 20]).make_scale()
        made("y", [[1, 2], [3, 4]]).make_scale("of two dimensions")
        made("some", np.arange(6).reshape(3, 2), "x")
        made("others", np.arange(6).reshape(2, 3), None, "x")
        made("square", np.arange(9).reshape(3, 3), "x", "x")
        made("longer", np.arange(5), "x")
        made("shorter", np.arange(2), "x")
        made("of_two", [5, 6], "y")
        made("group/inner", [7, 8, 9], "x")
        made("group/x", [0, 1]).make_scale()
        made("group/both", np.arange(6).reshape(2, 3), "group/x", "x")


def unsized_scales():
    """Scales with a null or scalar dataspace, attached alone, twice, with other lengths, in groups, and never."""
    with h5py.File("unsized_scales.h5", "w") as file:
        def scale(name, space, label=b""):
            made = h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_I32LE, h5py.h5s.create(space), times)
            h5py.h5ds.set_scale(made, label)
            return file[name]

        def made(name, shape, *scales, **how):
            data = file.create_dataset(name, data=np.arange(np.prod(shape), dtype="<i2").reshape(shape), track_times=False, **how)
            for dim, scale in zip(data.dims, scales):
                if scale:
                    dim.attach_scale(file[scale])

        times = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        times.set_obj_track_times(False)
        file.create_group("group")
        scale("x", h5py.h5s.NULL).attrs["units"] = np.bytes_("m")
        scale("t", h5py.h5s.NULL, b"This is a netCDF dimension but not a netCDF variable.         4")
        scale("one", h5py.h5s.SCALAR)
        scale("unused", h5py.h5s.NULL)
        scale("group/g", h5py.h5s.NULL)
        file["group/x"] = file["x"]
        made("v", (3,), "x")
        made("w", (2, 3), None, "x")
        made("square", (3, 3), "x", "x")
        made("v_longer", (5,), "x")
        made("records", (4, 3), "t", "x", maxshape=(None, 3), chunks=(2, 3))
        made("of_one", (6,), "one")
        made("group/v", (7,), "x")
        made("group/w", (8,), "group/g")


def main():
    os.chdir(HERE)
    inexpressible()
    scales()
    unsized_scales()
    phony()


if __name__ == "__main__":
    main()
