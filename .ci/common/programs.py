"""Runs programs with limits: our tools, the helper of the tests, and tools of other projects."""

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import typing

from common.data import ROOT

MESSAGES = 1 << 20  # bytes of standard error that are read where the output has a limit


class Failed(RuntimeError):
    """A program that must succeed has failed."""


class Done(typing.NamedTuple):
    """The end of a run. `status` is None if the run was killed at its time limit, or after `most` bytes of output."""

    status: int | None
    out: bytes
    err: bytes
    seconds: float = 0.0

    @property
    def text(self):
        return self.out.decode(errors="replace")

    @property
    def said(self):
        """Returns the messages on standard error."""
        return self.err.decode(errors="replace").strip()


@functools.cache
def executable(path, build):
    path = pathlib.Path(path).resolve()
    if not os.access(path, os.X_OK):
        sys.exit(f"no such executable: {path}; build it with `{build}`")
    return path


def tool(name):
    """Returns the path of one of our tools, in the directory of --bin or BIN."""
    return executable(os.path.join(os.environ.get("BIN") or ROOT / "target" / "release", name), "cargo build --release")


def helper(*words):
    """Returns the command line of a subcommand of the helper program, from --helper or HELPER."""
    path = os.environ.get("HELPER") or ROOT / "target" / "debug" / "helper"
    return [executable(path, "cargo build -p netcdf-tools-tests"), *words]


def installed(*names):
    """Checks whether all these programs are installed."""
    return all(shutil.which(name) for name in names)


def limited(command, memory=None, file=None):
    """Returns the command with limits in bytes for its memory and for its files. `prlimit` takes a fifth of the time that Python needs to
    set the limits of a child process."""
    limits = [f"--as={memory}"] * bool(memory) + [f"--fsize={file}"] * bool(file)
    return ["prlimit", "--core=0", *limits, "--", *map(str, command)] if limits else [str(word) for word in command]


def run(*command, seconds=300, memory=None, file=None, most=None, given=None, check=False, **how):
    """Runs a program to its end. `given` is its standard input; `how` are arguments of Popen. With `check`, a failure is an exception."""
    words, start = limited(command, memory, file), time.monotonic()
    if most is not None:
        status, out, err = cut_off(words, seconds, most, how)
    else:
        given = {"stdin": subprocess.DEVNULL} if given is None else {"input": given.encode() if isinstance(given, str) else given}
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **given, **how}
        try:
            done = subprocess.run(words, timeout=seconds, check=False, **how)
            status, out, err = done.returncode, done.stdout or b"", done.stderr or b""
        except subprocess.TimeoutExpired:
            status, out, err = None, b"", f"no end after {seconds:g} s".encode()
    done = Done(status, out, err, time.monotonic() - start)
    if check and status != 0:
        raise Failed(f"{' '.join(map(str, command))}: status {status}: {done.said}")
    return done


def cut_off(words, seconds, most, how):
    """Returns status, output and messages of a program that is killed after a number of bytes."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err, **how)
        late = threading.Timer(seconds, process.kill)
        late.start()
        out = process.stdout.read(most)
        if len(out) == most:
            process.kill()
        process.stdout.close()
        status = process.wait()
        late.cancel()
        err.seek(0)
        return (None if status == -9 else status), out, err.read(MESSAGES)
