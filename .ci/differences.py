"""Differences between what a reader makes of a file and of its copy, and the classes of those that are no faults."""

import functools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import readers  # noqa: E402
import texts  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
KNOWN = ROOT / "tests" / "conformance" / "written.txt"
MISSING = "not there"
HDF5 = {"h5dump", "h5py"}


class Pair:
    """A reader's view of a file and of its copy."""

    def __init__(self, reader, file, steps, said):
        self.reader, self.file, self.steps = reader, file, steps
        self.flags = [o for step in steps for o in step]
        self.left_out = re.findall(r"^nccopy: (.*?): left out", said, re.MULTILINE)

    def compare(self, before, after):
        """(item, before, after) for each difference."""
        self.before, self.after = before, after
        if isinstance(after, str):
            yield "file", "read", after
            return
        if "-u" in self.flags:
            before = {k: re.sub(r"UNLIMITED ; // \(([1-9]\d*) currently\)", r"\1 ;", v) for k, v in before.items()}
            before = {k: v.replace(" True", " False") if k.startswith("dim ") and v != "0 True" else v for k, v in before.items()}
        if before == after:
            return
        if "text" in before:
            try:
                before, after = (texts.text_items(t["text"]) for t in (before, after))
            except (ValueError, AttributeError, IndexError):
                yield "text", *first_difference(before["text"], after["text"])
                return
            if before == after:
                yield "text", "order", "another order"
        for key in list(before) + [k for k in after if k not in before]:
            old, new = before.get(key, MISSING), after.get(key, MISSING)
            if old != new and not (self.reader == "h5py" and self.file.kind != "nc4" and key.split()[0] in ("dim", "group")):
                yield key, old, new

    def explain(self, item, old, new):
        """The class of a difference, None if it is of none."""
        return next((name for name, rule in CLASSES.items() if rule(self, item, old, new)), None)


def first_difference(a, b):
    a, b = a.splitlines(), b.splitlines()
    return next(((x, y) for x, y in zip(a, b) if x != y), (f"{len(a)} lines", f"{len(b)} lines"))


def left_out(pair, item, _old, new):
    return new == MISSING and any(p in item for p in pair.left_out)


def fixed(pair, item, old, new):
    """-u: what was written in fewer records is filled, and rows have no braces."""
    if "-u" not in pair.flags:
        return False
    if pair.reader in HDF5:
        shapes = [re.findall(r"\d+", v.partition("]")[0]) for v in (pair.before.get(item.replace("data ", "var "), ""),
                                                                   pair.after.get(item.replace("data ", "var "), ""))]
        return pair.reader == "h5dump" or (shapes[0] != shapes[1])
    return re.sub(r"[{}]", "", old) == re.sub(r"[{}]", "", new)


CLASSES = {
    "fixed dimensions": fixed,
    "what netCDF cannot express is left out": left_out,
}


@functools.cache
def listed():
    """(file, reader) to class, from the committed list: what no rule can tell."""
    found = {}
    if KNOWN.exists():
        for line in KNOWN.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                file, reader, name = line.split("\t")
                found[file, reader] = name
    return found


def described(name):
    return name in (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
