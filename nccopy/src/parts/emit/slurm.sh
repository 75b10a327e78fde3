#!/bin/sh
# Runs a planned copy: a Slurm job array runs the parts, then one job joins them.
#
# Run: sh THIS_SCRIPT [OPTIONS OF SBATCH], for example: sh THIS_SCRIPT --partition=long --account=climate
# The script prints the numbers of both jobs and ends. Run it again at any time: finished parts are skipped.
# The job output is in the files log/slurm-* of the directory. nccopy --status prints the progress.
#
# Made by: nccopy --emit slurm @COMMENT@
set -eu

# The program and the plan directory. All nodes must see both paths.
NCCOPY=${NCCOPY:-nccopy}
DIR=@DIR@
# The parts of each stage, from the first number to the last. Parts of the second stage need all parts of the first.
STAGES='@STAGES@'
# Parts per task, run in sequence. An array has at most 1000 tasks on most clusters.
PARTS_PER_TASK=@EACH@
# Maximum number of concurrent tasks.
AT_ONCE=100
# Maximum retries per task.
RETRIES=3
# Threads, memory and minutes of a task, and minutes of the job that joins the parts.
THREADS=1
MEM=@MEMORY@M
TIME=@MINUTES@
FINISH_TIME=@FINISH@

# The jobs get these variables from the environment.
export NCCOPY DIR FIRST LAST PARTS_PER_TASK RETRIES THREADS

make_parts() {
    cat <<'JOB'
#!/bin/sh
first=$((FIRST + SLURM_ARRAY_TASK_ID * PARTS_PER_TASK))
last=$((first + PARTS_PER_TASK - 1))
[ "$last" -le "$LAST" ] || last=$LAST
status=0
"$NCCOPY" --threads "$THREADS" --part "$first-$last" "$DIR" || status=$?
# 75: nccopy requests a retry. 137: the process was killed, for example for lack of memory.
case $status in
75 | 137)
    if [ "${SLURM_RESTART_COUNT:-0}" -lt "$RETRIES" ]; then
        scontrol requeue "$SLURM_JOB_ID" && exit
    fi
    ;;
esac
exit "$status"
JOB
}

finish() {
    cat <<'JOB'
#!/bin/sh
exec "$NCCOPY" --threads "$THREADS" --finish "$DIR"
JOB
}

# --requeue: tasks of failed nodes are restarted on other nodes. In file names, %% stands for %.
submit() {
    sbatch --parsable --export=ALL --requeue --open-mode=append --cpus-per-task="$THREADS" --mem="$MEM" "$@"
}
log=$(printf '%s\n' "$DIR" | sed 's/%/%%/g')/log

# afterany: also after failed tasks. The next job checks that all required parts are done, and reports unfinished ones.
array=
for stage in $STAGES; do
    FIRST=${stage%-*} LAST=${stage#*-}
    tasks=$(((LAST - FIRST + PARTS_PER_TASK) / PARTS_PER_TASK))
    array=$(make_parts | submit --job-name=nccopy-parts --array="0-$((tasks - 1))%$AT_ONCE" --time="$TIME" \
        ${array:+--dependency="afterany:$array"} --output="$log/slurm-%A_%a.txt" "$@")
    array=${array%%;*}
    echo "parts: job $array, $tasks tasks"
done

finish=$(finish | submit --job-name=nccopy-finish --dependency="afterany:$array" --time="$FINISH_TIME" \
    --output="$log/slurm-%j-finish.txt" "$@")
echo "finish: job ${finish%%;*}"
