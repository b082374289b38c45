#!/bin/sh
# tools/hosts: hosts are apart and reach each other, a cut is silent, a killed host is gone, and nothing is left behind, also
# when the script was killed while it made them. Also without the right to make any. Usage: hosts.sh HOSTS_SCRIPT KNELL
. "$(dirname "$0")/../own_shm.sh"
set -eu
hosts=$1 knell=$2
name=test-$$
dir=$(mktemp -d)
trap 'rm -rf "$dir"; "$hosts" down "$name" 2>/dev/null || :' EXIT
trap 'exit 1' INT TERM
failed=0

wrong() {
    echo "hosts: $*"
    failed=1
}

# Without the right: one clear word, and the status says so. Root that may not make namespaces is such a one.
powerless() {
    setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin -- "$@"
}
if powerless true 2>/dev/null; then
    powerless "$hosts" may 2>"$dir/err" && wrong "may: permitted without the right"
    grep -q 'run as root' "$dir/err" || wrong "may: does not say what is needed: $(cat "$dir/err")"
    powerless timeout 20 "$knell" live -n 4 --hosts 2 --for 200ms --delta 400ms >/dev/null 2>"$dir/err" ||
        wrong "live without the right: status $?"
    grep -q 'stand for them' "$dir/err" || wrong "live without the right: no word: $(cat "$dir/err")"
    powerless timeout 20 "$knell" live -n 4 --hosts 2 --for 200ms --cut 1@100ms >/dev/null 2>"$dir/err" &&
        wrong "cut without the right: status 0"
    grep -q 'needs hosts in namespaces' "$dir/err" || wrong "cut without the right: no word: $(cat "$dir/err")"
fi
why=$("$hosts" may 2>&1) || {
    [ $failed -eq 0 ] || exit 1
    echo "skipped: $why"
    exit 77
}

on() { # on HOST command...
    number=$1
    shift
    timeout 20 "$hosts" exec "$name" "$number" -- "$@"
}

# reach FROM TO: "refused" when the other answers that nobody listens, "silence" when nothing comes; TCP asks again after 1 s
reach() {
    status=0
    on "$1" timeout 2.5 bash -c "echo >/dev/tcp/h$2/9" 2>"$dir/err" || status=$?
    if [ $status -eq 124 ]; then echo silence; elif grep -q refused "$dir/err"; then echo refused; else cat "$dir/err"; fi
}

expect() { # expect WHAT WANTED GOT
    [ "$3" = "$2" ] || wrong "$1: '$3', expected '$2'"
}

shm_before=$(ls /dev/shm)
timeout 30 "$hosts" up "$name" 3 || wrong "up: status $?"
expect list "4" "$("$hosts" list "$name" | wc -l | tr -d ' ')"
expect name h2 "$(on 2 hostname)"
expect folder "$PWD" "$(on 2 pwd)"
expect status 7 "$(on 2 sh -c 'exit 7' || echo $?)"
on 1 sh -c 'echo here >/dev/shm/mine'
expect "shared memory of another host" '' "$(on 2 ls /dev/shm)"
expect "shared memory outside" "$shm_before" "$(ls /dev/shm)"
expect "reach" refused "$(reach 1 2)"
"$hosts" cut "$name" 2
expect "reach a cut host" silence "$(reach 1 2)"
expect "reach from a cut host" silence "$(reach 2 1)"
expect "reach another" refused "$(reach 1 3)"
"$hosts" heal "$name" 2
expect "reach a healed host" refused "$(reach 1 2)"
on 3 sleep 1000 &
sleeper=$!
"$hosts" kill "$name" 3
wait $sleeper && wrong "kill: what ran there ended well"
expect "list after kill" "3" "$("$hosts" list "$name" | wc -l | tr -d ' ')"
"$hosts" exec "$name" 3 -- true 2>/dev/null && wrong "exec on a killed host: status 0"
timeout 30 "$hosts" restart "$name" 3 >/dev/null || wrong "restart: status $?"
expect "reach a host that was started again" refused "$(reach 1 3)"
expect "the agent" "h3 here" "$(on 1 /mnt/agent -x h3 'echo $(hostname)' here)"
expect "the agent's errors" "heard" "$(on 1 /mnt/agent h3 'echo heard >&2' 2>&1 >/dev/null)"
on 1 /mnt/agent h3 ./no-such-program 2>/dev/null && wrong "agent: a program that is not there has status 0"
on 1 /mnt/agent h4 true 2>/dev/null && wrong "agent: a host that is not there has status 0"
on 1 /mnt/agent h3 'sleep 1000' &
sleeper=$!
until on 3 sh -c 'grep -qsx sleep /proc/[0-9]*/comm'; do sleep 0.02; done
"$hosts" kill "$name" 3
wait $sleeper || wrong "agent: a host that died has another status than 0"
timeout 30 "$hosts" down "$name" || wrong "down: status $?"
"$hosts" list "$name" >/dev/null 2>&1 && wrong "left after down: $("$hosts" list "$name")"

# Killed at any point while it makes them: down, or another up of the same name, cleans up.
for delay in 0.01 0.03 0.06 0.1; do
    timeout -s KILL $delay "$hosts" up "$name" 4 2>/dev/null || :
    timeout 30 "$hosts" down "$name" || wrong "down after a killed up: status $?"
    sleep 0.05 # whatever the killed one had still begun would show
    grep -qlzsx "knell-hosts[:]$name\(:.*\)\?" /proc/[0-9]*/cmdline && wrong "left after a killed up ($delay s) and down"
done
timeout -s KILL 0.05 "$hosts" up "$name" 4 2>/dev/null || :
timeout 30 "$hosts" up "$name" 2 || wrong "up after a killed up: status $?"
expect "list after a second up" "3" "$("$hosts" list "$name" | wc -l | tr -d ' ')"
"$hosts" down "$name"

# The hosts keep nothing of their maker's open: who reads its output sees the end of it. Their clocks may be apart.
timeout 30 sh -c "\"$hosts\" up $name 2 apart 2>&1 8>&1 | cat" || wrong "hosts keep the output of up open"
expect "clocks apart" 2 "$(($(on 2 sed 's/[.].*//' /proc/uptime) / 3600 - $(sed 's/[.].*//' /proc/uptime) / 3600))"
"$hosts" down "$name"

# hold ends with its caller.
sh -c "\"$hosts\" hold $name 2 >\"$dir/out\" & while ! grep -q ready \"$dir/out\"; do sleep 0.05; done"
tries=0
while "$hosts" list "$name" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { wrong "hold outlives its caller"; break; }
    sleep 0.05
done
exit $failed
