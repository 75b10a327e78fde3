#!/bin/sh
# Makes the copy that is planned in a directory: GNU parallel makes the parts, a process for each core, then the parts are joined.
#
# Run: sh THIS_SCRIPT [OPTIONS OF PARALLEL], for example: sh THIS_SCRIPT --jobs 8
# On several machines that all see the directory: sh THIS_SCRIPT --sshloginfile FILE, with a line for each machine, as in "8/node1".
# Run it again at any time: parts that are done already are not made again.
#
# Made by: nccopy --emit parallel @COMMENT@
set -eu

# The program, and the directory of the plan, as all machines see them.
NCCOPY=${NCCOPY:-nccopy}
DIR=@DIR@
# The parts of each stage, from the first number to the last. Those of a second stage need all of the first.
STAGES='@STAGES@'
# How often a part is tried, and the threads of a process.
TRIES=3
THREADS=1

# The shell that runs the command below, and the variables that it needs, also on other machines.
export PARALLEL_SHELL=/bin/sh NCCOPY DIR THREADS

# --halt: once a part has failed that often, no more parts are begun, and the parts are not joined.
for stage in $STAGES; do
    seq "${stage%-*}" "${stage#*-}" | parallel --env NCCOPY --env DIR --env THREADS \
        --retries "$TRIES" --halt soon,fail=1 --joblog "$DIR/log/parallel-$stage.tsv" "$@" \
        '"$NCCOPY" --threads "$THREADS" --part {} "$DIR"'
done

"$NCCOPY" --finish "$DIR"
