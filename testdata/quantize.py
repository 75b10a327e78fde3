#!/usr/bin/env python3
"""Makes netcdf-core/src/chunk/quantize/c.txt anew: numbers before and after quantization by libnetcdf.

  testdata/quantize.py > netcdf-core/src/chunk/quantize/c.txt

Needs the netCDF4 package and numpy. Each line is a type, an algorithm, the digits or bits that are kept, and the bits of the
numbers before and after, in hexadecimal. Every number of digits is there, with random numbers of all magnitudes and
special ones.
"""

import os
import tempfile

import netCDF4
import numpy as np

MODES = {"bitgroom": "BitGroom", "granularbr": "GranularBitRound", "bitround": "BitRound"}
TYPES = {"float": ("f4", "u4", 6, 23), "double": ("f8", "u8", 15, 52)}


def quantized(values, mode, keep):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.nc")
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("x", len(values))
            var = file.createVariable("v", values.dtype, ("x",), significant_digits=keep, quantize_mode=mode)
            var.set_auto_maskandscale(False)
            var[:] = values
        with netCDF4.Dataset(path) as file:
            file["v"].set_auto_maskandscale(False)
            return file["v"][:]


def special(dtype):
    info = np.finfo(dtype)
    one = [1, 10, 100, 0.1, 0.001, 9.999999, 1 - info.epsneg, 1 + info.eps, info.max, info.tiny, info.smallest_subnormal]
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan, 9.9692099683868690e36, 1e-40 if dtype == "f4" else 1e-310]
    return np.array(sorted(one + odd, key=repr), dtype)


def numbers(dtype, bits, count, seed):
    random = np.random.default_rng(seed).integers(0, np.iinfo(bits).max, count, bits, endpoint=True)
    return np.concatenate([special(dtype), random.view(dtype)])


def shown(values, bits):
    return "".join(f"{n:0{values.dtype.itemsize * 2}x}" for n in values.view(bits))


def main():
    for name, (dtype, bits, digits, most) in TYPES.items():
        for short, mode in MODES.items():
            for keep in range(1, digits + 1) if mode != "BitRound" else sorted({1, most, *range(4, most, 5)}):
                values = numbers(dtype, bits, 10, keep)
                print(name, short, keep, shown(values, bits), shown(quantized(values, mode, keep), bits))


if __name__ == "__main__":
    main()
