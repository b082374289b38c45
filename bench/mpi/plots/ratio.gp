# Time of a call under the layer relative to the MPI below, 2 ranks; what is above the line is too slow. Grey: all other calls.
set datafile missing NaN
set multiplot layout 1,2 title "Time relative to native, 2 ranks (median, 95 % interval); the bar is 1.05\n" font ',17'
set logscale x 2; set xrange [5:2e6]; set xlabel 'bytes'
set xtics ('8' 8, '128' 128, '2 Ki' 2048, '16 Ki' 16384, '128 Ki' 131072, '1 Mi' 1048576)
set ylabel 'layer / native'; set yrange [0.2:1.4]; set ytics 0.2
set arrow 1 from graph 0, first 1.05 to graph 1, first 1.05 nohead lc rgb red dt 2
set arrow 2 from graph 0, first 1 to graph 1, first 1 nohead lc rgb grey dt 3
mine(mpi, op, column) = (strcol(1) eq mpi && $2 == 2 && strcol(4) eq op) ? column(column) : NaN
others(mpi, column) = (strcol(1) eq mpi && $2 == 2) ? column(column) : NaN
colour(op) = op eq 'pingpong' ? blue : op eq 'allreduce' ? orange : op eq 'bcast' ? green : red
do for [mpi in 'openmpi mpich'] {
    set title mpi eq 'openmpi' ? 'Open MPI' : 'MPICH'
    plot csv('ratio-summary') using (others(mpi, 5) < 8 ? 6 : others(mpi, 5)):(others(mpi, 9)) with points pt 7 ps 0.35 lc rgb '#bbbbbb' title 'others', \
         for [op in 'pingpong allreduce bcast alltoall'] '' \
             using (mine(mpi, op, 5)):(mine(mpi, op, 9)):(mine(mpi, op, 10)):(mine(mpi, op, 11)) \
             with yerrorlines pt 7 lw 2 lc rgb colour(op) title op, \
         '' using (6):(mine(mpi, 'barrier', 9)):(mine(mpi, 'barrier', 10)):(mine(mpi, 'barrier', 11)) \
             with yerrorbars pt 9 ps 1.2 lw 2 lc rgb 'black' title 'barrier'
}
unset multiplot
