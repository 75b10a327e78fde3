"""The conversions of a file for .ci/written, with nccopy."""

import os
import re

import readers
import texts
from common import HDF5, first_bytes, tool

THEIRS = os.environ.get("NCCOPY", "nccopy")
KINDS = ["nc3", "nc6", "nc5", "nc4", "nc7"]
MAGIC = {b"CDF\x01": "nc3", b"CDF\x02": "nc6", b"CDF\x05": "nc5", HDF5[:4]: "nc4"}
# Options that change the storage, not the data. CHUNKS stands for odd chunk lengths for the file's dimensions.
CHUNKS = "CHUNKS"
OPTIONS = [
    ["-d1", "-s"], ["-d0"], ["-F", "none"], ["-F", "*,zstd,3"], ["-M", "1", "-c", CHUNKS], ["-u"], ["-w"],
    ["-M", "1", "-c", CHUNKS, "-F", "*,shuffle|deflate,2", "--memory", "64K"],
]
# Options that do not change the bytes of the output.
SAME_BYTES = [["--threads", "1"], ["--threads", "2"], ["--memory", "8K"]]
REFUSED = re.compile(r"do not have|cannot hold|does not have|does not allow")


def kind_of(path):
    """Returns the kind from the first bytes, None for other files."""
    head = first_bytes(path, 8)
    return MAGIC.get(head[:4]) if head[:3] == b"CDF" or head == HDF5 else None


def streams(path):
    """Checks whether a classic file has the record count STREAMING, which other readers take as a number."""
    head = first_bytes(path, 12)
    return head[:3] == b"CDF" and head[4:12 if head[3] == 5 else 8] in (b"\xff" * 4, b"\xff" * 8)


def every(own):
    """Returns all conversions of a file: lists of steps, which are lists of options. Several conversions begin with the same steps."""
    out = [[[]]]
    out += [[["-k", a]] for a in KINDS]
    out += [[["-k", a], ["-k", b]] for a in KINDS for b in KINDS]
    out.append([["-k", "nc4"], ["-k", "nc5"], ["-k", "nc7"], ["-k", own]])
    for kind in ("nc4", "nc7"):
        out += [[["-k", kind, *options]] for options in OPTIONS]
    return out


def some(own, number):
    """Returns three conversions, different for successive files: a kind, a pair of kinds, options."""
    a, b = KINDS[number % 5], KINDS[number // 5 % 5]
    return [[["-k", a]], [["-k", b], ["-k", a]], [["-k", ("nc4", "nc7")[number // 8 % 2], *OPTIONS[number % 8]]]]


def title(steps):
    return " > ".join(" ".join(s) or "as it is" for s in steps)


def chunks_of(items):
    """Returns odd chunk lengths for the dimensions of the root group, None without dimensions."""
    dims = [k[5:] for k in items if re.fullmatch(r"dim /[A-Za-z]\w*", k)] if isinstance(items, dict) else []
    lengths = (3, 5, 7, 1, 11)
    return ",".join(f"{d}/{lengths[n % 5]}" for n, d in enumerate(sorted(dims))) or None


def copy(options, source, target, theirs=False):
    """Returns the outcome (copied, refused, too large, not copied, crashed, no end), and the messages of the tool."""
    command = [THEIRS, *options] if theirs else [tool("nccopy"), "--no-sync", "--fill-missing", "--allow-large", *options]
    done = texts.run_reader(*command, source, target)
    if done.status is None and not theirs:
        done = texts.run_reader(*command, source, target, seconds=readers.PATIENCE * readers.SECONDS)
    if done.status == 0:
        return "copied", done.said
    if done.status is None:
        return "no end", done.said
    if "File too large" in done.said or done.status == -25:
        return "too large", done.said
    if done.status == 1 and REFUSED.search(done.said):
        return "refused", done.said
    return ("not copied" if done.status in (1, 2) else "crashed"), f"status {done.status}: {done.said}"
