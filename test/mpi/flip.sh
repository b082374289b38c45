#!/bin/sh
# Silent faults under `knell run`: the bits that a scenario names are wrong and no others; bits by chance are as many as they should
# be, and the same ones with the same seed. Usage: flip.sh KNELL MPI APP SCENARIOS
set -u
knell=$1 mpi=$2 app=$3 scenarios=$4
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

wrong() {
    echo "$mpi: $1" >&2
    cat "$scratch/out" "$scratch/err" >&2
    failed=1
}

run() {
    timeout -k 5 90 "$knell" run -n 2 --log "$scratch/log" --timeout 80s "$@" -- "$app" >"$scratch/out" 2>"$scratch/err" </dev/null ||
        wrong "knell run $*: status $?"
}

has() {
    grep -q "$1" "$scratch/out" || wrong "expected: $1"
}

run
has '^send 0; holes 0; '
! grep -qE '[a-z] [1-9][0-9]*;' "$scratch/out" || wrong "bits are wrong that nobody flipped"

# Rank 1 tells of the bits in one line, which the launcher may join with others.
line() {
    grep -o 'send [0-9]*; holes .* digest [0-9a-f]\{16\}' "$scratch/out"
}

# One bit each, by its number; in the sum of two ranks bit 1 of each, which is none, and bit 2 of rank 0 alone. Where a rank sends two
# blocks of 3,200 bits, those from 3,200 on go to rank 1.
cat >"$scratch/one.fail" <<'END'
Daemon FIRST {
    onload -> continue, stay;
    before(MPI_Send) -> flip(5), stay;
    before(MPI_Ssend) -> flip(319), flip(320), flip(321), stay;
    before(MPI_Isend) -> flip(3199), stay;
    before(MPI_Sendrecv) -> flip(0), flip(33), stay;
    before(MPI_Sendrecv_replace) -> flip(21), stay;
    before(MPI_Bsend) -> flip(77), stay;
    before(MPI_Bcast) -> flip(3), stay;
    before(MPI_Ibcast) -> flip(4), flip(5), stay;
    before(MPI_Scatter) -> flip(3207), flip(1), stay;
    before(MPI_Scatterv) -> flip(3207), flip(3208), flip(1), stay;
    before(MPI_Gather) -> flip(11), stay;
    before(MPI_Allgather) -> flip(40), stay;
    before(MPI_Alltoall) -> flip(3209), flip(2), stay;
    before(MPI_Ialltoallw) -> flip(3519), flip(2), stay;
    before(MPI_Allreduce) -> flip(1), flip(2), stay;
    before(MPI_Reduce) -> flip(6), stay;
    before(MPI_Reduce_scatter) -> flip(3213), flip(7), stay;
    before(MPI_Reduce_scatter_block) -> flip(3213), flip(3214), flip(7), stay;
    before(MPI_Barrier) -> flip(1), stay;
}
Daemon SECOND {
    onload -> continue, stay;
    before(MPI_Allreduce) -> flip(1), stay;
    before(MPI_Bcast) -> flip(1), stay;
    before(MPI_Reduce) -> flip(9), stay;
}
Computer A { program = "app" daemon = FIRST; }
Computer B { program = "app" daemon = SECOND; }
END
run --fail "$scratch/one.fail"
has '^send 50; holes 150; isend 200; sendrecv 100; replace 50; bsend 50; '
has ' bcast 75; scatter 75; gather 50; allgather 50; alltoall 50; alltoallw 50; '
has ' allreduce 50; reduce 100; reduce_scatter 75; '
grep -q '"event": "flipped", "rank": 0, "call": "MPI_Ssend", "bits": 3}' "$scratch/log" || wrong "the log does not tell of the wrong bits"
for call in '"rank": 0, "call": "MPI_Barrier"' '"rank": 1, "call": "MPI_Bcast"'; do
    grep -q "\"flipped\", $call, \"bits\": 0}" "$scratch/log" || wrong "the log does not tell of the flip in vain: $call"
done
grep -q '0 of 2 ranks died, 1000 messages had wrong bits' "$scratch/err" || wrong "the timeline does not tell of the wrong bits"

# By chance: 160,000 bits by MPI_Send, a hundredth of them: 1,600 and six standard deviations of 40.
cat >"$scratch/chance.fail" <<'END'
Daemon D { onload -> continue, stay; before(MPI_Send) -> flip(1, 100), stay; }
Group G { program = "app" size = 2; daemon = D; }
END
run --fail "$scratch/chance.fail" --seed 7
first=$(line)
bits=$(sed -n 's/^send \([0-9]*\); holes 0; isend 0; sendrecv 0.*/\1/p' "$scratch/out")
[ -n "$bits" ] && [ "$bits" -gt 1360 ] && [ "$bits" -lt 1840 ] || wrong "$bits of 160,000 bits are wrong, expected about 1,600"
run --fail "$scratch/chance.fail" --seed 7
[ "$(line)" = "$first" ] || wrong "the same seed gave other bits than: $first"
run --fail "$scratch/chance.fail" --seed 8
[ "$(line)" != "$first" ] || wrong "another seed gave the same bits"

# The shipped scenario, in which wrong bits may also end a process: here they do not, in so short a time.
run --fail "$scenarios/silent-faults.fail" -D PF=10000000 -D PC=0 -D RANGE=3600000
has '^send [1-9][0-9]*; holes [1-9][0-9]*; isend [1-9][0-9]*; sendrecv [1-9][0-9]*; replace [1-9][0-9]*; bsend [1-9]'
has ' bcast [1-9][0-9]*; scatter [1-9][0-9]*; gather [1-9][0-9]*; allgather [1-9][0-9]*; alltoall [1-9][0-9]*; alltoallw [1-9]'
has ' allreduce [1-9][0-9]*; reduce [1-9][0-9]*; reduce_scatter [1-9]'
! grep -q 'flips nothing' "$scratch/log" || wrong "a call without a message was held for a flip"
exit $failed
