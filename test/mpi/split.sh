#!/bin/sh
# Networks that split, under `knell run --hosts` on four hosts (tools/hosts) with two ranks each: a host, a group of hosts behind a second
# switch, the host of knell run; cuts that heal, cuts in a row, cuts too short to matter, cuts at random. One side goes on, and only if
# it has the majority of the last agreement, or half of it and the lowest rank; the others end by themselves.
# Usage: split.sh MPI KNELL HOSTS_SCRIPT SPLIT_WORK JOBS CASE...   cases: one half own heal brief row go_on alone random
# A host can say nothing over a network that is cut: ranks leave notes in a folder that all hosts have (split_work.c).
# KNELL_TEST_SEED: the first of the random cuts, 1 by itself.
. "$(dirname "$0")/../own_shm.sh"
mpi=$1 knell=$2 hosts=$3 work=$4 jobs=$5
shift 5
. "$(dirname "$0")/on_hosts.sh"
FOLDER=/mnt/work
times='--eta 100ms --delta 1s' # beside other work no rank is to be silent by chance
ranks=8

job() {
    # shellcheck disable=SC2086 # words
    on 1 timeout -k 2 95 "$knell" run --hosts h1,h2,h3,h4 --rsh /mnt/agent -n $ranks --timeout 80s $times \
        --status-file /var/tmp/status "$@" -- "$work" $FOLDER >"$dir/out" 2>"$dir/err"
    status=$?
}

# begin OPTION...: the job is under way. Each host has a /var/tmp of its own: who wrote the status shows.
begin() {
    for host in 1 2 3 4; do on $host rm -f /var/tmp/status; done
    on 1 sh -c "rm -rf $FOLDER && mkdir $FOLDER"
    start "$@"
    until_says ready
}

part() { "$hosts" part "$name" "$@"; }
join() { "$hosts" join "$name" "$@"; }

note() { on 1 cat "$FOLDER/$1" 2>/dev/null || echo 0; }
has_note() { [ "$(note "$1")" = "$2" ] || [ -e "$dir/status" ]; }
# goes_on RANK WITH: it has left the others behind
goes_on() { until_true has_note "left.$1" "$2" || wrong "rank $1 does not go on with $2, but $(note "left.$1")"; }
end_work() { on 1 touch $FOLDER/over; }

# ended_by_itself HOST...: the smaller side, before anybody tells it to end
ended_by_itself() {
    for host in "$@"; do
        until_true has_no_rank "$host" || wrong "the smaller side, host $host, still runs"
    done
}
has_no_rank() {
    # shellcheck disable=SC2016 # for the host
    ! on "$1" sh -c 'for at in /proc/[0-9]*; do readlink "$at/exe"; done' 2>/dev/null | grep -q test-mpi-
}

# The next job begins on whole hosts where nothing is left of this one.
tidy() {
    for host in 1 2 3 4; do "$hosts" heal "$name" $host; done
    join 1 2 3 4
    for host in 1 2 3 4; do
        until_true is_free $host || wrong "processes are left on host $host"
    done
}

# finished: how many ranks came to the end, and with how many each of them; one side: "6 6"
finished() { on 1 sh -c "cat $FOLDER/done.* 2>/dev/null" | awk '{ n++; sizes[$1] = 1 } END { printf "%d", n; for (s in sizes) printf " %s", s }'; }

# ends STATUS SURVIVORS: of the side of knell run, where all who end well are
ends() {
    ends_with "$1"
    is_fine "$2"
    if [ "$2" -gt 0 ]; then one="$2 $2"; else one=0; fi
    [ "$(finished)" = "$one" ] || wrong "came to the end, and with how many: $(finished), not $one"
    tidy
}

case_one() {
    begin
    part 4
    goes_on 0 6
    ended_by_itself 4
    end_work
    ends 0 6
}

case_half() {
    begin
    part 3 4
    goes_on 0 4
    ended_by_itself 3 4
    end_work
    ends 0 4
    says 'goes on: it has the lowest rank, 0'
}

# The others go on without knell run, and write the status.
case_own() {
    begin
    part 2 3 4
    goes_on 2 6
    ended_by_itself 1
    end_work
    ends_with fail
    grep -q 'this side has at most [23] of the 8 ranks.*ends: the others may go on' "$dir/err" || wrong "no line says why it ends"
    until_true on 2 test -e /var/tmp/status || wrong "nobody wrote the status"
    [ "$(on 2 cat /var/tmp/status)" = 0 ] || wrong "the larger side did not end well"
    ! on 1 test -e /var/tmp/status || wrong "the smaller side wrote a status"
    [ "$(finished)" = "6 6" ] || wrong "came to the end, and with how many: $(finished)"
    tidy
}

case_heal() {
    begin
    part 3
    ended_by_itself 3
    join 3
    goes_on 0 6
    end_work
    ends 0 6
}

# Shorter than delta - 2 eta: as long as a script takes, on a machine that has more to do.
case_brief() {
    times='--eta 100ms --delta 10s'
    begin
    for cut in 1 2 3; do
        part 3 4
        sleep 0.2
        join 3 4
        turn=$(note turns.0)
        until_true has_passed $((turn + 2)) || wrong "the work does not go on after cut $cut"
    done
    end_work
    ends 0 8
    times='--eta 100ms --delta 1s'
}
has_passed() { [ "$(note turns.0)" -ge "$1" ] || [ -e "$dir/status" ]; }

# Each of them leaves a majority of those before.
case_row() {
    begin
    for host in 4 3 2; do
        part $host
        goes_on 0 $((2 * (host - 1)))
        ended_by_itself $host
    done
    end_work
    ends 0 2
}

case_go_on() {
    begin --on-split go-on
    part 1
    goes_on 0 2
    goes_on 2 6
    end_work
    ends_with 0
    is_fine 2
    until_true has_finished 8 || wrong "not all came to the end: $(finished)"
    tidy
}
has_finished() { [ "$(finished | cut -d ' ' -f 1)" -eq "$1" ]; }

# One rank on each host: nobody there sees it end but its supervisor. Two of four end, the lowest among them: if they were only silent
# the other half would have to end. And it is known long before silence would tell.
case_alone() {
    ranks=4 times='--eta 1s --delta 40s'
    begin
    for host in 2 1; do on $host sh -c "kill -9 \$(pgrep -x test-mpi-split_)" & done
    goes_on 2 2
    end_work
    ends_with 0
    is_fine 2
    [ "$(finished)" = "2 2" ] || wrong "came to the end, and with how many: $(finished)"
    tidy
    ranks=8 times='--eta 100ms --delta 1s'
}

# ---- at random -----------------------------------------------------------------------------------------------------------

# Each host is on one of three sides: at the first switch, behind the second, alone. Sets $side_1 to $side_4, $length, $heals.
draw() {
    # shellcheck disable=SC2046
    set -- $(awk -v seed="$1" 'BEGIN { srand(seed); rand()
        for (h = 1; h <= 4; h++) { r = rand(); side[h] = r < 0.45 ? "first" : r < 0.85 ? "second" : "alone" h; same += side[h] == side[1] }
        if (same == 4) side[1 + int(4 * rand())] = side[1] == "first" ? "second" : "first" # it is to be a cut
        printf "%s %s %s %s %.2f", side[1], side[2], side[3], side[4], rand() * 5 }')
    side_1=$1 side_2=$2 side_3=$3 side_4=$4 length=$5
}

cut_as_drawn() {
    second=
    for host in 1 2 3 4; do
        eval "side=\$side_$host"
        case $side in
        second) second="$second $host" ;;
        alone*) "$hosts" cut "$name" $host ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    [ -z "$second" ] || part $second
}

heal_all() {
    for host in 1 2 3 4; do "$hosts" heal "$name" $host; done
    join 1 2 3 4
}

# The hosts of the side that may go on: more than half of them, or half and the first one. None: nobody may.
winners() {
    printf '%s\n' "$side_1 1" "$side_2 2" "$side_3 3" "$side_4 4" | awk '{ n[$1]++; list[$1] = list[$1] " " $2; first[$1] = first[$1] || $2 == 1 }
        END { for (s in n) if (n[s] > 2 || (n[s] == 2 && first[s])) print list[s] }'
}

# In no case do two sides come to the end: all who do were as many as each of them says.
check_one_side() {
    # shellcheck disable=SC2046
    set -- $(finished)
    [ "$1" -eq 0 ] || { [ $# -eq 2 ] && [ "$1" -eq "$2" ]; } || wrong "two sides: came to the end, and with how many: $*"
}

# The cut stays: who goes on is known.
check_split() {
    # shellcheck disable=SC2046
    set -- $(winners)
    for host in 1 2 3 4; do
        case " $* " in *" $host "*) ;; *) ended_by_itself $host ;; esac
    done
    end_work
    if [ "${1:-0}" = 1 ]; then ends_with 0; else ends_with fail; fi
    [ $# -eq 0 ] || until_true has_finished $((2 * $#)) || wrong "came to the end: $(finished); the hosts $* were to go on"
    [ "${1:-0}" = 1 ] || grep -q 'ranks of the last agreement.*ends: ' "$dir/err" || wrong "no line says why it ends"
}

cut_at_random() { # SEED HEALS
    seed=$1 heals=$2
    draw "$seed"
    echo "$mpi: seed $seed: sides $side_1 $side_2 $side_3 $side_4, $length s, $heals"
    begin
    cut_as_drawn
    if [ "$heals" = heals ]; then
        sleep "$length"
        heal_all
        end_work
        wait
        for host in 1 2 3 4; do until_true has_no_rank $host || wrong "ranks are left on host $host"; done
    else
        check_split
    fi
    check_one_side
    tidy
}

# The same cut twice: for good, and healed after a while.
case_random() {
    random=$((${KNELL_TEST_SEED:-1} + round - 1))
    cut_at_random $random stays
    cut_at_random $random heals
}

hosts_up 4
each_case "$@"
exit $failed
