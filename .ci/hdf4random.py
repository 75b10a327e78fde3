"""HDF4 files for .ci/hdf4: random datasets, and a sparse file."""

import ctypes.util
import importlib.util
import random
import subprocess

from common import ROOT, installed, run, skipped, tool

MAKER = ROOT / "testdata" / "hdf4" / "make.py"
SECONDS = 60


def has_library():
    return ctypes.util.find_library("mfhdf") is not None


def built(folder):
    """Returns the compiled C program of testdata/hdf4, or None if it cannot be compiled."""
    program = folder / "make"
    spec = importlib.util.spec_from_file_location("maker", MAKER)
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    try:
        maker.build(program)
    except (subprocess.CalledProcessError, FileNotFoundError):
        return None
    return program


def repack_options(generator):
    """Returns coders for some datasets, and chunks for the same or other datasets. Dataset v5 has rank 1 + 5 % 4, and so on."""
    options = ["-m", "0"]
    names = [f"v{n}" for n in generator.sample(range(40), 30)]
    for part in range(3):
        coder = generator.choice(["RLE", f"HUFF {generator.randint(1, 8)}", f"GZIP {generator.randint(1, 9)}", "NONE"])
        options += ["-t", f"{','.join(names[part * 10:part * 10 + 10])}:{coder}"]
    # hrepack fails for several names in one -c.
    for number in generator.sample(range(40), 20):
        options += ["-c", f"v{number}:{'x'.join(str(generator.randint(1, 9)) for _ in range(1 + number % 4))}"]
    return options


def random_files(folder, count, seed):
    """Returns (name, path) of files by the C program, and of hrepack's copies."""
    if count == 0:
        return []
    program = built(folder)
    if program is None:
        skipped("hdf4-random", "libhdf4-dev or a C compiler is not there")
        return []
    if not installed("hrepack"):
        skipped("hdf4-repacked", "hdf4-tools are not there")
    out = []
    for number in range(seed, seed + count):
        path, again = folder / f"random{number}.hdf", folder / f"repacked{number}.hdf"
        run(program, "random", path, number, seconds=SECONDS, check=True)
        out.append((path.name, path))
        if repacked(path, again, random.Random(number)):
            out.append((again.name, again))
    return out


def repacked(path, again, generator):
    """Runs hrepack on a file; returns whether it succeeds. It crashes on some files."""
    if not installed("hrepack"):
        return False
    again.unlink(missing_ok=True)
    return run("hrepack", "-i", path, "-o", again, *repack_options(generator), seconds=SECONDS).status == 0 and again.exists()


def check_sparse(folder, report):
    """Checks that our tools read values around 2 GiB, with little memory and time."""
    import netCDF4
    program = built(folder)
    if program is None:
        return
    path, copy = folder / "sparse.hdf", folder / "sparse.nc"
    run(program, "sparse", path, seconds=SECONDS, check=True)
    header = run(tool("ncdump"), "-v", "last", path, seconds=SECONDS)
    done = run(tool("nccopy"), "-k", "cdf5", "-V", "second,last", path, copy, seconds=SECONDS)
    path.unlink()
    if header.status != 0 or done.status != 0:
        report.fault(f"sparse.hdf\t\t{(header.said + done.said)[-300:]}")
        return
    with netCDF4.Dataset(copy) as data:
        data.set_auto_mask(False)
        second, last = data["second"][45, -5:].tolist(), data["last"][2:].tolist()
    copy.unlink()
    fine = second == [0, 1, 2, 3, 4] and f"{last[0]:g}, {last[1]:g}" in header.text
    report.check(fine, f"sparse.hdf: wrong values: {second}, {last}")
    if fine:
        print("sparse.hdf: the values around 2 GiB are right", flush=True)
