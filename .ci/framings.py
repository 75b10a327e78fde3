"""Stores and files with chunks in every codec and framing, for .ci/frames.

Each input has one variable for each framing: frames without a content size, several frames, streams or members, bytes after the end,
codecs of Blosc, checksums in the form of old libraries, and common chains for several types. `filters_of_hdf5` has the filters that Zarr
does not have in this form.
"""

import bz2
import gzip
import json
import lzma
import struct
import zlib

import h5py
import hdf5plugin  # noqa: F401  registers the filters of HDF5
import numcodecs
import numpy as np

LEN, CHUNK = 2000, 1000
SKIPPABLE = struct.pack("<II", 0x184D2A50, 5) + b"hello"


def values(dtype):
    """Returns values of a type with varying bytes."""
    if np.dtype(dtype).kind in "SO":
        return np.array([f"name {n * n * 7919 % 100003}" for n in range(LEN)], dtype="O").astype(dtype)
    return (np.arange(LEN) ** 2 // 7 % 113).astype(dtype)


def zstd_raw(data, sized):
    """Returns a frame of one uncompressed block."""
    head = b"\x28\xb5\x2f\xfd" + (bytes([0xA0]) + struct.pack("<I", len(data)) if sized else bytes([0x00, 0x38]))
    return head + struct.pack("<I", 1 | len(data) << 3)[:3] + data


def snappy(data):
    """Returns a stream of literals."""
    out, n = bytearray(), len(data)
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    for at in range(0, len(data), 256):
        part = data[at:at + 256]
        out += bytes([60 << 2, len(part) - 1]) + part
    return bytes(out)


def blosc_block(stream, codec, data):
    """Returns a Blosc chunk with one block, which is one stream."""
    body = struct.pack("<I", len(stream)) + stream
    return bytes([2, 1, 0x10 | codec << 5, 4]) + struct.pack("<4I", len(data), len(data), 20 + len(body), 20) + body


def halves(encode):
    return lambda data: encode(data[:len(data) // 2]) + encode(data[len(data) // 2:])


def swapped(data):
    """Returns a checksum as libhdf5 1.6.2 stored it."""
    sums = bytes(numcodecs.Fletcher32().encode(data))[-4:]
    return data + bytes([sums[1], sums[0], sums[3], sums[2]])


def named_member(data):
    body = gzip.compress(data)
    return body[:3] + b"\x08" + body[4:10] + b"name\0" + body[10:]


def zstd(data):
    return bytes(numcodecs.Zstd(3).encode(data))


def codec(config):
    return lambda data: bytes(numcodecs.get_codec(config).encode(data))


def blosc(name, shuffle, level=5):
    return {"id": "blosc", "cname": name, "clevel": level, "shuffle": shuffle, "blocksize": 0}


ZSTD, ZLIB, GZIP, BZ2 = {"id": "zstd", "level": 3}, {"id": "zlib", "level": 6}, {"id": "gzip", "level": 6}, {"id": "bz2", "level": 9}
LZ4, FLETCHER32 = {"id": "lz4", "acceleration": 1}, {"id": "fletcher32"}
XZ = {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}
# Name, codec, stored form of a chunk.
FRAMINGS = [
    ("zstd", ZSTD, zstd), ("zstd_checksum", ZSTD, codec({"id": "zstd", "level": 3, "checksum": True})),
    ("zstd_no_size", ZSTD, lambda d: zstd_raw(d, False)), ("zstd_two", ZSTD, halves(zstd)),
    ("zstd_two_no_size", ZSTD, halves(lambda d: zstd_raw(d, False))), ("zstd_skippable_first", ZSTD, lambda d: SKIPPABLE + zstd(d)),
    ("zstd_skippable_last", ZSTD, lambda d: zstd(d) + SKIPPABLE), ("zstd_empty_first", ZSTD, lambda d: zstd_raw(b"", True) + zstd(d)),
    ("zstd_empty_last", ZSTD, lambda d: zstd(d) + zstd_raw(b"", True)), ("zstd_raw", ZSTD, lambda d: zstd_raw(d, True)),
    ("zlib", ZLIB, zlib.compress), ("zlib_zeros", ZLIB, lambda d: zlib.compress(d) + bytes(5)),
    ("zlib_bytes", ZLIB, lambda d: zlib.compress(d) + b"bytes"), ("zlib_again", ZLIB, lambda d: zlib.compress(d) * 2),
    ("gzip", GZIP, gzip.compress), ("gzip_two", GZIP, halves(gzip.compress)), ("gzip_zeros", GZIP, lambda d: gzip.compress(d) + bytes(5)),
    ("gzip_empty_last", GZIP, lambda d: gzip.compress(d) + gzip.compress(b"")), ("gzip_name", GZIP, named_member),
    ("gzip_again", GZIP, lambda d: gzip.compress(d) * 2), ("gzip_empty_first", GZIP, lambda d: gzip.compress(b"") + gzip.compress(d)),
    ("base64", {"id": "base64"}, codec({"id": "base64"})),
    ("bz2", BZ2, bz2.compress), ("bz2_two", BZ2, halves(bz2.compress)), ("bz2_bytes", BZ2, lambda d: bz2.compress(d) + b"bytes"),
    ("bz2_long", BZ2, lambda d: bz2.compress(d + d[:4])), ("zlib_long", ZLIB, lambda d: zlib.compress(d + d[:4])),
    ("bz2_empty_last", BZ2, lambda d: bz2.compress(d) + bz2.compress(b"")),
    ("lz4", LZ4, codec(LZ4)), ("xz", XZ, codec(XZ)), ("xz_two", XZ, halves(lzma.compress)),
    ("xz_zeros", XZ, lambda d: lzma.compress(d) + bytes(4)),
    ("fletcher32", FLETCHER32, codec(FLETCHER32)), ("fletcher32_swapped", FLETCHER32, swapped),
    ("blosc_bytes", blosc("lz4", 1), lambda d: codec(blosc("lz4", 1))(d) + b"bytes"),
    ("blosc_copied", blosc("lz4", 0), codec(blosc("lz4", 0, 0))),
    ("blosc_zstd_no_size", blosc("zstd", 0), lambda d: blosc_block(zstd_raw(d, False), 4, d)),
    ("blosc_zstd_two", blosc("zstd", 0), lambda d: blosc_block(halves(zstd)(d), 4, d)),
    ("blosc_snappy", blosc("snappy", 0), lambda d: blosc_block(snappy(d), 2, d)),
    ("blosc_hidden_snappy", blosc("lz4", 0), lambda d: blosc_block(snappy(d), 2, d)),
] + [
    (f"blosc_{name}_{shuffle}", blosc(name, shuffle), codec(blosc(name, shuffle)))
    for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for shuffle in (0, 1, 2)
]
# Texts of fixed and variable length.
TEXTS = ["|S3", "|S9", "|O"]
TEXT_CODECS = [ZSTD, ZLIB, GZIP, FLETCHER32] + [blosc(name, shuffle) for name in ("blosclz", "lz4", "zstd") for shuffle in (0, 1, 2)]
# Common chains for types of several sizes and both byte orders.
TYPES = ["|u1", "<i2", ">i2", ">i4", "<f4", ">f8", "<f8", "<i8"]
CHAINS = [(), ("shuffle", "zlib"), ("shuffle", "gzip"), ("fletcher32",), ("zlib", "fletcher32"), ("fletcher32", "shuffle", "zlib"),
          ("shuffle", "zstd"), ("shuffle", "bz2"), ("shuffle", "fletcher32")]
HDF5 = {"zstd": (32015, (3,)), "zlib": (1, (6,)), "bz2": (307, (9,)), "fletcher32": (3, ())}
COMPRESSORS = {"snappy": 3, "blosclz": 0, "lz4": 1, "lz4hc": 2, "zlib": 4, "zstd": 5}
# Forms that all HDF5 readers reject. They are not in HDF5 inputs.
ONLY_ZARR = ("zstd_two", "zstd_empty_first", "zstd_skippable_first", "bz2_two")
# zarr-python has these codecs in version 2 only.
ONLY_2 = ("base64",)
# Chunks with fewer or more bytes than their shape needs.
BAD = [("zlib_two", ZLIB, halves(zlib.compress)), ("zstd_short", ZSTD, lambda d: zstd(d[:-4])),
       ("zlib_short", ZLIB, lambda d: zlib.compress(d[:-4])),
       ("plain_short", None, lambda d: d[:-4])]


def type_name(dtype):
    """A type in the name of a variable."""
    return "texts" if dtype == "|O" else dtype.strip("|").replace("<", "l").replace(">", "b")


class Case:
    """A variable: name, type, codecs in write order, and the stored form of its chunks."""

    def __init__(self, name, dtype, codecs, encode):
        self.name, self.dtype, self.codecs, self.encode = name, np.dtype(dtype), codecs, encode

    def chunks(self):
        data = values(self.dtype)
        stored = numcodecs.VLenUTF8().encode if self.dtype.kind == "O" else np.ndarray.tobytes
        return [self.encode(bytes(stored(data[at:at + CHUNK]))) for at in range(0, LEN, CHUNK)]

    def is_text(self):
        return self.dtype.kind in "SO"


def chain(names, dtype):
    """Returns the codecs of a chain, and a function that applies them."""
    all_codecs = {"shuffle": {"id": "shuffle", "elementsize": np.dtype(dtype).itemsize}, "zlib": ZLIB, "gzip": GZIP, "zstd": ZSTD,
                  "bz2": BZ2, "fletcher32": FLETCHER32}
    codecs = [all_codecs[name] for name in names]

    def encode(data):
        for one in codecs:
            data = bytes(numcodecs.get_codec(one).encode(np.frombuffer(data, "u1") if one["id"] == "shuffle" else data))
        return data
    return codecs, encode


def cases():
    for name, one, encode in FRAMINGS:
        yield Case(name, "<i4", [one], encode)
    for names in CHAINS:
        for dtype in TYPES:
            codecs, encode = chain(names, dtype)
            # numcodecs shuffles whole elements only.
            if names[:2] != ("fletcher32", "shuffle") or np.dtype(dtype).itemsize <= 4:
                yield Case("_".join([*(names or ["none"]), type_name(dtype)]), dtype, codecs, encode)
    for dtype in TEXTS:
        name = type_name(dtype)
        yield Case(f"none_{name}", dtype, [], bytes)
        for one in TEXT_CODECS:
            about = "_".join(str(one[key]) for key in ("id", "cname", "shuffle") if key in one)
            yield Case(f"{about}_{name}", dtype, [one], codec(one))


def write_json(path, what):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(what))


def of_json(*names):
    """The types of attributes in NCZarr version 2."""
    return {"types": dict.fromkeys([*names, "_nczarr_attr"], "|J0")}


def store_2(path, all_cases, nczarr=False):
    write_json(path / ".zgroup", {"zarr_format": 2})
    more = {}
    if nczarr:
        group = {"dimensions": {"x": LEN}, "arrays": [case.name for case in all_cases], "groups": []}
        write_json(path / ".zattrs", {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": group,
                                      "_nczarr_attr": of_json("_nczarr_superblock", "_nczarr_group")})
        more = {"_nczarr_array": {"dimension_references": ["/x"], "storage": "chunked"}, "_nczarr_attr": of_json("_nczarr_array")}
    for case in all_cases:
        *filters, compressor = case.codecs or [None]
        if case.dtype.kind == "O":
            filters.insert(0, {"id": "vlen-utf8"})
        write_json(path / case.name / ".zarray", {
            "zarr_format": 2, "shape": [LEN], "chunks": [CHUNK], "dtype": "|O" if case.dtype.kind == "O" else case.dtype.str,
            "fill_value": ("" if nczarr else None) if case.is_text() else 0, "order": "C", "compressor": compressor, "filters": filters or None})
        write_json(path / case.name / ".zattrs", {"_ARRAY_DIMENSIONS": ["x"], **more})
        for n, chunk in enumerate(case.chunks()):
            (path / case.name / str(n)).write_bytes(chunk)


def codec_3(config, case):
    name, rest = config["id"], {key: value for key, value in config.items() if key != "id"}
    if name == "zstd":
        rest["checksum"] = False
    if name == "blosc":
        rest["shuffle"] = ["noshuffle", "shuffle", "bitshuffle"][rest["shuffle"]]
        rest["typesize"] = 1 if case.dtype.kind == "O" else case.dtype.itemsize
    prefix = "" if name in ("zstd", "gzip", "blosc") else "numcodecs."
    return {"name": prefix + name, "configuration": rest}


def attributes_3(**attributes):
    """Attributes in NCZarr version 3."""
    types = [{"name": name, "configuration": {"type": "json"}} for name in (*attributes, "_nczarr_attrs")]
    return {**attributes, "_nczarr_attrs": {"attribute_types": types}}


def store_3(path, all_cases, shards=False, nczarr=False):
    attributes, more = {}, {}
    if nczarr:
        group = {"dimensions": [{"name": "x", "size": LEN, "unlimited": 0}], "arrays": [case.name for case in all_cases], "subgroups": []}
        attributes = attributes_3(_nczarr_superblock={"version": "3.0.0", "format": 3}, _nczarr_group=group)
        more = attributes_3(_nczarr_array={"dimension_references": ["/x"]})
    write_json(path / "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes})
    for case in all_cases:
        order = "big" if case.dtype.byteorder == ">" else "little"
        first = {"name": "vlen-utf8"} if case.dtype.kind == "O" else {"name": "bytes", "configuration": {"endian": order}}
        codecs = [first] + [codec_3(one, case) for one in case.codecs]
        chunks = case.chunks()
        if shards:
            index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
            codecs = [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": [CHUNK], "codecs": codecs, "index_codecs": index, "index_location": "end"}}]
            starts = np.cumsum([0] + [len(chunk) for chunk in chunks])
            table = b"".join(struct.pack("<QQ", start, len(chunk)) for start, chunk in zip(starts, chunks))
            chunks = [b"".join(chunks) + bytes(numcodecs.checksum32.CRC32C(location="end").encode(table))]
        write_json(path / case.name / "zarr.json", {
            "zarr_format": 3, "node_type": "array", "shape": [LEN], "data_type": type_3(case.dtype),
            "fill_value": "" if case.is_text() else 0, "attributes": more,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [LEN if shards else CHUNK]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "codecs": codecs, "dimension_names": ["x"]})
        (path / case.name / "c").mkdir()
        for n, chunk in enumerate(chunks):
            (path / case.name / "c" / str(n)).write_bytes(chunk)


def type_3(dtype):
    if dtype.kind == "O":
        return "string"
    if dtype.kind == "S":
        return {"name": "null_terminated_bytes", "configuration": {"length_bytes": dtype.itemsize}}
    return np.dtype(dtype).newbyteorder("=").name


def hdf5_filter(config, case):
    if config["id"] == "shuffle":
        return 2, (case.dtype.itemsize,)
    if config["id"] == "blosc":
        size = case.dtype.itemsize
        return 32001, (2, 2, size, CHUNK * size, config["clevel"], config["shuffle"], COMPRESSORS[config["cname"]])
    return HDF5[config["id"]]


def in_nczarr(case):
    """Whether netCDF-C opens a store of version 2 with this variable."""
    return case.dtype.kind != "O" and case.name != "blosc_snappy"


def in_hdf5(case):
    return case.dtype.kind != "O" and all(one["id"] in (*HDF5, "shuffle", "blosc") for one in case.codecs)


def new_dataset(file, name, dtype, filters, chunk=CHUNK):
    """A dataset with filters: numbers and parameters. Szip has its own function in HDF5."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((chunk,))
    for number, params in filters:
        if number == SZIP:
            properties.set_szip(*params)
        else:
            properties.set_filter(number, h5py.h5z.FLAG_OPTIONAL, params)
    space = h5py.h5s.create_simple((LEN,))
    dataset = h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype), logical=True), space, properties)
    h5py.Dataset(dataset).dims[0].attach_scale(file["x"])
    return dataset


def file_hdf5(path, all_cases):
    with h5py.File(path, "w", libver=("v108", "v108")) as file:
        file.create_dataset("x", data=np.zeros(LEN, "f4")).make_scale("x")
        for case in all_cases:
            dataset = new_dataset(file, case.name, case.dtype, [hdf5_filter(one, case) for one in case.codecs])
            for n, chunk in enumerate(case.chunks()):
                dataset.write_direct_chunk((n * CHUNK,), chunk)


# Filters of HDF5 that Zarr does not have in this form.
SHUFFLE, SUM, SZIP, LZF, LZ4_FILTER, BITSHUFFLE = 2, 3, 4, 32000, 32004, 32008
# Szip: nearest neighbour or entropy coding, and pixels per block.
NN, EC = 32, 4
FILTERS = {
    "lzf": [(LZF, ())], "shuffle_lzf": [(SHUFFLE, ()), (LZF, ())], "lzf_sum": [(LZF, ()), (SUM, ())], "sum_lzf": [(SUM, ()), (LZF, ())],
    "lz4": [(LZ4_FILTER, (0,))], "lz4_64": [(LZ4_FILTER, (64,))], "shuffle_lz4": [(SHUFFLE, ()), (LZ4_FILTER, (0,))],
    "lz4_sum": [(LZ4_FILTER, (0,)), (SUM, ())],
    "bitshuffle": [(BITSHUFFLE, (0, 0))], "bitshuffle_16": [(BITSHUFFLE, (16, 0))], "bitshuffle_lz4": [(BITSHUFFLE, (0, 2))],
    "bitshuffle_lz4_64": [(BITSHUFFLE, (64, 2))], "bitshuffle_zstd": [(BITSHUFFLE, (0, 3))],
    "bitshuffle_sum": [(BITSHUFFLE, (0, 2)), (SUM, ())], "bitshuffle_zlib": [(BITSHUFFLE, (0, 0)), (1, (6,))],
    "szip_nn_32": [(SZIP, (NN, 32))], "szip_nn_8": [(SZIP, (NN, 8))], "szip_ec_2": [(SZIP, (EC, 2))], "szip_ec_16": [(SZIP, (EC, 16))],
    "szip_sum": [(SZIP, (NN, 8)), (SUM, ())], "shuffle_szip": [(SHUFFLE, ()), (SZIP, (EC, 8))],
}


def lz4_frame(block, stored=lambda n: False, after=b""):
    """Stores a chunk as HDF5's lz4 does: lengths, and blocks of which some are not compressed."""
    def encode(data):
        frame = struct.pack(">QI", len(data), min(block, len(data)))
        for n, at in enumerate(range(0, len(data), block)):
            part = data[at:at + block]
            packed = bytes(numcodecs.LZ4().encode(part))[4:]
            packed = part if stored(n) or len(packed) >= len(part) else packed
            frame += struct.pack(">I", len(packed)) + packed
        return frame + after
    return encode


# Forms of lz4: name, how a chunk is stored.
LZ4_FORMS = [
    ("stored", lz4_frame(1 << 20, lambda n: True)), ("some_stored", lz4_frame(300, lambda n: n % 2 == 0)),
    ("blocks_of_7", lz4_frame(7)), ("whole", lz4_frame(1 << 30)), ("bytes", lz4_frame(512, after=b"bytes")),
]


def filters_of_hdf5(path, odd):
    """A file with all of FILTERS: each type in whole chunks and in chunks of an odd length, and chunks that passed no filter."""
    with h5py.File(path, "w", libver=("v108", "v108")) as file:
        file.create_dataset("x", data=np.zeros(LEN, "f4")).make_scale("x")
        for name, filters in FILTERS.items():
            for dtype in TYPES:
                for chunk in (CHUNK, odd):
                    dataset = new_dataset(file, f"{name}_{type_name(dtype)}_{chunk}", dtype, filters, chunk)
                    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values(dtype))
            if len(filters) == 1:
                dataset = new_dataset(file, f"{name}_masked", "<i4", filters)
                dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values("<i4"))
                dataset.write_direct_chunk((CHUNK,), values("<i4")[CHUNK:].tobytes(), filter_mask=1)
        for name, encode in LZ4_FORMS:
            dataset = new_dataset(file, f"lz4_{name}", "<i4", FILTERS["lz4"])
            for at in range(0, LEN, CHUNK):
                dataset.write_direct_chunk((at,), encode(values("<i4")[at:at + CHUNK].tobytes()))

# Filter specifications (-F) for a store with szip. Only NCZarr version 2 has this codec.
SZIP_FILTERS = ["szip,coding=nn,block=32", "szip,coding=nn,block=8", "szip,coding=ec,block=2", "szip,coding=ec,block=16"]
