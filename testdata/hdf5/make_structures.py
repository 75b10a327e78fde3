#!/usr/bin/env python3
"""Creates structures/: small HDF5 and netCDF-4 files, which together contain each structure of the format, for
the tests that damage each of their bytes. Needs h5py with HDF5 2.0 or newer, and netCDF4.
"""
import ctypes
import os

import h5py
import netCDF4
import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "structures")
EARLIEST = (h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_LATEST)
V110 = (h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
LATEST = (h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)


def library():
    """The libhdf5 of h5py, for properties that h5py does not have."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "h5py.libs/libhdf5-" in line)
    return ctypes.CDLL(path)


LIBRARY = library()


def set_property(plist, name, *args):
    """Calls H5Pset_NAME."""
    assert LIBRARY["H5Pset_" + name](ctypes.c_int64(plist.id), *args) >= 0, name


def create(name, libver=EARLIEST, **fcpl):
    """Creates a file; `fcpl` lists its creation properties with their arguments."""
    os.makedirs(HERE, exist_ok=True)
    plist = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    for setter, args in fcpl.items():
        args = [ctypes.c_uint64(a) if setter in ("userblock", "sizes") else ctypes.c_uint(a) for a in args]
        set_property(plist, setter, *args)
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_libver_bounds(*libver)
    # Without reserved space for additions, files are much smaller.
    fapl.set_meta_block_size(0)
    set_property(fapl, "small_data_block_size", ctypes.c_uint64(0))
    path = os.path.join(HERE, name + ".h5")
    return h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, plist, fapl))


def dataset(group, name, shape, dtype="<i2", most=None, chunk=None, early=False, compact=False, **filters):
    """A dataset of counted values, without times."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_obj_track_times(False)
    if early:
        dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    if compact:
        dcpl.set_layout(h5py.h5d.COMPACT)
    data = group.create_dataset(
        name, shape, dtype, maxshape=most, chunks=chunk, dcpl=dcpl, **filters)
    data[...] = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    return data


def old():
    """Symbol tables, local heap, B-trees of version 1, object headers of version 1, layouts of
    version 3, a user block, links of each kind."""
    file = create("old", userblock=(512,), sym_k=(1, 1), istore_k=(1,))
    dataset(file, "contiguous", (3, 2), ">f8")
    dataset(file, "compact", (4,), compact=True)
    dataset(file, "chunked", (5, 7), most=(None, 7), chunk=(2, 3), shuffle=True, compression=4,
            fletcher32=True)
    group = file.create_group("group")
    group["hard"] = file["contiguous"]
    group["loop"] = file
    group["soft"] = h5py.SoftLink("/compact")
    group["dangling"] = h5py.SoftLink("/nothing")
    group.attrs["text"] = np.bytes_(b"some text")
    file.attrs["numbers"] = np.arange(5, dtype="<i4")
    file.close()


def small_sizes():
    """Addresses and lengths of four bytes."""
    file = create("small_sizes", sizes=(4, 4))
    dataset(file, "x", (6,), most=(None,), chunk=(4,), compression=1)
    file.attrs["a"] = 1.5
    file.close()


def dense():
    """Links and attributes in fractal heaps and B-trees of version 2, also by creation order."""
    file = create("dense", LATEST, link_phase_change=(2, 1), attr_phase_change=(2, 1),
                  link_creation_order=(3,), attr_creation_order=(3,))
    dataset(file, "first", (2,))
    for n in range(4):
        file[f"link {n}"] = h5py.SoftLink("/first")
        file.attrs[f"attribute {n}"] = np.arange(n + 1, dtype="<i2")
    file["external"] = h5py.ExternalLink("no_such_file.h5", "/x")
    file.close()


def shared():
    """Shared messages in a heap, listed and in a B-tree; a committed datatype."""
    for name, phase in [("shared_list", (50, 40)), ("shared_btree", (1, 0))]:
        file = create(name, LATEST, shared_mesg_nindexes=(1,), shared_mesg_index=(0, 0x1f, 8),
                      shared_mesg_phase_change=phase)
        for n in range(3):
            data = dataset(file, f"x{n}", (3,), "<f8")
            data.attrs["units"] = np.bytes_(b"metres per second")
        file.close()


def types():
    """All classes of datatypes, and a global heap."""
    for name, libver in [("types_old", EARLIEST), ("types_new", LATEST)]:
        file = create(name, libver)
        pair = np.dtype([("a", "<i2"), ("b", ">f4", (2,)), ("c", "S3")])
        color = h5py.enum_dtype({"red": 0, "green": 3}, basetype="u1")
        text, lists = h5py.string_dtype(), h5py.vlen_dtype(np.dtype("<i2"))
        space = h5py.h5s.create_simple((2,))

        def made(name, dtype, values):
            data = file.create_dataset(name, (len(values),), dtype, track_times=False)
            for n, value in enumerate(values):
                data[n] = value

        made("compound", pair, [(1, (2, 3), b"abc"), (4, (5, 6), b"def")])
        made("enum", color, [0, 3])
        made("opaque", np.dtype("V3"), [np.void(b"abc"), np.void(b"xyz")])
        made("strings", text, ["one", "", "three"])
        made("lists", lists, [np.array([1, 2, 3], "<i2"), np.array([], "<i2")])
        made("nested", np.dtype([("list", lists), ("text", text)]), [])
        made("array", np.dtype(("<i4", (2, 2))), [np.ones((2, 2), "<i4")])
        made("bool", np.dtype(bool), [True, False])
        made("reference", h5py.ref_dtype, [file.ref])
        made("complex", np.dtype("<c8"), [1 + 2j])
        h5py.h5d.create(file.id, b"bits", h5py.h5t.STD_B8LE, space)
        file["committed"] = pair
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_obj_track_times(False)
        h5py.h5d.create(file.id, b"of_committed", file["committed"].id, space, dcpl)
        file.attrs["strings"] = np.array(["a", "bc"], dtype=text)
        file.close()


def indexes():
    """Each chunk index of layouts of version 4, and unfiltered edge chunks."""
    for name, libver in [("v110", V110), ("v200", LATEST)]:
        for kind, args in {
            "single": dict(shape=(3, 2), chunk=(3, 2), compression=1),
            "implicit": dict(shape=(5, 3), chunk=(2, 2), early=True),
            "fixed_array": dict(shape=(5, 3), chunk=(2, 2), compression=1),
            "extensible_array": dict(shape=(9, 3), most=(None, 3), chunk=(1, 2), fletcher32=True),
            "btree_v2": dict(shape=(4, 3), most=(None, None), chunk=(1, 1)),
        }.items():
            if name == "v200" and kind in ("implicit", "btree_v2"):
                continue
            file = create(f"{kind}_{name}", libver)
            dataset(file, "x", dtype="<i4", **args)
            file.close()


def filters():
    """HDF5's own filters."""
    file = create("filters", V110)
    dataset(file, "szip", (16, 4), "<i4", chunk=(8, 4), compression="szip",
            compression_opts=("nn", 8))
    dataset(file, "integers", (16,), "<i4", chunk=(16,), scaleoffset=0)
    dataset(file, "floats", (16,), "<f4", chunk=(16,), scaleoffset=1)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_obj_track_times(False)
    dcpl.set_chunk((8,))
    dcpl.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL, ())
    odd = h5py.h5t.STD_I16LE.copy()
    odd.set_precision(11)
    odd.set_offset(2)
    space = h5py.h5s.create_simple((8,))
    nbit = h5py.h5d.create(file.id, b"nbit", odd, space, dcpl)
    nbit.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(8, dtype="<i2") * 30)
    file.close()


def netcdf4():
    """netCDF-4 itself: groups, dimensions, types, special attributes."""
    path = os.path.join(HERE, "netcdf4.nc")
    with netCDF4.Dataset(path, "w", format="NETCDF4") as nc:
        nc.createDimension("time", None)
        nc.createDimension("x", 3)
        time = nc.createVariable("time", "f8", ("time",))
        time.units = "days since 2000-01-01"
        data = nc.createVariable("t", "i2", ("time", "x"), zlib=True, fill_value=-1)
        time[:] = [1, 2]
        data[:] = np.arange(6).reshape(2, 3)
        group = nc.createGroup("g")
        color = group.createEnumType("u1", "color", {"red": 0, "blue": 5})
        group.createVariable("c", color, ("x",))[:] = [0, 5, 0]
        names = group.createVariable("s", str, ("x",))
        names[0], names[2] = "first", "third"
    classic = os.path.join(HERE, "classic_model.nc")
    with netCDF4.Dataset(classic, "w", format="NETCDF4_CLASSIC") as nc:
        nc.createDimension("x", 4)
        nc.createVariable("text", "S1", ("x",))[:] = list("abcd")


if __name__ == "__main__":
    old()
    small_sizes()
    dense()
    shared()
    types()
    indexes()
    filters()
    netcdf4()
