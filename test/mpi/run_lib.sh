# What the tests of `knell run` share. Sourced first, with their arguments: KNELL MPI APP [MODE] ...
# $app is a copy of APP under a path of this test's own, by which its processes are known; $scratch and TMPDIR are its own too.
set -u
knell=$1 mpi=$2 mode=${4-real}
# In a mount namespace of its own, where that is allowed, /dev/shm is this test's alone.
if [ -z "${KNELL_TEST_OWN_SHM-}" ] && unshare --mount true 2>/dev/null; then
    export KNELL_TEST_OWN_SHM=1
    exec unshare --mount sh -c 'mount -t tmpfs none /dev/shm && exec "$0" "$@"' "$0" "$@"
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
app=$scratch/app
cp "$3" "$app"
mkdir "$scratch/tmp"
export TMPDIR="$scratch/tmp"
failed=0

# wrong WHAT: of what was run last, with all that it wrote
wrong() {
    echo "$mpi $mode: $ran: $1" >&2
    sed 's/^/    /' "$scratch/out" "$scratch/err" >&2
    failed=1
}

# knell_run argument...: leaves its status in $status, what it writes in $scratch/out and $scratch/err. $search: another PATH for it.
knell_run() {
    ran="knell run $*"
    timeout -k 5 60 env PATH="${search-$PATH}" "$knell" run "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
}

ended_with() {
    [ $status -eq "$1" ] || wrong "status $status, expected $1"
}

# fine COUNT: so many ranks ended well
fine() {
    got=$(grep -o fine "$scratch/out" | wc -l) # launchers may join the lines of two ranks
    [ "$got" -eq "$1" ] || wrong "$got ranks ended well, expected $1"
}

says() {
    grep -qE -e "$1" "$scratch/err" || wrong "standard error lacks: $1"
}

nothing_left() {
    ! left=$(pgrep -f "$app") || wrong "processes are left: $(echo "$left" | tr '\n' ' ')"
    [ -z "$(ls -A "$TMPDIR")" ] || wrong "left in TMPDIR: $(ls -A "$TMPDIR")"
    [ -z "${KNELL_TEST_OWN_SHM-}" ] || [ -z "$(ls -A /dev/shm)" ] || wrong "left in /dev/shm: $(ls -A /dev/shm)"
}
