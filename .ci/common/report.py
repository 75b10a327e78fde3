"""The findings of a script: prints and counts them, and sets the exit status."""

import collections
import importlib.util
import sys


def skipped(key, what):
    """Prints a skipped check in a line that .ci/run counts."""
    print(f"SKIPPED {key}: {what}", flush=True)


class Report:
    """Prints faults, and counts faults and comparisons."""

    def __init__(self):
        self.faults, self.counts = 0, collections.Counter()

    def fault(self, line):
        self.faults += 1
        print(line, flush=True)

    def faults_of(self, lines, shown=None):
        """Counts all lines, and prints the first lines."""
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
        """Returns the counts as one text, in the order of their first use."""
        return ", ".join(f"{n} {what}" for what, n in self.counts.items())

    def end(self, line, compared=True):
        """Prints the closing line and ends the script: with status 1 after a fault, or if nothing was compared."""
        print(line, flush=True)
        sys.exit(1 if self.faults or not compared else 0)


def needs(key, left_out, *modules):
    """Ends the script with status 77 if Python lacks one of these modules."""
    lacking = [name for name in modules if importlib.util.find_spec(name) is None]
    if lacking:
        skipped(key, f"Python has no {' and no '.join(lacking)}: {left_out}")
        sys.exit(77)
