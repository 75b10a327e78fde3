#!/usr/bin/env python3
# Makes the copy that is planned in a directory: tasks of Dask make the parts, then one task joins them.
#
# Run: python3 THIS_SCRIPT tcp://SCHEDULER:8786, or with N worker processes on this machine: python3 THIS_SCRIPT --local N
# Needs the package distributed. Run it again at any time: parts that are done already are not made again.
# The exit status is 0 if the copy is complete, else 1.
#
# Made by: nccopy --emit dask @COMMENT@
import os
import sys

# Otherwise a script called copy.py would hide a module of Python that others need.
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != os.path.dirname(os.path.abspath(__file__))]

import argparse
import subprocess

from distributed import Client, LocalCluster, as_completed

# The program, and the directory of the plan, as all workers see them.
NCCOPY = os.environ.get("NCCOPY", "nccopy")
DIR = @DIR@
PARTS = @PARTS@
# The parts of each stage. Those of a second stage need all of the first.
STAGES = [@RANGES@]
# Threads of a part: a task takes one of a worker.
THREADS = 1
# How often a part is tried again. Dask itself repeats tasks of workers that are lost.
RETRIES = 3
# The keys of the tasks begin with this. Plans that differ have other keys.
NAME = "nccopy-part-@PLAN@"


def run(option, program, directory, threads):
    """Runs nccopy; returns what it says if it makes no sense to try again, else None. Dask repeats tasks that raise exceptions."""
    command = [program, "--threads", str(threads), *option, directory]
    done = subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", check=False)
    # 75: nccopy asks to try again. Below zero: the process was killed, for example for lack of memory.
    if done.returncode == 75 or done.returncode < 0:
        raise RuntimeError(f"nccopy ended with {done.returncode}: {done.stderr.strip()}")
    return done.stderr.strip() or "failed" if done.returncode else None


def mistake(future):
    """What is wrong with a task that has ended, else None."""
    if future.status == "finished":
        return future.result()
    return str(future.exception()) if future.status == "error" else future.status


def tell(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


def copy(client):
    """Makes all parts, and joins them; returns the exit status."""
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
