"""The inputs of .ci/hostile: files and stores of a directory, outputs of its scripts, and mutated variants."""

import os
import random
import re
import shutil
import struct
import sys

from common import files_below, run

# Python walks and copies directories by recursion, and some directories are nested 800 deep.
sys.setrecursionlimit(20_000)

# Scripts that create an input. Scripts that end in .sh check the result of a tool themselves.
MAKE = {".py": [sys.executable]}
DATA = {".nc", ".h5", ".cdl", ".zarr", ".zip"}
LARGEST = 64 << 10  # bytes of an input of which there are variants
# Harmful numbers for sizes, counts and addresses.
NUMBERS = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 10**6, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**37, 2**53, 2**63 - 1, 2**63, 2**64 - 1]
# Text that ends strings, comments or lines, or controls a terminal.
TEXTS = ["\x1b[2J", "\u009b31m", "\u202e", "*/", "\n data: v = 1;", "\\", '"', "??/", "&lt;", "\ufffe", "../..", "a" * 70_000, ""]


def gather(folder, made):
    """Returns all inputs: existing inputs, and inputs that the scripts create below `made`."""
    made.mkdir()
    for script in sorted(folder.iterdir()):
        if script.suffix in MAKE:
            place = made / script.stem
            place.mkdir()
            run(*MAKE[script.suffix], script, cwd=place, check=True)
    linked(made / "15_symlink")
    found = [p for p in folder.iterdir() if p.suffix in DATA]
    found += [p for place in made.iterdir() for p in place.iterdir() if p.suffix in DATA]
    return sorted(found)


def linked(place):
    """Creates a dataset with external data in a neighbouring file, which is a symbolic link out of the directory."""
    try:
        import h5py
    except ImportError:
        print("h5py cannot be had: no file with external data behind a symbolic link")
        return
    place.mkdir()
    with h5py.File(place / "x.h5", "w") as file:
        file.create_dataset("v", shape=(64,), dtype="u1", external=[("notes.raw", 0, 64)])
    (place / "notes.raw").symlink_to("/etc/passwd")


def scripts(folder, parts):
    """Returns the scripts that check the result of a tool themselves. Only root can change owners."""
    found = sorted(folder.glob("*.sh"))
    found = [s for s in found if "setpriv" not in s.read_text() or os.geteuid() == 0]
    return [s for s in found if not parts or any(part in s.name for part in parts)]


def variants(inputs, made, count, seed):
    """Returns a number of mutated variants of each small input; the same variants for the same seed."""
    out = []
    for path in inputs:
        if sum(map(len, files_below(path).values())) > LARGEST:
            continue
        for n in range(count):
            rng = random.Random(f"{path.name} {seed} {n}")
            place = made / f"variant{n}-{path.name}"
            if path.is_dir():
                shutil.copytree(path, place, copy_function=shutil.copyfile)
                files = sorted(p for p in place.rglob("*") if p.is_file())
                # Metadata controls the reading of chunks.
                likely = [p for p in files if p.name.startswith(".z") or p.name == "zarr.json"] or files
                for chosen in rng.sample(likely, min(len(likely), rng.randint(1, 2))):
                    os.chmod(chosen, 0o600)
                    chosen.write_bytes(mutated(chosen.read_bytes(), True, rng))
            else:
                place.write_bytes(mutated(path.read_bytes(), path.suffix == ".cdl", rng))
            out.append(place)
    return out


def mutated(data, text, rng):
    """Makes some changes. Changes of text preserve its structure."""
    for _ in range(rng.randint(1, 3)):
        data = (reworded if text else renumbered)(bytearray(data), rng)
    return bytes(data)


def reworded(data, rng):
    """Changes a number or the content of a string."""
    places = [(m, False) for m in re.finditer(rb"(?<![\w\"])\d+", data)]
    places += [(m, True) for m in re.finditer(rb'"([^"\\]*)"', data)]
    if not places:
        return renumbered(data, rng)
    match, string = rng.choice(places)
    if string:
        new = rng.choice(TEXTS).encode(errors="surrogatepass")
        new = b'"' + new.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\x1b", b"\\u001b").replace(b"\n", b"\\n") + b'"'
    else:
        new = str(rng.choice(NUMBERS)).encode()
    return data[: match.start()] + new + data[match.end() :]


def renumbered(data, rng):
    """Replaces a few bytes by a number, or by other bytes of the file."""
    if len(data) < 8:
        return data
    width = rng.choice([1, 2, 4, 8])
    at = rng.randrange(len(data) - width + 1)
    if rng.random() < 0.2:
        other = rng.randrange(len(data) - width + 1)
        data[at : at + width] = data[other : other + width]
        return data
    number = rng.choice(NUMBERS) & ((1 << 8 * width) - 1)
    order = rng.choice("<>")
    data[at : at + width] = struct.pack(order + {1: "B", 2: "H", 4: "I", 8: "Q"}[width], number)
    return data


def keep_variant(path, folder):
    """Copies a variant for inspection."""
    folder.mkdir(exist_ok=True)
    to = folder / path.name
    if path.is_dir():
        shutil.copytree(path, to, dirs_exist_ok=True)
    else:
        shutil.copyfile(path, to)
