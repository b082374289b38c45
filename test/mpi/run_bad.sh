#!/bin/sh
# `knell run` with wrong input: status 2 (1: an error in the scenario), one line on standard error that says what is wrong, nothing on
# standard output, nothing started, nothing left. Usage: run_bad.sh KNELL MPI APP
. "$(dirname "$0")/run_lib.sh"

# refused STATUS LINES WORDS argument...: in so many lines, with words that match
refused() {
    wanted=$1 lines=$2 words=$3
    shift 3
    knell_run "$@"
    ended_with "$wanted"
    says "$words"
    [ "$(wc -l <"$scratch/err")" -eq "$lines" ] || wrong "not $lines lines on standard error"
    [ ! -s "$scratch/out" ] || wrong "words on standard output"
    nothing_left
}

bad() {
    refused 2 1 "$@"
}

bad '--ranks' -- "$app"
for ranks in 0 -1 1025 two 1.5 ''; do
    bad '^knell run: --ranks .*must be a whole number from 1 to 1024' -n "$ranks" -- "$app"
done
bad 'the program is missing: knell run -n N PROGRAM' -n 2
bad 'the program is missing' -n 2 --
bad 'the program is missing' -n 2 ''
bad 'unknown option -x;' -n 2 -x "$app"
bad 'unknown option --verbose;' -n 2 --verbose "$app"
bad '--ranks is missing.*options come before the program' "$app" -n 2
bad 'no such program here or on the PATH' -n 2 knell-no-such-program
bad 'no such program' -n 2 -- "$scratch/nothing"
bad 'is a directory' -n 2 -- "$scratch"
echo '#' >"$scratch/text"
bad 'not executable.*chmod' -n 2 -- "$scratch/text"
bad 'give --mpi|--mpi' -n 2 -- /bin/true
bad 'give --mpi|--mpi' -n 2 true
bad 'did you mean --kill' -n 2 --kil 1@1s -- "$app"
bad 'unknown option --what' -n 2 --what -- "$app"
bad '--mpi lam: ' -n 2 --mpi lam -- "$app"
bad '--mode dead: ' -n 2 --mode dead -- "$app"
bad '--ranks: given twice' -n 2 -n 3 -- "$app"

for kill in 2@1s -1@1s x@1s @1s; do
    bad "--kill $kill: .*from 0 to 1" -n 2 --kill $kill -- "$app"
done
bad '--kill 1: R@T or R@CALL#K' -n 2 --kill 1 -- "$app"
bad '--kill 1@: the time' -n 2 --kill 1@ -- "$app"
bad '--kill 1@soon: the time .*a call begins with MPI' -n 2 --kill 1@soon -- "$app"
bad '--kill 1@MPI_Snd: .*did you mean MPI_Send' -n 2 --kill 1@MPI_Snd -- "$app"
bad '--kill 1@MPI_Send#0: 0 must be a whole number from 1 on' -n 2 --kill 1@MPI_Send#0 -- "$app"
bad '--kill 1@MPI_Snd\*: no MPI call that is known here begins with MPI_Snd$' -n 2 --kill '1@MPI_Snd*' -- "$app"
bad '--kill 1@MPI_Ini\*: no MPI call that is known' -n 2 --kill '1@MPI_Ini*' -- "$app"
bad '--mttf already says which ranks fail; give it or --kill' -n 2 --mttf 1s --kill 1@1s -- "$app"
bad '--mttf 0s' -n 2 --mttf 0s -- "$app"
bad '-D MTBF: given twice' -n 2 --mttf 1s -D MTBF=3 -- "$app"
bad '--kill 1@MPI_Init: nothing can be done at MPI_Init: .*from the end of MPI_Init' -n 2 --kill 1@MPI_Init -- "$app"
bad 'rank 1 dies already' -n 2 --kill 1@1s --kill 1@2s -- "$app"

bad '--eta' -n 2 --eta 0s -- "$app"
bad '--delta 10 ms: must be longer than eta' -n 2 --eta 10ms --delta 10ms -- "$app"
bad '--overlay tree: must be one of circulant hba' -n 2 --overlay tree -- "$app"
bad '--overlay: given twice' -n 2 --overlay hba --overlay hba -- "$app"
bad '--latest-only' -n 2 --latest-only=yes -- "$app"
bad '--timeout' -n 2 --timeout never -- "$app"
bad '--ghost-delay: only with --mode ghost' -n 2 --ghost-delay 1s -- "$app"
bad '--seed: only with --fail' -n 2 --seed 3 -- "$app"
bad '--define: only with --fail' -n 2 -D X=1 -- "$app"
bad '/nowhere/log' -n 2 --log /nowhere/log -- "$app"

cat >"$scratch/good.fail" <<'END'
Daemon D { onload -> continue; }
Group G { program = "app" size = 2; daemon = D; }
END
bad '/nowhere.fail' -n 2 --fail /nowhere.fail -- "$app"
bad 'give it or --kill' -n 2 --fail "$scratch/good.fail" --kill 1@1s -- "$app"
refused 1 1 'good.fail: error: -D X: no param is called so' -n 2 --fail "$scratch/good.fail" -D X=1 -- "$app"
bad '2 processes, the job has 4 ranks' -n 4 --fail "$scratch/good.fail" -- "$app"
echo 'Daemon D { onload -> continu; }' >"$scratch/bad.fail"
refused 1 3 'bad.fail:1:22: error: .*did you mean .continue.' -n 2 --fail "$scratch/bad.fail" -- "$app"
: >"$scratch/empty.fail"
echo 'Daemon D { onload -> continue, stay; after(MPI_Abort) -> halt; } Computer C { program = "app" daemon = D; }' >"$scratch/late.fail"
bad 'late.fail: nothing can be done at MPI_Abort' -n 1 --fail "$scratch/late.fail" -- "$app"
refused 2 2 'empty.fail is for 0 processes, the job has 2 ranks' -n 2 --fail "$scratch/empty.fail" -- "$app"
exit $failed
