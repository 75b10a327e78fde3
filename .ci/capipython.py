"""Python programs on the C library: xarray beside h5py, and the tests of netCDF4-python. Used by .ci/capi."""

import json
import os
import pathlib
import shutil
import sys

from common import ROOT, in_parallel, run

FILES = 200
TESTS = ROOT / ".ci" / "pythontests.py"
# The messages of tests that write.
WRITES = ("Permission denied", "Write to read only", "NetCDF: Operation not allowed", "Operation not permitted")
# The ncdump of netCDF-C needs names that are not in its headers.
NCDUMP = "returned non-zero exit status 127"
DEBIAN = pathlib.Path("/usr/bin/python3")
# Debian's netCDF4 needs a function of libhdf5, which it only loads through netCDF-C.
LIBHDF5 = "libhdf5_serial.so.103"

# Opens all files with xarray, and compares them with h5py. The libhdf5 of h5py is in the same process.
XARRAY = """
import sys
order, *paths = sys.argv[1:]
if order == "before":
    import h5py
import netCDF4, xarray
if order == "after":
    import h5py
opened = [xarray.open_dataset(path, engine="netcdf4") for path in paths]
for path, dataset in zip(paths, opened):
    with h5py.File(path) as file:
        for name in dataset.data_vars:
            assert (dataset[name].values == file[name][:]).all(), (path, name)
for dataset in opened:
    dataset.close()
with xarray.open_mfdataset(paths, engine="netcdf4", combine="nested", concat_dim="time", chunks={"y": 50}) as joined:
    with h5py.File(paths[-1]) as file:
        assert (joined["v0"][-1].values == file["v0"][-1]).all()
    total = float(joined["v0"].sum())
print(netCDF4.getlibversion().split()[2], len(paths), total)
"""


def write_time_steps(folder, count):
    """Writes files with deflated chunks, which xarray joins along `time`."""
    import netCDF4
    import numpy as np
    folder.mkdir()
    for number in range(count):
        with netCDF4.Dataset(folder / f"{number:03}.nc", "w") as file:
            for name, length in ("time", None), ("y", 100), ("x", 120):
                file.createDimension(name, length)
            for name in ("v0", "v1"):
                variable = file.createVariable(name, "f4", ("time", "y", "x"), zlib=True, chunksizes=(1, 50, 120))
                variable[:2] = np.arange(24000).reshape(2, 100, 120) % (number + 7)
    return sorted(folder.glob("*.nc"))


def check_xarray(folder, run_script, report):
    """xarray opens many files, with h5py imported before and after netCDF4."""
    paths = write_time_steps(folder / "series", FILES)
    outputs = set()
    for order in ("before", "after"):
        done = run(run_script, sys.executable, "-c", XARRAY, order, *paths, seconds=300)
        report.check(done.status == 0 and done.text.startswith(f"netcdf-tools {FILES} "), f"xarray, h5py {order}: {done.said[-500:]}")
        outputs.add(done.text)
        report.count("files opened by xarray", FILES * 2)
    report.check(len(outputs) == 1, f"xarray: {outputs}")


def python_version(python):
    """Returns the version of netCDF4 in a Python, or an empty text."""
    return run(python, "-c", "import netCDF4; print(netCDF4.__version__)").text.strip()


def check_python(source, folder, run_script, report):
    """The tests of netCDF4-python read what netCDF-C wrote for them."""
    versions = {python: python_version(python) for python in dict.fromkeys([pathlib.Path(sys.executable), DEBIAN])}
    for python, version in versions.items():
        if version:
            compare_tests(source, folder / f"python-{version}", (run_script, python, version), report)


def compare_tests(source, folder, runs, report):
    run_script, python, version = runs
    shutil.copytree(source / "test", folder / "test")
    environment = {**os.environ, "TMPDIR": str(folder), "NO_NET": "1", "NO_PLUGINS": "1"}

    def ran(path):
        def found(*words):
            done = run(*words, path, folder / "states" / path.stem, seconds=200, env=environment)
            lines = done.text.strip().splitlines() or [""]
            return json.loads(lines[-1]) if lines[-1].startswith("{") else {}
        preloaded = [f"LD_PRELOAD={LIBHDF5}"] * (python == DEBIAN)
        ours = ["env", *preloaded, run_script, python, TESTS, "read"]
        return found(python, TESTS, "make"), found(python, TESTS, "read"), found(*ours)

    for path, (made, theirs, ours) in in_parallel(ran, sorted((folder / "test").glob("t*st_*.py"))):
        words = {}
        for name, result in made.items():
            outcome = library_outcome(result, theirs.get(name), ours.get(name, "no outcome"))
            words.setdefault(outcome.split(":")[0], []).append(name.split(".", 1)[1])
            report.count(f"tests of netCDF4-python {version}: {outcome.split(':')[0]}")
            report.check(not outcome.startswith("fails"), f"netCDF4-python {version}, {path.name}, {name}: {outcome}")
        print(f"netCDF4-python {version}, {path.stem}: " + ", ".join(f"{len(names)} {word}" for word, names in words.items()))


def library_outcome(made, theirs, ours):
    """Returns the outcome of a test with our library. `made` and `theirs` are the outcomes with netCDF-C, with and without `setUp`."""
    if made == "skipped":
        return "skipped"
    if made != "passes" or theirs is None:
        return "excluded"
    if theirs != "passes":
        return "needs setUp"
    if ours == "passes":
        return "passes"
    if NCDUMP in ours:
        return "runs ncdump"
    return "writes" if any(text in ours for text in WRITES) else f"fails: {ours}"
