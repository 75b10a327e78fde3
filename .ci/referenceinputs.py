"""Inputs for .ci/references: sets of files that are joined to references, and chunks that readers of references may refuse."""

import pathlib

import h5py
import netCDF4
import numpy as np

from framings import LEN, CHUNK, ONLY_2, ONLY_ZARR, cases, file_hdf5, in_hdf5, new_dataset, store_2, store_3, values

SHUFFLE, DEFLATE = 2, 1
STEPS = 6


def part(path, number, form, variables):
    """Creates a file of a joined set."""
    with netCDF4.Dataset(path, "w", format=form) as file:
        file.createDimension("time", None)
        file.createDimension("x", 5)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "days since 2001-01-01"
        time[:] = np.arange(STEPS) + STEPS * number
        for name, kind, more in variables:
            var = file.createVariable(name, kind, ("time", "x"), **more)
            var.set_auto_maskandscale(False)
            var[:] = (np.arange(STEPS * 5) ** 2 // 7 % 113).reshape(STEPS, 5) + number
            if name == "packed":
                var.scale_factor, var.add_offset = 0.5, 10.0


def chunked_set(folder):
    """Compressed, packed and unfiltered chunks; the last file ends within a chunk."""
    filtered = {"zlib": True, "chunksizes": (3, 5)}
    variables = [("packed", "i2", {**filtered, "fill_value": -9}), ("summed", "i4", {**filtered, "fletcher32": True}),
                 ("plain", "f4", {"chunksizes": (2, 5)})]
    paths = [folder / f"chunked{n}.nc" for n in range(4)]
    for number, path in enumerate(paths):
        part(path, number, "NETCDF4", variables)
    with netCDF4.Dataset(paths[-1], "a") as file:
        file["time"][STEPS:] = [100.0]
        for name in ("packed", "summed", "plain"):
            file[name][STEPS:] = [np.arange(5)]
    return paths, ["--join=time"], "time"


def classic_set(folder):
    """Records of classic files."""
    paths = [folder / f"classic{n}.nc" for n in range(3)]
    for number, path in enumerate(paths):
        part(path, number, "NETCDF3_64BIT_OFFSET", [("short", "i2", {}), ("double", "f8", {"fill_value": -1.0})])
    return paths, ["--join=time"], "time"


def added_set(folder):
    """A new dimension, big-endian data and missing chunks."""
    paths = [folder / f"added{n}.nc" for n in range(3)]
    for number, path in enumerate(paths):
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("x", 20)
            file.run = number
            big = file.createVariable("big", ">f4", ("x",), chunksizes=(5,), zlib=True, endian="big", fill_value=-99.0)
            big[10 * (number % 2):10 * (number % 2) + 10] = np.arange(10) + number
            whole = file.createVariable("whole", "i8", ("x",), contiguous=True)
            whole[:] = np.arange(20) * number
    return paths, ["--join-new=run", "--labels", "@run"], "run"


SETS = (chunked_set, classic_set, added_set)


def masks_hdf5(path):
    """Creates a file whose chunks skip filters: all chunks the same filters, or some chunks."""
    chain = [(SHUFFLE, (4,)), (DEFLATE, (6,))]
    masks = {"none": (0, 0), "all": (3, 3), "shuffle": (1, 1), "deflate": (2, 2), "mixed": (0, 3), "last": (2, 3)}
    with h5py.File(path, "w", libver=("v108", "v108")) as file:
        file.create_dataset("x", data=np.zeros(LEN, "f4")).make_scale("x")
        for name, pair in masks.items():
            dataset = new_dataset(file, name, "<i4", chain)
            for n, mask in enumerate(pair):
                dataset.write_direct_chunk((n * CHUNK,), masked(values("<i4")[n * CHUNK:(n + 1) * CHUNK], mask), mask)


def masked(data, mask):
    """Returns the stored form of a chunk that skips the filters in a mask."""
    import zlib
    stored = data.tobytes()
    if not mask & 1:
        stored = np.frombuffer(stored, "u1").reshape(-1, 4).T.tobytes()
    return stored if mask & 2 else zlib.compress(stored)


def framed_inputs(folder):
    """Creates inputs with all framings. Returns pairs of an input and the kind of references."""
    folder, every = pathlib.Path(folder), list(cases())
    numbers = [case for case in every if not case.is_text()]
    store_2(folder / "two.zarr", numbers)
    of_3 = [case for case in numbers if case.name not in ONLY_2]
    store_3(folder / "three.zarr", of_3)
    store_3(folder / "shards.zarr", of_3, shards=True)
    file_hdf5(folder / "file.nc", [case for case in of_3 if in_hdf5(case) and case.name not in ONLY_ZARR])
    masks_hdf5(folder / "masks.nc")
    names = [("two.zarr", "kerchunk"), ("three.zarr", "kerchunk3"), ("shards.zarr", "kerchunk3"), ("file.nc", "kerchunk"),
             ("file.nc", "kerchunk3"), ("masks.nc", "kerchunk"), ("masks.nc", "kerchunk3")]
    return [(folder / name, kind) for name, kind in names]
