# Figure 10, right, with MPI: from a death to the last error, and agree, shrink and revoke without and right after a death.
set datafile missing NaN
set multiplot layout 1,2 title "From the death of one rank, and recovery (median, 95 % interval)\n" font ',17'
set logscale xy; set xlabel 'ranks'; set xrange [1.6:10]; set xtics (2, 4, 8); set ylabel 'µs'; set yrange [0.4:80000]
set ytics ("1" 1, "10" 10, '100' 100, '1 ms' 1000, '10 ms' 10000)
after(mpi, of, then, column) = (strcol(1) eq of && strcol(2) eq mpi && strcol(3) eq 'real' && strcol(5) eq 'allreduce' \
    && strcol(6) eq then) ? column(column) : NaN
calm(mpi, what, column) = (strcol(1) eq mpi && strcol(3) eq what) ? column(column) : NaN
colour(what) = what eq 'agree' ? blue : what eq 'shrink' ? orange : green
set arrow 1 from 8.6, 5000 to 10, 5000 nohead lc rgb red lw 2; set arrow 2 from 8.6, 20000 to 10, 20000 nohead lc rgb orange lw 2
do for [mpi in 'openmpi mpich'] {
    set title mpi eq 'openmpi' ? 'Open MPI' : 'MPICH'
    plot csv('death-summary') using 4:(after(mpi, 'last', 'shrink', 8)):(after(mpi, 'last', 'shrink', 9)):(after(mpi, 'last', 'shrink', 10)) \
             with yerrorlines pt 7 lw 2 lc rgb red title 'death to last error', \
         '' using 4:(after(mpi, 'all', 'shrink', 8)):(after(mpi, 'all', 'shrink', 9)):(after(mpi, 'all', 'shrink', 10)) \
             with yerrorlines pt 5 lw 2 lc rgb orange dt 2 title 'death to shrunk', \
         for [what in 'agree shrink revoke'] '' using ($4 * 1.03):(after(mpi, 'then', what, 8)):(after(mpi, 'then', what, 9)):(after(mpi, 'then', what, 10)) \
             with yerrorlines pt 9 lw 2 lc rgb colour(what) title what.' after', \
         for [what in 'agree shrink revoke'] csv('calm-summary') using ($2 * 0.97):(calm(mpi, what, 5)):(calm(mpi, what, 6)):(calm(mpi, what, 7)) \
             with yerrorlines pt 6 lw 1 dt 3 lc rgb colour(what) title what.', nobody dies', \
         '' using ($2 * 0.97):(calm(mpi, 'barrier', 5)) with linespoints pt 2 lc rgb 'black' title 'native barrier'
}
unset multiplot
