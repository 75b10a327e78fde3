"""Concurrent work on many items. Results have the order of the items, so that the output of a script does not change."""

import concurrent.futures
import multiprocessing
import os
import resource

JOBS = os.cpu_count()
FORK = multiprocessing.get_context("fork")
MEMORY = 4 << 30


def in_parallel(function, items, jobs=JOBS):
    """Yields (item, result) of a function that mostly waits for programs, in threads."""
    items = list(items)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from zip(items, pool.map(function, items))


WORK = {}


def begin_work(function, items):
    WORK.update(function=function, items=items)


def work_at(number):
    return WORK["function"](WORK["items"][number])


def in_processes(function, items, jobs=JOBS):
    """Like `in_parallel`, in processes: for functions that compute, and for libraries without thread support. The processes are forks:
    they import no module again, and only results must be picklable."""
    items = list(items)
    with concurrent.futures.ProcessPoolExecutor(jobs, FORK, begin_work, (function, items)) as pool:
        yield from zip(items, pool.map(work_at, range(len(items))))


def guarded(function, *values, seconds=60):
    """Returns (result, "") of a function in a separate process, or (None, reason), because libraries may crash or hang."""
    ours, theirs = FORK.Pipe(duplex=False)

    def child():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            answer = function(*values), ""
        except Exception as e:  # noqa: BLE001: any error of the library is the reason
            answer = None, f"{type(e).__name__}: {str(e)[:200]}"
        theirs.send(answer)
        theirs.close()
        os._exit(0)

    process = FORK.Process(target=child)
    process.start()
    theirs.close()
    try:
        answer = ours.recv() if ours.poll(seconds) else (None, "does not end")
    except EOFError:
        answer = None, "the library crashes"
    process.kill()
    process.join()
    ours.close()
    return answer
