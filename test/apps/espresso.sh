# espresso: Quantum ESPRESSO, silicon with Debian's pseudopotential, self-consistent. Its result are total energy, bands and iterations.
# shellcheck shell=sh disable=SC2034
packages='quantum-espresso quantum-espresso-data'
tolerance=1e-6 floor=2e-4
kill_at=0@MPI_Allreduce#500

# Points of the Brillouin zone: of a grid; or a number of them.
grid() { printf 'automatic\n%d %d %d 1 1 1\n' "$1" "$1" "$1"; }
list() { awk "BEGIN { print \"crystal\"; print $1; for (i = 1; i <= $1; i++) print (i * 0.7549) % 1, (i * 0.5698) % 1, (i * 0.3247) % 1, 1 }"; }

prepare() {
    case $size in small) cutoff=20 points=$(grid 3) ;; *) cutoff=40 points=$(list "$(scaled 40)") ;; esac
    cat >scf.in <<END
&control
  calculation = 'scf', prefix = 'si', outdir = './tmp', pseudo_dir = '/usr/share/espresso/pseudo'
/
&system
  ibrav = 2, celldm(1) = 10.2, nat = 2, ntyp = 1, ecutwfc = $cutoff
/
&electrons
  conv_thr = 1e-9
/
ATOMIC_SPECIES
Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
Si 0.00 0.00 0.00
Si 0.25 0.25 0.25
K_POINTS $points
END
}

job() { start pw.x -in scf.in; }
result() {
    sed -n 's/^! *total energy *= *\([-0-9.]*\) Ry/energy \1/p; s/.*highest occupied level (ev): */highest /p' output
    awk '/ k = /{ on = 1; next } on && /^ *[-0-9. ]+$/ && NF' output
    grep -c '^ *iteration #' output
}
