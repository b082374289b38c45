#!/bin/sh
# Who does not have the key: nothing of ours listens at an address that the job does not use, and a stranger on another host who floods all
# that listens does not delay the job or end it.
# Usage: over_hosts.sh says. Cases: interfaces flood
. "$(dirname "$0")/../own_shm.sh"
. "$(dirname "$0")/over_hosts.sh"

# doors HOST: "tcp ADDRESS:PORT PROGRAM", of sockets that listen or take datagrams
doors() { on "$1" ss -Htulnp | awk '{ split($7, program, "\""); print $1, $5, program[2] }'; }

# Those of knell run and of supervisors; the detector's, which alone of a rank's are for datagrams.
ours() { doors "$1" | awk '$3 == "knell" || $3 == "exec" || $1 == "udp"'; }

# An address besides, which the job has no use for.
add_addresses() {
    for host in 1 2 3; do on $host ip addr add 10.99.0.$host/24 dev eth0; done
}

case_interfaces() {
    start -- "$host_loss" 2 work
    until_says ready
    for host in 1 2 3; do
        ours $host >"$dir/ours"
        [ "$(grep -c '^udp' "$dir/ours")" -ge 2 ] || wrong "host $host: where are the detectors? $(doors $host)"
        ! grep -v " 10[.]77[.]0[.]$host:" "$dir/ours" || wrong "host $host: something listens where the job is not"
        ! grep '^tcp' "$dir/ours" || wrong "host $host: a door is open after all ranks have started"
    done
    on 1 sh -c 'kill $(pgrep -x knell)' # shellcheck disable=SC2016
    wait
    nothing_left 1 2 3
}

# From the third host, without a pause: datagrams at every detector and connections to the door of knell run, from before the job's start.
flood() {
    cat >"$dir/flood.py" <<'END'
import random, socket, sys, time
random.seed(1)
until, held, sent = time.time() + float(sys.argv[1]), [], 0
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while time.time() < until:
    doors = [line.split() for line in open(sys.argv[2])]
    for kind, door in doors or [("", "")]:
        if not kind:
            time.sleep(0.001)
            continue
        host, port = door.rsplit(":", 1)
        try:
            if kind == "udp":
                for _ in range(50):
                    datagrams.sendto(random.randbytes(random.randrange(1, 1400)), (host, int(port)))
                    sent += 1
            else:
                for _ in range(20):
                    one = socket.create_connection((host, int(port)), 0.2)
                    one.send(random.randbytes(random.randrange(1, 300)))
                    held.append(one)
                    sent += 1
                held = held[-500:]
        except OSError:
            pass
print(sent)
END
    : >"$dir/doors"
    on 3 timeout 60 python3 "$dir/flood.py" "$1" "$dir/doors" >"$dir/sent" 2>&1 &
}

# What is there to be flooded, as often as it changes.
point_out() {
    for host in 1 2; do ours $host; done | awk '{ print $1, $2 }' | sort -u >"$dir/doors.new"
    mv "$dir/doors.new" "$dir/doors"
}

case_flood() {
    flood 12
    start --eta 200ms --delta 4s --kill 3@MPI_Allreduce#50 -- "$host_loss" 1 work 3
    until_true is_over_pointing_out
    ends_with 0
    is_fine 5
    says '1 of 6 ranks died'
    wait
    [ "$(cat "$dir/sent")" -ge 1000 ] || wrong "hardly anything was sent: $(cat "$dir/sent")"
    nothing_left 1 2 3
}
is_over_pointing_out() {
    point_out
    [ -e "$dir/status" ]
}

lab 3
add_addresses
each_case "$@"
exit $failed
