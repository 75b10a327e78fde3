"""Comparisons of .ci/hdf4: libhdf4's view of a file (hdf4sds.py) with a netCDF-4 copy, and two outputs of ncdump."""

import collections
import re
import unicodedata

import hdf4sds
import netCDF4
import numpy as np
from common import fnv


def netcdf_name(name):
    """Returns the name in netCDF, or None if the name must be escaped."""
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return None
    if not re.fullmatch(r"[A-Za-z0-9_\u0080-\U0010ffff][^/\x00-\x1f\x7f]*", text) or text.endswith(" "):
        return None
    return unicodedata.normalize("NFC", text)


def once(names):
    """Returns the names that occur once, in their netCDF form."""
    count = collections.Counter(names)
    return {name: netcdf_name(name) for name in count if count[name] == 1}


def text_of(values):
    return values.tobytes().decode("utf-8", "replace").replace("\0", "")


def hdf4_attribute_difference(theirs, ours):
    """Returns the difference of an attribute."""
    if theirs.dtype.kind == "S":
        if isinstance(ours, bytes):  # the fill value of characters
            ours = ours.decode("utf-8", "replace").replace("\0", "")
        if not isinstance(ours, str):
            return f"is {str(ours)[:60]!r}, not text"
        return None if ours == text_of(theirs) else f"is {ours[:60]!r}, libhdf4 reads {text_of(theirs)[:60]!r}"
    ours = np.atleast_1d(np.asarray(ours))
    if ours.dtype.str[1:] != theirs.dtype.str[1:]:
        return f"has type {ours.dtype.str[1:]}, libhdf4 reads {theirs.dtype.str[1:]}"
    same = ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()
    return None if same else f"is {ours.tolist()[:4]}, libhdf4 reads {theirs.tolist()[:4]}"


def hdf4_attribute_differences(place, theirs, ours):
    """Returns the differences of all attributes. ours: a variable or dataset of netCDF4-python."""
    held, names = ours.ncattrs(), once([name for name, _, _ in theirs or ()])
    if theirs is not None and len(held) != len(theirs):
        yield place, f"has {len(held)} attributes, libhdf4 reads {len(theirs)}"
    for name, _, values in theirs or ():
        wanted = names.get(name)
        if wanted is None:
            continue
        if wanted not in held:
            yield f"{place}:{wanted}", "is not there"
        elif wrong := hdf4_attribute_difference(values, ours.getncattr(wanted)):
            yield f"{place}:{wanted}", wrong


def native(ours):
    values = ours[...]
    return values.astype(values.dtype.newbyteorder("="))


def value_difference(theirs, ours, fill):
    """Returns the difference of the values. Records that only exist in other variables contain fill values."""
    values = native(ours)
    if ours.shape != theirs.shape:
        rest = values[theirs.shape[0]:]
        if rest.tobytes() != bytes(rest.dtype.type(fill).tobytes()) * rest.size:
            return "records of other variables are not filled"
        values = values[:theirs.shape[0]]
    if values.tobytes() == theirs.tobytes():
        return None
    wrong = [n for n, (a, b) in enumerate(zip(theirs.ravel(), values.ravel())) if a.tobytes() != b.tobytes()]
    first = wrong[0]
    return (f"{len(wrong)} of {theirs.size} values differ; element {first} is {values.ravel()[first]}, "
            f"libhdf4 reads {theirs.ravel()[first]}")


def fill_of(ours):
    if "_FillValue" in ours.ncattrs():
        return ours.getncattr("_FillValue")
    fill = netCDF4.default_fillvals[ours.dtype.str[1:]]
    return fill.encode() if isinstance(fill, str) else fill


def shape_fits(dataset, ours):
    theirs = dataset["shape"]
    if dataset["records"] and theirs and len(theirs) == len(ours):
        return theirs[1:] == ours[1:] and theirs[0] <= ours[0]
    return theirs == ours


def dataset_differences(dataset, ours, recorded):
    """Returns (place, text) for one dataset."""
    place, code = str(dataset["index"]), hdf4sds.TYPES[dataset["type"] & 0xFFF]
    if ours.dtype.str[1:] != code:
        yield place, f"has type {ours.dtype.str[1:]}, libhdf4 reads {code}"
        return
    if not shape_fits(dataset, ours.shape):
        yield place, f"has shape {ours.shape}, libhdf4 reads {dataset['shape']}"
        return
    yield from hdf4_attribute_differences(place, dataset["attributes"], ours)
    if dataset["values"] is not None:
        if wrong := value_difference(dataset["values"], ours, fill_of(ours)):
            yield place, wrong
    elif recorded and fnv(native(ours).tobytes()) != recorded:
        yield place, f"the sum of the values is {fnv(native(ours).tobytes())}, {recorded} is recorded"


def dimension_differences(datasets, variables):
    """Returns the differences of dimension names that netCDF supports unchanged and that have only one length."""
    lengths = collections.defaultdict(set)
    for dataset in datasets:
        for dim in dataset["dims"] or ():
            lengths[dim["name"]].add(dim["size"])
    for dataset, ours in zip(datasets, variables):
        for dim, name in zip(dataset["dims"] or (), ours.dimensions):
            wanted = netcdf_name(dim["name"])
            if wanted is not None and len(lengths[dim["name"]]) == 1 and name != wanted:
                yield str(dataset["index"]), f"has dimension {name}, libhdf4 reads {wanted}"


def same_names(datasets, variables):
    """Returns the objects of both with the same names, in the same order."""
    found = {ours.name: ours for ours in variables}
    names = once([dataset["name"] for dataset in datasets])
    datasets = [dataset for dataset in datasets if names.get(dataset["name"]) in found]
    return datasets, [found[names[dataset["name"]]] for dataset in datasets]


def copy_differences(theirs, path, sums):
    """Returns (place, text) of each difference between libhdf4's view of a file and a netCDF-4 file."""
    with netCDF4.Dataset(path) as copy:
        copy.set_auto_maskandscale(False)
        copy.set_auto_chartostring(False)
        datasets, variables = theirs["datasets"], list(copy.variables.values())
        if len(datasets) != len(variables):
            yield "count", f"has {len(variables)} variables, libhdf4 reads {len(datasets)}"
            datasets, variables = same_names(datasets, variables)
        yield from hdf4_attribute_differences("", theirs["attributes"], copy)
        names = once([dataset["name"] for dataset in datasets])
        for dataset, ours in zip(datasets, variables):
            wanted = names.get(dataset["name"])
            if wanted is not None and ours.name != wanted:
                yield str(dataset["index"]), f"is called {ours.name}, libhdf4 reads {wanted}"
            yield from dataset_differences(dataset, ours, sums.get(dataset["index"]))
        yield from dimension_differences(datasets, variables)


def text_difference(first, second):
    """Returns the first line that differs between the outputs of ncdump for the file and for the copy."""
    first, second = first.decode(errors="replace").split("\n")[1:], second.decode(errors="replace").split("\n")[1:]
    for a, b in zip(first, second):
        if a != b:
            return f"prints {a.strip()[:70]!r}, {b.strip()[:70]!r} for the copy"
    return None if len(first) == len(second) else "prints another number of lines for the copy"
