"""Command lines: options that several scripts have."""

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
    """One of N items, chosen by its name alone. The text is N or K/N: the K-th share of N, of which the first is 0."""

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
    "bin": {"metavar": "FOLDER", "help": "folder of our tools (BIN, target/release)"},
    "helper": {"metavar": "FILE", "help": "helper program of the tests (HELPER, target/debug/helper)"},
    "jobs": {"type": int, "default": JOBS, "metavar": "N", "help": "items at a time"},
    "only": {"type": re.compile, "default": re.compile(""), "metavar": "REGEX", "help": "only items whose name matches"},
    "share": {"type": Share, "default": Share("1"), "metavar": "[K/]N", "help": "only the K-th of N shares of the items"},
    "keep": {"type": pathlib.Path, "metavar": "FOLDER", "help": "keep files there"},
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
        """The options. Those that name programs become variables of the environment, for processes that this one starts."""
        options = self.parse_args()
        # Servers are stopped and folders removed, as at any other end.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        for name in ("bin", "helper"):
            if getattr(options, name, None):
                os.environ[name.upper()] = os.path.abspath(getattr(options, name))
        return options


@contextlib.contextmanager
def scratch(keep=None, **how):
    """A folder until the end of a `with` block, or the one in which files are kept."""
    with tempfile.TemporaryDirectory(**how) as folder:
        folder = keep or pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
