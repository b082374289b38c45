#!/bin/sh
# Debian's hpcc, a suite of programs that know nothing of us, gives the same verdicts under the layer as without it: HPL's residuals
# pass, PTRANS, RandomAccess, STREAM and FFT say the same of their own checks. Usage: hpcc.sh KNELL RANKS; status 77: skipped
set -u
knell=$1 ranks=$2
command -v hpcc >/dev/null 2>&1 || {
    echo "hpcc: skipped, the program is missing (Debian package hpcc)"
    exit 77
}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/native" "$scratch/layer"

# A small problem: this is about verdicts, not speed.
input() {
    case $ranks in 2) grid='1 2' ;; 4) grid='2 2' ;; *) grid="1 $ranks" ;; esac
    cat <<END
HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
300          Ns
1            # of NBs
40           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
${grid% *}   Ps
${grid#* }   Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
300          values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
END
}

# What its output says of right and wrong, without the numbers that a run takes and the room they take. Of PTRANS, each of whose
# verdicts stands in a line of wall time and in one of processor time, the first: the other is not there when too little was used.
verdicts() {
    grep -E -i 'pass|fail|success|error|residual|verification|valid' "$1/hpccoutf.txt" | grep -v '^CPU ' |
        sed -E 's/[-+]?[0-9]+\.[0-9]+([eE][-+]?[0-9]+)?/T/g; s/[0-9]+/N/g; s/ +/ /g' | sort | uniq -c
}

# in_place DIRECTORY command...
in_place() {
    place=$1
    shift
    (cd "$place" && input >hpccinf.txt && timeout -k 5 540 "$@" >out 2>&1 </dev/null) || {
        echo "hpcc in $place: status $?" >&2
        tail -n 20 "$place/out" >&2
        exit 1
    }
    grep -q 'Success=1' "$place/hpccoutf.txt" || {
        echo "hpcc in $place did not come to its end:" >&2
        tail -n 20 "$place/hpccoutf.txt" "$place/out" >&2
        exit 1
    }
}

in_place "$scratch/native" mpirun.openmpi --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl "${OMPI_MCA_btl:-tcp,self}" -n "$ranks" hpcc
in_place "$scratch/layer" "$knell" run -n "$ranks" --timeout 530s -- hpcc
verdicts "$scratch/native" >"$scratch/native.verdicts"
verdicts "$scratch/layer" >"$scratch/layer.verdicts"
diff "$scratch/native.verdicts" "$scratch/layer.verdicts" || {
    echo "hpcc says otherwise under the layer (> above)" >&2
    exit 1
}
echo "hpcc on $ranks ranks: the same $(wc -l <"$scratch/native.verdicts") verdicts"
