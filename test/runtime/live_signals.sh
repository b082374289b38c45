#!/bin/sh
# knell live and SIGINT, SIGTERM or SIGHUP, at any time, on one host and on several: it ends, with 128 and the signal, says so, and leaves
# no process, host or file in shared memory. Usage: live_signals.sh KNELL HOSTS_SCRIPT
. "$(dirname "$0")/../own_shm.sh"
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

# await SECONDS command...: until it succeeds
await() {
    tries=$(($1 * 20))
    shift
    until "$@" 2>/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.05
    done
}

has_session() {
    [ "$(sed 's/.*) //' "/proc/$parent/stat" | cut -d ' ' -f 4)" = "$parent" ]
}

is_gone() {
    ! kill -0 "$parent"
}

nothing_left() {
    [ -z "$(left_of "$parent")" ]
}

number() {
    case $1 in HUP) echo 1 ;; INT) echo 2 ;; TERM) echo 15 ;; esac
}

# strike SIGNAL AFTER options...: so many seconds after it was started, or when all processes have begun
strike() {
    signal=$1 after=$2
    shift 2
    case="SIG$signal after $after: $*"
    : >"$dir/out"
    # A shell lets what it starts in the background ignore SIGINT.
    setsid env --default-signal=INT "$knell" live "$@" >"$dir/out" 2>"$dir/err" &
    parent=$!
    await 10 has_session || wrong "$case: it was not started"
    if [ "$after" = begun ]; then
        await 30 grep -q 'watch each other' "$dir/out" || wrong "$case: it has not begun: $(cat "$dir/err")"
    else
        sleep "$after"
    fi
    # As the terminal does it: to the whole group.
    kill -s "$signal" -- "-$parent" || wrong "$case: it had ended by itself: $(cat "$dir/err")"
    # Two seconds where nothing else runs.
    await 20 is_gone || { wrong "$case: lives on after 20 s"; kill -s KILL -- "-$parent" || :; }
    status=0
    wait $parent || status=$?
    # Before it has taken over its signals, these end it as any other program, and the status is the same.
    [ $status -eq $((128 + $(number "$signal"))) ] || wrong "$case: status $status, $(cat "$dir/err")"
    [ "$after" != begun ] || grep -q 'interrupted; all processes are ended' "$dir/err" || wrong "$case: says nothing: $(cat "$dir/err")"
    await 5 nothing_left || wrong "$case: left: $(left_of $parent)"
}

for signal in INT TERM; do
    for after in 0.01 0.05 0.12 0.2 0.6 begun; do
        strike $signal $after -n 8 --for 60s --kill 3@300ms --stop 4@400ms
        strike $signal $after -n 8 --hosts 2 --for 60s --kill 3@300ms --stop 4@400ms
    done
done
strike HUP begun -n 4 --for 60s
[ "$(ls /dev/shm)" = "$shm_before" ] || wrong "left in /dev/shm: $(ls /dev/shm)"
exit $failed
