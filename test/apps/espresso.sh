# espresso: Quantum ESPRESSO, silicon with Debian's pseudopotential, self-consistent. Its result are total energy, bands and iterations.
# shellcheck shell=sh disable=SC2034
packages='quantum-espresso quantum-espresso-data'
tolerance=1e-6 floor=2e-4
kill_at=0@MPI_Allreduce#500

prepare() {
    case $size in small) cutoff=20 points=3 ;; *) cutoff=40 points=8 ;; esac
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
K_POINTS automatic
$points $points $points 1 1 1
END
}

job() { start pw.x -in scf.in; }
result() {
    sed -n 's/^! *total energy *= *\([-0-9.]*\) Ry/energy \1/p; s/.*highest occupied level (ev): */highest /p' output
    awk '/ k = /{ on = 1; next } on && /^ *[-0-9. ]+$/ && NF' output
    grep -c '^ *iteration #' output
}
