#!/bin/sh
# `knell run` and programs that live their own life: they forget their environment, have children, load libraries, bring a tool, get stuck.
# Usage: run_life.sh KNELL MPI APP MODE SLOW_LOAD TOOL
. "$(dirname "$0")/run_lib.sh"
slow_load=$5 tool=$6

# run STATUS words...: `knell run` with these words ends with this status and leaves nothing
run() {
    wanted=$1
    shift
    knell_run --mode "$mode" "$@"
    ended_with "$wanted"
    nothing_left
}

in_silence() {
    [ ! -s "$scratch/err" ] || wrong "words on standard error about a job without deaths"
}

run 0 -n 4 -- "$app" environment 0
fine 4
in_silence
run 0 -n 4 --kill 2@200ms -- "$app" environment 1
fine 3
case $mode in
real) says 'rank 2 was killed' ;;
ghost) says 'rank 2 became a ghost' ;;
esac
says 'rank [013] knew after .* all 3 after'
[ "$mode" = real ] || exit $failed # the rest has no deaths

run 0 -n 2 -- "$app" children
fine 2
in_silence
run 0 -n 2 -- "$app" asked "$slow_load"
fine 2
in_silence

# Between the program and the layer, as tools want to be.
TOOL_REPORT=$scratch/report TOOL_SECONDS=2 LD_PRELOAD=$tool knell_run -n 3 -- "$app"
ended_with 0
fine 3
in_silence
[ "$(sort "$scratch/report" | tr '\n' ' ')" = "rank 0 rank 1 rank 2 " ] || wrong "the tool's report: $(cat "$scratch/report" 2>&1)"

for limit in 5 15 45; do # on a busy machine MPI_Init alone may take seconds
    run 124 -n 4 --timeout ${limit}s -- "$app" stuck
    grep -q 'inside MPI_Init' "$scratch/err" || break
done
says 'rank 0: inside no MPI call'
says 'rank 1: inside MPI_Iprobe'
says 'rank 2: inside MPI_Recv'
says 'rank 3: inside MPI_Finalize'
exit $failed
