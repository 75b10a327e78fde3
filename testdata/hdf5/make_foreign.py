#!/usr/bin/env python3
"""Creates files in the form of other programs, according to their format descriptions: matlab.mat (a MAT-file of version 7.3:
a user block, classes as attributes, cells as references), pytables.h5 (tables, arrays that grow, lists); deflate_0.h5,
a dataset with the filter deflate at level 0; same_types.h5, committed types of one name in two groups, and of one
structure under two names; shared_types.h5, one that datasets and attributes have; truth.h5, enums without
names. Needs h5py.
"""
import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def text(value):
    return np.bytes_(value.encode())


def matlab():
    with h5py.File("matlab.mat", "w", userblock_size=512, libver="earliest") as file:
        def made(path, values, name, **attributes):
            data = file.create_dataset(path, data=values, track_times=False)
            data.attrs["MATLAB_class"] = text(name)
            for key, value in attributes.items():
                data.attrs[key] = value
            return data

        made("matrix", np.arange(6, dtype="<f8").reshape(2, 3), "double")
        made("text", np.array([[ord(c)] for c in "some text"], "<u2"), "char", MATLAB_int_decode=np.int32(2))
        made("yes", np.ones((1, 1), "u1"), "logical", MATLAB_int_decode=np.int32(1))
        made("empty", np.zeros(2, "<u8"), "double", MATLAB_empty=np.uint8(1))
        pair = np.dtype([("real", "<f8"), ("imag", "<f8")])
        made("complex", np.array([[(1, 2)], [(3, 4)]], pair), "double")
        made("struct/field", np.array([[7.0]]), "double")
        file["struct"].attrs["MATLAB_class"] = text("struct")
        names = np.empty(1, object)
        names[0] = np.array([bytes([c]) for c in b"field"], "S1")
        file["struct"].attrs.create("MATLAB_fields", names, dtype=h5py.vlen_dtype(np.dtype("S1")))
        made("#refs#/a", np.array([[1.5]]), "double")
        made("#refs#/b", np.array([[ord("x")]], "<u2"), "char", MATLAB_int_decode=np.int32(2))
        cells = np.array([[file["#refs#/a"].ref], [file["#refs#/b"].ref]], h5py.ref_dtype)
        made("cells", cells, "cell")
    with open("matlab.mat", "r+b") as out:
        head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 ."
        out.write(head.ljust(124) + b"\0\2IM")


def pytables():
    with h5py.File("pytables.h5", "w", libver="earliest") as file:
        def said(node, **attributes):
            for key, value in attributes.items():
                node.attrs[key] = text(value) if value else h5py.Empty("S1")

        said(file, CLASS="GROUP", PYTABLES_FORMAT_VERSION="2.1", TITLE="", VERSION="1.0")
        row = np.dtype([("energy", "<f8"), ("name", "S16"), ("number", "<i8"), ("place", "<f4", (2,))])
        rows = np.zeros(3, row)
        for n in range(3):
            rows[n] = (n + 0.5, f"particle {n}".encode(), n, (n, -n))
        table = file.create_dataset("detector/readout", data=rows, chunks=(2,), maxshape=(None,), shuffle=True,
                                    compression=1, track_times=False)
        said(table, CLASS="TABLE", TITLE="a table", VERSION="2.7", FIELD_0_NAME="energy", FIELD_1_NAME="name")
        table.attrs["NROWS"] = np.int64(3)
        said(file["detector"], CLASS="GROUP", TITLE="", VERSION="1.0")
        array = file.create_dataset("earray", data=np.array([True, False, True]), chunks=(4,), maxshape=(None,),
                                    track_times=False)
        said(array, CLASS="EARRAY", TITLE="", VERSION="1.1")
        array.attrs["EXTDIM"] = np.int32(0)
        lists = file.create_dataset("vlarray", (2,), h5py.vlen_dtype(np.dtype("<i4")), chunks=(2,), maxshape=(None,),
                                    track_times=False)
        lists[0], lists[1] = [5, 6], [7]
        said(lists, CLASS="VLARRAY", TITLE="", VERSION="1.4")
        bits = file.create_dataset("carray", data=np.arange(4, dtype=">i2"), chunks=(3,), track_times=False)
        said(bits, CLASS="CARRAY", TITLE="", VERSION="1.1")


def deflate_0():
    with h5py.File("deflate_0.h5", "w") as file:
        file.create_dataset("x", data=np.arange(5, dtype="<i2"), chunks=(3,), compression="gzip",
                            compression_opts=0, track_times=False)


def same_types():
    with h5py.File("same_types.h5", "w") as file:
        file["same"] = np.dtype([("upper", "<i4")])
        file["group/same"] = np.dtype([("lower", "<f8")])
        for name in ("one", "two", "group/two"):
            file[name] = np.dtype([("twin", "<i2")])
        for number, name in enumerate(["same", "group/same", "one", "two", "group/two"]):
            data = file.create_dataset("group/inner/of_" + name.replace("/", "_"), (1,), file[name], track_times=False)
            data[...] = np.array((number,), file[name].dtype)


def properties():
    """Text of any length as h5py makes it, the mark of the classic model where it does not count, a named type with no value."""
    with h5py.File("properties.h5", "w") as file:
        file.attrs["_NCProperties"] = "version=2,other=1.0"
        group = file.create_group("group")
        group.attrs["_nc3_strict"] = np.int32(1)
        group.attrs["text"] = "two\nlines"
        file["kind"] = h5py.enum_dtype({"one": 1}, "<i2")
        kind = h5py.h5t.open(file.id, b"kind")
        h5py.h5a.create(group.id, b"none", kind, h5py.h5s.create(h5py.h5s.NULL))


def shared_types():
    with h5py.File("shared_types.h5", "w") as file:
        file["pair"] = np.dtype([("a", "<i4"), ("b", "<f8")])
        values = np.array([(1, 0.5), (2, 1.5)], file["pair"].dtype)
        for name in ("one", "two"):
            data = file.create_dataset(name, (2,), file["pair"], track_times=False)
            data[...] = values
            data.attrs.create("first", values[:1], dtype=file["pair"])


def truth():
    """Truth values as h5py makes them: enums without names, one of which only attributes have."""
    with h5py.File("truth.h5", "w") as file:
        data = file.create_dataset("b", data=np.array([True, False, True]), track_times=False)
        data.attrs["state"] = np.array([2, 1], h5py.enum_dtype({"on": 1, "off": 2}, "<i2"))
        file.attrs["done"] = True


if __name__ == "__main__":
    os.chdir(HERE)
    matlab()
    pytables()
    deflate_0()
    same_types()
    properties()
    shared_types()
    truth()
