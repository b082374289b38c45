# Figure 9, left: until all survivors know of a silent stop, at equal eta. The bars are 95 % intervals of the median.
set title "Figure 9: a silent stop known to all 64 (63 survivors), at equal η"
set datafile missing NaN # lines go on over the rows of others
set logscale xy; set xlabel 'η, ms'; set ylabel 'last survivor knows, ms'
set xrange [17:235]; set xtics (20, 50, 100, 200); set yrange [20:4000]
set ytics (20, 50, 100, 200, 500, 1000, 2000)
mine(what, column) = (strcol(1) eq what && strcol(2) eq 'stop' && $3 == 64) ? column(column) : NaN
plot csv('eta-summary') using 4:(mine('SWIM', 10)):(mine('SWIM', 11)):(mine('SWIM', 12)) \
         with yerrorlines pt 9 lw 2 lc rgb red title 'SWIM', \
     '' using 4:(mine('SWIM with push-pull and gossip', 10)):(mine('SWIM with push-pull and gossip', 11)):(mine('SWIM with push-pull and gossip', 12)) \
         with yerrorlines pt 11 lw 2 lc rgb orange title 'SWIM, push-pull and gossip', \
     '' using 4:(mine('delta 10 eta', 10)):(mine('delta 10 eta', 11)):(mine('delta 10 eta', 12)) \
         with yerrorlines pt 5 lw 2 lc rgb light title 'Knell, δ = 10 η', \
     '' using 4:(mine('delta 3 eta', 10)):(mine('delta 3 eta', 11)):(mine('delta 3 eta', 12)) \
         with yerrorlines pt 7 lw 2 lc rgb blue title 'Knell, δ = 3 η', \
     '' using 4:(mine('delta 3 eta and equal packets', 10)):(mine('delta 3 eta and equal packets', 11)):(mine('delta 3 eta and equal packets', 12)) \
         with yerrorlines pt 7 lw 2 lc rgb green title 'Knell, δ = 3 η, as many packets as SWIM'
