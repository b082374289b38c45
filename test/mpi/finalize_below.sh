#!/bin/sh
# What is below the layer in MPI_Finalize: a tool that takes its time keeps its report; an MPI that does not come back is left when somebody
# dies there, with a word. Usage: finalize_below.sh MPI LIBRARY NEVER_ENDS TOOL SECONDS program
set -u
mpi=$1 library=$2 never=$3 tool=$4 seconds=$5 program=$6
run=$(dirname "$0")/run.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

wrong() {
    echo "$mpi: $1" >&2
    cat "$scratch/err" >&2
    failed=1
}

TOOL_REPORT=$scratch/report TOOL_SECONDS=$seconds "$run" "$mpi" "$library:$tool" 4 0 "$program" 2>"$scratch/err" || wrong "a job with a slow tool"
[ "$(sort "$scratch/report" | tr '\n' ' ')" = "rank 0 rank 1 rank 2 rank 3 " ] ||
    wrong "the report of a tool that takes $seconds s: $(cat "$scratch/report" 2>&1)"
[ ! -s "$scratch/err" ] || wrong "words about a tool that takes its time"

NEVER_MET=$scratch/met "$run" "$mpi" "$library:$never" 4 1 "$program" 2>"$scratch/err" || wrong "a death in the native MPI_Finalize"
left=$(grep -c 'knell: rank [023]: rank 1 died in MPI_Finalize: the MPI below' "$scratch/err")
[ "$left" -eq 3 ] || wrong "$left of 3 said that they left the native MPI_Finalize"
exit $failed
