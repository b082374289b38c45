#!/bin/sh
# any_side.c over two hosts, two ranks on each: receives from any source, of which one is on this host and two are on the other.
# Usage: over_hosts.sh says; the program is in the place of HOST_LOSS. Cases: on off threads
. "$(dirname "$0")/../own_shm.sh"
. "$(dirname "$0")/over_hosts.sh"

run_with() { # WAY [argument]
    job --quiet --carrier "$1" -- "$host_loss" ${2:+"$2"}
    [ $status -eq 0 ] || wrong "--carrier $*: the status is $status"
    is_fine 4
}

case_on() { run_with on; }
case_off() { run_with off; }
case_threads() { run_with on threads; }

lab 2
each_case "$@"
exit $failed
