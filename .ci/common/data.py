"""Datasets in directories, committed lists, checksums."""

import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFORMANCE = ROOT / "tests" / "conformance"
HDF5, HDF4 = b"\x89HDF\r\n\x1a\n", b"\x0e\x03\x13\x01"
SUFFIXES = (".nc", ".nc3", ".nc4", ".nc5", ".cdf", ".h5", ".hdf5", ".he5", ".hdf", ".h4", ".hdf4", ".zip")
# Each Zarr store has one of these files.
MARKERS = (".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json", ".nczarr")


def datasets(folder, suffixes=SUFFIXES, stores=True, hostile=False, largest=None):
    """Returns the files with these suffixes below a directory, and Zarr stores, sorted. Skips directories named `hostile`."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if any((path / marker).exists() for marker in MARKERS):
                found += [path] * stores
            elif hostile or path.name != "hostile":
                found += datasets(path, suffixes, stores, hostile, largest)
        elif path.suffix in suffixes and path.is_file() and (largest is None or path.stat().st_size <= largest):
            found.append(path)
    return found


def files_below(path):
    """Returns the bytes of a file, or of all files of a store, by key."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def first_bytes(path, count):
    try:
        with open(path, "rb") as file:
            return file.read(count)
    except OSError:
        return b""


def fnv(data):
    """Returns the 64-bit FNV-1a checksum of recorded values, as in `helper h5sums`."""
    total = functools.reduce(lambda total, byte: (total ^ byte) * 0x100000001b3 % 2**64, data, 0xcbf29ce484222325)
    return f"{total:016x}"


def list_lines(path):
    """Returns the lines of a list without comments and empty lines."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if line.strip() and not line.startswith("#")]


def rows(path, count):
    """Returns the lines of a list as fields, which tabs separate. The last field, usually a reason, must not be empty."""
    found = [line.split("\t") for line in list_lines(path)]
    for row in found:
        if len(row) != count or not row[-1].strip():
            sys.exit(f"{path.name}: not {count} fields, the last with a reason: {row}")
    return found


class Exceptions:
    """A committed list of differences: the fields of a key, and a reason or class. `*` as the last key field matches all values."""

    def __init__(self, name, fields):
        self.reasons = {tuple(key): reason for *key, reason in rows(CONFORMANCE / name, fields + 1)}
        self.used = set()

    def reason(self, *key):
        """Returns the reason for a difference, None if the list does not contain it."""
        key = next((k for k in (key, (*key[:-1], "*")) if k in self.reasons), None)
        self.used |= {key} if key else set()
        return self.reasons.get(key)

    def stale(self, names):
        """Returns lines for exceptions of these names that are no longer needed."""
        left = sorted(key for key in self.reasons if key not in self.used and key[0] in names)
        return [f"no exception any more: {' '.join(key)}" for key in left]


@functools.cache
def described(name):
    """Checks whether docs/compatibility.md describes a class of differences."""
    return name in (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")


def paths_left_out(program, said):
    """Returns the paths that notes of our tools report as skipped."""
    notes = re.findall(rf"^{program}: (.*?): (?:left out|skipped):", said, re.MULTILINE)
    return [path for names in notes for path in re.split(r", (?=/)| and (?=/)", names)]


def refuse_constant(name):
    """Rejects NaN and Infinity in `json.loads`, because strict JSON does not have them."""
    raise ValueError(f"{name} is no JSON")
