"""Filters in libhdf5 (h5py with hdf5plugin) and in `helper chunkfilter`, for .ci/filters and .ci/plugins."""

import struct

import h5py
import hdf5plugin  # noqa: F401: registers its filters
import numpy as np
from common import helper, run

TYPES = {
    "byte": "i1", "ubyte": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "int64": "i8",
    "uint64": "u8", "float": "f4", "double": "f8",
}
DEFLATE, SHUFFLE, FLETCHER32, SZIP, NBIT, SCALEOFFSET = 1, 2, 3, 4, 5, 6
BZIP2, LZF, BLOSC, LZ4, BITSHUFFLE, ZFP, ZSTD = 307, 32000, 32001, 32004, 32008, 32013, 32015
LARGE = [(40_000,), (130, 257)]


def double_words(x):
    return struct.unpack("<II", struct.pack("<d", x))


def unsigned_word(n):
    return n & 0xFFFFFFFF


ZFP_MODES = {
    "rate": (1, 0, *double_words(10.5), 0, 0),
    "precision": (2, 0, 12, 0, 0, 0),
    "accuracy": (3, 0, *double_words(0.01), 0, 0),
    "expert": (4, 0, 1, 800, 20, unsigned_word(-10)),
    "reversible": (5, 0, 0, 0, 0, 0),
}


def chunk_values(kind, dtype, shape):
    n = np.arange(np.prod(shape))
    if kind == "zeros":
        data = np.zeros(len(n))
    elif kind == "ramp":
        data = n // 3
    elif kind == "waves":
        data = np.sin(n / 30) * 100 + n % 2
    else:
        raw = np.random.default_rng(7).bytes(len(n) * dtype.itemsize)
        data = np.frombuffer(raw, dtype)
        if dtype.kind == "f":
            data = np.nan_to_num(data, posinf=1, neginf=-1) if dtype.itemsize > 4 else data.view(dtype)
    with np.errstate(all="ignore"):
        if dtype.kind == "u":
            data = np.abs(data)
        return np.asarray(data).astype(np.int64 if dtype.kind != "f" and kind != "noise" else data.dtype) \
            .astype(dtype).reshape(shape)


class FilterCase:
    def __init__(self, pipeline, name, order, shape, kind):
        self.pipeline, self.name, self.order, self.shape, self.kind = pipeline, name, order, shape, kind
        self.dtype = np.dtype((">" if order == "big" else "<") + TYPES[name])
        self.data = chunk_values(kind, self.dtype, shape)

    def __str__(self):
        return f"{pipeline_text(self.pipeline)} {self.name} {self.order} {','.join(map(str, self.shape))} {self.kind}"

    def create(self, file, name):
        """Creates a dataset with the pipeline, with libhdf5."""
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(self.shape)
        plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        set_filters(plist, self.pipeline)
        ty = h5py.h5t.py_create(self.dtype)
        h5py.h5d.create(file.id, name.encode(), ty, h5py.h5s.create_simple(self.shape), plist)
        return file[name]


def set_filters(plist, pipeline):
    for code, *params in pipeline:
        if code == SZIP:
            plist.set_szip(*params)
        elif code == SCALEOFFSET:
            plist.set_scaleoffset(*params)
        else:
            plist.set_filter(code, 0 if code == FLETCHER32 else h5py.h5z.FLAG_OPTIONAL, tuple(params))


def pipeline_text(pipeline):
    return "|".join(",".join(map(str, f)) for f in pipeline)


def stored_filters(dataset):
    plist = dataset.id.get_create_plist()
    filters = [plist.get_filter(n) for n in range(plist.get_nfilters())]
    return [(f[0], *f[2]) for f in filters]


def refused_by_libhdf5(case):
    """Returns the cases that libhdf5 refuses to create."""
    return any(f[0] == SZIP and np.prod(getattr(case, "chunk", case.shape)) < f[2] for f in case.pipeline)


class LibhdfChunk:
    """The result of libhdf5 for a case."""

    def __init__(self, case, file, name):
        dataset = case.create(file, name)
        dataset[...] = case.data
        file.flush()
        self.case = case
        self.filters = stored_filters(dataset)
        self.mask, raw = dataset.id.read_direct_chunk((0,) * len(case.shape))
        self.raw = bytes(raw)
        self.plain = dataset[...].tobytes()


def exchange(group, folder, *options, env=None):
    """Exchanges chunks of cases with one pipeline in both directions. Returns the chunks of libhdf5, and problems with our chunks, their
    chunks and the stored parameters."""
    peers, jobs = [], []
    with h5py.File(folder / "theirs.h5", "w") as file:
        for n, case in enumerate(group):
            peer = LibhdfChunk(case, file, f"d{n}")
            (folder / f"{n}.plain").write_bytes(case.data.tobytes())
            (folder / f"{n}.theirs").write_bytes(peer.raw)
            about = f"{case.name} {case.order} {','.join(map(str, case.shape))}"
            jobs.append(f"encode {about} {pipeline_text(case.pipeline)} {folder}/{n}.plain {folder}/{n}.ours")
            jobs.append(f"decode {about} {pipeline_text(peer.filters)} {folder}/{n}.theirs {folder}/{n}.back {peer.mask}")
            peers.append(peer)
    lines = chunkfilter(jobs, *options, env=env)
    ours, theirs, params = [], [], []
    with h5py.File(folder / "ours.h5", "w") as file:
        for n, peer in enumerate(peers):
            encoded, decoded = lines[2 * n:2 * n + 2]
            if decoded != "ok" or (folder / f"{n}.back").read_bytes() != peer.plain:
                theirs.append(f"{peer.case}: their chunk: {decoded}")
            words = encoded.split(" ")
            if len(words) != 2:
                ours.append(f"{peer.case}: {encoded}")
                continue
            if words[1] != pipeline_text(peer.filters):
                params.append(f"{peer.case}: parameters {words[1]}, not {pipeline_text(peer.filters)}")
            dataset = peer.case.create(file, f"d{n}")
            dataset.id.write_direct_chunk((0,) * len(peer.case.shape), (folder / f"{n}.ours").read_bytes(), int(words[0]))
    # Our chunks are read after the file is complete, because libhdf5 forgets their masks before.
    with h5py.File(folder / "ours.h5") as file:
        for n, peer in enumerate(peers):
            try:
                good = f"d{n}" not in file or file[f"d{n}"][...].tobytes() == peer.plain
                ours += [] if good else [f"{peer.case}: our chunk: other values"]
            except OSError as e:
                ours.append(f"{peer.case}: our chunk: {e}")
    return peers, ours, theirs, params


def chunkfilter(jobs, *options, env=None):
    """Returns the responses of the helper to jobs, one line per job."""
    done = run(*helper("chunkfilter", *options), given="\n".join(jobs) + "\n", env=env)
    lines = done.text.splitlines()
    if done.status != 0 or len(lines) != len(jobs):
        return [f"error: chunkfilter ended with {done.status}: {done.said[-200:]}"] * len(jobs)
    return lines
