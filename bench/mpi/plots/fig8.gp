# Figure 8 with MPI: speed under the layer beside its detector, relative to neither. The grey band is neither against neither.
set datafile missing NaN
set multiplot layout 1,3 title "Figure 8 with MPI: speed with layer and detector relative to without (2 ranks; median, 95 % interval)\n" font ',17'
set logscale x; set xrange [0.7:1400]; set xlabel 'η, ms'
set xtics ('1' 1, '10' 10, '100' 100, '1000' 1000); set ytics format "%.2f"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb grey dt 3
mine(load, mpi, column) = (strcol(1) eq mpi && strcol(2) eq load && $3 > 0) ? column(column) : NaN
control(load, column) = (strcol(2) eq load && $3 == 0) ? column(column) : NaN
do for [load in 'allreduce alltoall linpack'] {
    set yrange [*:*] # statistics leave out what is beyond it
    unset object 1
    stats csv('fig8-summary') using (control(load, 6)) name 'LOW' nooutput
    stats csv('fig8-summary') using (control(load, 7)) name 'HIGH' nooutput
    if (exists('LOW_records') && LOW_records > 0) {
        set object 1 rectangle from graph 0, first LOW_min to graph 1, first HIGH_max fc rgb '#eeeeee' fs noborder behind
    }
    set title load eq 'allreduce' ? 'allreduce, 8 bytes' : load eq 'alltoall' ? 'alltoall, 64 KiB' : 'Linpack'
    set yrange [0.7:1.5]
    plot for [mpi in 'openmpi mpich'] csv('fig8-summary') \
        using 3:(mine(load, mpi, 5)):(mine(load, mpi, 6)):(mine(load, mpi, 7)) \
        with yerrorlines pt 7 lw 2 lc rgb (mpi eq 'openmpi' ? blue : orange) title (mpi eq 'openmpi' ? 'Open MPI' : 'MPICH')
}
unset multiplot
