#!/bin/sh
# A call that the layer does not carry: one line for the whole job, which names the call, a rank and the page, whether it ends the job or
# not; without `knell run` one line a process. Usage: run_refused.sh KNELL MPI APP MODE LIBRARY
. "$(dirname "$0")/run_lib.sh"
library=$5

one_line() {
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || wrong "not one line on standard error"
}

knell_run -n 4 -- "$app"
[ $status -ne 0 ] || wrong "status 0"
fine 0
one_line
says '^knell run: rank [0-3]: MPI_Comm_spawn is not carried by Knell \(.*docs/use/calls.md\); .*MPI_ERRORS_ARE_FATAL: the job ends'
[ -e "$(dirname "$0")/../../docs/use/calls.md" ] || wrong "no such page"
nothing_left

knell_run -n 4 -- "$app" returns
ended_with 0
fine 4
one_line
says '^knell run: not carried by Knell: MPI_Comm_spawn \(first at rank [0-3]\), .*MPI_Win_create_dynamic \(.*docs/use/calls.md$'
nothing_left

knell_run -n 2 --json --log "$scratch/log" -- "$app" returns
ended_with 0
python3 -c 'import json, sys; assert "MPI_Comm_join" in json.load(sys.stdin)["not_carried"]' <"$scratch/out" || wrong "JSON lacks it"
grep -q '"refused".*"MPI_Comm_join"' "$scratch/log" || wrong "the log lacks it"

ran="without knell run"
"$(dirname "$0")/run.sh" "$mpi" "$library" 4 0 "$app" returns >"$scratch/out" 2>"$scratch/err" || wrong "fails"
for rank in 0 1 2 3; do
    [ "$(grep -c "knell: rank $rank: " "$scratch/err")" -eq 1 ] || wrong "not one line of rank $rank"
done
says 'MPI_Comm_spawn is not carried by Knell .*docs/use/calls.md'
exit $failed
