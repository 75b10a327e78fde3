#!/usr/bin/env python3
"""Makes hostile/: small HDF5 files that demand much memory, time, output or recursion. Needs h5py.

With an argument, makes them there, and also those that are too large for the repository.
"""
import os
import struct
import sys
import zlib

import h5py
import numpy as np

HERE = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "hostile")
LARGE = len(sys.argv) > 1
EARLIEST = (h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_LATEST)
LATEST = (h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)


def path(name):
    os.makedirs(HERE, exist_ok=True)
    return os.path.join(HERE, name + ".h5")


def create(name, libver=EARLIEST):
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_libver_bounds(*libver)
    fapl.set_meta_block_size(0)
    return h5py.File(h5py.h5f.create(path(name).encode(), h5py.h5f.ACC_TRUNC, fapl=fapl))


def patch(name, change):
    with open(path(name), "rb") as file:
        data = bytearray(file.read())
    data = change(data) or data
    with open(path(name), "wb") as file:
        file.write(data)


def place(data, what):
    """Returns the offset of bytes that occur once."""
    assert data.count(what) == 1, (what, data.count(what))
    return data.index(what)


def chunk_property(chunk, *filters):
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_obj_track_times(False)
    dcpl.set_chunk(chunk)
    for filter, params in filters:
        dcpl.set_filter(filter, h5py.h5z.FLAG_OPTIONAL, params)
    return dcpl


def deflated(data, times=1):
    for _ in range(times):
        data = zlib.compress(data, 9)
    return data


def bombs():
    """Chunks of nearly 4 GiB with almost no stored bytes."""
    most = (1 << 32) - 8
    deflate = (h5py.h5z.FILTER_DEFLATE, (9,))
    stored = {
        # The output size is unknown; the stream ends early.
        "bomb_deflate": ([deflate], deflated(bytes(1 << 20))),
        "bomb_deflate_twice": ([deflate, deflate], deflated(bytes(1 << 26), 2)),
        "bomb_scaleoffset": (
            [(h5py.h5z.FILTER_SCALEOFFSET, (2, 0, (most // 8) & 0xFFFFFFFF, 0, 8, 0, 0, 0) + (0,) * 12)],
            struct.pack("<IB", 0, 8) + bytes(16)),
        "bomb_shuffle": ([(h5py.h5z.FILTER_SHUFFLE, (8,))], bytes(64)),
        "bomb_fletcher": ([(h5py.h5z.FILTER_FLETCHER32, ())], bytes(64)),
        "bomb_plain": ([], None),
    }
    for name, (filters, data) in stored.items():
        file = create(name)
        space = h5py.h5s.create_simple((most // 8,))
        dset = h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I64LE, space,
                               chunk_property((most // 8,), *filters))
        if data is not None:
            dset.write_direct_chunk((0,), data)
        file.close()


def extents():
    """Shapes without stored data."""
    file = create("extents")
    space = h5py.h5s.create_simple((1 << 20,) * 3)
    dcpl = chunk_property((1, 1, 1))
    h5py.h5d.create(file.id, b"tiny_chunks", h5py.h5t.STD_I8LE, space, dcpl)
    space = h5py.h5s.create_simple((1,) * 31 + (1 << 40,), (h5py.h5s.UNLIMITED,) * 32)
    h5py.h5d.create(file.id, b"rank_32", h5py.h5t.STD_I8LE, space, chunk_property((1,) * 32))
    file.close()


def links():
    """Nested groups: deep, within themselves, and each with two names, level by level."""
    file = create("deep", LATEST)
    group = file
    for _ in range(300):
        group = group.create_group("g")
    file.close()
    file = create("lattice", LATEST)
    group = file
    for _ in range(40):
        below = group.create_group("a")
        group["b"] = below
        group = below
    group.create_dataset("x", data=[1], track_times=False)
    file.close()
    file = create("loops", LATEST)
    file["self"] = file
    file["a"] = h5py.SoftLink("/b")
    file["b"] = h5py.SoftLink("/a")
    file["c"] = h5py.SoftLink("/c/c")
    file["long"] = h5py.SoftLink("self/" * 12000)
    for n in range(40):
        file[f"s{n}"] = h5py.SoftLink(f"/s{n + 1}")
    file.close()


def lists():
    """Many elements of the same large object of the global heap, and lists of lists of it."""
    file = create("lists")
    text = b"a" * 60000
    attribute = h5py.h5a.create(file.id, b"text", h5py.h5t.py_create(h5py.string_dtype(), logical=True),
                                h5py.h5s.create_simple((2000,)))
    values = np.array([text] + [b"bb"] * 1999, dtype=object)
    attribute.write(values, mtype=h5py.h5t.py_create(h5py.string_dtype(), logical=True))
    data = file.create_dataset("text", (2000,), h5py.string_dtype(), track_times=False)
    data[0] = text
    file.close()

    def share(data):
        # Element: length, address of the collection, index.
        at = data.index(struct.pack("<I", len(text)))
        while at >= 0:
            element = bytes(data[at : at + 16])
            count = 2000
            if data[at + 16 : at + 20] == struct.pack("<I", 2):
                data[at : at + 16 * count] = element * count
            elif not any(data[at + 16 : at + 64]):
                data[at : at + 16 * count] = element * count
            at = data.find(struct.pack("<I", len(text)), at + 16 * count)

    patch("lists", share)


def nodes():
    """An old group with a B-tree that leads to the same link node repeatedly."""
    file = create("nodes")
    for n in range(600):
        file[f"link{n:04}"] = h5py.SoftLink("/nothing")
    file.close()

    def same(data):
        trees = [n for n in range(len(data) - 8) if data[n : n + 4] == b"TREE" and data[n + 5] == 0]
        for at in trees:
            count, = struct.unpack_from("<H", data, at + 6)
            first = data[at + 32 : at + 40]
            for n in range(count):
                data[at + 32 + 16 * n : at + 40 + 16 * n] = first

    patch("nodes", same)


def mappings():
    """A virtual dataset of itself, twenty times over."""
    file = create("virtual_itself", LATEST)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_layout(h5py.h5d.VIRTUAL)
    dcpl.set_obj_track_times(False)
    for n in range(20):
        to, source = (h5py.h5s.create_simple((64,)) for _ in range(2))
        to.select_hyperslab((0,), (63 - n % 3,))
        source.select_hyperslab((n % 3,), (63 - n % 3,))
        dcpl.set_virtual(to, b".", b"x", source)
    space = h5py.h5s.create_simple((64,))
    h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I32LE, space, dcpl)
    file.close()
    mappings_of_other_shapes()
    mappings_within_each_other()


def mappings_of_other_shapes():
    """Virtual datasets with mappings of millions of rows, which differ from the rows of their source."""
    file = create("virtual_rows", LATEST)
    shape = (2048, 4096)
    for name, count in ((b"one", 1), (b"many", 100)):
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_layout(h5py.h5d.VIRTUAL)
        dcpl.set_obj_track_times(False)
        for _ in range(count):
            to, source = h5py.h5s.create_simple(shape), h5py.h5s.create_simple((1 << 22,))
            to.select_hyperslab((0, 0), (2048, 2048), (1, 2))
            dcpl.set_virtual(to, b".", b"x", source)
        h5py.h5d.create(file.id, name, h5py.h5t.STD_I8LE, h5py.h5s.create_simple(shape), dcpl)
    space = h5py.h5s.create_simple((1 << 22,))
    h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I8LE, space, chunk_property((1 << 16,)))
    file.close()


def mappings_of_another_type():
    """A virtual dataset of a million bytes, each from an element of 2^30."""
    file = create("virtual_wide", LATEST)
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_layout(h5py.h5d.VIRTUAL)
    dcpl.set_obj_track_times(False)
    space = h5py.h5s.create_simple((1 << 20,))
    dcpl.set_virtual(space, b".", b"x", space)
    h5py.h5d.create(file.id, b"all", h5py.h5t.STD_I8LE, space, dcpl)
    wide = h5py.h5t.create(h5py.h5t.OPAQUE, 1 << 30)
    h5py.h5d.create(file.id, b"x", wide, space, chunk_property((1,)))
    file.close()


def mappings_within_each_other():
    """Seven levels of six virtual datasets as long as their sources reach: each has all of the next level
    as sources, so that there are six to the power of seven ways down. And six that have all of them as sources."""
    file = create("virtual_levels", LATEST)
    for level in range(8):
        for n in range(6):
            names = [f"{level + 1}_{source}" for source in range(6 if level < 7 else 0)]
            columns_of(file, f"{level}_{n}", names)
    file.close()
    file = create("virtual_circles", LATEST)
    for n in range(6):
        columns_of(file, str(n), [str(source) for source in range(6)])
    file.close()


def columns_of(file, name, sources):
    """A dataset with the first columns of its sources and the length of its sources."""
    end = h5py.h5s.UNLIMITED
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_obj_track_times(False)
    for column, source in enumerate(sources):
        to, of = (h5py.h5s.create_simple((4, 6), (end, 6)) for _ in range(2))
        to.select_hyperslab((0, column), (1, 1), (1, 1), (end, 1))
        of.select_hyperslab((0, 0), (1, 1), (1, 1), (end, 1))
        dcpl.set_virtual(to, b".", source.encode(), of)
    space = h5py.h5s.create_simple((4, 6), (end, 6) if sources else (4, 6))
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_I8LE, space, dcpl)


def damage():
    """A chunk in the middle that is no deflate stream; 8 MB of data, so that much is printed before
    it is read."""
    file = create("damaged_middle")
    dcpl = chunk_property((100, 1000), (h5py.h5z.FILTER_DEFLATE, (9,)))
    space = h5py.h5s.create_simple((4000, 1000))
    dset = h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I16LE, space, dcpl)
    good = deflated(bytes(200000))
    for n in range(40):
        dset.write_direct_chunk((100 * n, 0), b"damaged!" if n == 30 else good)
    file.close()


def large():
    """The same structures with numbers that need larger files."""
    file = create("long_paths", LATEST)
    file["s"] = file
    for n in range(200):
        file[f"l{n:0200}"] = h5py.SoftLink("s/" * 5000 + "nothing")
    file.close()
    # A group with 65,535 tree entries, which all refer to the same node of 10,000 links.
    head = bytearray()
    links, children = 10000, 65535
    names = bytes(8) + b"l" * 7 + b"\0"
    node_at, heap_at, tree_at = 1000, 1000 + 8 + 40 * links, 0
    tree_at = heap_at + 32 + 16
    node = b"SNOD\1\0" + struct.pack("<H", links) + struct.pack("<QQII16x", 8, 96, 0, 0) * links
    heap = b"HEAP\0\0\0\0" + struct.pack("<QQQ", 16, 1, heap_at + 32) + names
    tree = b"TREE\0\0" + struct.pack("<HQQ", children, 2**64 - 1, 2**64 - 1) + struct.pack("<Q", 0)
    tree += struct.pack("<QQ", node_at, 8) * children
    end = tree_at + len(tree)
    head += b"\x89HDF\r\n\x1a\n" + bytes([0, 0, 0, 0, 0, 8, 8, 0]) + struct.pack("<HHI", 4, 16, 0)
    head += struct.pack("<QQQQ", 0, 2**64 - 1, end, 2**64 - 1)
    head += struct.pack("<QQII16x", 0, 96, 0, 0)
    head += bytes([1, 0]) + struct.pack("<HII4x", 1, 1, 24)
    head += struct.pack("<HHB3xQQ", 0x11, 16, 0, tree_at, heap_at)
    data = bytes(head).ljust(node_at, b"\0") + node + heap + tree
    with open(path("nodes_many"), "wb") as file:
        file.write(data)


def mapping_of_little():
    """80 GB with a source that stores 8 kB, mapped as if the source had all elements."""
    with h5py.File(path("virtual_vast"), "w", libver=("v110", "v110")) as file:
        file.create_dataset("part", data=np.arange(1000.0))
        layout = h5py.VirtualLayout(shape=(10**10,), dtype="f8")
        layout[:] = h5py.VirtualSource(".", "part", shape=(10**10,))
        file.create_virtual_dataset("v", layout, fillvalue=-1)


if __name__ == "__main__":
    bombs()
    extents()
    links()
    lists()
    nodes()
    mappings()
    mappings_of_another_type()
    mapping_of_little()
    damage()
    if LARGE:
        large()
