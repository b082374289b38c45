# hpcc: HPL, PTRANS, RandomAccess, STREAM, FFT and latencies. Its result is what it says of its own checks.
# shellcheck shell=sh disable=SC2034
packages=hpcc
kill_at=0@MPI_Send#300

prepare() {
    case $size in small) order=300 block=40 ;; *) order=$(scaled_cube 1500) block=80 ;; esac
    case $n in 2) p=1 q=2 ;; 4) p=2 q=2 ;; *) p=1 q=$n ;; esac
    # HPL's parameters in its fixed order; what stands after a value is a comment to HPL.
    cat >hpccinf.txt <<END
first line, ignored
second line, ignored
HPL.out output file
8 device
1 number of orders
$order
1 number of block sizes
$block
0 mapping by rows
1 number of grids
$p
$q
16.0 threshold
1 number of panel factorizations
2 right-looking
1 number of stopping criteria
4
1 number of panels
2
1 number of recursive factorizations
1 Crout
1 number of broadcasts
1 modified ring
1 number of lookahead depths
1
2 swap: mix
64 swapping threshold
0 L1 transposed
0 U transposed
1 equilibration
8 alignment
a line that is ignored
0 more orders for PTRANS
$order
0 more block sizes for PTRANS
$block
END
}

job() { start hpcc; }

# Its verdicts without the numbers that a run takes. Of PTRANS, whose verdicts stand in a line of wall time and in one of processor time,
# the first.
result() {
    grep -q 'Success=1' hpccoutf.txt || return
    grep -E -i 'pass|fail|success|error|residual|verification|valid' hpccoutf.txt | grep -v '^CPU ' |
        sed -E 's/[-+]?[0-9]+\.[0-9]+([eE][-+]?[0-9]+)?/T/g; s/[0-9]+/N/g; s/ +/ /g' | sort | uniq -c
}
