"""The output of other programs for a file, as comparable items."""

import functools
import os
import re
import resource

import cdl
import readers
from common import installed, run
from readers import ENDLESS, SECONDS

# Maximum bytes of output to compare, and of created files. Some files have 2^40 elements.
MOST = 6 << 20
LARGEST = 64 << 20


def plugin_path():
    try:
        import hdf5plugin
        return hdf5plugin.PLUGIN_PATH
    except ImportError:
        return os.environ.get("HDF5_PLUGIN_PATH", "")


ENVIRONMENT = {**os.environ, "HDF5_PLUGIN_PATH": plugin_path(), "LC_ALL": "C.UTF-8"}


def limit_children():
    """Limits this process and its child processes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (readers.MEMORY, readers.MEMORY))


def run_reader(*command, seconds=SECONDS):
    return run(*command, seconds=seconds, most=MOST, env=ENVIRONMENT)


def read_error(done):
    if done.status is None:
        return f"{ENDLESS}, or prints too much"
    return f"status {done.status}: {(done.said.splitlines() or [''])[-1][:150]}"


def read_ncdump(tool, path, seconds=SECONDS):
    """Returns the text, or a message."""
    done = run_reader(tool, "-n", "x", path, seconds=seconds)
    if done.status != 0:
        return read_error(done)
    # Only the text of classic files keeps its lines separate.
    return {"text": re.sub(rb'(\\n)",\s+"', rb"\1", done.out).decode(errors="surrogateescape")}


def read_ncks(path, seconds=SECONDS):
    """Returns the CDL of NCO, without its file name and its notes on kinds and storage."""
    done = run_reader("ncks", "--cdl", "--no_nm_prn", path, seconds=seconds)
    if done.status != 0:
        return read_error(done)
    text = done.out.decode(errors="surrogateescape")
    return {"text": "netcdf x {\n" + text.partition("\n")[2]}


BLOCK = re.compile(r'^(\s*)(DATASET|GROUP|ATTRIBUTE|DATATYPE|EXTERNAL_LINK|SOFTLINK) "(.*)" \{$')
# Objects behind links to other files, and attributes of types, which h5dump prints outside the braces of the type.
ELSEWHERE = "(elsewhere)"


def read_h5dump(path, seconds=SECONDS):
    """Returns the data of each dataset and attribute, by path."""
    done = run_reader("h5dump", "-w", "0", "-m", "%.17g", path, seconds=seconds)
    if done.status != 0:
        return read_error(done)
    items = items_of_h5dump(done.out.decode(errors="surrogateescape").splitlines()[1:])
    lonely = [k[:-5] for k, v in items.items() if k.endswith("@NAME") and v.startswith(f'"{readers.DIMENSION_ONLY}')]
    return {k: v for k, v in items.items()
            if k.rpartition("@")[2] not in readers.HIDDEN and k.partition("@")[0] not in lonely}


def items_of_h5dump(lines):
    items, path, depths, depth, at = {}, [], [], 0, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if m := BLOCK.match(line):
            loose = m[2].endswith("LINK") or m[2] == "ATTRIBUTE" and len(m[1]) != 3 * len(path)
            own = ("@" if m[2] == "ATTRIBUTE" else "/") + m[3].strip("/").replace("_nc4_non_coord_", "")
            path.append(ELSEWHERE + own if loose else own)
            depths.append(depth)
        elif line.strip() == "DATA {":
            rows = []
            end = line.index("D") * " " + "}"
            while at < len(lines) and lines[at] != end:
                rows.append(re.sub(r"^\s*\([\d,]+\): ", "", lines[at]).strip())
                at += 1
            if not any(ELSEWHERE in p for p in path):
                items["".join(path).replace("//", "/")] = joined(rows)
            at += 1
            continue
        braces = re.sub(r'"(\\.|[^"\\])*"', "", line)
        depth += braces.count("{") - braces.count("}")
        if depths and depth == depths[-1]:
            path.pop()
            depths.pop()
    return items


def joined(rows):
    """Returns the values of a block, without line breaks and text padding."""
    flat = re.sub(r'\b(DATASET|GROUP|DATATYPE) \d+ "', r'\1 "', " ".join(r for r in rows if r))
    return re.sub(r'(\\000)+"', '"', re.sub(r",\s*", ", ", flat))


def read_h5stat(path, seconds=SECONDS):
    """Checks only for success, because sizes differ."""
    done = run_reader("h5stat", path, seconds=seconds)
    return {} if done.status == 0 else read_error(done)


def text_items(text):
    """Returns the items of CDL by their paths."""
    return {cdl.item_name(key): value for key, value in cdl.Cdl(text).items.items()}


def paths(text):
    """Returns the paths of variables and groups in CDL."""
    try:
        parsed = cdl.Cdl(text)
    except (ValueError, AttributeError, IndexError):
        return set()
    variables = {"/" + "/".join([*group, name]) for group, name in parsed.vars}
    return variables | {"/" + "/".join(key[1]) for key in parsed.items if key[0] == "group"}


def reader_programs():
    """Returns the readers of installed programs by name, and the names of missing programs."""
    readers = {"h5dump": ("h5dump", read_h5dump), "h5stat": ("h5stat", read_h5stat), "ncks": ("ncks", read_ncks)}
    for name in ("NCDUMP", "NCDUMP_NEW"):
        tool = os.environ.get(name, "ncdump" if name == "NCDUMP" else "")
        if tool:
            readers["ncdump" if name == "NCDUMP" else "ncdump (new)"] = tool, functools.partial(read_ncdump, tool)
    have = {n: r for n, (tool, r) in readers.items() if installed(tool)}
    return have, {n: f"{tool} is not here" for n, (tool, _) in readers.items() if n not in have}
