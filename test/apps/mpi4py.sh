# mpi4py: our own program of many calls; mpi4py's own ring and its pool of workers (mpi4py.futures), as the package has them. Its tests
# are in no Debian package.
# shellcheck shell=sh disable=SC2034
packages='python3-mpi4py python3-numpy'
cases='calls ring futures' time_cases=calls
own_words=1
adapt() {
    case $case in calls) kill_at=0@MPI_Send_init#5 ;; *) kill_at='' ;; esac
    # The error ends the manager's thread, and the program waits for that outside of MPI.
    [ "$case" != futures ] || spared='mpi4py.futures does not end by itself when a worker dies'
}

prepare() { case $size in small) times=10 ;; *) times=$(scaled 300) ;; esac; }
job() {
    case $case in
    calls) start /usr/bin/python3 "$here/mpi4py_calls.py" "$times" ;;
    ring) start /usr/bin/python3 -m mpi4py.bench ringtest -n 1000 -l $((times * 2000)) ;;
    futures) start /usr/bin/python3 -m mpi4py.futures "$here/mpi4py_futures.py" $((times * 20)) ;;
    esac
}
result() { sed -nE 's/= [0-9.]+ seconds //; /^(turn|primes|time)/p' output; }
