#!/bin/sh
# A job that a death ends has one line of words, which names the dead rank: no words of the MPI below about its connections.
# Usage: run_words.sh KNELL MPI APP MODE
. "$(dirname "$0")/run_lib.sh"

# Without what both MPIs say about an MPI_Abort of the program.
one_line() { # REGEX
    says "$1"
    grep -v -e '^-*$' -e MPI_ABORT -e errorcode -e '^NOTE: invoking' -e '^You may or may not' -e '^exactly when Open MPI' -e 'PMIX ERROR' -e '^Abort(' \
        "$scratch/err" >"$scratch/words"
    [ "$(wc -l <"$scratch/words")" -eq 1 ] || wrong "$(wc -l <"$scratch/words") lines of words"
}

case $mpi in openmpi) failed_code=93 ;; *) failed_code=101 ;; esac
for turn in 1 2 3 4 5 6; do
    knell_run -n 4 --mode "$mode" --quiet --kill "1@$((turn * 40))ms" -- "$app"
    ended_with $failed_code
    one_line '^knell run: rank [023]: MPIX_ERR_PROC_FAILED: .*\(rank 1 died\)'
done
knell_run -n 4 --mode "$mode" --quiet --kill 1@100ms -- "$app" abort
ended_with 5
one_line '^knell run: rank [023] called MPI_Abort with 5; the job was ended \(rank 1 had died\)$'
nothing_left
exit $failed
