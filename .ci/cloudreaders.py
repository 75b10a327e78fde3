"""The parts of .ci/cloud that read copies: front, readers, paged and opens."""

import collections
import pathlib

import fsspec
import fsspec.spec
import h5py
import readers
from cloudfiles import MODES, headers, heaps, metadata_and_data, places
from common import guarded, run

READERS = ("h5py", "netCDF4-python", "pyfive")
SMALLEST, LARGEST = 64 << 10, 8 << 20
# Defaults of s3fs for the read-ahead cache.
BLOCK = 5 << 20
UNREAD = ("cannot be read", "not read")


def item_differences(before, after, plain):
    """Returns counts, and (item, before, after) for items of a copy that differ from the input and from a plain copy. .ci/written compares
    the plain copy with the input."""
    counts, found = collections.Counter(), []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key, "not there"), after.get(key, "not there")
        if old == new:
            counts["items equal"] += not old.startswith(UNREAD)
            counts["items not read in the input"] += old.startswith(UNREAD)
        elif old.startswith(UNREAD):
            counts["items not read in the input"] += 1
        elif "requires optional package" in new:
            counts["items whose filter the reader does not have here"] += 1
        elif (other := plain(key)) == new:
            counts["items as in plain copies"] += 1
        elif other.startswith(UNREAD) and longer(key, before, after) == plain(variable(key)):
            counts["items not read in plain copies"] += 1
        else:
            found.append((key, old, new))
    return counts, found


def in_plain(file, reader, key):
    """Returns the item of the plain copy."""
    found = file.view(reader, file.copy("plain"))
    return f"cannot be read: {found}" if isinstance(found, str) else found.get(key, "not there")


def variable(key):
    return "var " + key.partition(" ")[2].partition("@")[0]


def longer(key, before, after):
    """Returns the shape and type of a variable that differ from the input, because other variables have fewer records than their
    dimension."""
    found = after.get(variable(key))
    return found if found != before.get(variable(key)) else None


def same_items(file):
    """Checks whether readers find the same items in copies and in the input."""
    counts, wrong = collections.Counter(), file.not_copied()
    for mode, copy in file.copies():
        done = run("h5stat", copy, seconds=60)
        counts["h5stat: copies"] += 1
        if done.status != 0:
            wrong.append(f"{file.path} {MODES[mode]}: h5stat: {done.said[-200:]}")
        for reader in READERS:
            before = file.view(reader, file.original())
            if isinstance(before, str):
                counts[f"{reader}: inputs not read"] += 1
                continue
            after = file.view(reader, copy)
            if isinstance(after, str) and after == file.view(reader, file.copy("plain")):
                counts[f"{reader}: copies not read, as plain copies"] += 1
            elif isinstance(after, str):
                wrong.append(f"{file.path} {MODES[mode]}: {reader}: {after}")
            else:
                counts[f"{reader}: copies"] += 1
                more, found = item_differences(before, after, lambda key, reader=reader: in_plain(file, reader, key))
                counts.update({f"{reader}: {what}": n for what, n in more.items()})
                wrong += [f"{file.path} {MODES[mode]}: {reader}: {key}: {old:.80} became {new:.80}" for key, old, new in found[:3]]
    return counts, wrong


def front(file):
    """Checks whether libhdf5 reads all metadata before the first byte of data."""
    counts, wrong = collections.Counter(), []
    if not file.copy("plain"):
        return collections.Counter(**{"inputs not copied": 1}), wrong
    for mode, copy in file.copies():
        found, why = guarded(metadata_and_data, copy)
        if why:
            wrong.append(f"{file.path} {MODES[mode]}: metadata cannot be read: {why}")
            continue
        reads, data = found
        last, first = max(at for at, _ in reads), min((at for at, _ in data), default=None)
        counts["in front" if first is not None else "without data"] += 1
        if first is not None and last >= first:
            wrong.append(f"{file.path} {MODES[mode]}: metadata at {last}, data at {first}")
    return counts, wrong


def page_size(path):
    with h5py.File(path, "r") as file:
        plist = file.id.get_create_plist()
        if plist.get_file_space_strategy()[0] != h5py.h5f.FSPACE_STRATEGY_PAGE:
            return None
        return plist.get_file_space_page_size()


def read_by_pages(path, size):
    return readers.read_h5py(path, page_buf_size=max(size, 8 * size))


def page_faults(path, size):
    """Returns the faults of a file with this page size."""
    reads, data = metadata_and_data(path)
    data = [part for part in data if part[1]]
    metadata = {at // size for at, _ in reads}
    mixed = metadata & {page for at, length in data for page in range(at // size, (at + length - 1) // size + 1)}
    if mixed:
        yield f"pages {sorted(mixed)[:5]} of {size} bytes hold metadata and data"
    if pathlib.Path(path).stat().st_size % size:
        yield f"{pathlib.Path(path).stat().st_size} bytes are no multiple of pages of {size} bytes"
    if not SMALLEST <= size <= LARGEST or size & (size - 1):
        yield f"pages have {size} bytes"
    last, end = max(at for at, _ in reads), max(at + length for at, length in reads)
    if last >= size and size < LARGEST:
        yield f"a page of {size} bytes does not hold the metadata, of which some is at {last}"
    if end <= size // 2 and size > SMALLEST:
        yield f"a page of {size} bytes is larger than needed for metadata up to {end}"


def heaps_among_metadata(path, size):
    """Checks whether heaps with variable-length data, except attribute heaps, share pages with metadata."""
    pages = {at // size for at, _ in metadata_and_data(path)[0]}
    return any(at // size in pages for at in heaps(path, False) - heaps(path, True))


def paged(file):
    """Checks the pages of copies."""
    counts, wrong = collections.Counter(), []
    for mode, copy in file.copies():
        if "paged" not in MODES[mode]:
            continue
        size, why = guarded(page_size, copy)
        if not size:
            wrong.append(f"{file.path} {MODES[mode]}: " + (why or "is not in pages"))
            continue
        counts["copies"] += 1
        counts[f"pages of {size >> 10} KiB"] += 1
        found, why = guarded(lambda: list(page_faults(copy, size)))
        wrong += [f"{file.path} {MODES[mode]}: {fault}" for fault in ([why] if why else found)]
        items, why = guarded(read_by_pages, copy, size)
        if (why or items) != file.view("h5py", copy):
            wrong.append(f"{file.path} {MODES[mode]}: h5py with page_buf_size reads something else: {why}")
        counts["read with page_buf_size"] += not why
        counts["with a heap of data among metadata"] += guarded(heaps_among_metadata, copy, size)[0] or 0
    return counts, wrong


class Counted(fsspec.spec.AbstractBufferedFile):
    """A file behind fsspec's cache that counts requests."""

    requests = 0

    def _fetch_range(self, start, end):
        self.requests += 1
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(end - start)


def requests(path):
    """Returns the number of requests for opening the file and reading all objects and attributes, and for all chunk locations."""
    size = pathlib.Path(path).stat().st_size
    with Counted(fsspec.filesystem("file"), str(path), "rb", block_size=BLOCK, cache_type="readahead", size=size) as counted:
        with h5py.File(counted, "r") as file:
            headers(file)
            opened = counted.requests
            places(file)
            return opened, counted.requests


def opens(file, fewer=False):
    """Checks whether a copy needs at most as many requests as the input, or fewer; returns a line of figures."""
    counts, wrong = collections.Counter(), []
    before, why = guarded(requests, file.original())
    if why:
        return collections.Counter(**{"inputs not read": 1}), wrong, ""
    line = [f"{before[0]} requests for headers and {before[1]} with places of chunks in the input"]
    for mode, copy in file.copies():
        after, why = guarded(requests, copy)
        if why:
            wrong.append(f"{file.path} {MODES[mode]}: requests: {why}")
            continue
        counts[f"{mode}: copies"] += 1
        line.append(f"{mode} {after[0]} {after[1]}")
        for what, old, new in zip(("headers", "headers and places of chunks"), before, after):
            counts[f"{mode}: requests for {what} in inputs"] += old
            counts[f"{mode}: requests for {what} in copies"] += new
        if after[0] > before[0] or after[1] > before[1] or fewer and after[1] >= before[1]:
            wrong.append(f"{file.path} {MODES[mode]}: {after} requests (headers; and places), the input took {before}")
    return counts, wrong, f"{file.path.name}: " + ", ".join(line)
