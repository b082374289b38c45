#!/bin/sh
# A real Slurm (slurmctld, slurmd, munge) on hosts of tools/hosts: `knell run` in an allocation loses a rank, a host, the first host; Slurm
# gives a host up, by itself or because an operator says so; people's own srun lines with `knell exec`; wrong use.
# Usage: slurm.sh MPI KNELL HOSTS_SCRIPT HOST_LOSS MANAGER_WORKER JOBS CASE...   cases: rank host first down operator exec batch nested
# Status 77: there is no Slurm, too.
. "$(dirname "$0")/../own_shm.sh"
here=$(dirname "$0")
mpi=$1 knell=$2 hosts=$3 host_loss=$4 manager_worker=$5 jobs=$6
shift 6
. "$here/on_hosts.sh"
for program in slurmctld slurmd munged srun salloc; do
    command -v $program >/dev/null || {
        echo "skipped: $program is missing; apt-get install slurmctld slurmd slurm-client munge"
        exit 77
    }
done
count=4

# on_login COMMAND...: with a limit
on_login() { on $count env SLURM_CONF=/mnt/slurm/slurm.conf timeout -k 2 90 "$@"; }

# job OPTION... -- PROGRAM...: in an allocation of all nodes; status in $status
job() {
    on_login salloc -Q -N3 --no-kill "$knell" run -n 6 --timeout 70s "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}

# back HOST: it is started again, as new
back() {
    revive "$1"
    "$here/../slurm/cluster.sh" "$hosts" "$name" $count node "$1" || wrong "host $1 does not come back to Slurm"
}

others() { seq 1 3 | grep -vx "$1"; }

# The survivors go on for longer than Slurm needs to end a step.
case_rank() {
    job --kill 4@300ms -- "$host_loss" 1 work 2
    [ "$status" -eq 0 ] || wrong "the status is $status"
    is_fine 5
    nothing_left 1 2 3
}

lose_host() { # NUMBER
    start -- "$host_loss" 2 work 2
    until_says ready
    "$hosts" kill "$name" "$1"
    ends_with 0
    is_fine 4
    says "was lost with its host h$1"
    # shellcheck disable=SC2046 # words
    nothing_left $(others "$1")
    back "$1"
}
case_host() { lose_host 3; }
case_first() { lose_host 1; }

# Silence would take longer than the job may last: Slurm does not hear of the node for SlurmdTimeout, and says so.
case_down() {
    start --eta 1s --delta 5min --log "$dir/log" -- "$host_loss" 2 work 0 65
    until_says ready
    "$hosts" kill "$name" 3
    ends_with 0
    is_fine 4
    says 'Node failure on h3'
    says 'was lost with its host h3'
    grep -q '"event": *"learned".*"why": *"operator"' "$dir/log" || wrong "the detector was not told: $(grep learned "$dir/log")"
    nothing_left 1 2
    back 3
}

# A node is taken out that is there: its ranks are ended, by Slurm or by the detector, whoever is first.
case_operator() {
    start --eta 1s --delta 5min -- "$host_loss" 2 work 0 65
    until_says ready
    on_login scontrol update NodeName=h3 State=DOWN Reason=test >"$dir/scontrol" 2>&1 || wrong "scontrol: $(cat "$dir/scontrol")"
    ends_with 0
    is_fine 4
    nothing_left 1 2 3
    on_login scontrol update NodeName=h3 State=RESUME 2>/dev/null # unless it is back by itself: ReturnToService
    "$here/../slurm/cluster.sh" "$hosts" "$name" $count wait_for_nodes || wrong "host 3 does not come back to Slurm"
}

# A scenario for agents, one on each node. Both ranks of a node die; Slurm then ends that node's part of the step, and the agent with it.
# The second may notice the death of the first before it comes to its own call.
case_agent() {
    cat >"$dir/agent.fail" <<END
Daemon D { onload -> continue; }
Daemon V {
node 1:
    onload -> continue, goto 2;
node 2:
    before(libknell-mpi-$mpi:MPI_Allreduce#50) -> !die(H[*]), halt, goto 1;
    ?die -> halt, goto 1;
}
Group G { program = "$(basename "$host_loss")" size = 4; daemon = D; }
Group H { program = "$(basename "$host_loss")" size = 2; daemon = V; }
END
    job --fail "$dir/agent.fail" -- "$host_loss" 2 work 3
    [ $status -eq 0 ] || wrong "the status is $status"
    is_fine 4
    nothing_left 1 2 3
}

# Without `knell run`: a rank kills itself.
case_exec() {
    by=pmi2 settings='UCX_TLS=tcp,cma,self UCX_NET_DEVICES=eth0'
    [ "$mpi" = mpich ] || by=pmix settings='OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=eth0'
    # shellcheck disable=SC2086 # several words
    on_login srun -N3 -n6 --mpi=$by --no-kill --kill-on-bad-exit=0 --wait=0 env $settings \
        "$knell" exec "$manager_worker" 1000 4@3 >"$dir/out" 2>"$dir/err"
    status=$?
    [ "$status" -eq 0 ] || wrong "the status is $status"
    says '5 ranks left, 9592 primes below 100000: right'
    nothing_left 1 2 3
}

# The batch script of the examples, from any folder; `knell` is found on the PATH.
case_batch() {
    on_login env PATH="$(dirname "$knell"):$PATH" sbatch -Q -W -N3 -D /mnt -o /mnt/batch.out "$here/../../examples/slurm/job.sh" \
        "$manager_worker" 1000 4@3 >"$dir/out" 2>"$dir/err"
    status=$?
    on_login cat /mnt/batch.out >>"$dir/out"
    [ "$status" -eq 0 ] || wrong "the status is $status"
    says '23 ranks left, 9592 primes below 100000: right'
    nothing_left 1 2 3
}

case_nested() {
    on_login srun -N2 -n2 "$knell" run -n 2 "$host_loss" 1 work >"$dir/out" 2>"$dir/err"
    says 'srun has started this command for each task'
}

hosts_up $count
"$here/../slurm/cluster.sh" "$hosts" "$name" $count up >"$dir/out" 2>"$dir/err" || {
    wrong "Slurm does not start"
    exit 1
}
each_case "$@"
exit $failed
