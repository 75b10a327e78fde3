#!/usr/bin/env python3
"""Prints libhdf4's view of files as a Python pickle: the datasets with their dimensions, attributes and values.

  .ci/hdf4sds.py FILE... [--library]

The script uses pyhdf. pyhdf does not read numbers in little-endian files, and lacks some functions. For these, the script calls the
library that pyhdf has loaded. If pyhdf can read a dataset, both results must be equal. --library uses the system's libhdf4, or the library
in HDF4_LIBRARY, instead of pyhdf. Each file is read by a separate process, because libhdf4 crashes on some files.
"""

import ctypes
import ctypes.util
import os
import pickle
import re
import signal
import sys
import tempfile

import numpy as np

READ, NATIVE, LITTLE = 1, 0x1000, 0x4000
TYPES = {3: "u1", 4: "S1", 5: "f4", 6: "f8", 20: "i1", 21: "u1", 22: "i2", 23: "u2", 24: "i4", 25: "u4"}
MOST_DIMS = 32
SIZES = ctypes.c_int32 * MOST_DIMS
# Maximum bytes of compared values.
LARGEST = 64 << 20
SECONDS = 60


class Failure(Exception):
    pass


def library_of_pyhdf():
    """Returns the library that pyhdf has loaded: calls share its open files."""
    import pyhdf.SD
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = re.search(r"/\S*libmfhdf\S*", maps.read())
    return found.group(0)


def library_of_system():
    return os.environ.get("HDF4_LIBRARY") or ctypes.util.find_library("mfhdf") or "libmfhdf.so.0"


class Library:
    def __init__(self, path):
        # Debian's libmfhdf does not name libdf among the libraries that it needs.
        base = ctypes.util.find_library("df")
        if "libmfhdf.so.0" in path and base:
            ctypes.CDLL(base, mode=ctypes.RTLD_GLOBAL)
        self.calls = ctypes.CDLL(path)

    def __getattr__(self, name):
        function = getattr(self.calls, name)
        function.restype = ctypes.c_int32

        def call(*arguments):
            # Identifiers have 32 bits. Python's own integers would leave the upper half undefined.
            result = function(*[ctypes.c_int32(a) if isinstance(a, int) else a for a in arguments])
            if result == -1:
                raise Failure(name)
            return result

        return call


def numbers_of_type(raw, number_type):
    code = TYPES.get(number_type & ~(NATIVE | LITTLE))
    if code is None:
        raise Failure(f"number type {number_type}")
    return np.frombuffer(raw, dtype=code)


def size_of(number_type):
    return np.dtype(TYPES.get(number_type & ~(NATIVE | LITTLE), "f8")).itemsize


class Reader:
    def __init__(self, library, file):
        self.library, self.file = library, file

    def attributes(self, owner, count):
        out = []
        for at in range(count):
            name = ctypes.create_string_buffer(1024)
            kind, length = ctypes.c_int32(), ctypes.c_int32()
            self.library.SDattrinfo(owner, at, name, ctypes.byref(kind), ctypes.byref(length))
            data = ctypes.create_string_buffer(max(1, length.value * size_of(kind.value)) + 64)
            self.library.SDreadattr(owner, at, data)
            values = numbers_of_type(data.raw[:length.value * size_of(kind.value)], kind.value)
            out.append((name.value, kind.value, values))
        return out

    def dims(self, sds, rank):
        out = []
        for at in range(rank):
            dim = self.library.SDgetdimid(sds, at)
            name = ctypes.create_string_buffer(1024)
            size, kind, count = ctypes.c_int32(), ctypes.c_int32(), ctypes.c_int32()
            self.library.SDdiminfo(dim, name, ctypes.byref(size), ctypes.byref(kind), ctypes.byref(count))
            out.append({"name": name.value, "size": size.value, "scale": kind.value})
        return out

    def dataset(self, index):
        sds = self.library.SDselect(self.file, index)
        name = ctypes.create_string_buffer(1024)
        rank, kind, count, shape = ctypes.c_int32(), ctypes.c_int32(), ctypes.c_int32(), SIZES()
        self.library.SDgetinfo(sds, name, ctypes.byref(rank), shape, ctypes.byref(kind), ctypes.byref(count))
        out = {"index": index, "name": name.value, "type": kind.value, "shape": tuple(shape[:rank.value]),
               "records": bool(self.library.SDisrecord(sds)), "scale": bool(self.library.SDiscoordvar(sds))}
        for part, read in (("dims", lambda: self.dims(sds, rank.value)),
                           ("attributes", lambda: self.attributes(sds, count.value)),
                           ("values", lambda: self.values(sds, out))):
            try:
                out[part] = read()
            except Failure as failure:
                out[part], out[f"no_{part}"] = None, str(failure)
        self.library.SDendaccess(sds)
        return out

    def values(self, sds, dataset):
        shape, code = dataset["shape"], TYPES.get(dataset["type"] & ~(NATIVE | LITTLE))
        count = int(np.prod(shape, dtype="i8"))
        if code is None:
            raise Failure(f"number type {dataset['type']}")
        if count == 0:
            return np.zeros(shape, dtype=code)
        if count * np.dtype(code).itemsize > LARGEST:
            raise Failure("larger than what is compared")
        size = count * np.dtype(code).itemsize
        first, second = (self.read(sds, shape, np.full(size, filler, dtype="u1").view(code)) for filler in (0, 0x5A))
        if first.tobytes() != second.tobytes():
            raise Failure("libhdf4 leaves values as they were in memory")
        return first

    def read(self, sds, shape, out):
        start, edge = SIZES(), SIZES(*shape)
        self.library.SDreaddata(sds, start, None, edge, out.ctypes.data_as(ctypes.c_void_p))
        return out.reshape(shape)


def check_pyhdf(path, datasets):
    """Checks that pyhdf's interface and the library give the same dataset."""
    from pyhdf.SD import SD, SDC
    from pyhdf.error import HDF4Error
    file = SD(path, SDC.READ)
    for dataset in datasets:
        if dataset["values"] is None or dataset["type"] & (NATIVE | LITTLE) or not dataset["shape"]:
            continue
        try:
            values = np.asarray(file.select(dataset["index"]).get())
        except (HDF4Error, ValueError):
            continue
        dataset["pyhdf"] = True
        values = values.astype("u1") if values.dtype.kind == "i" and dataset["type"] in (3, 21) else values
        if values.tobytes() != dataset["values"].tobytes():
            raise ValueError(f"{path}: pyhdf and the library that it uses differ on dataset {dataset['index']}")
    file.end()


def read_hdf4(library, path, with_pyhdf):
    try:
        file = library.SDstart(path.encode(), READ)
    except Failure:
        return {"error": "SDstart"}
    count, globals_ = ctypes.c_int32(), ctypes.c_int32()
    library.SDfileinfo(file, ctypes.byref(count), ctypes.byref(globals_))
    reader = Reader(library, file)
    datasets = [reader.dataset(index) for index in range(count.value)]
    attributes = reader.attributes(file, globals_.value)
    library.SDend(file)
    if with_pyhdf:
        check_pyhdf(path, datasets)
    return {"datasets": datasets, "attributes": attributes}


def read_apart(library, path, with_pyhdf):
    """Reads a file in a separate process."""
    with tempfile.TemporaryFile() as result:
        child = os.fork()
        if child == 0:
            signal.alarm(SECONDS)
            with os.fdopen(os.dup(result.fileno()), "wb") as out:
                pickle.dump(read_hdf4(library, path, with_pyhdf), out)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status != 0:
            return {"error": f"libhdf4 ends with signal {-status}" if status < 0 else f"status {status}"}
        result.seek(0)
        return pickle.load(result)


def main():
    paths = [path for path in sys.argv[1:] if path != "--library"]
    with_pyhdf = "--library" not in sys.argv and "HDF4_LIBRARY" not in os.environ
    library = Library(library_of_pyhdf() if with_pyhdf else library_of_system())
    pickle.dump({path: read_apart(library, path, with_pyhdf) for path in paths}, sys.stdout.buffer)


if __name__ == "__main__":
    main()
