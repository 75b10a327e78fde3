#!/usr/bin/env python3
"""The view of a file in Python's readers: names, types, shapes and sums of all values.

  .ci/readers.py        reads lines `READER<tab>PATH`, and prints a line of JSON for each: {item: value}, or {"": error}

Items are `dim PATH`, `var PATH` (shape and type), `data PATH` and `att PATH@NAME`. `Readers` starts such a process, and replaces it after a
crash or a timeout. READERS lists the installed readers.
"""

import hashlib
import importlib.util
import json
import math
import os
import resource
import subprocess
import sys
import threading
import warnings

# Time limit in seconds per file. If a reader exceeds the limit only for an output, the limit is PATIENCE times as long.
SECONDS = int(os.environ.get("READER_SECONDS", "60"))
PATIENCE = 10
ENDLESS = "does not end"
MEMORY = 4 << 30
# Maximum number of elements to read per variable.
MOST = 1 << 21
# Maximum number of groups that xarray opens, each separately.
MOST_GROUPS = 20
HIDDEN = {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid",
          "_Netcdf4Coordinates", "_NCProperties", "_nc3_strict", "_FillValue of a group"}
STREAMING = "takes an unknown number of records for a number"
DIMENSION_ONLY = "This is a netCDF dimension but not a netCDF variable"


def unpadded(value):
    """Returns text without padding: libhdf5 removes trailing blanks of text with blank padding."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    return bytes(value).partition(b"\0")[0].rstrip(b" ")


def plain(value):
    """Returns nested lists of numbers as bytes in the machine's order, and of text as bytes, for any reader type."""
    import numpy as np
    if isinstance(value, (str, bytes, np.str_, np.bytes_)):
        return unpadded(value)
    if value is None:
        return "nothing"
    array = np.asarray(value)
    if array.dtype.names:
        return [[name, plain(words(array[name], array.ndim))] for name in array.dtype.names]
    if array.dtype.kind in "SU":
        return [unpadded(v) for v in array.ravel()]
    if array.dtype.kind == "V":
        return array.tobytes()
    if array.dtype.kind == "O":
        return [plain(v) if isinstance(v, (str, bytes, np.ndarray, np.generic)) else type(v).__name__
                for v in array.ravel().tolist()]
    if array.dtype.kind == "b":
        array = array.astype("i1")
    if array.dtype == "f2":
        array = array.astype("f4")  # netCDF has no half
    return array.astype(array.dtype.newbyteorder("=")).tobytes()


def words(field, rank):
    """Returns the text of a field that is a character array."""
    import numpy as np
    if field.dtype != "S1" or field.ndim == rank:
        return field
    return np.ascontiguousarray(field).view(f"S{field.shape[-1]}")


def name_of(dtype):
    import numpy as np
    if dtype is str:
        return "text"
    if not isinstance(dtype, np.dtype):
        dtype = getattr(dtype, "dtype", None) or np.dtype("O")
    if dtype.kind in "SUO":
        return "text" if dtype.kind != "S" or dtype.itemsize != 1 else "char"
    return "compound" if dtype.names else dtype.newbyteorder("=").str.lstrip("<|").replace("b1", "i1").replace("f2", "f4")


def summary(value):
    """Returns a short form of a value, equal for equal values, with an excerpt for the report."""
    flat = repr(value if not isinstance(value, list) or len(value) != 1 else value[0])
    return flat if len(flat) < 60 else hashlib.sha256(flat.encode()).hexdigest()[:16] + " " + flat[:40]


def put_value(items, item, read):
    try:
        items[item] = summary(plain(read()))
    except Exception as e:  # noqa: BLE001: any error of the library is its answer for this item
        items[item] = f"cannot be read: {str(e)[:80]}"


def put_attribute(items, path, name, read):
    if name not in HIDDEN:
        put_value(items, f"att {path}@{name}", read)


def put_data_item(items, path, elements, read):
    if elements > MOST:
        items[f"data {path}"] = "not read"
    else:
        put_value(items, f"data {path}", read)


def read_h5py(path, **how):
    import h5py
    import hdf5plugin  # noqa: F401: registers its filters
    items = {}

    def visit(name, o):
        own = "/" + name.replace("_nc4_non_coord_", "") if name else "/"
        if isinstance(o, h5py.Dataset):
            scale = o.attrs["NAME"] if "NAME" in o.attrs and "CLASS" in o.attrs else b""
            if unpadded(scale if isinstance(scale, (str, bytes)) else b"").decode(errors="replace").startswith(DIMENSION_ONLY):
                return
            shape = o.shape
            items[f"var {own}"] = "null" if shape is None else f"{list(shape)} {name_of(o.dtype)}"
            if shape is not None:
                put_data_item(items, own, o.size, lambda: o[()])
        elif isinstance(o, h5py.Group):
            items[f"group {own}"] = ""
        if not isinstance(o, h5py.Datatype):
            for key in o.attrs:
                put_attribute(items, own, key, lambda: o.attrs[key])

    with h5py.File(path, "r", **how) as f:
        visit("", f)
        f.visititems(visit)
    return items


def read_pyfive(path):
    """Reads groups and datasets with pyfive, an independent reader in Python, for .ci/cloud."""
    import pyfive
    items = {}

    def visit(own, o):
        if isinstance(o, pyfive.Dataset):
            items[f"var {own}"] = f"{list(o.shape)} {o.dtype}"
            put_data_item(items, own, math.prod(o.shape), lambda: o[...])
        elif isinstance(o, pyfive.Group):
            items[f"group {own}"] = ""
            for name in o:
                try:
                    visit(f"{own.rstrip('/')}/{name}", o[name])
                except Exception as e:  # noqa: BLE001
                    items[f"var {own.rstrip('/')}/{name}"] = f"cannot be read: {str(e)[:80]}"
        if isinstance(o, (pyfive.Dataset, pyfive.Group)):
            for key in o.attrs:
                put_attribute(items, own, key, lambda: o.attrs[key])

    with pyfive.File(path) as f:
        visit("/", f)
    return items


def read_scipy(path):
    """Reads a classic file with scipy, which knows CDF-1 and CDF-2, for .ci/moments."""
    import scipy.io
    items = {}
    with scipy.io.netcdf_file(path, mmap=False) as f:
        for name, length in f.dimensions.items():
            items[f"dim /{name}"] = f"{length}"
        for key, value in f._attributes.items():
            put_attribute(items, "/", key, lambda: value)
        for name, var in f.variables.items():
            items[f"var /{name}"] = f"{list(var.shape)} {var.typecode()}"
            put_data_item(items, f"/{name}", math.prod(var.shape), lambda: var[...])
            for key, value in var._attributes.items():
                put_attribute(items, f"/{name}", key, lambda: value)
    return items


def latin(value):
    """Converts text back to bytes."""
    if isinstance(value, list):
        return [latin(v) for v in value]
    return value.encode("latin-1", "replace") if isinstance(value, str) else value


def utf8(value):
    """Removes bytes that are not UTF-8, which some readers replace and other readers keep."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value


def read_netcdf4(path):
    import hdf5plugin  # noqa: F401
    import netCDF4
    items = {}

    def visit(group):
        base = group.path.rstrip("/")
        items[f"group {base or '/'}"] = ""
        for name, dim in group.dimensions.items():
            items[f"dim {base}/{name}"] = f"{len(dim)} {dim.isunlimited()}"
        for key in group.ncattrs():
            put_attribute(items, base or "/", key, lambda: latin(group.getncattr(key, encoding="latin-1")))
        for name, var in group.variables.items():
            var.set_auto_maskandscale(False)
            var.set_auto_chartostring(False)
            own = f"{base}/{name}"
            items[f"var {own}"] = f"{list(var.shape)} {'char' if var.dtype == 'S1' else name_of(var.dtype)}"
            put_data_item(items, own, var.size, lambda: var[...])
            for key in var.ncattrs():
                put_attribute(items, own, key, lambda: latin(var.getncattr(key, encoding="latin-1")))
        for child in group.groups.values():
            visit(child)

    with netCDF4.Dataset(path) as f:
        visit(f)
    return items


def read_xarray(path, engine="netcdf4"):
    import hdf5plugin  # noqa: F401
    import xarray
    items = {}
    for group in group_paths(path):
        with xarray.open_dataset(path, group=group, engine=engine, decode_cf=False, cache=False) as f:
            base = group.rstrip("/")
            for key, value in f.attrs.items():
                put_attribute(items, group, key, lambda: utf8(value))
            for name, var in f.variables.items():
                own = f"{base}/{name}"
                items[f"var {own}"] = f"{list(var.dims)} {list(var.shape)}"
                put_data_item(items, own, var.size, lambda: var.values)
                for key, value in var.attrs.items():
                    put_attribute(items, own, key, lambda: utf8(value))
    return items


def read_h5netcdf(path):
    return read_xarray(path, "h5netcdf")


def group_paths(path):
    import netCDF4

    def all_of(group):
        yield group.path
        for child in group.groups.values():
            yield from all_of(child)
    with netCDF4.Dataset(path) as f:
        return list(all_of(f))[:MOST_GROUPS]


KNOWN = {"h5py": read_h5py, "netCDF4-python": read_netcdf4, "xarray": read_xarray, "h5netcdf": read_h5netcdf,
         "pyfive": read_pyfive, "scipy": read_scipy}
NEEDS = {"h5py": "h5py", "netCDF4-python": "netCDF4", "xarray": "xarray", "h5netcdf": "h5netcdf"}


def reader_modules():
    """Returns the usable readers, and the reasons why others are unusable."""
    found, missing = [], {}
    for reader, module in NEEDS.items():
        lacking = [name for name in (module, "hdf5plugin") if importlib.util.find_spec(name) is None]
        if lacking:
            missing[reader] = f"Python has no {' and no '.join(lacking)}"
        else:
            found.append(reader)
    return found, missing


class Readers:
    """A process that reads files, for one thread at a time."""

    def __init__(self):
        self.process, self.reads = None, 0

    def read(self, reader, path, seconds=SECONDS):
        """Returns items, or the reason for a failure as text. A process reads few files, because the libraries leak memory."""
        self.reads += 1
        if self.reads % 100 == 0:
            self.close()
        found = self.ask(reader, path, seconds)
        if "emory" in str(found):
            self.close()
            found = self.ask(reader, path, seconds)
        return found

    def ask(self, reader, path, seconds):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        late = threading.Timer(seconds, self.process.kill)
        late.start()
        try:
            self.process.stdin.write(f"{reader}\t{path}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        late.cancel()
        if not line:
            self.process.wait()
            self.process = None
            return f"the library crashes or {ENDLESS}"
        items = json.loads(line)
        return items[""] if "" in items else items

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
            self.process = None


def serve_reads():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print
    for line in sys.stdin:
        reader, path = line.rstrip("\n").split("\t", 1)
        try:
            items = KNOWN[reader](path)
        except Exception as e:  # noqa: BLE001
            items = {"": f"{type(e).__name__}: {str(e)[:150]}"}
        out.write(json.dumps(items) + "\n")
        out.flush()


if __name__ == "__main__":
    serve_reads()
