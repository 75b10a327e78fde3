"""Command lines: options that several scripts share."""

import argparse
import contextlib
import os
import pathlib
import re
import signal
import sys
import tempfile
import zlib

from common.parallel import JOBS


class Share:
    """One share of the items. Only the name of an item determines its share. The text is N or K/N: the K-th share of N, from 0."""

    def __init__(self, text):
        at, _, of = text.rpartition("/")
        self.at, self.of = int(at or 0), int(of)
        if not 0 <= self.at < self.of:
            raise argparse.ArgumentTypeError(f"there is no share {text}")

    def has(self, name):
        return zlib.crc32(f"share {name}".encode()) % self.of == self.at

    def among(self, items, name=str):
        return [item for item in items if self.has(name(item))]


COMMON = {
    "bin": {"metavar": "DIRECTORY", "help": "directory of our tools (BIN, target/release)"},
    "helper": {"metavar": "FILE", "help": "helper program of the tests (HELPER, target/debug/helper)"},
    "jobs": {"type": int, "default": JOBS, "metavar": "N", "help": "items at a time"},
    "only": {"type": re.compile, "default": re.compile(""), "metavar": "REGEX", "help": "only items whose name matches"},
    "share": {"type": Share, "default": Share("1"), "metavar": "[K/]N", "help": "only the K-th of N shares of the items"},
    "keep": {"type": pathlib.Path, "metavar": "DIRECTORY", "help": "keep files there"},
    "seed": {"type": int, "default": 1, "metavar": "N", "help": "start of the random numbers"},
    "update": {"action": "store_true", "help": "write the lists anew"},
    "verbose": {"action": "store_true", "help": "print more"},
}


class Options(argparse.ArgumentParser):
    """A parser with some of the options of COMMON."""

    def __init__(self, doc, *common):
        super().__init__(description=doc, formatter_class=argparse.RawTextHelpFormatter)
        for name in common:
            self.add_argument(f"--{name}", **COMMON[name])

    def folders(self, name="folders", **how):
        self.add_argument(name, type=lambda text: pathlib.Path(text).resolve(), **how)

    def parse(self):
        """Returns the options. Options that specify programs also set environment variables for child processes."""
        options = self.parse_args()
        # Also stop servers and remove directories after a signal.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        for name in ("bin", "helper"):
            if getattr(options, name, None):
                os.environ[name.upper()] = os.path.abspath(getattr(options, name))
        return options


@contextlib.contextmanager
def scratch(keep=None, **how):
    """Yields a temporary directory, or the directory in which files are kept."""
    with tempfile.TemporaryDirectory(**how) as folder:
        folder = keep or pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
