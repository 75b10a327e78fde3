#!/usr/bin/env python3
# Runs a planned copy: Dask tasks run the parts, then one task joins them.
#
# Run: python3 THIS_SCRIPT tcp://SCHEDULER:8786, or with N worker processes on this machine: python3 THIS_SCRIPT --local N
# Needs the package distributed. Run it again at any time: finished parts are skipped.
# The exit status is 0 if the copy is complete, else 1.
#
# Made by: nccopy --emit dask @COMMENT@
import os
import sys

# Otherwise a script called copy.py would hide a standard module of Python.
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]

import argparse
import subprocess

from distributed import Client, LocalCluster, as_completed

# The program and the plan directory. All workers must see both paths.
NCCOPY = os.environ.get("NCCOPY", "nccopy")
DIR = @DIR@
PARTS = @PARTS@
# The parts of each stage. Parts of the second stage need all parts of the first.
STAGES = [@RANGES@]
# Threads of a part: a task occupies one worker thread.
THREADS = 1
# Maximum retries per part. Dask itself repeats the tasks of lost workers.
RETRIES = 3
# The prefix of task keys. Different plans have different keys.
NAME = "nccopy-part-@PLAN@"


def run(option, program, directory, threads):
    """Runs nccopy; returns the error message of a permanent failure, else None. Dask repeats tasks that raise exceptions."""
    command = [program, "--threads", str(threads), *option, directory]
    done = subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    # 75: nccopy requests a retry. Below zero: the process was killed, for example for lack of memory.
    if done.returncode == 75 or done.returncode < 0:
        raise RuntimeError(f"nccopy ended with {done.returncode}: {done.stderr.strip()}")
    return done.stderr.strip() or "failed" if done.returncode else None


def mistake(future):
    """Returns the error of a finished task, or None."""
    if future.status == "finished":
        return future.result()
    return str(future.exception()) if future.status == "error" else future.status


def tell(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def copy(client):
    """Runs all parts and joins them; returns the exit status."""
    tell(f"dashboard: {client.dashboard_link}")
    common = {"program": NCCOPY, "directory": DIR, "threads": THREADS}
    done = 0
    for stage in STAGES:
        options = [("--part", str(part)) for part in stage]
        keys = [(NAME, part) for part in stage]
        parts = client.map(run, options, key=keys, retries=RETRIES, **common)
        for future in as_completed(parts):
            if said := mistake(future):
                tell(f"\npart {future.key[1]}: {said}")
            else:
                done += 1
                tell(f"\r{done} of {PARTS} parts are done", end="")
        tell("")
        if done < stage.stop:
            return 1
    finish = client.submit(run, ("--finish",), key=(NAME, "finish"), retries=RETRIES, **common)
    finish = as_completed([finish]).next()
    if said := mistake(finish):
        tell(f"finish: {said}")
        return 1
    tell("the copy is complete")
    return 0


def main():
    parser = argparse.ArgumentParser(description="Makes a copy in parts with Dask.")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("scheduler", nargs="?", metavar="ADDRESS", help="the address of a scheduler")
    where.add_argument("--local", type=int, metavar="N", help="start N worker processes on this machine")
    options = parser.parse_args()
    if options.scheduler:
        with Client(options.scheduler) as client:
            return copy(client)
    with LocalCluster(n_workers=options.local, threads_per_worker=1) as cluster, Client(cluster) as client:
        return copy(client)


if __name__ == "__main__":
    sys.exit(main())
