#!/usr/bin/env python3
"""Makes the files of this folder anew; see README.md.

  testdata/hdf4/make.py [FOLDER] [--szip]

Compiles the C program (make.c and the other sources) with libhdf4 (Debian: libhdf4-dev) and patches what libhdf4 does not write. --szip
makes the files with szip instead, which takes a libhdf4 built with libaec: HDF4_CFLAGS and HDF4_LIBS say where it is. Python 3 standard
library only.
"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["make.c", "plain.c", "stored.c", "described.c", "old.c", "szip.c", "random.c"]
NULL, NDG, SDLNK = 1, 720, 710


def build(program):
    """Compiles the generator."""
    include = os.environ.get("HDF4_CFLAGS", "-I/usr/include/hdf").split()
    libraries = os.environ.get("HDF4_LIBS", "-lmfhdf -ldf").split()
    command = [os.environ.get("CC", "cc"), "-O1", "-Wall", *include, "-o", program,
               *[HERE / source for source in SOURCES], *libraries]
    subprocess.run(command, check=True)


def descriptors(data):
    """(place, tag, reference, offset, length) of every data descriptor of a file."""
    block = 4
    while block:
        count, following = struct.unpack_from(">HI", data, block)
        for place in range(block + 6, block + 6 + 12 * count, 12):
            yield place, *struct.unpack_from(">HHII", data, place)
        block = following


def without(data, tags, which=None):
    """Takes the descriptors of some tags away (which: only the one of this number)."""
    found = [place for place, tag, *_ in descriptors(data) if tag in tags]
    for place in found if which is None else [found[which]]:
        struct.pack_into(">HHII", data, place, NULL, 0, 0xFFFFFFFF, 0xFFFFFFFF)
    return data


def one_name(data):
    """Gives three dimensions one name."""
    for last in b"BC":
        data = data.replace(b"length_" + bytes([last]), b"length_A")
    return data


PATCHES = {
    "two_lengths.hdf": one_name,
    "sdg.hdf": lambda data: without(data, {NDG, SDLNK}),
}


def main():
    folders = [argument for argument in sys.argv[1:] if argument != "--szip"]
    szip = "--szip" in sys.argv
    folder = pathlib.Path(folders[0] if folders else HERE)
    with tempfile.TemporaryDirectory() as tmp:
        program = pathlib.Path(tmp) / "make"
        build(program)
        subprocess.run([program, "szip" if szip else "all", folder], check=True)
    if szip:
        return
    for name, patch in PATCHES.items():
        path = folder / name
        path.write_bytes(patch(bytearray(path.read_bytes())))


if __name__ == "__main__":
    main()
