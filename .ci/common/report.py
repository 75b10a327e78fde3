"""The findings of a script: printed, counted, and turned into its exit status."""

import collections
import importlib.util
import sys


def skipped(key, what):
    """Prints a part that a script does not do, in a line that .ci/run counts."""
    print(f"SKIPPED {key}: {what}", flush=True)


class Report:
    """Prints faults, counts them and what was compared."""

    def __init__(self):
        self.faults, self.counts = 0, collections.Counter()

    def fault(self, line):
        self.faults += 1
        print(line, flush=True)

    def faults_of(self, lines, shown=None):
        """Counts all lines, and prints the first ones."""
        lines = list(lines)
        for line in lines[:shown]:
            print(line, flush=True)
        self.faults += len(lines)

    def check(self, good, line):
        if not good:
            self.fault(line)

    def count(self, what, n=1):
        self.counts[what] += n

    def counted(self):
        """The counts in the order in which they began, as one text."""
        return ", ".join(f"{n} {what}" for what, n in self.counts.items())

    def end(self, line, compared=True):
        """Prints the closing line and ends the script: with status 1 after a fault, or if nothing was compared."""
        print(line, flush=True)
        sys.exit(1 if self.faults or not compared else 0)


def needs(key, left_out, *modules):
    """Ends the script with status 77 if Python does not have all of these modules."""
    lacking = [name for name in modules if importlib.util.find_spec(name) is None]
    if lacking:
        skipped(key, f"Python has no {' and no '.join(lacking)}: {left_out}")
        sys.exit(77)
