#!/bin/sh
# A Slurm cluster on hosts of tools/hosts: the last host is the login node, which also has the controller; the others compute.
# Usage: cluster.sh HOSTS_SCRIPT NAME H up           starts it
#        cluster.sh HOSTS_SCRIPT NAME H node NUMBER  starts a node again whose host was restarted
#        cluster.sh HOSTS_SCRIPT NAME H log          what the daemons said
# Everything is in /mnt, which the hosts have in common and which goes with them; only the daemons' own private folders are in /var/tmp.
set -eu
hosts=$1 name=$2 count=$3
shift 3
login=$count
nodes=$((count - 1))
at=/mnt/slurm

on() {
    host=$1
    shift
    "$hosts" exec "$name" "$host" -- "$@"
}

write_settings() {
    on "$login" sh -c "mkdir -p -m 755 $at/state && cat >$at/slurm.conf && chmod 755 $at" <<END
ClusterName=knell
SlurmctldHost=h$login
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$at/munge.socket
CredType=cred/munge
StateSaveLocation=$at/state
SlurmdSpoolDir=/var/tmp/slurmd
SlurmctldPidFile=/var/tmp/slurmctld.pid
SlurmdPidFile=/var/tmp/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=1
TCPTimeout=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=h[1-$nodes] CPUs=16 State=UNKNOWN
PartitionName=all Nodes=h[1-$nodes] Default=YES OverSubscribe=FORCE MaxTime=INFINITE State=UP
END
    on "$login" sh -c "echo 'CgroupPlugin=cgroup/v1' >$at/cgroup.conf; echo 'PMIxCliTmpDirBase=/var/tmp' >$at/mpi.conf"
}

# One daemon for all: a socket in a file system reaches through every network.
start_munge() {
    on "$login" sh -c "
        dd if=/dev/urandom of=$at/munge.key bs=1k count=1 2>/dev/null && chmod 600 $at/munge.key &&
        setsid munged --foreground --force --num-threads 2 --key-file=$at/munge.key --socket=$at/munge.socket --pid-file=$at/munge.pid \
            --seed-file=$at/munge.seed --log-file=$at/munge.log </dev/null >$at/munge.said 2>&1 &"
    tries=0
    until on "$login" test -S $at/munge.socket; do
        tries=$((tries + 1))
        [ $tries -lt 400 ] || { log >&2; echo "cluster.sh: munged does not start" >&2; return 1; }
        sleep 0.05
    done
}

start_node() { # NUMBER
    on "$1" sh -c "mkdir -p /var/tmp/slurmd; mount -t tmpfs tmpfs /sys/fs/cgroup 2>/dev/null
        SLURM_CONF=$at/slurm.conf setsid slurmd -D -N h$1 </dev/null >$at/slurmd-h$1.log 2>&1 &"
}

are_idle() {
    on "$login" env SLURM_CONF=$at/slurm.conf timeout 5 sinfo -h -N -t idle -o %N 2>/dev/null | sort -u | wc -l | grep -qx "$nodes"
}

wait_for_nodes() {
    tries=0
    until are_idle; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || { log >&2; echo "cluster.sh: the nodes of Slurm do not come up" >&2; return 1; }
        sleep 0.1
    done
}

up() {
    write_settings
    start_munge
    on "$login" sh -c "SLURM_CONF=$at/slurm.conf setsid slurmctld -D </dev/null >$at/slurmctld.log 2>&1 &"
    for i in $(seq 1 "$nodes"); do start_node "$i"; done
    wait_for_nodes
}

node() { # NUMBER
    start_node "$1"
    wait_for_nodes
}

log() { on "$login" sh -c "tail -n 30 $at/*.log $at/*.said"; }

"$@"
