"""Series of records in netCDF-4 files that h5py writes, for .ci/appends. Chunks are in arrays, except in the oldest form of files."""

import h5py
import numpy as np

from common import installed, run

PURE = "This is a netCDF dimension but not a netCDF variable.%10d"
LENGTHS = {"y": 5, "x": 7}
TOOLS = ("h5dump",), ("h5ls", "-rv"), ("h5stat",)
# Bounds of versions, records per chunk, filters. Chunks of one byte pass all blocks of an array.
SERIES = [
    ("v110", 1, {}),
    ("v110", 16, {"compression": 1}),
    ("v110", 4, {"compression": 1, "shuffle": True, "fletcher32": True}),
    ("latest", 1, {}),
    ("latest", 64, {"compression": 4}),
    ("v108", 4, {"compression": 1}),
]


def shared(steps):
    """The values of `w`, and of `turned` with exchanged dimensions."""
    return (steps[:, None] * 3 + np.arange(7)) % 3000


def series_texts(steps):
    return np.array([f"record {n}" for n in steps], dtype=object)


def make_series(path, steps, form):
    version, chunk, filters = form
    with h5py.File(path, "w", libver=version if version == "latest" else (version, version), track_order=True) as file:
        series_scale(file, "time", 0, 0, chunks=(chunk,), **filters).attrs["units"] = "hours since 2000-01-01"
        for number, (name, length) in enumerate(LENGTHS.items(), 1):
            series_scale(file, name, length, number)
        series_variable(file, "v", ("time", "y", "x"), "<f4", chunks=(chunk, 5, 7), **filters)
        series_variable(file, "w", ("time", "x"), "<i2", chunks=(chunk, 7), **filters)
        series_variable(file, "turned", ("x", "time"), "<i2", chunks=(3, chunk), **filters)
        series_variable(file, "b", ("time",), "i1", chunks=(1,))
        # libhdf5 refuses checksums of strings.
        filters = {name: value for name, value in filters.items() if name != "fletcher32"}
        series_variable(file, "s", ("time",), h5py.string_dtype(), chunks=(max(chunk, 8),), **filters)
        series_variable(file, "fixed", ("x",), "<i4", chunks=(7,))[:] = np.arange(7)
        put_series(file, steps, 0)


def series_scale(file, name, length, number, **storage):
    most = None if storage else length
    dset = file.create_dataset(name, (length,), "<f8" if storage else ">f4", maxshape=(most,), **storage)
    dset.make_scale(name if storage else PURE % length)
    dset.attrs["_Netcdf4Dimid"] = np.int32(number)
    return dset


def series_variable(file, name, dims, ty, **storage):
    shape = tuple(LENGTHS.get(dim, 0) for dim in dims)
    most = tuple(LENGTHS.get(dim) for dim in dims)
    dset = file.create_dataset(name, shape, ty, maxshape=most, **storage)
    for axis, dim in enumerate(dims):
        dset.dims[axis].attach_scale(file[dim])
    return dset


def put_series(file, steps, start, resize=True):
    """Writes records from `start` on, with h5py or netCDF4-python, which resizes by itself."""
    end = start + len(steps)
    for name in ("time", "v", "w", "b", "s") if resize else ():
        file[name].resize(end, axis=0)
    if resize:
        file["turned"].resize(end, axis=1)
    if len(steps):
        at = slice(start, end)
        file["time"][at] = steps
        file["v"][at] = (steps[:, None, None] * 100 + np.arange(35).reshape(5, 7)).astype("f4")
        file["w"][at] = shared(steps)
        file["turned"][:, at] = shared(steps).T
        file["b"][at] = steps % 100
        file["s"][at] = series_texts(steps)


def series_faults(path, total, form):
    """What h5py reads wrong, and errors of the tools of libhdf5."""
    with h5py.File(path) as file:
        steps = np.arange(total)
        own = {"time": steps, "w": shared(steps), "turned": shared(steps).T, "b": steps % 100}
        own["s"] = np.array([text.encode() for text in series_texts(steps)], dtype=object)
        found = [f"h5py reads other values of {name}" for name, values in own.items() if not np.array_equal(file[name][:], values)]
    # The tools of Debian do not know the newest versions.
    for tool in TOOLS if form[0] != "latest" and installed(*(tool[0] for tool in TOOLS)) else ():
        done = run(*tool, path)
        found += [f"{tool}: {done.said[:200]}"] * (done.status != 0 or done.said != "")
    return found


def make_sparse(path, length, stored, filters):
    """Makes a file with chunks of one byte, of which few are stored, so that arrays get all kinds of blocks at once."""
    with h5py.File(path, "w", libver=("v110", "v110"), track_order=True) as file:
        time = file.create_dataset("time", (length,), ">f4", maxshape=(None,), chunks=(4096,))
        time.make_scale(PURE % length)
        time.attrs["_Netcdf4Dimid"] = np.int32(0)
        dset = file.create_dataset("b", (length,), "i1", maxshape=(None,), chunks=(1,), **filters)
        dset.dims[0].attach_scale(time)
        for n in stored:
            dset[n] = n % 50 + 1
