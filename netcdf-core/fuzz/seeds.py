#!/usr/bin/env python3
"""Creates corpus/*, the first inputs of the fuzzer, from testdata/hdf5/structures/, of virtual
datasets testdata/hdf5/virtual_*.h5, testdata/hdf4/, and journals of changes. Needs h5py; for the filters that HDF5 does not have itself, hdf5plugin;
for Zarr (seeds_zarr.py), zarr, numcodecs and netCDF4."""
import hashlib
import os
import pathlib
import re
import struct
import tempfile

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
HDF5 = HERE.parent.parent / "testdata" / "hdf5"
FILES = HDF5 / "structures"
NUMBERS = 64


def seed(target, data):
    """One input of a target."""
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


def u32(*numbers):
    return b"".join(struct.pack("<I", min(n, 0xFFFFFFFF)) for n in numbers)


class Image:
    """The bytes of a file from its superblock on."""

    def __init__(self, path):
        data = path.read_bytes()
        self.bytes = data[data.index(b"\x89HDF\r\n\x1a\n") :]
        version = self.bytes[8]
        self.size = self.bytes[13] if version < 2 else self.bytes[9]

    def seed(self, target, numbers):
        head = bytes([{8: 0, 4: 2, 2: 3}[self.size]]) + numbers
        seed(target, head.ljust(NUMBERS, b"\0")[:NUMBERS] + self.bytes)

    def find(self, signature):
        return [m.start() for m in re.finditer(re.escape(signature), self.bytes)]


def heaps_and_trees(image):
    for at in image.find(b"HEAP"):
        image.seed("local_heap", u32(at, 0, 8, 16, 24, 32))
    for at in image.find(b"GCOL"):
        image.seed("global_heap", u32(at))
    for at in image.find(b"TREE"):
        kind = image.bytes[at + 4]
        image.seed("btree_v1", u32(at) + bytes([kind, image.size if kind == 0 else 8 + 8 * 3]))
    for at in image.find(b"BTHD"):
        image.seed("btree_v2", u32(at))
    ids = b""
    for at in image.find(b"BTLF"):
        start = {5: 4, 6: 8, 8: 0, 9: 0}.get(image.bytes[at + 5])
        if start is not None:
            ids += image.bytes[at + 6 + start :][:8]
    for at in image.find(b"FRHP"):
        image.seed("fractal_heap", u32(at) + ids)


def messages(image):
    """The messages in the first blocks of headers of version 2."""
    kinds = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 0xB: 8, 0xC: 9, 0x15: 10}
    data = image.bytes
    for at in image.find(b"OHDR"):
        flags = data[at + 5]
        width = 1 << (flags & 3)
        start = at + 6 + 16 * (flags >> 5 & 1) + 4 * (flags >> 4 & 1)
        end = start + width + int.from_bytes(data[start : start + width], "little")
        at = start + width
        while at + 4 <= end:
            kind, size, shared = data[at], int.from_bytes(data[at + 1 : at + 3], "little"), data[at + 3] & 2
            at += 4 + 2 * (flags >> 2 & 1)
            body = data[at : at + size]
            kind = 11 if shared else kinds.get(kind)
            if kind is not None:
                seed("message", bytes([kind]) + body)
            at += size


def objects(path, image):
    with h5py.File(path) as file:
        found = {file.id: h5py.h5o.get_info(file.id).addr}

        def visit(name, item):
            found[item.id] = h5py.h5o.get_info(item.id).addr
            if isinstance(item, h5py.Dataset) and item.chunks:
                index(image, item)

        file.visititems(visit)
        for address in found.values():
            image.seed("object", u32(address))


INDEXES = {b"TREE": "btree_v1", b"FAHD": "fixed_array", b"EAHD": "extensible_array", b"BTHD": "btree_v2"}


def index(image, dataset):
    filtered = bool(dataset.compression or dataset.fletcher32)
    rank = len(dataset.shape)
    numbers = bytes([rank - 1, *(min(n, 255) for n in dataset.chunks), dataset.dtype.itemsize])
    numbers += u32(*dataset.shape)
    numbers += u32(*(0xFFFFFFFF if n is None else n for n in dataset.maxshape))
    for signature, name in INDEXES.items():
        for at in image.find(signature):
            image.seed("index_" + name, u32(at) + b"\0" + numbers)
            image.seed("index_" + name, u32(at) + b"\2" + numbers)
    where = dataset.id.get_chunk_info(0)
    if not filtered:
        image.seed("index_implicit", u32(where.byte_offset) + b"\0" + numbers)
    image.seed("index_single", u32(where.byte_offset) + b"\1" + u32(where.size) + numbers)


def virtual_datasets(path, image):
    """The objects of the global heap of a file of virtual datasets, with shapes from the same file."""
    objects = []
    for start in image.find(b"GCOL"):
        at, end = start + 16, start + struct.unpack_from("<Q", image.bytes, start + 8)[0]
        while at + 16 <= end:
            number, _, _, size = struct.unpack_from("<HHIQ", image.bytes, at)
            if number == 0:
                break
            objects.append(image.bytes[at + 16 : at + 16 + size])
            at += 16 + -(-size // 8) * 8
    shapes = set()
    with h5py.File(path) as file:
        for item in file.values():
            if isinstance(item, h5py.Dataset) and item.is_virtual:
                for of in item.virtual_sources():
                    shapes.add((item.shape, of.src_space.shape))
    for data in objects:
        for target, source in sorted(shapes):
            head = bytes([0, 0]) + shape(target) + shape(source)
            head += b"".join(struct.pack("<H", 0) for _ in target) + b"".join(struct.pack("<H", n) for n in target)
            seed("virtual_dataset", head.ljust(NUMBERS, b"\0") + data)
        for at in range(len(data) - 8):
            kind, version = struct.unpack_from("<II", data, at)
            if kind <= 3 and 1 <= version <= 3:
                seed("selection", data[at:])


def shape(dims):
    return bytes([max(len(dims), 1) - 1]) + u32(*dims).ljust(16, b"\0")


def selections():
    """Selections in HDF5's own dataspace encoding that virtual datasets do not have."""
    spaces = [h5py.h5s.create_simple((10, 12)) for _ in range(5)]
    spaces[0].select_none()
    spaces[1].select_all()
    spaces[2].select_elements([(1, 2), (7, 3), (0, 0)])
    spaces[3].select_hyperslab((1, 1), (2, 2), (4, 4), (2, 3))
    for n in range(3):
        spaces[4].select_hyperslab((3 * n, n), (1, 1), None, (2, 3), h5py.h5s.SELECT_OR)
    for space in spaces:
        data = space.encode()
        seed("selection", data[7 + int.from_bytes(data[3:7], "little") :])


TYPES = ["i1", "S1", "i2", "i4", "f4", "f8", "u1", "u2", "u4", "i8", "u8"]


def filters():
    """Chunks of one filter each: its parameters and its bytes."""
    try:
        import hdf5plugin as p
    except ImportError:
        p = None
    ways = {
        "deflate": [dict(compression=1), dict(compression=9)],
        "shuffle": [dict(shuffle=True)],
        "fletcher32": [dict(fletcher32=True)],
        "szip": [dict(compression="szip", compression_opts=(c, n)) for c in ("nn", "ec") for n in (4, 16)],
        "scaleoffset": [dict(scaleoffset=0), dict(scaleoffset=2)],
        "lzf": [dict(compression="lzf")],
        "nbit": ["nbit"],
    }
    if p:
        blosc = [p.Blosc(cname=c, clevel=5, shuffle=s) for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for s in (0, 1, 2)]
        ways["blosc"] = blosc
        ways["bzip2"] = [p.BZip2(blocksize=1)]
        ways["lz4"] = [p.LZ4(), p.LZ4(nbytes=64)]
        ways["bitshuffle"] = [p.Bitshuffle(cname=c) for c in ("none", "lz4", "zstd")]
        ways["zfp"] = [p.Zfp(rate=4), p.Zfp(precision=10), p.Zfp(accuracy=0.1), p.Zfp(reversible=True)]
        ways["zstd"] = [p.Zstd(), p.Zstd(clevel=20)]
    with tempfile.TemporaryDirectory() as folder:
        for name, all_ways in ways.items():
            for number, way in enumerate(all_ways):
                for dtype in TYPES:
                    for shape, order in [((33,), "<"), ((4, 5, 3), ">")]:
                        try:
                            chunk(folder, name, way, dtype, shape, order)
                        except (AttributeError, ValueError, TypeError, OSError, RuntimeError):
                            pass  # not a type for this filter
            assert (HERE / "corpus" / f"filter_{name}").exists(), f"no inputs for {name}"


def chunk(folder, name, way, dtype, shape, order):
    values = (np.arange(np.prod(shape)) % 50).reshape(shape).astype(order + dtype)
    with h5py.File(os.path.join(folder, "a.h5"), "w") as file:
        if way == "nbit":
            dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            dcpl.set_chunk(shape)
            dcpl.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL, ())
            kind = h5py.h5t.py_create(values.dtype).copy()
            kind.set_precision(max(values.dtype.itemsize * 8 - 5, 6))
            data = h5py.h5d.create(file.id, b"x", kind, h5py.h5s.create_simple(shape), dcpl)
            data.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        else:
            way = way if isinstance(way, dict) else dict(way)
            data = file.create_dataset("x", data=values, chunks=shape, **way).id
        plist = data.get_create_plist()
        count = plist.get_nfilters()
        assert count == 1
        params = plist.get_filter(0)[2]
        mask, stored = data.read_direct_chunk((0,) * len(shape))
        if mask:
            return
    head = bytes([TYPES.index(dtype)]) + struct.pack("<H", values.size)
    for flags in (0, 2):
        flags |= order == ">"
        seed("filter_" + name, head + bytes([flags, len(params)]) + u32(*params) + stored)


def coders():
    """Chunks as stored by libhdf4 with its coders."""
    for line in (HDF5.parent / "hdf4/coders.txt").read_text().splitlines():
        name, params, stored, plain = line.split(" ")
        params = [int(param) for param in params.split(",") if param != "-"]
        if name != "deflate":
            # in bytes
            head = bytes([6]) + struct.pack("<H", len(plain) // 2) + bytes([0, len(params)])
            seed("filter_hdf4_" + name, head + u32(*params) + bytes.fromhex(stored))


def hdf4_files():
    """HDF4 files unchanged, and as lists of their elements."""
    for path in sorted((HDF5.parent / "hdf4").glob("*.hdf")):
        data = path.read_bytes()
        seed("hdf4_structures", data)
        seed("hdf4", b"\0" + data)
        seed("hdf4", b"\1" + b"".join(elements(data)))


def elements(data):
    """The elements of an HDF4 file: tag, reference number, length and bytes of each."""
    at = 4
    while at:
        count, after = struct.unpack_from(">HI", data, at)
        for n in range(count):
            tag, reference, start, size = struct.unpack_from(">HHII", data, at + 6 + 12 * n)
            if tag != 1:
                part = data[start : start + size] if size < 1 << 16 else b""
                yield struct.pack(">HHH", tag, reference, len(part)) + part
        at = after


def texts():
    """CDL, and specifications of filters and chunks."""
    for number, path in enumerate(sorted((HDF5.parent / "cdl").glob("*.cdl"))):
        text = path.read_bytes()
        if len(text) < 10000:
            seed("cdl", bytes([number % 8]) + text)
    specs = HDF5.parent.parent / "grammar/src/filter_spec/parse/c.txt"
    for line in specs.read_text().splitlines():
        seed("specs", line.split("\t")[0].encode())
    for text in ("temp&/g/wind*,zstd,3", "temp,none", "temp*,bitround,9", "temp:1,180,360", "t:compact", "time/1,lat/180", "/"):
        seed("specs", text.encode())


def unless_refused(seeds_of, path, image):
    """Files that this libhdf5 does not read (an image of the metadata cache, a shape beyond its maximum) seed less."""
    try:
        seeds_of(path, image)
    except RuntimeError as error:
        print(f"{path.name}: {error}")


def journals():
    """Changes of each file at each moment, and ranges with any numbers."""
    u16 = lambda *numbers: b"".join(struct.pack("<H", n) for n in numbers)  # noqa: E731
    for kind in range(8):
        for stage in range(4):
            if kind % 2 == 0:
                numbers = bytes([kind, stage]) + u32(0b1010) + bytes([3]) + u16(4, 8, 100, 200, 300, 40)
            else:
                ranges = u16(20) + u32(0) + bytes([0]) + u16(40) + u32(600) + bytes([0])
                numbers = bytes([kind]) + u32(2) + bytes([stage]) + ranges + bytes([7] * 6)
            seed("journal", numbers.ljust(128, b"\x07") + bytes(range(1, 201)))


def main():
    for path in sorted(FILES.iterdir()):
        seed("whole", path.read_bytes())
        image = Image(path)
        heaps_and_trees(image)
        messages(image)
        unless_refused(objects, path, image)
    for path in sorted(HDF5.glob("virtual_*.h5")):
        seed("whole", path.read_bytes())
        unless_refused(virtual_datasets, path, Image(path))
    selections()
    filters()
    coders()
    journals()
    hdf4_files()
    texts()
    # Import late: with netCDF4's libraries in the process, h5py's blosc fails.
    import seeds_zarr
    seeds_zarr.all_seeds(seed)


if __name__ == "__main__":
    main()
