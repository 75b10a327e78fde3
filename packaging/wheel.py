"""Writes a wheel with the tools as scripts, and man pages, completions and pages as data: wheel.py TREE VERSION PLATFORM OUTPUT LEVEL

Wheels have no links. The executable is stored once, and a small launcher for each tool runs it. The tree is that of packaging/stage.sh.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

LAUNCHER = """#!/bin/sh
here=$0
[ ! -L "$here" ] || here=$(readlink -f "$here")
exec "${{here%/*}}/netcdf-tools" {} "$@"
"""
METADATA = """Metadata-Version: 2.4
Name: netcdf-tools
Version: {version}
Summary: ncdump, ncgen, nccopy and zdump in Rust, without libnetcdf and libhdf5
Author: The netcdf-tools developers
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
License-File: LICENSES-CRATES.txt
Keywords: netCDF,HDF5,Zarr,ncdump,nccopy
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering
Description-Content-Type: text/markdown

{readme}"""


def contents(tree, version, platform):
    """The files of the wheel: path, bytes, and whether the file is executable."""
    name = f"netcdf_tools-{version}"
    for path in sorted(p for p in tree.rglob("*") if p.is_file()):
        place = path.relative_to(tree)
        if place.parts[0] == "share":
            yield f"{name}.data/data/{place}", path.read_bytes(), False
        elif path.name == "netcdf-tools":
            yield f"{name}.data/scripts/{path.name}", path.read_bytes(), True
        else:
            yield f"{name}.data/scripts/{path.name}", LAUNCHER.format(path.name).encode(), True
    doc = tree / "share/doc/netcdf-tools"
    for licence in sorted(doc.glob("LICENSE*")):
        yield f"{name}.dist-info/licenses/{licence.name}", licence.read_bytes(), False
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in platform.split("."))
    wheel = f"Wheel-Version: 1.0\nGenerator: netcdf-tools\nRoot-Is-Purelib: false\n{tags}"
    yield f"{name}.dist-info/WHEEL", wheel.encode(), False
    readme = (doc / "README.md").read_text(encoding="utf-8")
    yield f"{name}.dist-info/METADATA", METADATA.format(version=version, readme=readme).encode(), False


def write(output, record, files, level):
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    rows = []
    with zipfile.ZipFile(output, "w") as wheel:
        def put(path, data, runs):
            entry = zipfile.ZipInfo(path, date)
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data, compresslevel=level)

        for path, data, runs in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(data)}\n")
            put(path, data, runs)
        put(record, "".join([*rows, f"{record},,\n"]).encode(), False)


def main():
    tree, version, platform, output, level = sys.argv[1:]
    name = f"netcdf_tools-{version}"
    wheel = pathlib.Path(output) / f"{name}-py3-none-{platform}.whl"
    write(wheel, f"{name}.dist-info/RECORD", contents(pathlib.Path(tree), version, platform), int(level))


if __name__ == "__main__":
    main()
