#!/bin/sh
# `knell run --hosts` on three hosts (tools/hosts): a rank dies at a call, as a process and as a ghost; a host dies, two at once, that of
# knell run itself; a host dies in MPI_Init and in MPI_Finalize;
# a time limit says who is where; a record has what ranks of other hosts wrote; nothing is left after kill -9 of knell run.
# Usage: run_hosts.sh MPI KNELL HOSTS_SCRIPT RING HOST_LOSS JOBS CASE...
# Status 77: hosts are not permitted here.
. "$(dirname "$0")/../own_shm.sh"
set -u
mpi=$1 knell=$2 hosts=$3 ring=$4 host_loss=$5 jobs=$6
shift 6
why=$("$hosts" may 2>&1) || {
    echo "skipped: $why"
    exit 77
}
name=run-$$
dir=$(mktemp -d)
trap '"$hosts" down "$name"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0

wrong() {
    echo "$mpi: $case: $*" >&2
    sed 's/^/    /' "$dir/out" "$dir/err" >&2
    failed=1
}

# on_first COMMAND...: there, with a limit
on_first() { "$hosts" exec "$name" 1 -- timeout -k 2 70 "$@"; }

# job OPTION... -- PROGRAM...: status in $status; $limit, if it is set, is its time
job() {
    on_first "$knell" run --hosts h1,h2,h3 --rsh /mnt/agent -n 6 --timeout ${limit:-50s} "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}

# start PROGRAM...: in the background; its status goes to the file "status"
start() {
    rm -f "$dir/status"
    {
        job "$@"
        echo $status >"$dir/status"
    } &
}

until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || return 1
        sleep 0.02
    done
}
is_ready() { grep -q "$1" "$dir/out" "$dir/err" 2>/dev/null || [ -e "$dir/status" ]; }
ends_with() {
    wait
    status=$(cat "$dir/status")
    [ "$status" -eq "$1" ] || wrong "the status is $status, not $1"
}
says() { grep -q "$1" "$dir/out" "$dir/err" || wrong "nothing says: $1"; }

# The job's programs and supervisors, by the names of their files.
is_free() {
    ! "$hosts" exec "$name" "$1" -- sh -c \
        'for at in /proc/[0-9]*; do readlink "$at/exe"; done' 2>/dev/null | grep -q 'test-mpi-\|examples/mpi\|knell/exec\|hydra\|orted\|mpirun'
}
check_left() {
    for host in "$@"; do
        until_true is_free "$host" || wrong "processes are left on host $host"
        [ -z "$("$hosts" exec "$name" "$host" -- ls /dev/shm)" ] || wrong "shared memory is left on host $host"
    done
}

lose_rank() {
    for mode in real ghost; do
        job --mode $mode --kill 4@MPI_Send#5 -- "$ring"
        [ $status -eq 0 ] || wrong "$mode: the status is $status"
        says '5 ranks left after 200 rounds: right'
        says 'all 5 after'
    done
    check_left 1 2 3
}

lose_host() {
    start -- "$host_loss" 2 work
    until_true is_ready ready
    "$hosts" kill "$name" 3
    ends_with 0
    [ "$(grep -o fine "$dir/out" | wc -l)" -eq 4 ] || wrong "not all four survivors ended well"
    says 'rank 4 was lost with its host h3'
    check_left 1 2
    "$hosts" restart "$name" 3 >/dev/null
}

lose_two_hosts() {
    start -- "$host_loss" 4 work
    until_true is_ready ready
    "$hosts" kill "$name" 2 &
    "$hosts" kill "$name" 3
    ends_with 0
    [ "$(grep -o fine "$dir/out" | wc -l)" -eq 2 ] || wrong "not both survivors ended well"
    says 'rank 2 was lost with its host h2'
    says 'rank 5 was lost with its host h3'
    check_left 1
    "$hosts" restart "$name" 2 >/dev/null
    "$hosts" restart "$name" 3 >/dev/null
}

# The survivors work until the launchers' daemons would have killed them: after 8 s.
lose_own_host() {
    "$hosts" exec "$name" 2 -- rm -f /mnt/status
    start --status-file /mnt/status -- "$host_loss" 2 work 12
    until_true is_ready ready
    "$hosts" kill "$name" 1
    wait
    until_true "$hosts" exec "$name" 2 -- test -e /mnt/status || wrong "nobody wrote the status"
    [ "$("$hosts" exec "$name" 2 -- cat /mnt/status)" = 0 ] || wrong "the status is not 0"
    check_left 2 3
    "$hosts" restart "$name" 1 >/dev/null
}

lose_host_at_end() {
    start -- "$host_loss" 2 finalize
    until_true is_ready ready
    "$hosts" kill "$name" 3
    ends_with 0
    [ "$(grep -o fine "$dir/out" | wc -l)" -eq 4 ] || wrong "not all four survivors ended well"
    check_left 1 2
    "$hosts" restart "$name" 3 >/dev/null
}

# All have called MPI_Init but one, which waits for its host's end.
lose_host_at_start() {
    cat >"$dir/late" <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" -ne 4 ] || { echo waits; exec sleep 1000; }
exec $ring
END
    chmod +x "$dir/late"
    start --mpi "$mpi" -- "$dir/late"
    until_true is_ready waits
    "$hosts" kill "$name" 3
    wait
    [ "$(cat "$dir/status")" -ne 0 ] || wrong "the status is 0"
    says 'before MPI_Init was through'
    check_left 1 2
    "$hosts" restart "$name" 3 >/dev/null
}

say_where() {
    limit=3s
    job -- "$host_loss" 2 work
    unset limit
    [ $status -eq 124 ] || wrong "the status is $status, not 124"
    says 'on h2: inside MPI'
    check_left 1 2 3
}

keep_record() {
    rm -rf "$dir/record"
    printf 'h1:1\nh2 slots=2\nh3 # the rest\n' >"$dir/hostfile"
    on_first "$knell" run --hostfile "$dir/hostfile" --rsh /mnt/agent -n 4 --quiet --record "$dir/record" --calls -- \
        "$ring" >"$dir/out" 2>"$dir/err" || wrong "the status is $?"
    grep -q 'ranks left after 200 rounds: right' "$dir/record/output" || wrong "the record has no output"
    for rank in 0 1 2 3; do
        grep -q MPI_Send "$dir/record/calls-$rank.tsv" || wrong "the record has no calls of rank $rank"
    done
    grep -q '"host": *"h3"' "$dir/record/run.json" || wrong "the record does not name the hosts"
}

explore() {
    rm -rf "$dir/explored"
    on_first "$knell" explore --hosts h1,h2,h3 --rsh /mnt/agent -n 4 --budget 15s --check 'grep -q right' --out "$dir/explored" -- \
        "$ring" >"$dir/out" 2>"$dir/err" || wrong "the status is $?"
    says 'struck'
    check_left 1 2 3
}

# The clocks of the hosts are hours apart; what happened there is told by that of knell run.
align_clocks() {
    together=$name
    name=$name-apart
    "$hosts" up "$name" 3 apart
    job --json --kill 4@MPI_Send#5 -- "$ring"
    [ $status -eq 0 ] || wrong "the status is $status"
    says '5 ranks left after 200 rounds: right'
    python3 - "$dir/out" <<'END' || wrong "the clocks are not aligned"
import json, sys
run = json.load(open(sys.argv[1]))
times = [death["died_s"] for death in run["deaths"]] + [known for death in run["deaths"] for known in death["known_s"].values()]
print(times)
sys.exit(not all(-1 < at < 60 for at in times))
END
    "$hosts" down "$name"
    name=$together
}

# Whoever is killed by force says goodbye to nobody; the connection's end says it.
kill_run() {
    start -- "$host_loss" 2 work
    until_true is_ready ready
    "$hosts" exec "$name" 1 -- sh -c 'kill -9 $(pgrep -x knell)'
    wait
    "$hosts" exec "$name" 1 -- sh -c 'rm -r /dev/shm/knell-run-*' # as the next knell run would
    check_left 1 2 3
}

timeout 60 "$hosts" up "$name" 3 || exit 1
for case in "$@"; do
    for round in $(seq 1 "$jobs"); do
        case $case in
        rank) lose_rank ;;
        host) lose_host ;;
        two) lose_two_hosts ;;
        own) lose_own_host ;;
        start) lose_host_at_start ;;
        end) lose_host_at_end ;;
        where) say_where ;;
        record) keep_record ;;
        killed) kill_run ;;
        explore) explore ;;
        clocks) align_clocks ;;
        *) wrong "there is no such case" ;;
        esac
    done
done
exit $failed
