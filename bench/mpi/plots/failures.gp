# Figures 9 and 10 with MPI: until all survivors know of all of several deaths, and agreements after them.
set datafile missing NaN
set multiplot layout 1,2 title "Several deaths at once, SIGKILL (median, 95 % interval)\n" font ',17'
set logscale y; set xlabel 'deaths'; set xrange [0.5:9]; set xtics (1, 2, 4, 8); set ylabel 'µs'
set ytics ("10" 10, '100' 100, '1 ms' 1000, '10 ms' 10000, '100 ms' 100000)
row(mpi, of, ranks, during, column) = (strcol(1) eq of && strcol(2) eq mpi && strcol(3) eq 'real' && column(4) == ranks \
    && strcol(6) eq during) ? column(column) : NaN
colour(ranks) = ranks == 8 ? blue : ranks == 16 ? orange : green
do for [mpi in 'openmpi mpich'] {
    set title mpi eq 'openmpi' ? 'Open MPI' : 'MPICH'
    plot for [n in '8 16 32'] csv('failures-summary') using 5:(row(mpi, 'last', n + 0, 'anysource', 8)):(row(mpi, 'last', n + 0, 'anysource', 9)):(row(mpi, 'last', n + 0, 'anysource', 10)) \
             with yerrorlines pt 7 lw 2 lc rgb colour(n + 0) title n.' ranks, all know by a receive from any source', \
         for [n in '8 16 32'] '' using ($5 * 1.03):(row(mpi, 'again', n + 0, 'agree', 8)):(row(mpi, 'again', n + 0, 'agree', 9)):(row(mpi, 'again', n + 0, 'agree', 10)) \
             with yerrorlines pt 9 lw 2 dt 2 lc rgb colour(n + 0) title n.' ranks, agreement after', \
         for [n in '8 16 32'] '' using ($5 * 0.97):(row(mpi, 'calm', n + 0, 'agree', 8)) with points pt 6 lc rgb colour(n + 0) title n.' ranks, agreement before'
}
unset multiplot
