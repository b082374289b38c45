#!/bin/sh
# KNELL TARGET HOSTS_SCRIPT: `knell agent --hosts`: the programs of a scenario on three hosts, without MPI. Status 77: hosts are not permitted here.
knell=$1 target=$2
set -- none "$knell" "$3" none none 1
here=$(dirname "$0")/../mpi
. "$here/over_hosts.sh"
unset KNELL_AGENT
case=lead

# lead OPTION...: from the first host
lead() {
    on 1 timeout -k 2 60 "$knell" agent --rsh /mnt/agent --timeout 40s "$@" >"$dir/out" 2>"$dir/err"
    status=$?
}
gone() {
    for host in 1 2 3; do until_true is_free "$host" || wrong "processes are left on host $host"; done
}

# The slot of h2 dies at its sixth step by order of a daemon without a process; then the last of h3 goes on, which was held.
cat >"$dir/lead.fail" <<END
Daemon CONTROL {
node 1:
    ?ready -> !die(FAIL_SENDER), goto 2;
node 2:
    ?dead -> !go(G[2]), goto 3;
node 3:
}
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(step) && \$arg1 == 5 -> !ready(P), stop, goto 3;
    before(odd#1) -> stop, goto 4;
    onexit -> goto 1;
    onerror -> goto 1;
node 3:
    ?die -> halt, !dead(P), goto 1;
node 4:
    ?go -> continue, goto 2;
}
Computer P { daemon = CONTROL; }
Group G { program = "$target call \$((KNELL_SLOT == 1 ? 6 : 2)) odd \$((KNELL_SLOT == 2)) print" size = 3; daemon = D; }
END
lab 3
lead --fail "$dir/lead.fail" --hosts h1,h2,h3 --log "$dir/log"
[ $status = 0 ] || wrong "status $status, though only one was halted"
[ "$(grep -c 'steps [23]' "$dir/out")" = 2 ] || wrong "two were to go on"
for line in 'G.1. .*-> !ready(P), stop' 'P .*ready from G.1. -> !die(G.1.)' 'G.1. .*-> halt, !dead(P)' 'G.2. .*go from P -> continue'; do
    grep -q "$line" "$dir/log" || wrong "the log lacks: $line
$(cat "$dir/log")"
done
gone

# As `hosts` says; statuses and errors come from other hosts.
cat >"$dir/where.fail" <<END
Daemon D { onload -> continue; }
Group G { program = "dash -c 'hostname; exit \$((KNELL_SLOT == 3 ? 4 : 0))'" size = 4; hosts = "h3:2,h2"; daemon = D; }
END
lead --fail "$dir/where.fail" --hosts h2,h3
[ $status = 4 ] || wrong "the status is $status, not that of slot 3"
[ "$(sort "$dir/out" | tr '\n' ' ')" = "h2 h2 h3 h3 " ] || wrong "the slots are not where they should be"
lead --fail "$dir/where.fail" --hosts h1,h2
[ $status = 2 ] || wrong "h3 is not among the hosts, and the status is $status"
says 'G has a slot on h3, which is not one of --hosts h1,h2'
on 1 "$knell" agent --fail "$dir/where.fail" 2>"$dir/err" && wrong "slots of other hosts were left out"
says 'G has a slot on h3, and this is h1; --hosts'
sed 's/before(odd#1)/before(oddd#1)/' "$dir/lead.fail" >"$dir/wrong.fail"
lead --fail "$dir/wrong.fail" --hosts h2,h3
[ $status = 1 ] || wrong "a function that is not there, and the status is $status"
says "h[23]: there is no function oddd in .*did you mean 'odd'"
[ -s "$dir/out" ] && wrong "something ran"
lead --fail "$dir/lead.fail" --hosts h1,h9
[ $status = 2 ] || wrong "h9 is no host, and the status is $status"
says 'h9 is not known here'
on 2 mount --bind /dev/null "$knell"
lead --fail "$dir/lead.fail" --hosts h1,h2,h3
on 2 umount "$knell"
[ $status = 1 ] || wrong "there is no knell on h2, and the status is $status"
says 'h2: the agent cannot be started: /mnt/agent ended with status 126'
gone

# Processes that are there already, on any host.
cat >"$dir/come.fail" <<END
Daemon D {
node 1:
    onload -> continue, goto 2;
node 2:
    before(step#3) -> log("third"), goto 3;
node 3:
}
Group G { program = "test-agent-target" size = 2; hosts = "h2,h3"; daemon = D; }
END
: >"$dir/log"
on 1 env KNELL_AGENT=@come timeout -k 2 60 "$knell" agent --rsh /mnt/agent --listen --fail "$dir/come.fail" --hosts h2,h3 --log "$dir/log" \
    >"$dir/out" 2>"$dir/err" &
comes_on() { on "$1" env KNELL_AGENT=@come "$target" register call 3 print 2>/dev/null | grep -q 'steps 103'; } # 100: it is registered
for host in 2 3; do
    until_true comes_on "$host" || wrong "no agent takes the process of h$host"
    until_true grep -q "G.$((host - 2)). .*third" "$dir/log" || wrong "the process of h$host did not come to its slot"
done
# shellcheck disable=SC2016 # for the host
on 1 sh -c 'for at in /proc/[0-9]*; do tr "\0" " " <$at/cmdline | grep -q "^[^ ]*[k]nell agent --rsh" && kill -TERM ${at#/proc/}; done' 2>/dev/null
wait
gone

# Who leads is killed while programs are held and run: nothing is left.
cat >"$dir/hold.fail" <<END
Daemon D { onload -> continue; before(step#2) -> log("held"), stop; }
Group G { program = "$target call 9 sleep 60000" size = 3; daemon = D; }
END
on 1 timeout -k 2 60 "$knell" agent --rsh /mnt/agent --fail "$dir/hold.fail" --hosts h1,h2,h3 --log "$dir/log" >"$dir/out" 2>"$dir/err" &
all_held() { [ "$(grep -c '"held"' "$dir/log")" = 3 ]; }
until_true all_held || wrong "they are not held"
# shellcheck disable=SC2016 # for the host
on 1 sh -c 'for at in /proc/[0-9]*; do tr "\0" " " <$at/cmdline | grep -q "^[^ ]*[k]nell agent --rsh" && kill -9 ${at#/proc/}; done' 2>/dev/null
wait
gone
exit $failed
