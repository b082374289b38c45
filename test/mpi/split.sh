#!/bin/sh
# Networks that split, under `knell run --hosts` on four hosts (tools/hosts) with two ranks each: a host, a group of hosts behind a second
# switch, the host of knell run; cuts that heal, cuts in a row, cuts too short to matter, cuts at random. One side goes on, and only if
# it has the majority of the last agreement, or half of it and the lowest rank; the others end by themselves.
# Usage: split.sh MPI KNELL HOSTS_SCRIPT SPLIT_WORK JOBS CASE...   cases: one half own heal brief row go-on random
# Status 77: hosts are not permitted here.
. "$(dirname "$0")/../own_shm.sh"
set -u
mpi=$1 knell=$2 hosts=$3 work=$4 jobs=$5
shift 5
why=$("$hosts" may 2>&1) || {
    echo "skipped: $why"
    exit 77
}
name=split-$$
dir=$(mktemp -d)
trap '"$hosts" down "$name"; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0
DETECT=${KNELL_TEST_DETECT:-4} # seconds in which all who fell silent are found, on a machine that has more to do

wrong() {
    echo "$mpi: $case: $*" >&2
    sed 's/^/    /' "$dir/out" "$dir/err" >&2
    failed=1
}

until_true() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || return 1
        sleep 0.02
    done
}

# start SECONDS OPTION...: in the background; its status goes to the file "status"
start() {
    seconds=$1
    shift
    rm -f "$dir/status"
    for host in 1 2 3 4; do # each has a folder of its own: who wrote it shows
        "$hosts" exec "$name" $host -- rm -f /var/tmp/status
    done
    {
        "$hosts" exec "$name" 1 -- timeout -k 2 75 "$knell" run --hosts h1,h2,h3,h4 --rsh /mnt/agent -n 8 --timeout 60s \
            --status-file /var/tmp/status "$@" -- "$work" "$seconds" >"$dir/out" 2>"$dir/err"
        echo $? >"$dir/status"
    } &
    until_true is_ready
}
is_ready() { grep -q ready "$dir/out" 2>/dev/null || [ -e "$dir/status" ]; }

part() { "$hosts" part "$name" "$@"; }
join() { "$hosts" join "$name" "$@"; }
says() { grep -q "$1" "$dir/out" "$dir/err" || wrong "nothing says: $1"; }

# ends STATUS SURVIVORS: of the side of knell run; "fail" is any status that is not 0
ends() {
    wait
    status=$(cat "$dir/status")
    case $1$status in
    00 | fail[1-9]*) ;;
    *) wrong "the status is $status, not $1" ;;
    esac
    [ "$(grep -o fine "$dir/out" | wc -l)" -eq "$2" ] || wrong "$(grep -o fine "$dir/out" | wc -l) of $2 survivors ended well"
    [ "$2" -eq 0 ] || says "^$2 left"
    tidy
}

# The next job begins on whole hosts where nothing is left of this one.
tidy() {
    join 1 2 3 4
    for host in 1 2 3 4; do
        until_true is_free $host || wrong "processes are left on host $host"
    done
}
is_free() {
    ! "$hosts" exec "$name" "$1" -- sh -c \
        'for at in /proc/[0-9]*; do readlink "$at/exe"; done' 2>/dev/null | grep -q 'test-mpi-'
}

split_one() {
    start $((DETECT + 2))
    part 4
    ends 0 6
}

split_half() {
    start $((DETECT + 4))
    part 3 4
    ends 0 4
    says 'goes on: it has the lowest rank, 0'
}

# The others go on without knell run, and write the status.
split_own() {
    start $((DETECT + 2))
    part 2 3 4
    wait
    grep -q 'this side has at most [23] of the 8 ranks.*ends: the others may go on' "$dir/err" || wrong "no line says why it ends"
    until_true "$hosts" exec "$name" 2 -- test -e /var/tmp/status || wrong "nobody wrote the status"
    [ "$("$hosts" exec "$name" 2 -- cat /var/tmp/status)" = 0 ] || wrong "the larger side did not end well"
    ! "$hosts" exec "$name" 1 -- test -e /var/tmp/status || wrong "the smaller side wrote a status"
    ends fail 0
}

split_heal() {
    start $((DETECT + 2))
    part 3
    sleep "$DETECT"
    until_true is_free 3 || wrong "the smaller side still runs"
    join 3
    ends 0 6
}

split_brief() {
    start 8 --delta 2s # the cut lasts longer than it is meant to on a machine that has more to do
    for cut in 1 2 3; do
        part 3 4
        sleep 0.2
        join 3 4
        sleep 1.5
    done
    ends 0 8
}

# Each of them leaves a majority of those before.
split_row() {
    start $((3 * DETECT))
    part 4
    sleep "$DETECT"
    part 3
    sleep "$DETECT"
    part 2
    ends 0 2
}

split_go_on() {
    start $((DETECT + 4)) --on-split go-on
    part 1
    ends 0 2
}

# Hosts at random, for long or not; at the end at most one side has come to an end, that of the rule.
split_random() {
    seed=$((${KNELL_TEST_SEED:-1} * 1000 + round)) # KNELL_TEST_SEED shows it again
    # shellcheck disable=SC2046
    set -- $(awk -v seed=$seed 'BEGIN { srand(seed); n = 0
        for (h = 1; h <= 4; h++) if (rand() < 0.5) list = list " " h
        printf "%.2f %d%s", rand() * 3, rand() < 0.5, list }')
    length=$1 heals=$2
    shift 2
    echo "$mpi: seed $seed: hosts $* apart for $length s, heals: $heals"
    start $((DETECT + 4))
    [ $# -eq 0 ] || part "$@"
    sleep "$length"
    [ "$heals" -eq 0 ] || [ $# -eq 0 ] || join "$@"
    wait
    status=$(cat "$dir/status")
    mine=$(grep -o fine "$dir/out" | wc -l)
    others=$(for host in 2 3 4; do "$hosts" exec "$name" $host -- cat /var/tmp/status 2>/dev/null; done)
    [ "$mine" -eq 0 ] || [ -z "$others" ] || wrong "two sides came to an end: $mine here, and others with $others"
    apart=$#
    case " $* " in *' 1 '*) here=$apart ;; *) here=$((4 - apart)) ;; esac
    if [ "$heals" -eq 0 ] && [ $apart -gt 0 ] && [ $apart -lt 4 ]; then
        if [ $here -ge 2 ]; then ends 0 $((2 * here)); else ends fail 0; fi
    else
        tidy
    fi
}

timeout 60 "$hosts" up "$name" 4 || exit 1
for case in "$@"; do
    for round in $(seq 1 "$jobs"); do
        case $case in
        one) split_one ;;
        half) split_half ;;
        own) split_own ;;
        heal) split_heal ;;
        brief) split_brief ;;
        row) split_row ;;
        go-on) split_go_on ;;
        random) split_random ;;
        *) wrong "there is no such case" ;;
        esac
    done
done
exit $failed
