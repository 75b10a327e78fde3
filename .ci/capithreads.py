#!/usr/bin/env python3
"""Writes the files that netcdf-core/capi/thread_tests.c reads.

  python3 .ci/capithreads.py FOLDER
"""

import pathlib
import shutil
import sys

SIDE, VARIABLES, GROUPS = 256, 4, 4


def write_numbers(path, form, **options):
    """Writes variables in which element n of variable v is n + v."""
    import netCDF4
    import numpy as np
    with netCDF4.Dataset(path, "w", format=form) as file:
        for name in ("y", "x"):
            file.createDimension(name, SIDE)
        for number in range(VARIABLES):
            variable = file.createVariable(f"v{number}", "f4", ("y", "x"), **options)
            variable[:] = np.arange(SIDE * SIDE).reshape(SIDE, SIDE) + number


def write_types(path):
    """Writes strings, lists, compounds and attributes."""
    import netCDF4
    import numpy as np
    with netCDF4.Dataset(path, "w") as file:
        file.title, file.numbers = "types", np.array([1.0, 2.0, 3.0])
        for name, length in ("s", 64), ("l", 16), ("p", 32):
            file.createDimension(name, length)
        text = file.createVariable("text", str, ("s",))
        text[:] = np.array([f"text {n}" for n in range(64)], object)
        lists = file.createVariable("list", file.createVLType("i4", "list_t"), ("l",))
        lists[:] = np.array([np.arange(max(n, 1), dtype="i4") for n in range(16)], object)
        pair = np.dtype([("a", "i4"), ("b", "f8")], align=True)
        pairs = file.createVariable("pair", file.createCompoundType(pair, "pair_t"), ("p",))
        pairs[:] = np.array([(n, n / 2) for n in range(32)], pair)


def write_groups(path):
    import netCDF4
    with netCDF4.Dataset(path, "w") as file:
        for number in range(GROUPS):
            group = file.createGroup(f"group{number}")
            for variable in range(20):
                group.createVariable(f"v{variable}", "i4", ())


def main():
    folder = pathlib.Path(sys.argv[1])
    deflate = {"zlib": True, "chunksizes": (32, SIDE)}
    write_numbers(folder / "deflated.nc", "NETCDF4", **deflate)
    write_numbers(folder / "other.nc", "NETCDF4", **deflate)
    write_numbers(folder / "classic.nc", "NETCDF3_64BIT_OFFSET")
    shutil.copy(folder / "other.nc", folder / "grown.nc")
    write_types(folder / "types.nc")
    write_groups(folder / "groups.nc")


if __name__ == "__main__":
    main()
