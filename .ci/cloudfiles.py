"""Shared code of .ci/cloud and .ci/layout: inputs and copies, and the offsets of metadata and data."""

import io
import os
import pathlib
import re
import sys
import tempfile

import h5py
import hdf5plugin  # noqa: F401: registers its filters
import netCDF4
import numpy as np
import pyfive  # noqa: F401: processes for each look have what they need
import readers
from common import ROOT, datasets, guarded, run, tool

MODES = {"general": "--cloud", "paged": "--cloud=paged", "cmip7": "--cloud=cmip7", "both": "--cloud=cmip7,paged"}
HOW = {"plain": [], "decoded": ["-F", "none"], **{mode: [option] for mode, option in MODES.items()}}
SUFFIXES = (".nc", ".nc4", ".h5", ".hdf5", ".he5", ".hdf")


def cloud_inputs(options):
    """Returns the files of testdata and of --corpora."""
    files = datasets(ROOT / "testdata", SUFFIXES, stores=False, hostile=True)
    files += datasets(options.corpora, SUFFIXES, stores=False) if options.corpora else []
    return options.share.among([p for p in files if options.only.search(str(p))], lambda path: path.name)


class CopiedFile:
    """An input with its copies in a separate directory: a plain netCDF-4 copy, and one copy per mode."""

    def __init__(self, path, folder, options):
        self.path, self.options = path, options
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.made, self.views = {}, {}
        self.seconds = 10 if "hostile" in path.parts else 60
        with open(path, "rb") as file:
            self.hdf5 = h5py.h5f.is_hdf5(os.fsencode(path)) if file.read(1) else False

    def copy(self, mode):
        """Returns the path of a copy, None if the input cannot be copied; `said` contains the messages."""
        if mode not in self.made:
            target = self.folder / f"{mode}.nc"
            how = HOW[mode] + ([] if self.hdf5 else ["-k", "nc4"])
            done = run(tool("nccopy"), "--quiet", "--no-sync", *how, self.path, target, seconds=self.seconds)
            self.said = done.said[-200:]
            good = done.status == 0 and target.is_file() and h5py.h5f.is_hdf5(os.fsencode(target))
            self.made[mode] = target if good else None
        return self.made[mode]

    def copies(self):
        """Returns (mode, path) for each mode with a copy. `not_copied` checks inputs with a plain copy and without a copy in a mode."""
        return [(mode, self.copy(mode)) for mode in self.options.modes if self.copy("plain") and self.copy(mode)]

    def not_copied(self):
        """Returns the faults of modes without a copy: none if input chunks cannot be decoded, because a plain copy does not decode."""
        failed = [mode for mode in self.options.modes if not self.copy(mode)] if self.copy("plain") else []
        said = self.said
        return [f"{self.path} {MODES[mode]}: is not copied: {said}" for mode in failed if self.copy("decoded")]

    def original(self):
        """Returns the file to compare copies with: the input, or a plain netCDF-4 copy of an input in another format."""
        return self.path if self.hdf5 else self.copy("plain")

    def view(self, reader, path):
        """Returns the items that a reader finds, or the reason for a failure. Inputs have a shorter time limit than copies."""
        if (reader, path) not in self.views:
            found, why = guarded(readers.KNOWN[reader], path, seconds=5 if path == self.path else 60)
            self.views[reader, path] = why or found
        return self.views[reader, path]

    def close(self):
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


class NotedFile(io.RawIOBase):
    """A file that records its reads as (offset, length)."""

    def __init__(self, path):
        self.bytes, self.at, self.reads = pathlib.Path(path).read_bytes(), 0, []

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, len(self.bytes))[whence]
        return self.at

    def tell(self):
        return self.at

    def readinto(self, into):
        part = self.bytes[self.at : self.at + len(into)]
        self.reads.append((self.at, len(part)))
        into[: len(part)] = part
        self.at += len(part)
        return len(part)

    def readable(self):
        return True

    def seekable(self):
        return True

    def truncate(self, size):
        raise OSError("read only")


def headers(file):
    """Reads all objects and attributes, by links, so that the names of committed types and empty groups are read."""

    def look(_, found):
        for name in found.attrs:
            aid = h5py.h5a.open(found.id, name.encode())
            aid.get_type(), aid.get_space().shape

    look("", file)
    file.visititems(look)


def places(file):
    """Returns (offset, length) of all data."""
    found = []

    def look(_, dataset):
        if not isinstance(dataset, h5py.Dataset):
            return
        if dataset.chunks is not None:
            # A result other than None ends the iteration.
            dataset.id.chunk_iter(lambda info: found.append((info.byte_offset, info.size)))
        elif (offset := dataset.id.get_offset()) is not None:
            found.append((offset, dataset.id.get_storage_size()))

    file.visititems(look)
    return found


def metadata_and_data(path):
    """Returns (offset, length) of all metadata reads, and of all data. Heaps of variable-length data count as data, but are not
    included."""
    noted = NotedFile(path)
    with h5py.File(noted, "r") as file:
        headers(file)
        return noted.reads, places(file)


def heaps(path, attributes):
    """Returns the heap offsets of variable-length values in attributes, or in data."""
    noted = NotedFile(path)

    def attempt(read):
        try:
            read()
        except (OSError, TypeError, ValueError):
            pass  # what h5py cannot read

    def look(_, found):
        if not attributes and isinstance(found, h5py.Dataset) and found.dtype.hasobject and (found.size or 0) < readers.MOST:
            attempt(lambda: found[()])
        for name in found.attrs if attributes else ():
            attempt(lambda: found.attrs[name])

    with h5py.File(noted, "r") as file:
        look("", file)
        file.visititems(look)
    return {at for at, _ in noted.reads if noted.bytes[at : at + 4] == b"GCOL"}


def model_file(path, seed):
    """Creates a file with the structure of climate model output, which follows no rules."""
    random = np.random.default_rng(seed)
    with netCDF4.Dataset(path, "w") as file:
        file.variable_id = "tas"
        times, lats, lons = int(random.integers(300, 700)), 96, int(random.integers(96, 192))
        for name, length in (("time", None), ("lat", lats), ("lon", lons), ("bnds", 2)):
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",), chunksizes=(int(random.integers(1, 65)),))
        time.units, time.bounds = "days since 1850-01-01", "time_bnds"
        bounds = file.createVariable("time_bnds", "f8", ("time", "bnds"), chunksizes=(1, 2), zlib=bool(seed % 2))
        file.createVariable("lat", "f8", ("lat",))[:] = np.linspace(-90, 90, lats)
        file.createVariable("lon", "f8", ("lon",))[:] = np.linspace(0, 360, lons, endpoint=False)
        stored = {"zlib": seed % 3 > 0, "shuffle": seed % 3 > 1, "complevel": 1} if seed % 3 else {}
        tas = file.createVariable("tas", "f4", ("time", "lat", "lon"), chunksizes=(1, lats, lons), **stored)
        for name in ("history", "title", "source"):
            file.setncattr(name, "x" * int(random.integers(1, 3000)))
        time[:], bounds[:] = np.arange(times), np.arange(2 * times).reshape(times, 2)
        tas[:] = random.normal(280, 10, (times, lats, lons)).astype("f4").round(2)


def model_files(folder, seeds):
    """Returns files with the structure of climate model output; creates missing files."""
    files = [folder / f"model-{seed}.nc" for seed in seeds]
    for seed, path in zip(seeds, files):
        if not path.exists():
            model_file(path, seed)
    return files


def packing_verdicts(paths):
    """Returns ({path: whether check_cmip7_packing passes it}, output) for files that it can read."""
    done = run("check_cmip7_packing", *paths)
    if len(paths) > 1 and done.status not in (0, 1):
        sys.exit(f"check_cmip7_packing: {done.text}{done.said}")
    verdicts = re.findall(r"^(PASS|FAIL): File '(.*?)'", done.text, re.MULTILINE)
    return {pathlib.Path(path): word == "PASS" for word, path in verdicts}, done.text
