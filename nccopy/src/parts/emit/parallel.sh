#!/bin/sh
# Runs a planned copy: GNU parallel runs the parts, one process per core, then nccopy joins them.
#
# Run: sh THIS_SCRIPT [OPTIONS OF PARALLEL], for example: sh THIS_SCRIPT --jobs 8
# On several machines that all see the directory: sh THIS_SCRIPT --sshloginfile FILE, with a line for each machine, as in "8/node1".
# Run it again at any time: finished parts are skipped.
#
# Made by: nccopy --emit parallel @COMMENT@
set -eu

# The program and the plan directory. All machines must see both paths.
NCCOPY=${NCCOPY:-nccopy}
DIR=@DIR@
# The parts of each stage, from the first number to the last. Parts of the second stage need all parts of the first.
STAGES='@STAGES@'
# Maximum attempts per part, and threads per process.
TRIES=3
THREADS=1

# The shell and the variables of the command below, also on other machines.
export PARALLEL_SHELL=/bin/sh NCCOPY DIR THREADS

# --halt: after the last failed attempt, no further parts start, and the parts are not joined.
for stage in $STAGES; do
    seq "${stage%-*}" "${stage#*-}" | parallel --env NCCOPY --env DIR --env THREADS \
        --retries "$TRIES" --halt soon,fail=1 --joblog "$DIR/log/parallel-$stage.tsv" "$@" \
        '"$NCCOPY" --threads "$THREADS" --part {} "$DIR"'
done

"$NCCOPY" --finish "$DIR"
