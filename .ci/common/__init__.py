"""Helpers that the scripts of this directory share. They only need the standard library."""

from common.data import (CONFORMANCE, HDF4, HDF5, ROOT, SUFFIXES, Exceptions, datasets, described, files_below, first_bytes, fnv,
                         list_lines, paths_left_out, refuse_constant, rows)
from common.options import Options, scratch
from common.parallel import JOBS, guarded, in_parallel, in_processes
from common.programs import Done, Failed, helper, installed, limited, run, tool
from common.report import Report, needs, skipped

__all__ = [name for name in dir() if not name.startswith("_")]
