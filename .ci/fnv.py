"""The checksum that the program h5sums prints, and that was taken of what libhdf5 read."""

import functools


def fnv(data):
    """FNV-1a of 64 bits."""
    total = functools.reduce(lambda total, byte: (total ^ byte) * 0x100000001b3 % 2**64, data, 0xcbf29ce484222325)
    return f"{total:016x}"
