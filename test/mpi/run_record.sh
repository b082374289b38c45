#!/bin/sh
# `knell run --record` and its verdict: what the folder has, --check, --expect, jobs that stand still, what a job leaves, a full disk, a reader
# of the output that does not read. Usage: run_record.sh KNELL MPI APP MODE
. "$(dirname "$0")/run_lib.sh"
record=$scratch/records/one

# run STATUS words...: `knell run` with these words and a new record ends with this status and leaves nothing
run() {
    wanted=$1
    shift
    rm -rf "$record"
    knell_run --mode "$mode" --record "$record" "$@"
    ended_with "$wanted"
    nothing_left
}

# is EXPRESSION: of `j`, the record's run.json, of `events`, and of the texts text("output"), text("rank-0.log")
is() {
    python3 - "$1" "$record" <<'END' 2>"$scratch/why" || wrong "not so: $1 $(tail -n 1 "$scratch/why") $(cat "$record/run.json")"
import json, sys
def text(name): return open(sys.argv[2] + "/" + name).read()
j = json.loads(text("run.json"))
events = [json.loads(line) for line in text("events.jsonl").splitlines()]
def named(name): return [event for event in events if event["event"] == name]
sys.exit(not eval(sys.argv[1]))
END
}

# ---- a killed job: all files, all keys; the last line of who was killed
run 0 -n 3 --kill 1@MPI_Allreduce#5 -- "$app" say work right
is 'j["class"] == "finished" and j["why"] == "1 of 3 ranks died, the others ended with status 0"'
is 'j["kills"] == ["1@MPI_Allreduce#5"] and j["faults"] == {"planned": 1, "struck": 1} and j["scenario"] is None and j["seed"] == 1'
is 'j["command"][:2] == ["knell", "run"] and j["command"][-3:] == ["say", "work", "right"] and j["version"] and j["host"]'
is '"'"$([ "$mpi" = openmpi ] && echo Open MPI v || echo MPICH)"'" in j["mpi_version"] and j["started"][10] == "T" and j["started"].endswith("Z")'
is 'j["leaks"] == {"requests": 0, "communicators": 0, "groups": 0, "processes": 0, "shared_memory": []} or j["leaks"]["communicators"] > 0'
is 'j["leaks"]["processes"] == 0 and j["leaks"]["shared_memory"] == [] and j["left_out_bytes"] == 0 and j["deaths"][0]["rank"] == 1'
is 'all("rank %d says so\n" % r in text("rank-%d.log" % r) and "rank %d errs\n" % r in text("rank-%d.log" % r) for r in range(3))'
is 'len(named("started")) == 3 and sorted(e["rank"] for e in named("learned")) == [0, 2]'
is 'all("rank %d says so" % r in text("output") for r in range(3)) and "errs" not in text("output") and "\nright\n" in text("output")'
cmp -s "$scratch/out" "$record/output" || wrong "standard output is not what the record has"
says '^knell run: outcome: finished: 1 of 3 ranks died'
[ -z "$(find "$record" -name '*.new')" ] || wrong "temporary files are left"

# ---- beside it: --log and --json; not a word when all is well
run 0 -n 2 --json --log "$scratch/log" --quiet -- "$app" right
cmp -s "$scratch/out" "$record/run.json" || wrong "--json is not what the record has"
cmp -s "$scratch/log" "$record/events.jsonl" || wrong "--log is not what the record has"
grep -q '^right$' "$scratch/err" || wrong "the program's output is not on standard error"
! grep -q outcome "$scratch/err" || wrong "words about a job that finished, with --quiet"

# ---- --check and --expect
run 0 -n 3 --kill 1@MPI_Allreduce#3 --check 'grep -qx right && [ "$KNELL_DEAD" = 1 ] && [ -s "$KNELL_RUN_DIR/output" ]' -- "$app" work right
run 1 -n 2 --check 'echo of the check; exit 7' -- "$app" right
is 'j["class"] == "wrong_result" and j["why"] == "the check failed with status 7" and j["status"] == 1'
says '^of the check$'
says '^knell run: outcome: wrong_result: the check failed with status 7$'
run 1 -n 2 --check 'no-such-command' -- "$app"
is 'j["class"] == "indeterminate" and j["why"] == "the check could not be run: status 127"'
run 0 -n 2 --expect '^r[i]ght$|nothing' -- "$app" right
run 1 -n 2 --expect '^r[i]gh$' -- "$app" right
is 'j["class"] == "wrong_result" and j["why"] == "no line matches ^r[i]gh$"'
run 0 -n 2 --check "sleep 50 & # $app" -- "$app"
knell_run -n 2 --check '[ -s "$KNELL_RUN_DIR/output" ] && grep -qx right' "$app" right
ended_with 0
nothing_left
knell_run -n 2 --quiet --expect right "$app"
ended_with 1
says '^knell run: outcome: wrong_result: no line matches right$'

# ---- classes
run 0 -n 2 --kill 1@MPI_Allreduce#500 -- "$app" work
is 'j["class"] == "not_struck" and j["faults"] == {"planned": 1, "struck": 0} and "only 20 times" in j["why"]'
run 139 -n 2 --status all -- "$app" crash
is 'j["class"] == "aborted" and j["why"] == "rank 1 was killed by signal 11 (Segmentation fault)"'
run 0 -n 2 -- "$app" exit
is 'j["class"] == "aborted" and j["why"] == "rank 1 exited with status 3"'
run 1 -n 2 --mpi "$mpi" -- sh -c 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 1) exit 1;; esac; exec "$0"' "$app"
is 'j["class"] == "aborted" and "rank 1" in j["why"]'
run 124 -n 2 --timeout 5s -- "$app" loop
is 'j["class"] in ("aborted", "indeterminate") and (j["why"] == "still running after 5 s" or "MPI_Init" in j["why"])'

# ---- jobs that stand still
run 124 -n 3 --stuck 1s --on-stuck end -- "$app" wait
is 'j["class"] == "frozen" and j["end"] == "stuck" and j["wall_s"] - j["ready_s"] < 30'
is '[r["place"] for r in j["each"]] == ["MPI_Recv from rank 1 of MPI_COMM_WORLD"] + ["MPI_Barrier on MPI_COMM_WORLD"] * 2'
is '"rank 0: inside MPI_Recv from rank 1 of MPI_COMM_WORLD; ranks 1 to 2: inside MPI_Barrier" in j["why"]'
says '^knell run: ended by --on-stuck end after .*; where the ranks are:$'
says '^  ranks 1 to 2: inside MPI_Barrier on MPI_COMM_WORLD$'
run 124 -n 3 --stuck 1s --on-stuck end -- "$app" leave
is 'j["class"] == "frozen" and [r["place"] for r in j["each"]][1:] == ["MPI_Finalize"] * 2'
run 0 -n 3 --stuck 1s --on-stuck end -- "$app" turns # one of them always works
run 124 -n 3 --stuck 1s --on-stuck end --delta 10min -- "$app" stop
is 'j["class"] == "frozen" and j["each"][1]["place"] == "stopped by a signal"'
run 124 -n 3 --stuck 1s --on-stuck end -- "$app" count
is 'j["class"] == "no_progress" and j["why"].startswith("no progress for")'
run 124 -n 3 --stuck 1s --on-stuck end --progress '^step' -- "$app" tick
is 'j["class"] == "no_progress" and text("output").count("step") == 5'
run 124 -n 2 --timeout 8s -- "$app" wait # by the time limit it is the same
is 'j["class"] == "frozen" or j["ready_s"] is None'

# ---- what a job leaves
SHM_NAME=/left-$$
export SHM_NAME
rm -rf "$record"
knell_run --mode "$mode" -n 2 --record "$record" -- "$app" child shm
ended_with 0
is 'j["leaks"]["processes"] == 1 and j["leaks"]["shared_memory"] == ["'"${SHM_NAME#/}"'"]'
rm -f "/dev/shm$SHM_NAME"
nothing_left
(until [ -e "/dev/shm$SHM_NAME" ]; do sleep 0.02; done; exec sleep 60 <"/dev/shm$SHM_NAME") &
holder=$! # a process of another job, which has the name open and will map it
rm -rf "$record"
knell_run --mode "$mode" -n 2 --record "$record" --timeout 4s -- "$app" shm wait
ended_with 124
is 'j["leaks"]["shared_memory"] == []'
kill $holder
rm -f "/dev/shm$SHM_NAME"
nothing_left

# ---- a full disk, where one can be mounted; a reader that does not read, and one that is gone
mkdir "$scratch/disk"
if [ -n "${KNELL_TEST_OWN_SHM-}" ] && mount -t tmpfs -o size=300k none "$scratch/disk" 2>/dev/null; then
    record=$scratch/disk/record
    knell_run -n 2 --mode "$mode" --record "$record" -- "$app" much
    [ $status -eq 0 ] || [ $status -eq 1 ] || wrong "status $status on a full disk"
    [ "$(grep -c xxxx "$scratch/out")" -eq 1024 ] || wrong "a full disk took from the output"
    [ $status -eq 1 ] || is 'j["left_out_bytes"] > 0'
    [ $status -eq 0 ] || says 'run.json: cannot be written: No space left'
    umount "$scratch/disk"
    record=$scratch/records/one
    nothing_left
fi
rm -rf "$record"
ran="knell run whose output nobody reads"
mkfifo "$scratch/pipe"
sleep 60 <"$scratch/pipe" &
reader=$!
timeout -k 5 60 "$knell" run -n 2 --mode "$mode" --record "$record" --timeout 5s -- "$app" much wait >"$scratch/pipe" 2>"$scratch/err"
status=$?
kill $reader
ended_with 124
nothing_left
: >"$scratch/out"
is 'j["class"] in ("frozen", "aborted", "indeterminate") and j["left_out_bytes"] == 0'
rm -rf "$record"
ran="knell run whose reader is gone"
{ timeout -k 5 60 "$knell" run -n 2 --mode "$mode" --record "$record" -- "$app" much right 2>"$scratch/err"; echo $? >"$scratch/status"; } | true
status=$(cat "$scratch/status")
ended_with 0
is 'j["class"] == "finished" and text("output").count("x\n") == 1024 and "\nright\n" in text("output")'

# ---- where it cannot be
run 0 -n 2 -- "$app"
knell_run -n 2 --record "$record" -- "$app"
ended_with 2
says '^knell run: --record .*: is not empty'
knell_run -n 2 --record "$record/run.json" -- "$app"
ended_with 2
says '^knell run: --record .*: is not a folder$'
knell_run -n 2 --record "/proc/1/nowhere" -- "$app"
ended_with 2
says '^knell run: --record /proc/1/nowhere: '
nothing_left
exit $failed
