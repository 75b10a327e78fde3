"""The part of .ci/cloud that appends to copies with libhdf5 (h5py) and netCDF-C (netCDF4-python), and compares with their inputs."""

import collections
import math
import shutil

import h5py
import netCDF4
import numpy as np
from cloudfiles import MODES
from common import guarded, run, tool
from readers import plain

RECORDS = 2
# Maximum number of elements to read per variable.
MOST = 1 << 16
ADDED = np.arange(10.0)


class Notes(dict):
    """Additions: "" after success, or the reason for the failure."""

    def attempt(self, what, action):
        try:
            self[what] = action() or ""
        except Exception as e:  # noqa: BLE001: whatever the library says is the reason
            self[what] = f"{type(e).__name__}: {str(e)[:150]}"
        return not self[what]


def read_plain(value):
    try:
        return plain(value())
    except Exception as e:  # noqa: BLE001
        return f"cannot be read: {str(e)[:80]}"


def unlimited_axis(found):
    """Returns the first unlimited axis."""
    return next((k for k, n in enumerate(found.maxshape or ()) if n is None), None) if found.chunks else None


def values_of(dtype, shape, h5=False):
    """Returns values for new records; None for types without appends."""
    count = math.prod(shape)
    if h5 and (members := h5py.check_enum_dtype(dtype)):
        return np.full(shape, next(iter(members.values())), dtype)
    if dtype is str or h5 and h5py.check_string_dtype(dtype) and dtype.kind == "O":
        return np.array([f"text {n}" for n in range(count)], object).reshape(shape)
    if not isinstance(dtype, np.dtype) or dtype.names and dtype.hasobject or dtype.kind == "O":
        return None
    if dtype.kind in "iufc":
        return (np.arange(count) % 100).astype(dtype).reshape(shape)
    return np.full(shape, b"a", dtype) if dtype.kind == "S" else np.zeros(shape, dtype)


def h5_objects(file):
    """Returns datasets and groups by name."""
    found = {}
    file.visititems(lambda name, o: found.update({name: o}))
    datasets = {name: o for name, o in found.items() if isinstance(o, h5py.Dataset) and o.shape is not None and o.size <= MOST}
    return datasets, ["", *(name for name, o in found.items() if isinstance(o, h5py.Group))]


def h5_state(file, shapes):
    """Returns attributes, and values within the given shapes."""
    datasets, groups = h5_objects(file)
    state = {}
    for name in shapes:
        found = datasets.get(name)
        part = tuple(slice(0, n) for n in shapes[name]) or ()
        state[name] = read_plain(lambda: found[part])
    for name in [*shapes, *groups]:
        found = file[name] if name else file
        state.update({f"{name}@{key}": read_plain(lambda: found.attrs[key]) for key in found.attrs})
    return state


def h5_append(found):
    """Appends records; returns the selection and the values."""
    axis = unlimited_axis(found)
    shape = tuple(RECORDS if k == axis else n for k, n in enumerate(found.shape))
    values = values_of(found.dtype, shape, h5=True) if math.prod(shape) <= MOST else None
    if values is None:
        raise TypeError("values of this type are not made")
    place = tuple(slice(found.shape[axis], None) if k == axis else slice(None) for k in range(len(shape)))
    found.resize(found.shape[axis] + RECORDS, axis)
    found[place] = values
    return place, values


def add_h5py(path, pages=False):
    """Adds with h5py, optionally with a page buffer, and reads the file again."""
    notes, written = Notes(), {}
    with h5py.File(path, "r") as file:
        shapes = {name: o.shape for name, o in h5_objects(file)[0].items()}
        before = h5_state(file, shapes)
        how = {"page_buf_size": 8 * file.id.get_create_plist().get_file_space_page_size()} if pages else {}
    with h5py.File(path, "r+", **how) as file:
        datasets, groups = h5_objects(file)
        for name, found in datasets.items():
            if unlimited_axis(found) is not None:
                notes.attempt(f"append to {name}", lambda: written.update({name: h5_append(found)}))
        for group in [file[name] if name else file for name in groups[:2]]:
            notes.attempt(f"new dataset in {group.name}", lambda: bool(group.create_dataset(
                "added_by_h5py", data=ADDED, maxshape=(None,), chunks=(4,), compression="gzip", shuffle=True)) and "")
            notes.attempt(f"new contiguous dataset in {group.name}",
                          lambda: bool(group.create_dataset("added_plain", data=ADDED)) and "")
            notes.attempt(f"new attribute of {group.name}", lambda: group.attrs.create("added_by_h5py", ADDED))
        for name, found in list(datasets.items())[:5]:
            notes.attempt(f"new attribute of dataset {name}", lambda: found.attrs.create("added_by_h5py", "some text " * 20))
    with h5py.File(path, "r") as file:
        after = h5_state(file, shapes)
        notes["old values and attributes"] = changed(before, after)
        for name, (place, values) in written.items():
            notes.attempt(f"records of {name}", lambda: read_back(file[name][place], values))
        for group in [file[name] if name else file for name in groups[:2]]:
            for name in ("added_by_h5py", "added_plain"):
                if not notes.get(f"new dataset in {group.name}"):
                    notes.attempt(f"values of {group.name} {name}", lambda: read_back(group[name][()], ADDED))
            notes.attempt(f"values of attribute of {group.name}", lambda: read_back(group.attrs["added_by_h5py"], ADDED))
    return notes


def read_back(found, wanted):
    return "" if plain(found) == plain(wanted) else "other values were read than written"


def changed(before, after):
    """Returns the first changed item, or an empty text."""
    return next((f"{key} changed" for key, old in before.items() if after.get(key) != old), "")


def nc_groups(group):
    yield group
    for child in group.groups.values():
        yield from nc_groups(child)


def nc_variables(file):
    found = {}
    for group in nc_groups(file):
        for name, var in group.variables.items():
            var.set_auto_maskandscale(False)
            var.set_auto_chartostring(False)
            if var.size <= MOST:
                found[f"{group.path.rstrip('/')}/{name}"] = var
    return found


def nc_state(variables, file, shapes):
    """Returns attributes, and values within the given shapes."""
    state = {}
    for name, shape in shapes.items():
        var = variables[name]
        state[name] = read_plain(lambda: var[tuple(slice(0, n) for n in shape)] if shape else var[...])
    for name, owner in [*((g.path, g) for g in nc_groups(file)), *((n, variables[n]) for n in shapes)]:
        state.update({f"{name}@{key}": read_plain(lambda: owner.getncattr(key)) for key in owner.ncattrs()})
    return state


def nc_append(var, records):
    values = values_of(var.dtype, (RECORDS, *var.shape[1:])) if var.datatype is var.dtype or var.dtype is str else None
    if values is None or math.prod(values.shape) > MOST:
        raise TypeError("values of this type are not made")
    var[records : records + RECORDS] = values
    return records, values


def add_netcdf(path):
    """Adds with netCDF-C, and reads the file again."""
    notes, written = Notes(), {}
    with netCDF4.Dataset(path) as file:
        variables = nc_variables(file)
        shapes = {name: var.shape for name, var in variables.items()}
        before = nc_state(variables, file, shapes)
    with netCDF4.Dataset(path, "a") as file:
        variables = nc_variables(file)
        for name, var in variables.items():
            if var.dimensions and var.get_dims()[0].isunlimited():
                notes.attempt(f"append to {name}", lambda: written.update({name: nc_append(var, shapes[name][0])}))
        groups = list(nc_groups(file))[:2]
        for group in groups:
            notes.attempt(f"new variable in {group.path}", lambda: new_variable(group))
            notes.attempt(f"new attribute of {group.path}", lambda: group.setncattr("added_by_netcdf", ADDED))
        for name, var in list(variables.items())[:5]:
            notes.attempt(f"new attribute of variable {name}", lambda: var.setncattr("added_by_netcdf", "some text " * 20))
    with netCDF4.Dataset(path) as file:
        variables = nc_variables(file)
        notes["old values and attributes"] = changed(before, nc_state(variables, file, shapes))
        for name, (at, values) in written.items():
            notes.attempt(f"records of {name}", lambda: read_back(variables[name][at : at + RECORDS], values))
        for group in list(nc_groups(file))[:2]:
            notes.attempt(f"values of the variable in {group.path}", lambda: read_back(group["added_by_netcdf"][:10, 1], ADDED))
            notes.attempt(f"values of attribute of {group.path}", lambda: read_back(group.getncattr("added_by_netcdf"), ADDED))
    return notes


def new_variable(group):
    """Adds a chunked variable, along an unlimited dimension if there is one."""
    group.createDimension("added_few", 2)
    found = next((name for name, dim in group.dimensions.items() if dim.isunlimited()), None)
    if found is None:
        found = "added_dim"
        group.createDimension(found, None)
    var = group.createVariable("added_by_netcdf", "f8", (found, "added_few"), zlib=True)
    var[0:10] = np.stack([ADDED, ADDED], 1)


ADDITIONS = {"h5py": add_h5py, "netCDF4-python": add_netcdf}
# For copies in pages. The result is compared with additions to the input by h5py.
IN_PAGES = {"h5py, page buffer": ("h5py", lambda path: add_h5py(path, pages=True))}


def additions(file, add, path):
    """Returns the results of additions to a copy, or the reason for none."""
    work = file.folder / "work.nc"
    shutil.copyfile(path, work)
    work.chmod(0o644)
    notes, why = guarded(add, work)
    if why:
        return why
    status = run(tool("ncdump"), work, seconds=60).status
    notes["ncdump"] = "" if status == 0 else f"status {status}"
    return notes


class Baseline:
    """The successful additions to the input and to a plain copy, each tried once."""

    def __init__(self, file, library):
        self.file, self.add, self.plain = file, ADDITIONS[library], None
        self.input = additions(file, self.add, file.original())

    def of_plain(self, what):
        self.plain = self.plain or additions(self.file, self.add, self.file.copy("plain"))
        return self.plain.get(what, "not there") if isinstance(self.plain, dict) else self.plain


def addition_outcomes(baseline, after):
    """Returns (result, addition, outcome) for each addition."""
    for what, why in baseline.input.items():
        now = after.get(what, "not there")
        if why:
            yield "additions not possible in the input", what, now
        elif not now:
            yield "values read back" if what.startswith(("values ", "records ")) else "additions", what, now
        elif now == baseline.of_plain(what):
            yield "additions as in plain copies", what, now
        else:
            yield None, what, now


def append(file):
    """Checks that each addition to the input also succeeds on the copies."""
    counts, wrong = collections.Counter(), []
    baselines = {library: Baseline(file, library) for library in (ADDITIONS if file.copies() else ())}
    for library, baseline in baselines.items():
        counts[f"{library}: inputs not changed"] += isinstance(baseline.input, str)
    for mode, copy in file.copies():
        tries = {library: (library, add) for library, add in ADDITIONS.items()} | (IN_PAGES if "paged" in MODES[mode] else {})
        for name, (library, add) in tries.items():
            if isinstance(baselines[library].input, str):
                continue
            after = additions(file, add, copy)
            if isinstance(after, str):
                wrong.append(f"{file.path} {MODES[mode]}: {name}: {after}")
                continue
            counts[f"{name}: copies"] += 1
            for found, what, now in addition_outcomes(baselines[library], after):
                if found:
                    counts[f"{name}: {found}"] += 1
                else:
                    wrong.append(f"{file.path} {MODES[mode]}: {name}: {what}: {now}")
    return counts, wrong
