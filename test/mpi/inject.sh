#!/bin/sh
# Scenarios on a program: families of calls, variables, stops, signals, arguments, pauses, life spans; and what is refused.
# Usage: inject.sh KNELL MPI APP MODE SCENARIOS
. "$(dirname "$0")/run_lib.sh"
scenarios=$5

run() {
    knell_run --mode "$mode" --timeout 50s "$@"
    ended_with 0
    nothing_left
}

# noted RANK COUNT: this rank's file has so many notes
noted() {
    [ "$(wc -c <"$scratch/notes.$1")" -eq "$2" ] || wrong "rank $1 made $(wc -c <"$scratch/notes.$1") notes, not $2"
}

# Three calls are made before the first that is noted: the 40th of all is the 37th of those.
run -n 4 --kill '2@MPI_*#40' -- "$app" alltoall "$scratch/notes"
fine 3
noted 2 37
run -n 4 --fail "$scenarios/ghost-count.fail" -D RANK=1 -D CALLS=30 -- "$app" alltoall "$scratch/notes"
fine 3
noted 1 27
# By chance, at every call of a program that makes no other; two live on.
run -n 4 --fail "$scenarios/ghost-probability.fail" -D ONE_IN=50 -D KEEP=2 -- "$app" shrink 2
fine 2
says '2 of 4 ranks died'
if [ "$mode" = real ]; then
    run -n 4 --mttf 200ms -D KEEP=2 --seed 3 -- "$app" shrink 2
    fine 2
    says '2 of 4 ranks died'
fi

cat >"$scratch/all.fail" <<'END'
Daemon SENDER {
    onload -> continue, stay;
    before(MPI_Send) && $arg4 == 2 && $arg5 == 7 -> halt, stay;
}
Daemon CHANGED {
node 1:
    onload -> continue, goto 2;
node 2:
    watch($iteration) && $iteration == 20 -> $residual = 7, flip($mask), goto 3;
node 3:
    after(MPI_*) && $iteration == 40 && $residual == 7 -> $iteration = 1000, goto 4;
node 4:
}
Daemon STOPPED {
node 1:
    onload -> continue, goto 2;
node 2:
    before(MPI_Barrier#5) -> signal(10), stay;
    before(MPI_Barrier#10) -> stop, goto 3;
node 3:
    time rest = 300;
    rest -> continue, goto 4;
node 4:
    time soon = 50;
    soon -> stop, goto 5;
node 5:
    time rest = 300;
    rest -> continue, goto 6;
node 6:
}
Daemon SPARED {
node 1:
    onload -> continue, goto 2;
node 2:
    time early = 100;
    time life = 200;
    early -> signal(10), stay;
    life -> halt, goto 3;
    before(MPI_Barrier) -> halt, goto 3;
node 3:
}
Computer A { program = "app" daemon = SENDER; }
Computer B { program = "app" daemon = CHANGED; }
Computer C { program = "app" daemon = STOPPED; }
Computer D { program = "app" daemon = SPARED; }
END
run -n 4 --eta 2s --fail "$scratch/all.fail" -- "$app" all "$scratch/notes"
fine 2
noted 0 4
noted 3 3
says '2 of 4 ranks died'
# Without Knell the program runs, and none of it happens.
case $mpi in openmpi) launcher='mpirun.openmpi --allow-run-as-root --oversubscribe' ;; *) launcher=mpirun.mpich ;; esac
ran="mpirun without Knell"
timeout -k 5 60 $launcher -n 1 "$app" >"$scratch/out" 2>"$scratch/err" </dev/null || wrong "status $?"

# What the check refuses is refused, with the same words, and nothing is started.
refused() { # WORDS scenario
    case $mode in real) effector=run ;; *) effector=ghost ;; esac
    echo "$2" >"$scratch/bad.fail"
    ran="knell fail check --for $effector"
    "$knell" fail check --for $effector "$scratch/bad.fail" >"$scratch/out" 2>"$scratch/err" && wrong "not refused: $2"
    says "$1"
    knell_run -n 1 --mode "$mode" --fail "$scratch/bad.fail" -- "$app"
    [ $status -ne 0 ] || wrong "not refused: $2"
    says "$1"
}
one='Computer C { program = "app" daemon = D; }'
refused 'cannot do this: cut and heal' "Daemon D { onload -> continue, cut(C); } $one"
refused 'cannot do this: the library of a function' "Daemon D { onload -> continue; before(libmpi:MPI_Send) -> stay; } $one"
refused 'cannot do this: hosts' 'Daemon D { onload -> continue; } Computer C { program = "app" daemon = D; hosts = "n1"; }'
refused 'cannot do this: match = "host"' 'Daemon D { onload -> continue; } Computer C { program = "app" daemon = D; match = "host"; }'
refused 'only functions whose names begin with MPI' "Daemon D { onload -> continue; before(printf) -> stay; } $one"
refused 'did you mean MPI_Send' "Daemon D { onload -> continue; before(MPI_Snd) -> stay; } $one"
refused 'no MPI call that is known here begins with MPI_Sned' "Daemon D { onload -> continue; before(MPI_Sned*) -> stay; } $one"
exit $failed
