#!/bin/sh
# What `knell run` gives on one host, on three: a scenario; a time limit and a job that stands say who is where; a record has what ranks of
# other hosts wrote; knell explore; clocks that are hours apart; what knell calibrate measured; kill -9 of knell run leaves nothing.
# Usage: over_hosts.sh says. Cases: scenario where record explore clocks calibration killed
. "$(dirname "$0")/../own_shm.sh"
. "$(dirname "$0")/over_hosts.sh"
examples=$(dirname "$0")/../../examples

case_scenario() {
    job --fail "$examples/fail/kill-after-allreduce.fail" -D RANK=3 -- "$host_loss" 1 work
    [ $status -eq 0 ] || wrong "the status is $status"
    is_fine 5
    says 'rank 3 was killed'
    nothing_left 1 2 3
}

case_where() {
    limit=3s
    job -- "$host_loss" 2 work
    [ $status -eq 124 ] || wrong "the status is $status, not 124"
    says 'on h2: inside MPI'
    limit=50s
    stands
}

# Every rank waits for its neighbour.
stands() {
    job --stuck 2s --on-stuck end -- "$host_loss" 0 stand
    [ $status -eq 124 ] || wrong "the status is $status, not 124"
    says 'ended by --on-stuck end'
    says 'on h3: inside MPI_Recv from rank'
    nothing_left 1 2 3
}

case_record() {
    rm -rf "$dir/record"
    printf 'h1:1\nh2 slots=2\nh3 # the rest\n' >"$dir/hostfile"
    on 1 timeout -k 2 60 "$knell" run --hostfile "$dir/hostfile" --rsh /mnt/agent -n 4 --quiet --record "$dir/record" --calls -- \
        "$repaired" >"$dir/out" 2>"$dir/err" || wrong "the status is $?"
    grep -q 'which is right' "$dir/record/output" || wrong "the record has no output"
    for rank in 0 1 2 3; do
        grep -q MPI_Sendrecv "$dir/record/calls-$rank.tsv" || wrong "the record has no calls of rank $rank"
    done
    grep -q '"host": *"h3"' "$dir/record/run.json" || wrong "the record does not name the hosts"
}

case_explore() {
    rm -rf "$dir/explored"
    on 1 timeout -k 2 100 "$knell" explore --hosts "$list" --rsh /mnt/agent -n 4 --budget 15s --check 'grep -q right' \
        --out "$dir/explored" -- "$repaired" >"$dir/out" 2>"$dir/err" || wrong "the status is $?"
    says 'struck'
    nothing_left 1 2 3
}

# What happened there is told by the clock of knell run; a wait there is as long as it is.
case_clocks() {
    "$hosts" down "$name"
    lab 3 apart
    job --json --kill 4@MPI_Allreduce#5 -- "$repaired"
    [ $status -eq 0 ] || wrong "the status is $status"
    says 'which is right'
    python3 - "$dir/out" <<'END' || wrong "the clocks are not aligned"
import json, sys
run = json.load(open(sys.argv[1]))
death, = run["deaths"]
times = [death[key] for key in ("at_s", "first_s", "last_s")] + [call[key] for call in run["calls"] for key in ("at_s", "took_s")]
errors = [rank.get("clock_error_s") for rank in run["each"]]
print("times up to", max(times), "s; clocks known within", max(error or 0 for error in errors), "s", file=sys.stderr)
sys.exit(not (all(-1 < at < 60 for at in times) and errors[0] is None and 0 < errors[2] < 0.5 and 0 < errors[4] < 0.5))
END
    job --kill 4@MPI_Allreduce#5 -- "$repaired"
    says 'clocks of other hosts: known within'
    stands
    "$hosts" down "$name"
    lab 3
}

case_calibration() {
    head -c 32 /dev/urandom >"$dir/key"
    on 2 timeout 60 "$knell" calibrate --listen 10.77.0.2:7100 --key "$dir/key" >/dev/null 2>&1 &
    on 1 timeout 60 "$knell" calibrate --peer 10.77.0.2:7100 --key "$dir/key" --for 500ms --job-ranks 6 --out "$dir/measured" \
        >"$dir/out" 2>"$dir/err" || wrong "the status is $?"
    wait
    job --calibration "$dir/measured" --json -- "$repaired"
    [ $status -eq 0 ] || wrong "the status is $status"
    python3 - "$dir/measured" "$dir/out" <<'END' || wrong "the job has other times than were measured"
import json, sys
measured, run = (json.load(open(path)) for path in sys.argv[1:])
sys.exit(any(abs(measured[key] / run[key] - 1) > 1e-6 for key in ("eta_s", "delta_s")))
END
}

# Whoever is killed by force says goodbye to nobody; the connection's end says it.
case_killed() {
    start -- "$host_loss" 2 work
    until_says ready
    # shellcheck disable=SC2016 # for the host
    on 1 sh -c 'kill -9 $(pgrep -x knell)'
    wait
    on 1 sh -c 'rm -r /dev/shm/knell-run-*' # as the next knell run would
    nothing_left 1 2 3
}

lab 3
each_case "$@"
exit $failed
