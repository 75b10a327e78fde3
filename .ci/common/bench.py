"""Measures programs, for scripts that compare their speed."""

import os
import statistics
import subprocess
import sys
import time
import typing

from common.parallel import FORK


class Cost(typing.NamedTuple):
    """Wall seconds, CPU seconds (user and system), and the memory peak in MB."""

    wall: float
    cpu: float
    memory: float


def measured(*command, statuses=(0,), core=None, env=None):
    """Returns the cost of a program, and discards its output. `core` is the only core that the program may use."""
    pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
    start = time.perf_counter()
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=env, preexec_fn=pin)
    _, status, used = os.wait4(child.pid, 0)
    took = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in statuses:
        sys.exit(f"{' '.join(map(str, command))}: status {child.returncode}")
    return Cost(took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def medians(costs):
    return Cost(*(statistics.median(values) for values in zip(*costs)))


def in_turns(commands, rounds, before=None, **how):
    """Returns the medians by command name; the commands run in turns. `before` is called with the name before each run."""
    costs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            if before:
                before(name)
            costs[name].append(measured(*command, **how))
    return {name: medians(found) for name, found in costs.items()}


def make_apart(path, function, *arguments):
    """Creates a missing file with a function in another process, because the memory of a child process counts from its parent's memory."""
    if not path.exists():
        writing = FORK.Process(target=function, args=(path, *arguments))
        writing.start()
        writing.join()
        if writing.exitcode:
            sys.exit(f"{path} was not written")
    return path
