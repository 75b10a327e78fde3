"""The conversions of a file for .ci/written, made by nccopy."""

import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import readers  # noqa: E402
import texts  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
OURS = os.environ.get("OURS") or str(ROOT / "target" / "debug" / "nccopy")
NCDUMP = os.environ.get("OUR_NCDUMP") or str(ROOT / "target" / "debug" / "ncdump")
THEIRS = os.environ.get("NCCOPY", "nccopy")
KINDS = ["nc3", "nc6", "nc5", "nc4", "nc7"]
HDF5 = b"\x89HDF\r\n\x1a\n"
MAGIC = {b"CDF\x01": "nc3", b"CDF\x02": "nc6", b"CDF\x05": "nc5", HDF5[:4]: "nc4"}
# Options that change how data is stored, not the data. CHUNKS stands for odd chunk lengths for the file's dimensions.
CHUNKS = "CHUNKS"
OPTIONS = [
    ["-d1", "-s"], ["-d0"], ["-F", "none"], ["-F", "*,zstd,3"], ["-M", "1", "-c", CHUNKS], ["-u"], ["-w"],
    ["-M", "1", "-c", CHUNKS, "-F", "*,shuffle|deflate,2", "--memory", "64K"],
]
# Options that do not change the bytes of the output.
SAME_BYTES = [["--threads", "1"], ["--threads", "2"], ["--memory", "8K"]]
REFUSED = re.compile(r"do not have|cannot hold|does not have|does not allow")


def kind_of(path):
    """The kind by the first bytes, None for other files."""
    try:
        with open(path, "rb") as f:
            head = f.read(8)
    except OSError:
        return None
    return MAGIC.get(head[:4]) if head[:3] == b"CDF" or head == HDF5 else None


def streams(path):
    """Whether a classic file leaves its number of records open; other readers take the mark for a number."""
    with open(path, "rb") as f:
        head = f.read(12)
    return head[:3] == b"CDF" and head[4:12 if head[3] == 5 else 8] in (b"\xff" * 4, b"\xff" * 8)


def every(own):
    """All conversions of a file: lists of steps, which are lists of options. Steps begin with the same ones."""
    out = [[[]]]
    out += [[["-k", a]] for a in KINDS]
    out += [[["-k", a], ["-k", b]] for a in KINDS for b in KINDS]
    out.append([["-k", "nc4"], ["-k", "nc5"], ["-k", "nc7"], ["-k", own]])
    for kind in ("nc4", "nc7"):
        out += [[["-k", kind, *options]] for options in OPTIONS]
    return out


def some(own, number):
    """Three conversions, different for successive files: a kind, a pair of kinds, options."""
    a, b = KINDS[number % 5], KINDS[number // 5 % 5]
    return [[["-k", a]], [["-k", b], ["-k", a]], [["-k", ("nc4", "nc7")[number // 8 % 2], *OPTIONS[number % 8]]]]


def title(steps):
    return " > ".join(" ".join(s) or "as it is" for s in steps)


def chunks_of(items):
    """Odd lengths of chunks for dimensions that the root group has, None if there are none."""
    dims = [k[5:] for k in items if re.fullmatch(r"dim /[A-Za-z]\w*", k)] if isinstance(items, dict) else []
    lengths = (3, 5, 7, 1, 11)
    return ",".join(f"{d}/{lengths[n % 5]}" for n, d in enumerate(sorted(dims))) or None


def copy(options, source, target, tool=OURS):
    """The outcome (copied, refused, too large, not copied, crashed, no end), and the messages of the tool."""
    ours = ["--no-sync", "--fill-missing", "--allow-large"] if tool == OURS else []
    status, _, err = texts.run(tool, *ours, *options, source, target)
    if status is None and ours:
        status, _, err = texts.run(tool, *ours, *options, source, target, seconds=readers.PATIENCE * readers.SECONDS)
    said = err.decode(errors="replace").strip()
    if status == 0:
        return "copied", said
    if status is None:
        return "no end", said
    if "File too large" in said or status == -25:
        return "too large", said
    if status == 1 and REFUSED.search(said):
        return "refused", said
    return ("not copied" if status in (1, 2) else "crashed"), f"status {status}: {said}"
