#!/bin/sh
# `knell run --hosts` on three hosts: a rank dies at a call, as a process and as a ghost; a host dies, two at once, that of knell run itself,
# one in MPI_Init and one in MPI_Finalize. The survivors end with the right answer, and nothing is left on hosts that live.
# Usage: over_hosts.sh says. Cases: rank ipv6 host two two_of_many own own_back own_start start end
. "$(dirname "$0")/../own_shm.sh"
. "$(dirname "$0")/over_hosts.sh"

case_rank() {
    for mode in real ghost; do
        job --mode $mode --kill 4@MPI_Allreduce#5 -- "$repaired"
        [ $status -eq 0 ] || wrong "$mode: the status is $status"
        says 'which is right'
        says 'all 5 after'
    done
    nothing_left 1 2 3
}

case_ipv6() {
    list=h1-6,h2-6,h3-6
    job --kill 4@MPI_Allreduce#5 -- "$repaired"
    list=h1,h2,h3
    [ $status -eq 0 ] || wrong "the status is $status"
    says 'which is right'
    nothing_left 1 2 3
}

case_host() {
    start -- "$host_loss" 2 work
    until_says ready
    "$hosts" kill "$name" 3
    ends_with 0
    is_fine 4
    says 'rank 4 was lost with its host h3'
    nothing_left 1 2
    revive 3
}

# lose_two LEFT OPTION...: the second host and the third at the same time
lose_two() {
    left=$1
    shift
    start "$@" -- "$host_loss" $((ranks - left)) work
    until_says ready
    "$hosts" kill "$name" 2 &
    "$hosts" kill "$name" 3
    ends_with 0
    is_fine "$left"
    says "rank $left was lost with its host h2"
    says "rank $((ranks - 1)) was lost with its host h3"
    nothing_left 1
    revive 2 3
}

# With two of three hosts they could be the larger side of a split.
case_two() { lose_two 2 --on-split go-on; }
case_two_of_many() {
    list=h1:4,h2:1,h3:1
    lose_two 4
    list=h1,h2,h3
}

# The survivors work until after the launchers' daemons would have killed them: 8 s.
case_own() {
    on 2 rm -f /mnt/status
    start --status-file /mnt/status -- "$host_loss" 2 work 12
    until_says ready
    "$hosts" kill "$name" 1
    wait
    until_true on 2 test -e /mnt/status || wrong "nobody wrote the status"
    [ "$(on 2 cat /mnt/status)" = 0 ] || wrong "the status is not 0"
    nothing_left 2 3
    revive 1
}

# The host of knell run is there again, as new, while the survivors still work.
case_own_back() {
    on 2 rm -f /mnt/status
    start --status-file /mnt/status -- "$host_loss" 2 work 12
    until_says ready
    "$hosts" kill "$name" 1
    sleep 5 # longer than the others are patient with silence
    revive 1
    wait
    until_true on 2 test -e /mnt/status || wrong "nobody wrote the status"
    [ "$(on 2 cat /mnt/status)" = 0 ] || wrong "the status is not 0"
    nothing_left 2 3
}

case_end() {
    start -- "$host_loss" 2 finalize
    until_says ready
    "$hosts" kill "$name" 3
    ends_with 0
    is_fine 4
    nothing_left 1 2
    revive 3
}

# All have called MPI_Init but one, which waits for its host's end.
make_late() {
    cat >"$dir/late" <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK:-\${PMI_RANK:-0}}" -ne 4 ] || { echo waits; exec sleep 1000; }
exec $repaired
END
    chmod +x "$dir/late"
}

case_start() {
    make_late
    start --mpi "$mpi" -- "$dir/late"
    until_says waits
    "$hosts" kill "$name" 3
    wait
    [ "$(cat "$dir/status")" -ne 0 ] || wrong "the status is 0"
    says 'before MPI_Init was through'
    nothing_left 1 2
    revive 3
}

# The same with the host of knell run: the job cannot begin, and after 20 s its supervisors end what is left.
case_own_start() {
    make_late
    limit=10min
    start --mpi "$mpi" -- "$dir/late"
    until_says waits
    "$hosts" kill "$name" 1
    wait
    limit=50s
    nothing_left 2 3
    revive 1
}

lab 3
each_case "$@"
exit $failed
