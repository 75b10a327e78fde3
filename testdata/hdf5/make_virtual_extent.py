#!/usr/bin/env python3
"""Makes virtual_extent.h5 (virtual datasets that are as long as their sources reach), virtual_extent.txt
(what libhdf5 reads in them), and virtual_refused.h5 (with sources in files that a test makes). Needs h5py with
HDF5 2.0 or newer.

Lines of the text: `NAME LENGTH... : VALUE...`, or `NAME error` where libhdf5 reads nothing. What no
source has is -1.
"""
import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
U = h5py.h5s.UNLIMITED
ONE = (1, 1)


def slab(start, block, count=ONE, stride=None):
    """Blocks in two dimensions; the length `U` is unlimited."""
    space = h5py.h5s.create_simple((50, 50), (U, U))
    space.select_hyperslab(start, count, stride or tuple(1 if b == U else b for b in block), block)
    return space


def union(*boxes):
    space = h5py.h5s.create_simple((50, 50), (U, U))
    for n, (start, block) in enumerate(boxes):
        how = h5py.h5s.SELECT_OR if n else h5py.h5s.SELECT_SET
        space.select_hyperslab(start, ONE, None, block, how)
    return space


def column(n, length=U, start=0):
    return slab((start, n), (length, 1))


SOURCES = {"ten": (10, 1), "five": (5, 1), "seven": (7, 1), "wide": (1, 6), "block0": (2, 2), "block1": (2, 2),
           "block3": (2, 2)}
FIRST = column(0)

# Name: stored shape, largest shape, mappings of (selection of the target, source, its selection).
VIRTUAL = {
    # A mapping with a fixed length that exceeds the source of a mapping without a fixed length.
    "fixed": ((10, 2), (U, 2), [(column(0, 10), "ten", column(0, 10)), (column(1), "five", FIRST)]),
    "fixed_later": ((12, 2), (U, 2), [(column(1), "five", FIRST), (column(0, 10, 2), "ten", column(0, 10))]),
    "fixed_comb": ((15, 2), (U, 2), [
        (slab((1, 0), (2, 1), (5, 1), (3, 1)), "ten", column(0, 10)), (column(1), "five", FIRST)]),
    "fixed_boxes": ((15, 3), (U, 3), [
        (union(((0, 0), (4, 1)), ((9, 1), (6, 1))), "ten", column(0, 10)), (column(2), "five", FIRST)]),
    "fixed_missing": ((9, 2), (U, 2), [(column(0, 9), "none", column(0, 9)), (column(1), "five", FIRST)]),
    "fixed_and_counting": ((9, 3), (U, 3), [
        (column(2, 9), "ten", column(0, 9)), (slab((0, 0), (2, 2), (U, 1), (3, 2)), "block%b", slab((0, 0), (2, 2)))]),
    # block2 is missing, so block3 is not used.
    "fixed_beyond_counting": ((12, 3), (U, 3), [
        (column(2, 10, 2), "ten", column(0, 10)), (slab((0, 0), (2, 2), (U, 1), (3, 2)), "block%b", slab((0, 0), (2, 2)))]),
    "fixed_and_none_counted": ((5, 2), (U, 2), [
        (column(0, 5), "five", column(0, 5)), (slab((0, 1), (1, 1), (U, 1)), "none%b", slab((0, 0), ONE))]),
    "fixed_only": ((12, 1), (U, 1), [(column(0, 10), "ten", column(0, 10))]),
    "two": ((3, 2), (U, 2), [(column(0), "five", FIRST), (column(1), "seven", FIRST)]),
    # The first mapping is unlimited in the first dimension, the second mapping in the second dimension.
    "crossed": ((9, 9), (U, U), [
        (slab((2, 0), (U, 1)), "five", FIRST), (slab((0, 1), (1, U)), "wide", slab((0, 0), (1, U)))]),
    "crossed_far": ((9, 9), (U, U), [
        (slab((2, 8), (U, 1)), "five", FIRST), (slab((8, 1), (1, U)), "wide", slab((0, 0), (1, U)))]),
    "missing": ((4, 1), (U, 1), [(FIRST, "none", FIRST)]),
    "missing_of_two": ((20, 2), (U, 2), [(column(0), "none", FIRST), (column(1), "five", FIRST)]),
    "counting": ((1, 2), (U, 2), [(slab((0, 0), (2, 2), (U, 1), (3, 2)), "block%b", slab((0, 0), (2, 2)))]),
    "none_counted": ((4, 2), (U, 2), [(slab((0, 0), (2, 2), (U, 1), (3, 2)), "none%b", slab((0, 0), (2, 2)))]),
    "within": ((1, 2), (U, 2), [(slab((0, 0), (U, 2)), "/./fixed", slab((0, 0), (U, 2)))]),
    "within_within": ((1, 2), (U, 2), [(slab((3, 0), (U, 2)), "//within", slab((0, 0), (U, 2)))]),
    # The source is shorter, and longer, than the dataset can be.
    "least": ((8, 1), (10, 1), [(FIRST, "five", FIRST)]),
    "most": ((5, 1), (6, 1), [(FIRST, "ten", FIRST)]),
}


def make(file, name, shape, most, mappings):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_obj_track_times(False)
    dcpl.set_fill_value(np.array(-1, dtype="<i4"))
    for target, source, selected in mappings:
        dcpl.set_virtual(target, b".", source.encode(), selected)
    space = h5py.h5s.create_simple(shape, most)
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_I32LE, space, dcpl)


def found(dataset):
    """Returns the values that libhdf5 reads. For a virtual source it uses the stored length, unless the program has
    queried the shape of that dataset and still has it open, as for all datasets here."""
    name = dataset.name[1:]
    try:
        data = dataset[...]
    except RuntimeError:
        return f"{name} error"
    return " ".join(map(str, [name, *data.shape, ":", *data.ravel()]))


def main():
    path = os.path.join(HERE, "virtual_extent.h5")
    with h5py.File(path, "w", libver="latest") as file:
        for number, (name, shape) in enumerate(SOURCES.items()):
            data = 100 * number + np.arange(np.prod(shape), dtype="<i4").reshape(shape)
            file.create_dataset(name, data=data, maxshape=(None, None), chunks=shape, track_times=False)
        for name, (shape, most, mappings) in VIRTUAL.items():
            make(file, name, shape, most, mappings)
    with h5py.File(path) as file, open(os.path.join(HERE, "virtual_extent.txt"), "w") as out:
        datasets = [file[name] for name in VIRTUAL]
        for dataset in datasets:
            print(found(dataset), file=out)


def refused():
    """Sources in source.h5, and in source0.h5 and so on."""
    def along(count, block):
        space = h5py.h5s.create_simple((9,), (U,))
        space.select_hyperslab((0,), (count,), (1,), (block,))
        return space

    with h5py.File(os.path.join(HERE, "virtual_refused.h5"), "w", libver="latest") as file:
        for name, length, target, where, source in (
                ("one", 4, along(1, U), "source.h5", along(1, U)),
                ("counting", 6, along(U, 1), "source%b.h5", along(1, 1))):
            dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            dcpl.set_obj_track_times(False)
            dcpl.set_virtual(target, where.encode(), b"x", source)
            space = h5py.h5s.create_simple((length,), (U,))
            h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_I32LE, space, dcpl)


if __name__ == "__main__":
    main()
    refused()
