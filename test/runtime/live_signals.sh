#!/bin/sh
# knell live and SIGINT or SIGTERM, at any time, on one host and on several: it ends within two seconds, says so, and leaves no
# process, host or file in shared memory. Usage: live_signals.sh KNELL HOSTS_SCRIPT
set -eu
knell=$1 hosts=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0
shm_before=$(ls /dev/shm)

wrong() {
    echo "live-signals: $*"
    failed=1
}

# left_of SESSION: living processes
left_of() {
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/()/' | awk -v s="$1" '$6 == s && $3 != "Z" && $3 != "X" { print $1 }'
    "$hosts" list "live-$1" 2>/dev/null || :
}

# strike SIGNAL AFTER options...
strike() {
    signal=$1 after=$2
    shift 2
    case="SIG$signal after $after s: $*"
    setsid "$knell" live "$@" >"$dir/out" 2>"$dir/err" &
    parent=$!
    sleep "$after"
    # As the terminal does it: to the whole group.
    kill -s "$signal" -- "-$parent" || wrong "$case: it had ended by itself: $(cat "$dir/err")"
    tries=0
    while kill -0 $parent 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 40 ] || { wrong "$case: lives on after 2 s"; kill -9 -- "-$parent" || :; break; }
        sleep 0.05
    done
    status=0
    wait $parent || status=$?
    # Before it has taken over its signals, these end it as any other program.
    [ $status -eq 1 ] && grep -q interrupted "$dir/err" || [ $status -ge 128 ] || wrong "$case: status $status, $(cat "$dir/err")"
    [ -z "$(left_of $parent)" ] || { sleep 0.5; [ -z "$(left_of $parent)" ] || wrong "$case: left: $(left_of $parent)"; }
}

for signal in INT TERM; do
    for after in 0.01 0.05 0.12 0.2 0.6; do
        strike $signal $after -n 8 --for 60s --kill 3@300ms --stop 4@400ms
        strike $signal $after -n 8 --hosts 2 --for 60s --kill 3@300ms --stop 4@400ms
    done
done
[ "$(ls /dev/shm)" = "$shm_before" ] || wrong "left in /dev/shm: $(ls /dev/shm)"
exit $failed
