#!/usr/bin/env python3
"""Runs the tests of a file of netCDF4-python in two steps, so that another library can read what netCDF-C wrote. Used by .ci/capi.

  python3 .ci/pythontests.py make FILE FOLDER    runs each test, and saves the state after `setUp` in FOLDER
  python3 .ci/pythontests.py read FILE FOLDER    runs each test without `setUp`, on the saved files

Prints a JSON object: the outcome of each test, `passes` or the end of its traceback.
"""

import functools
import importlib.util
import json
import os
import pathlib
import pickle
import shutil
import sys
import traceback
import types
import unittest
import warnings

OWN = "netcdf4_python_test"


class Filters(types.ModuleType):
    """Replaces a module of the tests, which writes files to detect filters."""

    def __getattr__(self, name):
        return name.startswith("has_")


def load(path):
    """Imports a test file. Equal seeds give equal random values in both steps."""
    import numpy as np
    np.random.seed(0)
    sys.modules["filter_availability"] = Filters("filter_availability")
    spec = importlib.util.spec_from_file_location(OWN, path)
    module = sys.modules[OWN] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tests_of(module):
    suites = unittest.defaultTestLoader.loadTestsFromModule(module)
    return [test for suite in suites for test in suite]


def storable(values):
    """Returns the values that another process can use."""
    def usable(value):
        try:
            pickle.loads(pickle.dumps(value))
        except Exception:  # noqa: BLE001: any failure means that the value cannot be saved
            return False
        return not callable(value)
    return {name: value for name, value in values.items() if not name.startswith("_") and usable(value)}


def paths_in(values):
    """Yields all texts in variables, also in lists."""
    for value in values:
        if isinstance(value, (str, os.PathLike)):
            yield str(value)
        elif isinstance(value, (list, tuple)):
            yield from paths_in(value)


def save(test, module, folder):
    """Saves variables and files after `setUp`."""
    state = storable(vars(test)), {name: value for name, value in storable(vars(module)).items() if list(paths_in([value]))}
    files = [path for path in dict.fromkeys(paths_in([*state[0].values(), *state[1].values()])) if len(path) < 250 and os.path.isfile(path)]
    folder.mkdir(parents=True)
    for number, path in enumerate(files):
        shutil.copy(path, folder / str(number))
    (folder / "state").write_bytes(pickle.dumps((*state, files)))


def set_up(test, module, folder):
    test.setUp()
    save(test, module, folder)


def restore(test, module, folder):
    own, shared, files = pickle.loads((folder / "state").read_bytes())
    vars(test).update(own)
    vars(module).update(shared)
    for number, path in enumerate(files):
        shutil.copy(folder / str(number), path)


def outcome(test, before, after=lambda: None):
    try:
        before()
        getattr(test, test._testMethodName)()
    except unittest.SkipTest:
        return "skipped"
    except BaseException:  # noqa: BLE001: the outcome is a text
        return traceback.format_exc()[-600:]
    finally:
        try:
            after()
        except Exception:  # noqa: BLE001: files may be missing after a failure
            pass
    return "passes"


def main():
    mode, path, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    os.chdir(path.parent)
    sys.path.insert(0, str(path.parent))
    warnings.simplefilter("ignore")
    module, found = load(path), {}
    for test in tests_of(module):
        own = folder / test.id().replace("/", "_")
        if mode == "make":
            found[test.id()] = outcome(test, functools.partial(set_up, test, module, own), test.tearDown)
        elif (own / "state").exists():
            found[test.id()] = outcome(test, functools.partial(restore, test, module, own))
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
