#!/usr/bin/env python3
"""Makes virtual_source.h5 and virtual_*.h5 (virtual datasets with all kinds of selections), and
virtual_*.txt (what libhdf5 reads in them). Needs h5py with HDF5 2.0 or newer.

Element number n (in row-major order) of source number s has the value 1000 s + n, so that a test
can tell from the value where it is from; what no source has is -1. Lines of a text:
`source FILE DATASET S LENGTH...`, `virtual NAME ADDRESS-OF-OBJECT-HEADER LENGTH...`, followed by
one line of values.
"""
import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
U = h5py.h5s.UNLIMITED
v = h5py.h5f
VERSIONS = {
    "earliest": (v.LIBVER_EARLIEST, v.LIBVER_V110),
    "v110": (v.LIBVER_V110, v.LIBVER_V110),
    "v112": (v.LIBVER_V112, v.LIBVER_V112),
    "v200": (v.LIBVER_V200, v.LIBVER_V200),
}


def all_of(*dims):
    return h5py.h5s.create_simple(dims, tuple(U for _ in dims))


def slab(dims, start, count, stride=None, block=None):
    space = all_of(*dims)
    space.select_hyperslab(start, count, stride, block)
    return space


def union(dims, *boxes):
    """The elements of several boxes, each a start and a shape."""
    space = all_of(*dims)
    for n, (start, shape) in enumerate(boxes):
        one = tuple(1 for _ in dims)
        how = h5py.h5s.SELECT_OR if n else h5py.h5s.SELECT_SET
        space.select_hyperslab(start, one, None, shape, how)
    return space


SOURCES = {"a": (4, 5), "b": (4, 5), "long": (30,), "grown": (7, 5), "few": (2, 3),
           "block0": (2, 5), "block1": (2, 5), "block2": (2, 5)}

# Name: shape, mappings of (selection of the target, file, source, its selection).
VIRTUAL = {
    "rows": ((9, 5), [
        (slab((9, 5), (0, 0), (4, 5)), ".", "a", all_of(4, 5)),
        (slab((9, 5), (5, 0), (4, 5)), "virtual_source.h5", "b", all_of(4, 5))]),
    "stack": ((3, 4, 5), [
        (slab((3, 4, 5), (0, 0, 0), (1, 4, 5)), ".", "a", all_of(4, 5)),
        (slab((3, 4, 5), (2, 0, 0), (1, 4, 5)), ".", "b", all_of(4, 5))]),
    "whole": ((4, 5), [(all_of(4, 5), ".", "b", all_of(4, 5))]),
    "missing": ((4, 5), [
        (slab((4, 5), (0, 0), (2, 5)), "no_such_file.h5", "b", slab((4, 5), (0, 0), (2, 5))),
        (slab((4, 5), (2, 0), (2, 5)), ".", "b", slab((4, 5), (0, 0), (2, 5)))]),
    "interleaved": ((8, 10), [
        (slab((8, 10), (0, 0), (4, 5), (2, 2)), ".", "a", all_of(4, 5)),
        (slab((8, 10), (1, 1), (4, 5), (2, 2)), ".", "b", all_of(4, 5))]),
    "combs": ((30, 3), [
        (slab((30, 3), (1, 1), (4, 1), (7, 1), (3, 1)), ".", "long",
         slab((30,), (2,), (6,), (5,), (2,)))]),
    "other_shape": ((20,), [(all_of(20), ".", "a", all_of(4, 5))]),
    "corners": ((6, 6), [
        (union((6, 6), ((0, 0), (2, 3)), ((3, 2), (3, 4)), ((2, 5), (1, 1))), ".", "long",
         slab((30,), (3,), (19,)))]),
    "both_corners": ((6, 6), [
        (union((6, 6), ((0, 0), (2, 3)), ((3, 2), (2, 4))), ".", "a",
         union((4, 5), ((0, 2), (2, 3)), ((2, 0), (2, 4))))]),
    "unlimited": ((3, 5), [
        (slab((3, 5), (0, 0), (U, 5)), ".", "grown", slab((7, 5), (0, 0), (U, 5)))]),
    "unlimited_comb": ((3, 5), [
        (slab((3, 5), (1, 0), (U, 1), (5, 1), (2, 5)), ".", "grown",
         slab((7, 5), (0, 0), (U, 1), (4, 1), (3, 5)))]),
    "counting": ((1, 5), [
        (slab((1, 5), (0, 0), (U, 1), (3, 1), (2, 5)), ".", "block%b", all_of(2, 5))]),
    "shared_names": ((4, 15), [
        (slab((4, 15), (0, 5 * n), (4, 5)), "./virtual_source.h5", "/in/a/group/whose/path/is/long",
         all_of(4, 5)) for n in range(3)]),
}


def source(file, name, number, shape, lines):
    size = int(np.prod(shape))
    most = [None for _ in shape]
    data = np.arange(1000 * number, 1000 * number + size, dtype="<i4").reshape(shape)
    file.create_dataset(name, data=data, maxshape=most, chunks=shape)
    lines.append(f"{name} {number} " + " ".join(map(str, shape)))


def make_virtual(file, name, shape, mappings):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_fill_value(np.array(-1, dtype="<i4"))
    for target, where, which, selected in mappings:
        dcpl.set_virtual(target, where.encode(), which.encode(), selected)
    space = h5py.h5s.create_simple(shape, tuple(U for _ in shape))
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_I32LE, space, dcpl)


def open_file(name, libver):
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_libver_bounds(*libver)
    path = os.path.join(HERE, name).encode()
    return h5py.File(h5py.h5f.create(path, h5py.h5f.ACC_TRUNC, None, fapl))


def main():
    other = []
    with open_file("virtual_source.h5", VERSIONS["v110"]) as file:
        source(file, "b", 20, (4, 5), other)
        source(file, "/in/a/group/whose/path/is/long", 21, (4, 5), other)
    for version, libver in VERSIONS.items():
        lines = [f"source {where} {s}" for where in ("virtual_source.h5", "./virtual_source.h5")
                 for s in other]
        own = []
        name = f"virtual_{version}.h5"
        with open_file(name, libver) as file:
            for number, (dataset, shape) in enumerate(SOURCES.items()):
                source(file, dataset, number, shape, own)
            for dataset, (shape, mappings) in VIRTUAL.items():
                make_virtual(file, dataset, shape, mappings)
        lines += [f"source . {s}" for s in own]
        with h5py.File(os.path.join(HERE, name)) as file:
            for dataset in VIRTUAL:
                address = h5py.h5o.get_info(file[dataset].id).addr
                data = file[dataset][...]
                shape = " ".join(map(str, data.shape))
                lines.append(f"virtual {dataset} {address} {shape}")
                lines.append(" ".join(map(str, data.ravel())))
        with open(os.path.join(HERE, f"virtual_{version}.txt"), "w") as out:
            out.write("\n".join(lines) + "\n")


def others():
    """Strings and lists of another file and of the same one; a source outside of the directory."""
    with h5py.File("virtual_text.h5", "w", libver="latest") as file:
        # The targets that the references would have if they were interpreted in this file.
        file.create_dataset("own", data=["WRONG1", "WRONG2"], dtype=h5py.string_dtype(), track_times=False)
        for name, source in [("of_own", "."), ("of_other", "virtual_strings.h5")]:
            layout = h5py.VirtualLayout((2,), h5py.string_dtype())
            layout[:] = h5py.VirtualSource(source, "own", (2,))
            file.create_virtual_dataset(name, layout)
        layout = h5py.VirtualLayout((2,), "<i4")
        layout[:] = h5py.VirtualSource("../scales.h5", "x", (2,))
        file.create_virtual_dataset("outside", layout)
    with h5py.File("virtual_strings.h5", "w", libver="latest") as file:
        file.create_dataset("own", data=["one", "two"], dtype=h5py.string_dtype(), track_times=False)


if __name__ == "__main__":
    main()
    others()
