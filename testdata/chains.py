#!/usr/bin/env python3
"""Makes chains.txt anew: attributes of a variable in CDL, and the filters that the C ncgen gives it.

  NCGEN=... NCDUMP=... testdata/chains.py > testdata/chains.txt

Needs the C tools and, for filters that HDF5 does not have, hdf5plugin. Each line is the attributes, a tab and what the C ncdump
shows as _Filter. Repeated _Filter attributes are not among them: of these the C ncgen takes the last alone.
"""

import os
import pathlib
import re
import subprocess
import tempfile

import hdf5plugin

NCGEN, NCDUMP = os.environ.get("NCGEN", "ncgen"), os.environ.get("NCDUMP", "ncdump")
ATTRIBUTES = [
    '_DeflateLevel = 5',
    '_Shuffle = "true"',
    '_Fletcher32 = "true"',
    '_DeflateLevel = 5; _Shuffle = "true"; _Fletcher32 = "true"',
    '_Fletcher32 = "true"; _Shuffle = "true"; _DeflateLevel = 5',
    '_DeflateLevel = 0; _Shuffle = "true"',
    '_DeflateLevel = 1; _Shuffle = "false"; _Fletcher32 = "false"',
    '_Filter = "1,5"',
    '_Filter = "1,0"',
    '_Filter = "1,5|2|3"',
    '_Filter = "2|1,5"',
    '_Filter = "3|1,5"',
    '_Filter = "2"',
    '_Filter = "3"',
    '_Filter = "307,9"',
    '_Filter = "307,9|1,5"',
    '_Filter = "1,5|307,9"',
    '_Filter = "307,9|3|32015,3|2"',
    '_Filter = "2|307,9|3"',
    '_Filter = "307,9|307,5"',
    '_Filter = "307,9|1,3|307,5|1,4"',
    '_Filter = "2|2|3|3"',
    '_Filter = "307,9"; _DeflateLevel = 5',
    '_DeflateLevel = 5; _Filter = "307,9"',
    '_Filter = "307,9|1,3"; _DeflateLevel = 5',
    '_Filter = "307,9|32015,1"; _DeflateLevel = 1; _Shuffle = "true"; _Fletcher32 = "true"',
    '_Shuffle = "false"; _Filter = "2|307,9"',
    '_Filter = "2|307,9"; _Shuffle = "false"',
    '_Filter = "4,32,8"',
    '_Filter = "4,4,2"',
    '_Filter = "2|4,32,16"',
    '_Filter = "307,9"; _Storage = "contiguous"',
    '_Filter = "307,9"; _Storage = "compact"',
    '_DeflateLevel = 5; _Storage = "contiguous"',
    '_Filter = "307,9"; _ChunkSizes = 7',
]


def filters(attributes, folder):
    text = "".join(f"v:{one.strip()} ;" for one in attributes.split(";"))
    cdl, made = folder / "a.cdl", folder / "a.nc"
    cdl.write_text(f"netcdf a {{ dimensions: x = 20 ; variables: int v(x) ; {text} data: v = 1, 2, 3 ; }}")
    env = {**os.environ, "HDF5_PLUGIN_PATH": hdf5plugin.PLUGINS_PATH}
    subprocess.run([NCGEN, "-4", "-o", made, cdl], check=True, env=env)
    shown = subprocess.run([NCDUMP, "-h", "-s", "-F", made], check=True, env=env, stdout=subprocess.PIPE, text=True).stdout
    assert '"chunked"' in shown, attributes
    return re.search(r':_Filter = "(.*)" ;', shown)[1]


def main():
    with tempfile.TemporaryDirectory() as folder:
        for attributes in ATTRIBUTES:
            print(f"{attributes}\t{filters(attributes, pathlib.Path(folder))}")


if __name__ == "__main__":
    main()
