# The thesis's tests 1 to 5: 128 operations of k integers, 2 ranks, layer and native, as in its appendix.
set datafile missing NaN
set multiplot layout 2,3 title "The thesis's tests 1 to 5: 128 operations, 2 ranks (native: open, layer: full)\n" font ',17'
set logscale xy; set xlabel 'integers'; set ylabel 'ms'; set xrange [1:5e5]; set yrange [0.01:200]
set xtics ('1' 1, '100' 100, '10⁴' 1e4); set key off; set ytics ('0.01' 0.01, '0.1' 0.1, '1' 1, '10' 10, '100' 100)
what(test) = word('allreduce send/recv isend/irecv bcast both', test)
mine(mpi, test, value) = (strcol(1) eq mpi && $2 == 2 && strcol(4) eq 'thesis-'.test) ? value : NaN
do for [test = 1:5] {
    set title sprintf('%d: %s', test, test == 5 ? '1, then 2' : what(test))
    plot for [mpi in 'openmpi mpich'] csv('thesis') using ($5 / 4):(mine(mpi, test, 0.128 * $8)) \
             with linespoints pt 6 lw 1 dt 2 lc rgb (mpi eq 'openmpi' ? blue : orange) notitle, \
         for [mpi in 'openmpi mpich'] '' using ($5 / 4):(mine(mpi, test, 0.128 * $8 * $9)) \
             with linespoints pt 7 lw 2 lc rgb (mpi eq 'openmpi' ? blue : orange) title mpi
}
# The key, where a sixth would be.
unset border; unset tics; unset xlabel; unset ylabel; unset title; set key on inside center vertical; unset logscale; set yrange [0:1]
plot NaN with linespoints pt 7 lw 2 lc rgb blue title 'Open MPI, layer', NaN with linespoints pt 6 dt 2 lc rgb blue title 'Open MPI, native', \
     NaN with linespoints pt 7 lw 2 lc rgb orange title 'MPICH, layer', NaN with linespoints pt 6 dt 2 lc rgb orange title 'MPICH, native'
unset multiplot
