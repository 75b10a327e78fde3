#!/usr/bin/env python3
"""Makes grammar/src/filter_spec/parse/c.txt anew: filter specifications, and their filters according to netCDF-C.

  testdata/filterspecs.py > grammar/src/filter_spec/parse/c.txt

Needs the netCDF4 package, whose libnetcdf has the C parser. The texts are made here: every type of number in lower and upper
case at the ends of its range, and blanks where they may be. Each line is a text, a tab and its filters as ID,P,P|ID; all are
well formed.
"""

import ctypes
import pathlib

import netCDF4


class Spec(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("count", ctypes.c_size_t), ("params", ctypes.POINTER(ctypes.c_uint))]


def library():
    folder = pathlib.Path(netCDF4.__file__).parent.parent / "netcdf4.libs"
    return ctypes.CDLL(str(next(folder.glob("libnetcdf*"))))


def parsed(lib, text):
    count, list_ = ctypes.c_size_t(), ctypes.POINTER(ctypes.POINTER(Spec))()
    status = lib.ncaux_h5filterspec_parselist(text.encode(), None, ctypes.byref(count), ctypes.byref(list_))
    assert status == 0, (text, status)
    specs = [list_[n].contents for n in range(count.value)]
    return "|".join(",".join(map(str, [s.id, *s.params[: s.count]])) for s in specs)


ENDS = {
    "": [0, 77, (1 << 32) - 1, -1, -77, -(1 << 31)],
    "u": [0, 93, (1 << 32) - 1, -1, -(1 << 31)],
    "b": [0, 127, 128, 255, 256, 300, -1, -17, -128, -129, (1 << 32) - 1],
    "ub": [0, 23, 255, 256, -1],
    "s": [0, 32767, 32768, 65535, 65536, -1, -25, -32768, -32769],
    "us": [0, 27, 65535, 65536, -1],
    "l": [0, 1, -1, (1 << 63) - 1, -(1 << 63), 1 << 32],
    "ul": [0, 1, -1, (1 << 64) - 1, 1 << 63, (1 << 32) - 1],
    "f": ["0", "-0", "789", "1.5", "-.5", "5.", "1e10", "1E-46", "16777217", "0.1", "3.4028236e38", "1e400"],
    "d": ["0", "-0", "12345678.12345678", "-.5", "5.", "1e300", "4.9e-324", "9007199254740993", "0.1"],
}
BLANKS = ["307 , 9", " 307,9", "\t307\t,\t9", "307,9 b|4 ,32,\t32", "1|2 | 3", "40000,5 ul, -7 S"]
PIPELINES = ["307", "307,9", "307,9|4,32,32", "2|1,5|3", "4294967295", "0", "1,017,+5"]


def main():
    lib = library()
    texts = PIPELINES + BLANKS
    for tag, values in ENDS.items():
        for tag in sorted({tag, tag.upper(), tag.capitalize()}):
            texts += [f"{40000 + len(texts)},{value}{tag}" for value in values]
    for text in texts:
        print(f"{text}\t{parsed(lib, text)}".replace("\t", "\\t", text.count("\t")))


if __name__ == "__main__":
    main()
