#!/usr/bin/env python3
"""Makes chunks_*.h5 (all kinds of chunk indexes) and chunks_*.txt (their chunks as libhdf5 sees
them). Needs h5py with HDF5 2.0 or newer.

Each dataset is one line `dataset NAME ADDRESS-OF-OBJECT-HEADER INDEX`, followed by a line
`OFFSET,OFFSET... SIZE MASK ADDRESS` per stored chunk, sorted by offset.
"""
import os
import sys

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


class Maker:
    def __init__(self, name, libver, fcpl=None):
        self.base = os.path.join(HERE, "chunks_" + name)
        fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        fapl.set_libver_bounds(*libver)
        fid = h5py.h5f.create(
            (self.base + ".h5").encode(), h5py.h5f.ACC_TRUNC, fcpl, fapl)
        self.file = h5py.File(fid)

    def make(self, name, shape, chunk, most=None, early=False, type="u1", **filters):
        """Creates a dataset of bytes or of the given type."""
        dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        dcpl.set_obj_track_times(False)
        if early:
            dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        dset = self.file.create_dataset(
            name, shape, type, chunks=chunk, maxshape=most, dcpl=dcpl, **filters)
        return dset

    def chunks(self, dset):
        """Pairs of offset and StoreInfo."""
        chunks = []
        dset.id.chunk_iter(lambda c: chunks.append(c) and None)
        unlimited = [d for d, n in enumerate(dset.maxshape) if n is None]
        if len(unlimited) != 1 or unlimited == [0]:
            return [(c.chunk_offset, c) for c in chunks]
        # HDF5 2.0 reports wrong offsets if the first dimension is not the unlimited dimension. Identify
        # chunks by their contents, which must differ.
        with open(self.base + ".h5", "rb") as file:
            bytes = file.read()
        known = {bytes[c.byte_offset:c.byte_offset + c.size]: c for c in chunks}
        assert len(known) == len(chunks)
        grid = [-(-n // c) for n, c in zip(dset.shape, dset.chunks)]
        offsets = [tuple(x * c for x, c in zip(cell, dset.chunks)) for cell in np.ndindex(*grid)]
        pairs = [(at, known[dset.id.read_direct_chunk(at)[1]]) for at in offsets]
        assert len(pairs) == len(chunks)
        return pairs

    def close(self):
        lines = []
        for name in sorted(self.file):
            dset = self.file[name]
            self.file.flush()
            address = h5py.h5o.get_info(dset.id).addr
            lines.append(f"dataset {name} {address}")
            for offset, c in sorted(self.chunks(dset)):
                at = ",".join(map(str, offset))
                lines.append(f"{at} {c.size} {c.filter_mask} {c.byte_offset}")
        self.file.close()
        with open(self.base + ".txt", "w") as out:
            out.write("\n".join(lines) + "\n")


def data(shape):
    return (np.arange(np.prod(shape), dtype=np.uint64) * 7).reshape(shape)


def fill(dset):
    dset[...] = data(dset.shape).astype(dset.dtype)


def sparse(dset, places):
    for at in places:
        dset[at] = 1


def masks(dset):
    """Every third chunk has a mask for skipped filters."""
    size = int(np.prod(dset.chunks))
    grid = [-(-n // c) for n, c in zip(dset.shape, dset.chunks)]
    for number, cell in enumerate(np.ndindex(*grid)):
        at = tuple(x * c for x, c in zip(cell, dset.chunks))
        if number % 3 == 0:
            dset.id.write_direct_chunk(at, bytes(size - number % 2), filter_mask=number % 4)
        elif number % 3 == 1:
            dset.id.write_direct_chunk(at, bytes(size + number), filter_mask=0)


def every_index(m):
    none = None
    m.make("empty", (10, 10), (3, 3), (none, none))
    fill(m.make("single", (5, 7), (5, 7)))
    fill(m.make("single_deflate", (5, 7), (5, 7), compression=1))
    masks(m.make("single_mask", (5, 7), (5, 7), compression=1))
    fill(m.make("early", (5, 7), (2, 3), early=True))
    m.make("early_shrunk", (5, 7), (2, 3), (8, 12), early=True)
    fill(m.make("fixed", (5, 7), (2, 3)))
    fill(m.make("fixed_deflate", (5, 7), (2, 3), compression=9, shuffle=True))
    fill(m.make("fixed_larger", (5, 7), (2, 3), (11, 20)))
    masks(m.make("fixed_mask", (9, 7), (2, 3), compression=1))
    sparse(m.make("fixed_paged", (60, 70), (1, 1)),
           [(0, 0), (14, 44), (29, 17), (29, 18), (59, 69)])
    fill(m.make("fixed_paged_full", (1, 1030), (1, 1)))
    sparse(m.make("fixed_paged_deflate", (5000,), (1,), compression=1), [0, 1023, 1024, 4999])
    fill(m.make("one_unlimited", (5, 7), (2, 3), (none, 7)))
    fill(m.make("one_unlimited_deflate", (40, 7), (2, 3), (none, 7), compression=1))
    masks(m.make("one_unlimited_mask", (90, 7), (2, 3), (none, 9), compression=1))
    fill(m.make("last_unlimited", (5, 7, 50), (2, 3, 2), (6, 14, none), type="<u2"))
    fill(m.make("middle_unlimited", (5, 70, 5), (2, 3, 2), (6, none, 11), type="<u4", compression=1))
    fill(m.make("many", (1000,), (1,), (none,)))
    sparse(m.make("sparse", (300000,), (1,), (none,)),
           [0, 3, 4, 21, 250, 4000, 131060, 132083, 132084, 134000, 262150])
    sparse(m.make("sparse_deflate", (200000,), (1,), (none,), compression=1),
           [2, 19, 4000, 131060, 132085])
    fill(m.make("two_unlimited", (5, 7), (2, 3), (none, none)))
    fill(m.make("two_unlimited_deflate", (50, 70), (2, 3), (none, none), compression=1))
    masks(m.make("two_unlimited_mask", (9, 7), (2, 3), (none, none), compression=1))
    fill(m.make("two_unlimited_deep", (40, 41), (1, 1), (none, none)))
    shrunk = m.make("shrunk", (8, 10, 9), (2, 3, 4), (none, 30, none))
    fill(shrunk)
    shrunk.resize((5, 10, 3))


def main():
    v = h5py.h5f
    for name, libver in [
        ("earliest", (v.LIBVER_EARLIEST, v.LIBVER_V18)),
        ("v110", (v.LIBVER_V110, v.LIBVER_V110)),
        ("v200", (v.LIBVER_V200, v.LIBVER_V200)),
    ]:
        maker = Maker(name, libver)
        every_index(maker)
        maker.close()
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    fcpl.set_sizes(4, 4)
    fcpl.set_userblock(512)
    maker = Maker("narrow", (v.LIBVER_EARLIEST, v.LIBVER_V110), fcpl)
    fill(maker.make("deep", (31, 33), (2, 3)))
    masks(maker.make("mask", (31, 33), (2, 3), compression=1))
    maker.close()


if __name__ == "__main__":
    sys.exit(main())
