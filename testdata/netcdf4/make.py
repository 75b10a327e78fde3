#!/usr/bin/env python3
"""Makes model.nc with the C ncgen, short.nc and values_*.nc with netCDF4, and filtered.nc with netCDF4, h5py and hdf5plugin.

  NCGEN=... testdata/netcdf4/make.py

What it makes is committed: the tests need none of these.
"""

import os
import pathlib
import subprocess

import h5py
import hdf5plugin
import netCDF4
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def model():
    ncgen = os.environ.get("NCGEN", "ncgen")
    subprocess.run([ncgen, "-4", "-o", HERE / "model.nc", HERE / "model.cdl"], check=True)


def short():
    """Variables with fewer records than their dimension, with and without fill values in HDF5."""
    with netCDF4.Dataset(HERE / "short.nc", "w") as nc:
        nc.createDimension("t", None)
        nc.set_fill_off()
        long = nc.createVariable("long", "f4", ("t",))
        bare = nc.createVariable("bare", "i4", ("t",), chunksizes=(2,))
        never = nc.createVariable("never", "i2", ("t",))
        nc.set_fill_on()
        filled = nc.createVariable("filled", "f8", ("t",), fill_value=-1.0, chunksizes=(2,))
        long[:] = np.arange(5)
        bare[0:1] = filled[0:1] = 7
        never.units = "m"


def values(count):
    """Records of strings, lists and user-defined types; the number in the file name is the number of records."""
    with netCDF4.Dataset(HERE / f"values_{count}.nc", "w") as nc:
        nc.createDimension("time", None)
        nc.createDimension("x", 2)
        pair = nc.createCompoundType(np.dtype([("a", "i2"), ("b", "f8", (2,))], align=True), "pair")
        colour = nc.createEnumType("u1", "colour", {"red": 0, "green": 1})
        lists = nc.createVLType("i4", "list")
        made = {
            "text": nc.createVariable("text", str, ("time", "x"), chunksizes=(8, 2)),
            "filled": nc.createVariable("filled", str, ("time",), chunksizes=(8,), fill_value="none"),
            "pairs": nc.createVariable("pairs", pair, ("time",), chunksizes=(4,), zlib=True),
            "colours": nc.createVariable("colours", colour, ("time",), chunksizes=(16,), fill_value=1),
            "lists": nc.createVariable("lists", lists, ("time",), chunksizes=(8,)),
        }
        for n in range(count):
            made["text"][n] = np.array([f"record {n}", "x" * (n * n % 97)], dtype=object)
            made["filled"][n] = f"f{n}"
            made["pairs"][n] = np.array((n, (n / 2, -n)), dtype=pair.dtype)
            made["colours"][n] = n % 2
            made["lists"][n] = np.arange(n % 5, dtype="i4")


def filtered():
    """Variables without filters, with built-in filters, and with filters that none of our builds support."""
    path = HERE / "filtered.nc"
    values = np.arange(24, dtype="f4").reshape(4, 6)
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("y", 4)
        nc.createDimension("x", 6)
        group = nc.createGroup("model")
        plain = nc.createVariable("plain", "f4", ("y", "x"))
        packed = group.createVariable(
            "packed", "f4", ("y", "x"), zlib=True, complevel=5, shuffle=True, fletcher32=True, chunksizes=(2, 6)
        )
        zstd = group.createVariable("zstd", "i4", ("x",), compression="zstd", complevel=3)
        # The data are replaced below.
        lossy = nc.createVariable("lossy", "f4", ("y", "x"), chunksizes=(4, 3))
        never = group.createVariable("never written", "f4", ("y", "x"), chunksizes=(2, 2))
        plain[:], packed[:], zstd[:] = values, values, np.arange(6)
        lossy.units, never.units = "K", "m"
    with h5py.File(path, "r+") as h5:
        refilter(h5, "lossy", (4, 3), hdf5plugin.SZ3(absolute=0.1), values)
        refilter(h5["model"], "never written", (2, 2), hdf5plugin.SZ3(absolute=0.1), None)
        extra(h5["model"], values)


def refilter(group, name, chunks, compression, values):
    """Recreates the dataset with another filter; dimensions and attributes stay."""
    old = group[name]
    attributes = {k: v for k, v in old.attrs.items() if k in ("units", "_Netcdf4Coordinates", "_Netcdf4Dimid")}
    scales = [dim[0] for dim in old.dims]
    for dim, scale in zip(old.dims, scales):
        dim.detach_scale(scale)
    del group[name]
    new = group.create_dataset(name, (4, 6), "f4", chunks=chunks, data=values, track_order=True, **compression)
    for dim, scale in zip(new.dims, scales):
        dim.attach_scale(scale)
    for key, value in attributes.items():
        new.attrs[key] = value


def extra(group, values):
    """A filter with a private number, which no library has: the chunk is written unchanged."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((4, 6))
    plist.set_filter(2, h5py.h5z.FLAG_OPTIONAL, (4,))
    plist.set_filter(40000, h5py.h5z.FLAG_OPTIONAL, (1, 2, 3))
    space = h5py.h5s.create_simple((4, 6))
    made = h5py.h5d.create(group.id, b"private", h5py.h5t.IEEE_F32LE, space, plist)
    made.write_direct_chunk((0, 0), values.tobytes(), filter_mask=0)
    dataset = h5py.Dataset(made)
    other = group.parent["plain"]
    for dim, there in zip(dataset.dims, other.dims):
        dim.attach_scale(there[0])


if __name__ == "__main__":
    model()
    short()
    values(3)
    values(60)
    filtered()
