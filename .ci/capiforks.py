"""Children of `fork` that read through the C library while threads of their parent read. Used by .ci/capi."""

import os
import re

from common import ROOT, run
from common.servers import BUCKET, KEYS, Bucket, ServedFiles, moto, serve_folder

CRATE = ROOT / "netcdf-core" / "capi"
FORKS, THREADS = 200, 3
# Makes the standard library start programs with `fork`, as with glibc before 2.24.
OLD_SYSTEM = 'const char *gnu_get_libc_version(void) { return "2.17"; }\n'


def write_inputs(folder):
    """Writes a file with deflated chunks, and a file with chunks of a plugin."""
    import h5py
    import hdf5plugin
    import numpy as np
    for name, filters in ("deflated.nc", {"compression": 4, "shuffle": True}), ("blosc2.nc", hdf5plugin.Blosc2()):
        with h5py.File(folder / name, "w") as file:
            for number in range(4):
                data = np.sin(np.arange(65536, dtype="f4") * (number + 1)).reshape(256, 256)
                file.create_dataset(f"v{number}", data=data, chunks=(32, 256), **filters)
    return hdf5plugin.PLUGIN_PATH


def check_forks(folder, run_script, report):
    """Children read local and remote data, and data of plugins."""
    served = folder / "served"
    served.mkdir()
    plugin_path = write_inputs(served)
    program = folder / "fork_reads"
    run("gcc", "-O1", "-o", program, CRATE / "fork_reads.c", "-lnetcdf", "-lpthread", check=True)
    web = serve_folder(ServedFiles, served)
    with moto() as url:
        Bucket(url).put("deflated.nc", (served / "deflated.nc").read_bytes())
        environment = {**os.environ, **KEYS, "AWS_ENDPOINT_URL": url, "NO_PROXY": "127.0.0.1", "HDF5_PLUGIN_PATH": plugin_path}
        addresses = {
            "local": [served / "deflated.nc"],
            "web": [f"{web}/deflated.nc"],
            "S3": [f"s3://{BUCKET}/deflated.nc"],
            "plugins": [served / "blosc2.nc"],
        }
        for name, words in addresses.items():
            done = run(run_script, program, FORKS, THREADS, *words, seconds=600, env=environment)
            report.check(done.status == 0, f"forks, {name}: status {done.status}, {done.said[:500]}")
            print(f"{name}: {done.text.strip()}")
            report.count("forks", int((re.match(r"\d+", done.text) or ["0"])[0]))


def old_system(folder):
    """Returns a library that makes the standard library start programs with `fork`."""
    source, library = folder / "old_system.c", folder / "old_system.so"
    source.write_text(OLD_SYSTEM)
    run("gcc", "-shared", "-fPIC", "-o", library, source, check=True)
    return library
