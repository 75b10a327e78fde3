#!/usr/bin/env python3
"""Writes chunks through HDF5's own filters: `chunks.bin` (the stored bytes) and `index.txt`.

Needs h5py and hdf5plugin. Each line of the index is a chunk:

    offset length id params size order kind count shape

`offset` and `length` say where in `chunks.bin` it is; `params` are the stored filter parameters,
`size` and `order` describe the elements, `shape` is the chunk's. What it decodes to is the data
that `kind` names, `count` elements of it (see `data` here and in `filter/vectors.rs`), or, for
`@OFFSET`, that many elements in `chunks.bin` (what libhdf5 itself decodes to).
"""

import os
import sys

import h5py
import hdf5plugin
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MASK = (1 << 64) - 1


def noise():
    state = 0x9E3779B97F4A7C15
    while True:
        state ^= (state << 13) & MASK
        state ^= state >> 7
        state ^= (state << 17) & MASK
        yield state


def data(kind, size, order, count):
    """`count` elements of `size` bytes; the same as in the Rust test."""
    random = noise()
    out = bytearray()
    for i in range(count):
        v = {
            "zeros": lambda: 0,
            "steps": lambda: i // 1000,
            "ramp": lambda: 1000 + 3 * i + ((i * i >> 5) & 7),
            "noise": lambda: next(random),
        }[kind]()
        element = v.to_bytes(8, "little")[:size].ljust(size, b"\0")
        out += element[::-1] if order == "big" else element
    return bytes(out)


class Writer:
    def __init__(self):
        self.blob = bytearray()
        self.lines = []
        self.known = {}

    def place(self, raw):
        if raw not in self.known:
            self.known[raw] = len(self.blob)
            self.blob += raw
        return self.known[raw]

    def chunk(self, values, options, order, kind=None):
        with h5py.File("m", "w", driver="core", backing_store=False) as f:
            d = f.create_dataset("d", data=values, chunks=values.shape, **options)
            filters = d.id.get_create_plist()
            assert filters.get_nfilters() == 1
            code, _, params, _ = filters.get_filter(0)
            mask, raw = d.id.read_direct_chunk((0,) * values.ndim)
            if mask:  # the filter declined
                return
            kind = kind or "@%d" % self.place(d[...].tobytes())
        self.lines.append(
            "%d %d %d %s %d %s %s %d %s"
            % (
                self.place(bytes(raw)),
                len(raw),
                code,
                ",".join(map(str, params)) or "-",
                values.dtype.itemsize,
                order,
                kind,
                values.size,
                ",".join(map(str, values.shape)),
            )
        )

    def lossless(self, options, size, order, kind, count):
        number = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}.get(size)
        sign = ">" if order == "big" else "<"
        dtype = np.dtype(sign + number if number else "V%d" % size)
        values = np.frombuffer(data(kind, size, order, count), dtype)
        self.chunk(values, options, order, kind)

    def numbers(self, options, dtype, shape):
        i = np.arange(np.prod(shape)).reshape(shape)
        values = (np.sin(i / 7.0) * 1000 + i % 3).astype(dtype)
        self.chunk(values, options, "big" if dtype[0] == ">" else "little")


# Element sizes, byte orders and odd counts that every filter gets.
COMMON = [
    (1, "little", "ramp", 1003),
    (2, "little", "ramp", 600),
    (2, "big", "ramp", 503),
    (3, "little", "ramp", 307),
    (4, "little", "ramp", 503),
    (4, "big", "ramp", 257),
    (8, "little", "ramp", 307),
    (8, "big", "ramp", 129),
    (12, "little", "ramp", 157),
    (8, "little", "zeros", 5000),
    (4, "little", "steps", 20011),
    (8, "big", "steps", 6007),
]
# Data that some compressors decline or store uncompressed.
TINY = [(1, "little", "ramp", 1), (4, "little", "ramp", 5), (8, "little", "noise", 17)]
LARGE_TYPE = [(300, "little", "ramp", 11), (40, "little", "ramp", 77)]


def main():
    w = Writer()
    p = hdf5plugin

    def every(options, cases):
        for case in cases:
            w.lossless(options, *case)

    every({"compression": "lzf"}, COMMON)
    for level in (1, 9):
        every(p.BZip2(level), COMMON[3:8] + TINY)
    for level in (1, 3, 19):
        every(p.Zstd(level), COMMON + TINY)
    for block in (0, 100, 4096):
        every(p.LZ4(block), COMMON[:9] + TINY)
    every(p.LZ4(0), COMMON[9:])
    for name in ("none", "lz4", "zstd"):
        for block in (0, 64):
            every(p.Bitshuffle(block, cname=name), COMMON[:9] + TINY + LARGE_TYPE)
    for name in ("lz4", "zstd"):
        every(p.Bitshuffle(0, cname=name), COMMON[9:])
    for name in ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"):
        for shuffle in (0, 1, 2):
            every(p.Blosc(name, 5, shuffle), COMMON[2:8] + TINY + LARGE_TYPE)
            every(p.Blosc(name, 1, shuffle), COMMON[9:])
    every(p.Blosc("lz4", 9, 1), COMMON + TINY + LARGE_TYPE)
    every(p.Blosc("zlib", 9, 2), COMMON + TINY + LARGE_TYPE)
    every(p.Blosc("blosclz", 0, 1), COMMON[:4] + TINY)
    modes = [
        {"rate": 10.5},
        {"precision": 12},
        {"accuracy": 0.01},
        {"reversible": True},
        {"minbits": 1, "maxbits": 800, "maxprec": 20, "minexp": -10},
    ]
    for mode in modes:
        for dtype in ("<f4", "<f8", "<i4", "<i8"):
            if "accuracy" in mode and dtype[1] == "i":
                continue
            for shape in ((53,), (7, 9), (3, 5, 6), (3, 2, 5, 2), (1, 4, 1, 6, 1, 3)):
                w.numbers(p.Zfp(**mode), dtype, shape)
    w.numbers(p.Zfp(reversible=True), ">f4", (6, 7))

    with open(os.path.join(HERE, "chunks.bin"), "wb") as f:
        f.write(w.blob)
    with open(os.path.join(HERE, "index.txt"), "w") as f:
        f.write("\n".join(w.lines) + "\n")
    sys.stderr.write("%d chunks, %d bytes\n" % (len(w.lines), len(w.blob)))


if __name__ == "__main__":
    main()
