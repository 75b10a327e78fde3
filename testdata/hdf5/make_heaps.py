#!/usr/bin/env python3
"""Makes the files about groups, attributes and heaps anew; see ../README.md.

Needs h5py, a C compiler and the headers of the HDF5 C library (pkg-config hdf5 or hdf5-serial). Not
part of the test run: what it makes is committed.
"""

import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def create(name):
    """A file of the newer kind, in which objects have no times: it comes out the same again."""
    return h5py.File(HERE / name, "w", libver=("v110", "v110"))


def dense_groups():
    """Links in a heap, by name and by creation order, and a tree of two levels above the leaves."""
    with create("groups_dense.h5") as f:
        group = f.create_group("both", track_order=True)
        for i in range(60):
            group[f"link{(i * 37) % 60:03}"] = f["/"]
        group["soft"] = h5py.SoftLink("/both/link000")
        group["external"] = h5py.ExternalLink("other.h5", "/x")
        few = f.create_group("few", track_order=True)
        for i in range(9):
            few[f"link{8 - i}"] = f["/"]
    with create("groups_deep.h5") as f:
        group = f.create_group("deep")
        for i in range(1300):
            group[f"{i:04}"] = f["/"]


def attributes():
    """Attributes in a heap: 50 small ones, and two that are too large for its blocks."""
    with create("attributes_dense.h5") as f:
        group = f.create_group("g", track_order=True)
        for i in range(50):
            group.attrs[f"a{(i * 7) % 50:02}"] = np.full(1 + i % 4, i, "<i4")
        for i in range(2):
            group.attrs[f"large{i}"] = np.arange(1100 + i, dtype="<i4")


def strings():
    """Strings in several collections of the global heap, one of them larger than the others."""
    words = [b"%d" % i * i for i in range(60)]
    words[7] = b""
    words[50] = b"x" * 5000
    kind = h5py.string_dtype("ascii")
    create("strings.h5").close()
    for part in range(4):
        with h5py.File(HERE / "strings.h5", "r+", libver=("v110", "v110")) as f:
            group = f.create_group(f"part{part}")
            group.attrs.create("words", np.array(words[part * 15 : part * 15 + 15], dtype=object), dtype=kind)


def by_c():
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hdf5-serial"], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as tmp:
        program = pathlib.Path(tmp) / "make"
        options = flags.stdout.decode().split()
        subprocess.run(["cc", "-o", program, HERE / "make_heaps.c", *options], check=True)
        subprocess.run([program, HERE], check=True)


dense_groups()
attributes()
strings()
by_c()
