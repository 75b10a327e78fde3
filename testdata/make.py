#!/usr/bin/env python3
"""Makes classic/*.nc and expected/*.txt anew; see README.md.

  NCGEN=... NCCOPY=... NCDUMP=... testdata/make.py

NCGEN, NCCOPY and NCDUMP name the C tools (version 4.10 or newer; from PATH by default), which are the
reference here. Python 3 standard library only. Not part of the test run: what it makes is
committed, so that the tests need no C tools.
"""

import os
import pathlib
import shlex
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLASSIC = HERE / "classic"
NCGEN = os.environ.get("NCGEN", "ncgen")
NCCOPY = os.environ.get("NCCOPY", "nccopy")
NCDUMP = os.environ.get("NCDUMP", "ncdump")

KINDS = {"1": "nc3", "2": "nc6", "5": "cdf5"}
ONLY_CDF5 = {"unsigned"}


def generate():
    """Each CDL file in each classic kind that has its types: NAME-KIND.nc."""
    for cdl in sorted((HERE / "cdl").glob("*.cdl")):
        for number, kind in KINDS.items():
            if cdl.stem in ONLY_CDF5 and number != "5":
                continue
            out = CLASSIC / f"{cdl.stem}-{number}.nc"
            subprocess.run([NCGEN, "-k", kind, "-o", out, cdl], check=True)
    # The C ncgen converts int64 to int in CDF-5, so this file goes through netCDF-4.
    for name in ONLY_CDF5:
        with tempfile.TemporaryDirectory() as tmp:
            netcdf4 = pathlib.Path(tmp) / "netcdf4.nc"
            subprocess.run([NCGEN, "-k", "nc4", "-o", netcdf4, HERE / "cdl" / f"{name}.cdl"], check=True)
            subprocess.run([NCCOPY, "-k", "cdf5", netcdf4, CLASSIC / f"{name}-5.nc"], check=True)
    patched("unsigned-5.nc", "unsigned-5.nc", pad_unsigned)
    # The C ncgen fills these files to a block of 4096 bytes; the format requires only the header.
    for number, size in {"1": 32, "2": 32, "5": 48}.items():
        os.truncate(CLASSIC / f"empty-{number}.nc", size)


def patched(name, source, change):
    """A copy of a generated file with some bytes changed."""
    data = bytearray((CLASSIC / source).read_bytes())
    data = change(data) or data
    (CLASSIC / name).write_bytes(data)


def streaming(width):
    """Sets numrecs to STREAMING (all ones): the count follows from the file's length."""

    def change(data):
        data[4 : 4 + width] = b"\xff" * width

    return change


def pad_unsigned(data):
    """The C nccopy pads these variables with NULs, where the format requires the fill value."""
    for values, padding in [
        (b"\x00\xff\x80\x01\xff", 3),  # ub
        (b"\x00\x00\xff\xff\x80\x00\x00\x01\xff\xff", 2),  # us
    ]:
        at = data.index(values) + len(values)
        assert data[at : at + padding] == bytes(padding)
        data[at : at + padding] = b"\xff" * padding
    for n in (1, 2, 3):  # records of ubr and usr
        at = data.index(bytes([n, 0, 0, 0, 0, n, 0, 0]), len(data) - 3 * 16)
        data[at : at + 8] = bytes([n, 255, 255, 255, 0, n, 255, 255])


def renamed(old, new):
    """Replaces a name with bytes of the same length, which `ncgen` would not write."""
    assert len(old) == len(new)

    def change(data):
        assert data.count(old) == 1, old
        at = data.index(old)
        data[at : at + len(old)] = new

    return change


def patch_all():
    """Files that no `ncgen` writes."""
    for number, width in {"1": 4, "2": 4, "5": 8}.items():
        patched(f"streaming-{number}.nc", f"records-{number}.nc", streaming(width))
    patched("streamingbyte-1.nc", "onebyte-1.nc", streaming(4))
    patched("slash-1.nc", "norecords-1.nc", renamed(b"fixed\0\0\0", b"fi/ed\0\0\0"))
    patched("latin1-1.nc", "norecords-1.nc", renamed(b"fixed\0\0\0", b"fix\xe9d\0\0\0"))


def gap():
    """CDF-1 written field by field: gaps between header and data and between two variables, filled
    with bytes that must never be shown."""
    name = lambda s: struct.pack(">i", len(s)) + s + b"\0" * (-len(s) % 4)
    var = lambda s, dims, kind, vsize, begin: (
        name(s)
        + struct.pack(f">i{len(dims)}i", len(dims), *dims)
        + b"\0" * 8
        + struct.pack(">iii", kind, vsize, begin)
    )
    header = b"CDF\x01" + struct.pack(">i", 0)
    header += struct.pack(">ii", 10, 1) + name(b"x") + struct.pack(">i", 3)
    header += b"\0" * 8
    header += struct.pack(">ii", 11, 2)
    header += var(b"first", [0], 3, 8, 200) + var(b"last", [0], 4, 12, 212)
    data = struct.pack(">3h", 1, 2, 3) + b"\x80\x01" + b"\xee" * 4 + struct.pack(">3i", 4, 5, 6)
    (CLASSIC / "gap-1.nc").write_bytes(header.ljust(200, b"\xaa") + data)


# The C ncdump reads STREAMING as a number; its output for the file with the count is correct.
COUNTED = {f"streaming-{k}.nc": f"records-{k}.nc" for k in "125"}
COUNTED["streamingbyte-1.nc"] = "onebyte-1.nc"


def expected():
    """Prints one text for each line of cases.txt: `name arguments...`."""
    for line in (HERE / "cases.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, *args = shlex.split(line)
        if args[-1] in COUNTED:
            args = ["-n", args[-1].removesuffix(".nc"), COUNTED[args[-1]]]
        out = subprocess.run(
            [NCDUMP, *args], cwd=CLASSIC, check=True, stdout=subprocess.PIPE, timeout=20
        )
        (HERE / "expected" / f"{name}.txt").write_bytes(out.stdout)


if __name__ == "__main__":
    for folder in (CLASSIC, HERE / "expected"):
        for old in folder.iterdir():
            old.unlink()
    generate()
    patch_all()
    gap()
    expected()
