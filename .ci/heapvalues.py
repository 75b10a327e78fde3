"""Values with heap data in netCDF-4 files, for .ci/appends: other programs overwrite each element, and the others keep their values.

libhdf5 frees the heap data of an element that it overwrites. Each file of ours has a twin that the C ncgen made from the same CDL. The
same changes go to both files, and both must have the same values after each change.
"""

import random
import warnings

import h5py
import netCDF4
import numpy as np
from common import guarded, run, tool

# netCDF4-python skips compounds with strings.
warnings.filterwarnings("ignore", message="WARNING: .*unsupported", category=UserWarning)
# A chunk has elements beyond the records and beyond the width; `c` and `m` have no chunks.
STRINGS = """
dimensions: t = UNLIMITED ; x = 5 ;
variables:
  string u(t) ; u:_FillValue = "none" ; u:_ChunkSizes = 8 ;
  string w(t) ; w:_ChunkSizes = 8 ;
  string g(t, x) ; g:_FillValue = "gap" ; g:_ChunkSizes = 4, 3 ;
  string c(x) ; c:_FillValue = "cc" ; c:_Storage = "contiguous" ;
  string m(x) ; m:_FillValue = "mm" ; m:_Storage = "compact" ;
data: u = "a", _, "same" ; w = "same", _, "same" ; g = "1", "2", _, "2" ; c = "1" ; m = _, "2" ;
"""
LISTS = """
types: int(*) list ; compound pair { int n ; string s ; } ;
dimensions: t = UNLIMITED ; x = 5 ;
variables:
  list l(t) ; l:_ChunkSizes = 8 ;
  list f(t) ; list f:_FillValue = {7, 8} ; f:_ChunkSizes = 8 ;
  list c(x) ; list c:_FillValue = {9} ; c:_Storage = "contiguous" ;
  pair p(t) ; pair p:_FillValue = {7, "pp"} ; p:_ChunkSizes = 8 ;
data: l = {1, 2}, {3}, {3} ; f = {1}, _, {7, 8} ; c = {1}, _ ; p = {1, "x"}, {2, "x"}, {7, "pp"} ;
"""
# The options of nccopy after our ncgen. Each command copies the file of the last one.
WAYS = {
    "ncgen": (STRINGS, []),
    "ncgen, lists": (LISTS, []),
    "nccopy": (STRINGS, [["-k", "nc4"]]),
    "nccopy, lists": (LISTS, [["-k", "nc4"]]),
    "nccopy -c": (STRINGS, [["-c", "t/16,x/2"]]),
    "nccopy -c, lists": (LISTS, [["-c", "t/5"]]),
    "nccopy -d": (STRINGS, [["-d", "1"]]),
    "nccopy --plan": (STRINGS, [["--plan"]]),
    "NCZarr": (STRINGS, [["-k", "nczarr3"], ["-k", "nc4", "-c", "t/8,x/3"]]),
    "nccopy --append": (STRINGS, []),
    "nccopy --join": (STRINGS, []),
}


def made_by_us(way, folder):
    """Makes our file."""
    cdl, copies = WAYS[way]
    text, made = folder / "in.cdl", folder / "made0.nc"
    text.write_text(f"netcdf values {{{cdl}}}")
    run(tool("ncgen"), "-4", "-o", made, text, check=True)
    for number, options in enumerate(copies, 1):
        out = folder / (f"made{number}.zarr" if "nczarr3" in options else f"made{number}.nc")
        if options == ["--plan"]:
            run(tool("nccopy"), "--plan", folder / "plan", made, out, check=True)
            run(tool("nccopy"), "--next", folder / "plan", check=True)
            run(tool("nccopy"), "--finish", folder / "plan", check=True)
        else:
            run(tool("nccopy"), "--quiet", *options, made, out, check=True)
        made = out
    return made


def make_pair(way, folder):
    """Makes our file and its twin."""
    made, twin = made_by_us(way, folder), folder / "twin.nc"
    run("ncgen", "-4", "-o", twin, folder / "in.cdl", check=True)
    if way not in ("nccopy --append", "nccopy --join"):
        return made, twin
    more, second, joined = folder / "more.nc", folder / "second.cdl", folder / "joined.nc"
    second.write_text(f"netcdf values {{{STRINGS}}}")
    run("ncgen", "-4", "-o", more, second, check=True)
    given = "--quiet", "--no-sync", "--order", "given"
    if way == "nccopy --join":
        run(tool("nccopy"), *given, "--join=t", made, more, joined, check=True)
        made = joined
    else:
        run(tool("nccopy"), *given, "--append=t", more, made, check=True)
    with netCDF4.Dataset(more) as new, netCDF4.Dataset(twin, "r+") as file:
        count = len(file.dimensions["t"])
        for name in "uwg":
            file[name][count:2 * count] = new[name][:]
    return made, twin


def python_value(value):
    """Text or a list of numbers; the missing string is the empty string, as netCDF4-python reads it."""
    if isinstance(value, np.void):
        return tuple(python_value(part) for part in value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value if value is not None else ""


def heap_values(path):
    """All values of a file by variable, as h5py reads them."""
    with h5py.File(path) as file:
        data = {name: item for name, item in file.items() if is_heap(item)}
        return {name: [python_value(value) for value in item[()].ravel()] for name, item in data.items()}


def is_heap(item):
    return isinstance(item, h5py.Dataset) and (item.dtype.hasobject and h5py.check_ref_dtype(item.dtype) is None)


def values_of_netcdf(path):
    """All strings and lists, as netCDF4-python reads them."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        found = {name: var for name, var in file.variables.items() if var.dtype is str or isinstance(var.datatype, netCDF4.VLType)}
        return {name: [python_value(value) for value in var[:].ravel()] for name, var in found.items()}


def put_element(var, index, value):
    """Lets netCDF-C store an element."""
    if isinstance(value, str):
        var[tuple(slice(at, at + 1) for at in index)] = np.full([1] * len(index), value, object)
    else:
        var[index[0]] = value


def new_value(rng, item, number):
    """A value of another length. The empty string and the empty list delete the heap data."""
    length = rng.choice([0, 1, 4, 4, 30])
    text = f"{number} ".ljust(length, "y")[:length]
    if item.dtype.names:
        return np.array((number, text), item.dtype)
    return text if h5py.check_string_dtype(item.dtype) else np.arange(length, dtype="i4") + number


def store(path, values, by_netcdf):
    """Stores values by name and index. netCDF4-python cannot store compounds with strings."""
    own = {key: value for key, value in values.items() if by_netcdf and getattr(value, "dtype", np.dtype("i4")).names is None}
    with netCDF4.Dataset(path, "r+") as file:
        for (name, index), value in own.items():
            put_element(file[name], index, value)
    with h5py.File(path, "r+") as file:
        for key in values.keys() - own.keys():
            file[key[0]][key[1]] = values[key]


def grow(path):
    """Lets netCDF-C store an element two records after the last record of each variable. The elements between are unwritten."""
    with netCDF4.Dataset(path, "r+") as file:
        length = len(file.dimensions["t"]) + 2
        for var in file.variables.values():
            if var.dimensions[0] != "t":
                continue
            # libhdf5 2.0 cannot read missing chunks of strings from a file that is open for reading only, so write to each chunk.
            for index in [(length - 1, 1), (length - 1, 4)][:var.ndim]:
                put_element(var, index[:var.ndim], f"grown {length}" if var.dtype is str else np.array([length], "i4"))


def other_values(made, twin):
    """The variables of our file with other values than in its twin."""
    found, expected = heap_values(made), heap_values(twin)
    wrong = {name: found.get(name) for name in expected if found.get(name) != expected[name]}
    found, expected = values_of_netcdf(made), values_of_netcdf(twin)
    return wrong or {name: found.get(name) for name in expected if found.get(name) != expected[name]}


def new_values(rng, path):
    """New values of all elements of a file in random order, a few at a time."""
    with h5py.File(path) as file:
        items = {name: item for name, item in file.items() if is_heap(item)}
        keys = [(name, index) for name, item in items.items() for index in np.ndindex(item.shape)]
        rng.shuffle(keys)
        values = [(key, new_value(rng, items[key[0]], number)) for number, key in enumerate(keys)]
    while values:
        count = rng.randint(1, 6)
        yield dict(values[:count])
        values = values[count:]


def overwritten(way, folder, options):
    """Returns the faults of a file whose elements are overwritten and deleted in random order, and whose dimension grows."""
    rng = random.Random(f"{options.seed} {way}")
    folder = folder / f"overwritten-{list(WAYS).index(way)}"
    folder.mkdir()
    made, twin = make_pair(way, folder)
    wrong = other_values(made, twin)
    if wrong:
        return [f"{way}: {wrong}"]
    for _ in range(max(1, options.count // 4)):
        for values in new_values(rng, twin):
            by_netcdf = rng.random() < 0.5
            for path in made, twin:
                store(path, values, by_netcdf)
            wrong, why = guarded(other_values, made, twin)
            if wrong != {}:
                return [f"{way}: {'netCDF-C' if by_netcdf else 'h5py'} stored {values}, then read: {wrong} {why}"]
        for path in made, twin:
            grow(path)
        wrong, why = guarded(other_values, made, twin)
        if wrong != {}:
            return [f"{way}: after growth: {wrong} {why}"]
    copy = folder / "copy.nc"
    done = run(tool("nccopy"), "--quiet", made, copy)
    expected = heap_values(twin)
    # Variables that are shorter than their dimensions get fill values.
    found = {name: values[:len(expected[name])] for name, values in heap_values(copy).items()} if done.status == 0 else {}
    return [f"{way}: our nccopy reads {found} {done.said}"] * (found != expected)
