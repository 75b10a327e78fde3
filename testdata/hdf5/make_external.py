#!/usr/bin/env python3
"""Makes external.h5, with the data of dataset `x` in external_1.raw and external_2.raw, and
prints the address of the dataset's object header; and links_many.h5, 100 links to `x` in external.h5,
each of which has another path to it. Needs h5py.

Ten numbers (100, 101, ...) of 4 bytes: four from byte 3 of the first file, four from byte 5 of the
second one, the last two from byte 30 of the first one.
"""
import os

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    os.chdir(HERE)
    values = np.arange(100, 110, dtype="<i4").tobytes()
    with open("external_1.raw", "wb") as out:
        out.write(b"..." + values[:16] + 11 * b"." + values[32:])
    with open("external_2.raw", "wb") as out:
        out.write(b"....." + values[16:32])
    with h5py.File("external.h5", "w") as file:
        pieces = [("external_1.raw", 3, 16), ("external_2.raw", 5, 16),
                  ("external_1.raw", 30, h5py.h5f.UNLIMITED)]
        dset = file.create_dataset("x", (10,), "<i4", external=pieces, track_times=False)
        print(h5py.h5o.get_info(dset.id).addr)
    with h5py.File("external.h5") as file:
        assert list(file["x"]) == list(range(100, 110))
    with h5py.File("links_many.h5", "w", libver="latest") as file:
        for n in range(100):
            file[f"x{n:02}"] = h5py.ExternalLink("./" * n + "external.h5", "/x")


if __name__ == "__main__":
    main()
