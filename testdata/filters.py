#!/usr/bin/env python3
"""Makes netcdf-core/tests/api/filters/vectors.txt anew: chunks as libhdf5 stores them, and their data.

  testdata/filters.py > netcdf-core/tests/api/filters/vectors.txt

Needs h5py with szip and numpy. Each line is one chunk: name, filters (number:parameters, in the
order of writing), bytes of an element, stored bytes, data. Data is what libhdf5 reads back, which
is checked here against what was written wherever nothing may be lost.
"""

import ctypes
import sys

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

with open("/proc/self/maps") as maps:
    LIBRARY = next(line.split()[-1] for line in maps if "/libhdf5-" in line)
HDF5 = ctypes.CDLL(LIBRARY)
HDF5.H5Pset_fill_value.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
HDF5.H5Pget_filter2.argtypes = [ctypes.c_int64, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p,
                                ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
FILE = h5py.File("vectors", "w", driver="core", backing_store=False)
RANDOM = np.random.default_rng(1)
SEEN = set()
SKIPPED = []


def parameters(plist, number):
    """Returns all parameters of a filter; h5py's own call returns at most 16."""
    flags, config = ctypes.c_uint(), ctypes.c_uint()
    count, values = ctypes.c_size_t(256), (ctypes.c_uint * 256)()
    id = HDF5.H5Pget_filter2(plist.id, number, ctypes.byref(flags), ctypes.byref(count), values,
                             0, None, ctypes.byref(config))
    return f"{id}:" + ",".join(str(v) for v in values[: count.value])


def case(name, data, add, mem=None, file=None, exact=True):
    """Writes one chunk of `data` through the filters that `add` puts on the list."""
    assert name not in SEEN, name
    SEEN.add(name)
    mem = mem or h5t.py_create(data.dtype)
    file = file or mem
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_chunk(data.shape)
    add(plist)
    space = h5s.create_simple(data.shape)
    dset = h5d.create(FILE.id, name.encode(), file, space, plist)
    dset.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(data), mtype=mem)
    del dset  # frees the chunk before the filters
    dset = h5d.open(FILE.id, name.encode())
    back = np.zeros_like(data)
    dset.read(h5s.ALL, h5s.ALL, back, mtype=mem)
    assert not exact or back.tobytes() == data.tobytes(), name
    raw = np.zeros(data.shape, np.dtype(("V", file.get_size())))
    dset.read(h5s.ALL, h5s.ALL, raw, mtype=dset.get_type())
    mask, stored = dset.read_direct_chunk((0,) * data.ndim)
    if mask:  # the filter declined: szip does where it would not save anything
        SKIPPED.append(name)
        return
    stored_list = dset.get_create_plist()
    filters = [parameters(stored_list, n) for n in range(stored_list.get_nfilters())]
    print(name, "+".join(filters), file.get_size(), stored.hex(), raw.tobytes().hex())


def smooth(shape, dtype, step=3):
    """A walk with small steps."""
    walk = np.cumsum(RANDOM.integers(-step, step + 1, size=int(np.prod(shape)))) + 60
    return walk.reshape(shape).astype(dtype)


def noise(shape, dtype):
    """All bits in use."""
    dtype = np.dtype(dtype)
    return np.frombuffer(RANDOM.bytes(int(np.prod(shape)) * dtype.itemsize), dtype).reshape(shape)


def plain():
    for level in (0, 1, 6, 9):
        case(f"deflate-{level}", smooth((7, 9), "<i4"), lambda p: p.set_deflate(level))
    for size in (1, 2, 3, 4, 8, 12, 16):
        case(f"shuffle-{size}", noise(11, f"V{size}"), lambda p: p.set_shuffle())
    for size in (1, 2, 7):
        case(f"fletcher32-{size}", noise(5, f"V{size}"), lambda p: p.set_fletcher32())

    def all_three(p):
        p.set_shuffle()
        p.set_deflate(4)
        p.set_fletcher32()

    case("shuffle-deflate-fletcher32", smooth((5, 9), ">f8"), all_three)

    def other_order(p):
        p.set_fletcher32()
        p.set_shuffle()
        p.set_deflate(9)

    case("fletcher32-shuffle-deflate", smooth((3, 7), "<i2"), other_order)


def szip():
    for dtype in ("i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<f4", ">f8", "<i8"):
        for how, option in (("nn", 32), ("ec", 4)):
            for block, shape in ((4, (5, 11)), (8, 40), (32, 64)):
                name = f"szip-{np.dtype(dtype).str.strip('|')}-{how}-{block}"
                case(name, smooth(shape, dtype), lambda p: p.set_szip(option, block))
    for how, option in (("nn", 32), ("ec", 4)):
        def add(p, block=4):
            p.set_szip(option, block)

        case(f"szip-zeros-{how}", np.zeros(600, "i1"), add)
        case(f"szip-constant-{how}", np.full((3, 130), 77, "<i2"), add)
        case(f"szip-noise-{how}", noise((3, 21), "<u2"), lambda p: p.set_szip(option, 8))
        case(f"szip-bits-{how}", RANDOM.integers(0, 2, 90).astype("u1"), add)
        case(f"szip-ends-{how}", np.tile(np.array([0, 65535, 1, 65534], "<u2"), 10), add)
        case(f"szip-runs-{how}", np.repeat(np.arange(9, dtype="u1"), [3, 9, 70, 1, 33, 20, 2, 64, 290]), add)
        for size, precision in ((1, 5), (2, 12), (4, 20)):
            ty = getattr(h5t, f"STD_U{8 * size}LE").copy()
            ty.set_precision(precision)
            data = RANDOM.integers(0, 1 << precision, 50).astype(f"<u{size}")
            case(f"szip-precision-{precision}-{how}", data, add, file=ty)


def number(size, order, precision, offset, sign="I"):
    ty = getattr(h5t, f"STD_{sign}{8 * size}{order}").copy()
    ty.set_precision(precision)
    ty.set_offset(offset)
    return ty


def nbit():
    def add(p):
        p.set_filter(h5py.h5z.FILTER_NBIT)

    for size, precision, offset in ((1, 3, 0), (1, 3, 4), (2, 11, 0), (2, 9, 3), (2, 4, 6), (4, 17, 0), (4, 20, 9),
                                    (4, 8, 8), (4, 31, 1), (8, 33, 0), (8, 61, 2), (8, 57, 7), (8, 1, 63)):
        for order in ("LE", "BE"):
            for sign in ("I", "U"):
                low = -(1 << precision - 1) if sign == "I" else 0
                data = RANDOM.integers(low, low + (1 << precision), 13, dtype=f"{sign.lower()}8" if precision < 64 else "u8")
                data = data.astype(np.dtype(f"{sign.lower()}{size}").newbyteorder("<" if order == "LE" else ">"))
                case(f"nbit-{sign}{size}{order}-{precision}-{offset}", data, add, file=number(size, order, precision, offset, sign),
                     exact=size > 1)  # HDF5 2.0 does not extend the sign of a single byte
    for order in ("<", ">"):
        case(f"nbit-full-{order}", smooth(9, f"{order}i4"), add)
    case("nbit-opaque", noise(5, "V3"), add)
    wide = h5t.NATIVE_LDOUBLE
    case("nbit-long-double", smooth(5, np.longdouble), add, mem=wide, file=wide, exact=False)
    real = h5t.IEEE_F32LE.copy()
    real.set_fields(26, 20, 6, 7, 13)
    real.set_offset(7)
    real.set_precision(20)
    real.set_ebias(31)
    case("nbit-float", np.array([0, 1.5, -2.25, 1e3, 0.125], "<f4"), add, file=real)

    pair = np.dtype([("a", "<i4"), ("b", "S3"), ("c", "<i2", (2, 2)), ("d", [("e", "<u1"), ("f", "<i8")])])
    inner = h5t.create(h5t.COMPOUND, 12)
    inner.insert(b"e", 1, number(1, "LE", 5, 2, "U"))
    inner.insert(b"f", 3, number(8, "BE", 35, 4))
    outer = h5t.create(h5t.COMPOUND, 40)
    text = h5t.C_S1.copy()
    text.set_size(3)
    text.set_strpad(h5t.STR_NULLPAD)
    outer.insert(b"a", 2, number(4, "BE", 19, 3))
    outer.insert(b"b", 7, text)
    outer.insert(b"c", 12, h5t.array_create(number(2, "LE", 10, 1), (2, 2)))
    outer.insert(b"d", 24, inner)
    data = np.zeros(6, pair)
    for n, row in enumerate(data):
        row["a"], row["b"], row["c"] = -n * 1000, b"x%dz" % n, [[n, -n], [n * 50, 7]]
        row["d"] = (n * 5, -(1 << n * 5))
    case("nbit-compound", data, add, mem=h5t.py_create(pair), file=outer)
    many = h5t.array_create(inner, (3,))
    cell = pair["d"]
    memory = h5t.array_create(h5t.py_create(cell), (3,))
    rows = np.zeros((4, 3), cell)
    rows["e"], rows["f"] = 9, -12345
    plist = np.zeros(4, np.dtype((np.void, cell.itemsize * 3)))
    plist[:] = rows.view(np.dtype((np.void, cell.itemsize * 3))).reshape(4)
    case("nbit-array-of-compound", plist, add, mem=memory, file=many)
    mixed = h5t.create(h5t.COMPOUND, 9)
    mixed.insert(b"a", 0, h5t.array_create(h5t.create(h5t.OPAQUE, 3), (2,)))
    mixed.insert(b"b", 6, number(2, "LE", 5, 0, "U"))
    data = noise((4, 9), "u1").copy()
    data[:, 6:] = [19, 0, 0]
    case("nbit-array-of-opaque", data.view("V9").reshape(4), add, mem=mixed, file=mixed)


def scaleoffset():
    def with_fill(kind, factor, fill):
        def add(p):
            if fill is None:
                assert HDF5.H5Pset_fill_value(p.id, -1, None) >= 0
            else:
                p.set_fill_value(fill)
            p.set_scaleoffset(kind, factor)
        return add

    for order in ("<", ">"):
        for sign in ("i", "u"):
            for size in (1, 2, 4, 8):
                dtype = np.dtype(f"{order}{sign}{size}") if size > 1 else np.dtype(f"{sign}1")
                if size == 1 and order == ">":
                    continue
                info = np.iinfo(dtype)
                fill = np.array(info.max - 1 if sign == "i" else 99, dtype)
                name = f"scaleoffset-{sign}{size}-{'le' if order == '<' else 'be'}"
                data = smooth(21, dtype)
                if sign == "i":
                    data -= np.array(70, dtype)
                holes = data.copy()
                holes[3::5] = fill
                none = with_fill(h5z_int, 0, None)
                case(f"{name}", data, none)
                case(f"{name}-fill", holes, with_fill(h5z_int, 0, fill))
                case(f"{name}-all-fill", np.full(9, fill), with_fill(h5z_int, 0, fill))
                case(f"{name}-constant", np.full(9, data[0]), none)
                case(f"{name}-full", np.array([info.min, info.max, 1, 5], dtype), none)
                case(f"{name}-wide", np.array([info.min // 2 + 1, info.max // 2, 1, 5], dtype), none)
                case(f"{name}-7", data, with_fill(h5z_int, 7, None))
                case(f"{name}-as-is", data, with_fill(h5z_int, 8 * size, None))
        for size in (4, 8):
            dtype = np.dtype(f"{order}f{size}")
            data = (smooth(21, "f8", 30) / 7 - 3).astype(dtype)
            fill = np.array(-999.25, dtype)
            holes = data.copy()
            holes[2::4] = fill
            for digits in (0, 2, 5):
                name = f"scaleoffset-f{size}-{'le' if order == '<' else 'be'}-{digits}"
                case(f"{name}", data, with_fill(h5z_float, digits, None), exact=False)
                case(f"{name}-fill", holes, with_fill(h5z_float, digits, fill), exact=False)
            name = f"scaleoffset-f{size}-{'le' if order == '<' else 'be'}"
            case(f"{name}-constant", np.full(9, data[0]), with_fill(h5z_float, 3, None), exact=False)
            case(f"{name}-full", np.array([-3e9, 3e9, 0.5], dtype) * (1 if size == 4 else 1e10), with_fill(h5z_float, 9, None), exact=False)


h5z_float, h5z_int = 0, 2

if __name__ == "__main__":
    print(f"# Made by testdata/filters.py with HDF5 {h5py.version.hdf5_version}.")
    for part in (plain, szip, nbit, scaleoffset):
        part()
    print(len(SEEN), "chunks, not filtered:", *SKIPPED, file=sys.stderr)
