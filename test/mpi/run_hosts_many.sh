#!/bin/sh
# 64 ranks on eight hosts lose eight ranks at once, then a host; the survivors shrink twice and end with the right answer.
# Usage: over_hosts.sh says. Cases: many
. "$(dirname "$0")/../own_shm.sh"
. "$(dirname "$0")/over_hosts.sh"

# One rank of each host. The machine has fewer processors than ranks: silence has to last before it means something.
case_many() {
    patience=150 limit=140s
    kills=$(seq -f '--kill %g@MPI_Allreduce#20' 3 8 63)
    # shellcheck disable=SC2086 # words
    start --eta 1s --delta 8s $kills -- "$host_loss" 8,7 work 0 130
    until_true has_lost_ranks || wrong "eight ranks are not lost"
    "$hosts" kill "$name" 8
    ends_with 0
    is_fine 49
    says 'rank 59 was killed'
    says 'rank 62 was lost with its host h8'
    nothing_left 1 2 3 4 5 6 7
    revive 8
}
has_lost_ranks() { [ "$(grep -c ready "$dir/out")" -eq 2 ] || [ -e "$dir/status" ]; }

lab 8
ranks=64
each_case "$@"
exit $failed
