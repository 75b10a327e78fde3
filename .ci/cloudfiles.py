"""What the parts of .ci/cloud share: inputs and their copies, a process for each look at a file, and where metadata and data lie."""

import io
import multiprocessing
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import h5py  # noqa: E402
import hdf5plugin  # noqa: E402,F401: registers its filters
import netCDF4  # noqa: E402
import numpy as np  # noqa: E402
import pyfive  # noqa: E402,F401: processes for each look have what they need
import readers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODES = {"general": "--cloud", "paged": "--cloud=paged", "cmip7": "--cloud=cmip7", "both": "--cloud=cmip7,paged"}
HOW = {"plain": [], "decoded": ["-F", "none"], **{mode: [option] for mode, option in MODES.items()}}
SUFFIXES = (".nc", ".nc4", ".h5", ".hdf5", ".he5", ".hdf")
MEMORY = 4 << 30
FORK = multiprocessing.get_context("fork")


def inputs(options):
    """The files of testdata, and one in --part of those of --corpora."""
    files = [p for p in sorted((ROOT / "testdata").rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
    if options.corpora:
        found = [p for p in sorted(options.corpora.rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
        files += [p for p in found if "hostile" not in p.parts][:: options.part]
    return [p for p in files if re.search(options.only, str(p))]


class File:
    """An input with its copies in a folder of its own: a plain one in netCDF-4, and one for each mode."""

    def __init__(self, path, folder, options):
        self.path, self.options = path, options
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.made, self.views = {}, {}
        self.seconds = 10 if "hostile" in path.parts else 60
        with open(path, "rb") as file:
            self.hdf5 = h5py.h5f.is_hdf5(os.fsencode(path)) if file.read(1) else False

    def copy(self, mode):
        """The path of a copy, None if the input cannot be copied; its messages are in `said`."""
        if mode not in self.made:
            target = self.folder / f"{mode}.nc"
            how = HOW[mode] + ([] if self.hdf5 else ["-k", "nc4"])
            command = [self.options.tools / "nccopy", "--quiet", "--no-sync", *how, self.path, target]
            self.made[mode] = self.run(command, target)
        return self.made[mode]

    def run(self, command, target):
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=self.seconds, check=False)
        except subprocess.TimeoutExpired:
            self.said = "does not end"
            return None
        self.said = done.stderr.strip()[-200:]
        return target if done.returncode == 0 and target.is_file() and h5py.h5f.is_hdf5(os.fsencode(target)) else None

    def copies(self):
        """(mode, path) for each mode; all modes copy what a plain copy can be made of, which `not_copied` looks at."""
        return [(mode, self.copy(mode)) for mode in self.options.modes if self.copy("plain") and self.copy(mode)]

    def not_copied(self):
        """What is wrong where a mode does not copy: nothing if chunks of the input cannot be decoded, which a plain copy does not do."""
        failed = [mode for mode in self.options.modes if not self.copy(mode)] if self.copy("plain") else []
        said = self.said
        return [f"{self.path} {MODES[mode]}: is not copied: {said}" for mode in failed if self.copy("decoded")]

    def original(self):
        """The file that copies are compared with: the input, or a plain netCDF-4 copy of an input in another format."""
        return self.path if self.hdf5 else self.copy("plain")

    def view(self, reader, path):
        """Items that a reader finds, or why it does not. For inputs there is less time than for copies."""
        if (reader, path) not in self.views:
            found, why = guarded(readers.KNOWN[reader], path, seconds=5 if path == self.path else 60)
            self.views[reader, path] = why or found
        return self.views[reader, path]

    def close(self):
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


def guarded(function, *values, seconds=60):
    """(result, "") of a function in a process of its own, or (None, reason): libraries crash, or do not end."""
    ours, theirs = FORK.Pipe(duplex=False)

    def child():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            answer = function(*values), ""
        except Exception as e:  # noqa: BLE001: whatever the library says is the reason
            answer = None, f"{type(e).__name__}: {str(e)[:200]}"
        theirs.send(answer)
        theirs.close()
        os._exit(0)

    process = FORK.Process(target=child)
    process.start()
    theirs.close()
    try:
        answer = ours.recv() if ours.poll(seconds) else (None, "does not end")
    except EOFError:
        answer = None, "the library crashes"
    process.kill()
    process.join()
    ours.close()
    return answer


class Noted(io.RawIOBase):
    """A file whose reads are noted as (offset, length)."""

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
    """Looks at all objects and attributes, by links, so that names of committed types and empty groups are looked at."""

    def look(_, found):
        for name in found.attrs:
            aid = h5py.h5a.open(found.id, name.encode())
            aid.get_type(), aid.get_space().shape

    look("", file)
    file.visititems(look)


def places(file):
    """(offset, length) of all data."""
    found = []

    def look(_, dataset):
        if not isinstance(dataset, h5py.Dataset):
            return
        if dataset.chunks is not None:
            # What the function returns, other than None, ends the iteration.
            dataset.id.chunk_iter(lambda info: found.append((info.byte_offset, info.size)))
        elif (offset := dataset.id.get_offset()) is not None:
            found.append((offset, dataset.id.get_storage_size()))

    file.visititems(look)
    return found


def metadata_and_data(path):
    """(offset, length) of all reads of metadata, and of all data. Heaps of variable-length data count as data, but are not here."""
    noted = Noted(path)
    with h5py.File(noted, "r") as file:
        headers(file)
        return noted.reads, places(file)


def heaps(path, attributes):
    """Offsets of heaps of variable-length values of attributes, or of data."""
    noted = Noted(path)

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
    """A file like those of models, which no rule likes."""
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


def model_files(folder, count):
    """The first of the files like those of models, made where they are not there yet."""
    files = [folder / f"model-{seed}.nc" for seed in range(count)]
    for seed, path in enumerate(files):
        if not path.exists():
            model_file(path, seed)
    return files
