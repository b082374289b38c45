# scalapack: Debian's own test programs, on both MPIs: LU, Cholesky, QR, singular values. Their result
# is what they say of their residuals.
# shellcheck shell=sh disable=SC2034
packages=scalapack-mpi-test
on='openmpi mpich'
cases='lu llt qr svd' time_cases=qr
ranks=2
kill_at=0@MPI_Send#50

folder() { echo "/usr/lib/x86_64-linux-gnu/scalapack/$mpi-tests"; }

# A line of Debian's input: its first words, the values, become others.
set_value() { sed -i -E "s/^[0-9][0-9 ]*([[:space:]]+$1)/$2\1/" LU.dat LLT.dat QR.dat; }

# Debian's inputs with one process grid and larger matrices, without the tests of condition estimation: these hang natively too
# (xdllt on MPICH, two ranks: 9 of 12 runs).
prepare() {
    cp "$(folder)"/*.dat . && chmod u+w ./*.dat
    set_value 'number of process grids' 1
    set_value 'values of P' 1
    set_value 'values of Q' "$n"
    sed -i -E "s/^2([[:space:]]+values of P)/1\1/" SVD.dat
    sed -i -E 's/^T(.*Test Cond)/F\1/' LU.dat LLT.dat
    case $size in small) sizes='100 150' blocks='8 16' ;; *) sizes="$(scaled_cube 1200) $(scaled_cube 1500)" blocks='32 48' ;; esac
    set_value 'number of (problems sizes|blocking sizes|NB.s)' 2
    set_value 'values of (M|N)[[:space:]]*$' "$sizes"
    set_value 'values of (MB|NB)[[:space:]]*$' "$blocks"
}

job() { start "$(folder)/xd$case"; }

# The lines of verdicts, without times.
result() {
    grep -E -i 'passed|failed|tests completed|skipped|residual' output | sed -E 's/[-+]?[0-9]*\.[0-9]+([eEdD][-+]?[0-9]+)?/T/g; s/ +/ /g' |
        sort | uniq -c
}
