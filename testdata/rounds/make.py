#!/usr/bin/env python3
"""Makes files with much metadata, compressed by `zstd`: `groups.nc` and `strings.nc` as netCDF-C lays them out, with netCDF4, and
`paged.nc` with h5py.

  testdata/rounds/make.py

What it makes is committed: the tests need none of these. They count the requests that opening the files takes.
"""

import pathlib
import subprocess
import tempfile

import h5py
import netCDF4
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def value(k):
    """The value of attribute number k."""
    return [f"text value number {k}", np.float32(k * 0.1), np.arange(k % 5 + 1, dtype="i4"), k * 1.1][k % 4]


def groups(path):
    """5,000 variables of 20 attributes, in 50 groups."""
    with netCDF4.Dataset(path, "w") as nc:
        for g in range(50):
            group = nc.createGroup(f"group_{g:03}")
            group.createDimension("x", 4)
            group.createDimension("y", 3)
            for i in range(100):
                var = group.createVariable(f"var_{i:05}", ("f4", "f8", "i4", "i2")[i % 4], ("y", "x"))
                var.setncatts({f"att_{k:02}": value(k) for k in range(20)})


def strings(path):
    """1,046 variables with strings among their attributes, every eighth with so many attributes that they are in a heap; 25 MB of
    data."""
    with netCDF4.Dataset(path, "w") as nc:
        nc.createDimension("time", None)
        nc.createDimension("x", 1500)
        for i in range(1046):
            var = nc.createVariable(f"var_{i:04}", "f4", ("time", "x"), fill_value=-1.0, chunksizes=(1, 1500))
            var.setncattr_string("long_name", f"the long name of variable number {i}")
            var.setncatts({f"att_{k:02}": value(k) for k in range(12 if i % 8 == 0 else 2)})
        for i in range(1046):
            nc[f"var_{i:04}"][0:4] = np.zeros((4, 1500))


def paged(path):
    """400 variables of 20 attributes in a file of 256 KiB pages, those of metadata among those of data."""
    with h5py.File(path, "w", libver="v110", fs_strategy="page", fs_page_size=1 << 18) as file:
        for i in range(400):
            var = file.create_dataset(f"var_{i:04}", data=np.zeros((40, 30), "f8"), chunks=(40, 30))
            for k in range(20):
                var.attrs[f"att_{k:02}"] = np.bytes_(value(k)) if k % 4 == 0 else value(k)
            if i % 20 == 19:
                file.flush()


with tempfile.TemporaryDirectory() as folder:
    for make in (groups, strings, paged):
        path = pathlib.Path(folder) / f"{make.__name__}.nc"
        make(path)
        subprocess.run(["zstd", "-q", "-f", "--ultra", "-22", "--long=25", path, "-o", HERE / f"{path.name}.zst"], check=True)
        print(path.name, path.stat().st_size)
