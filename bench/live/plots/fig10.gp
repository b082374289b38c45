# Figure 10, left: so many silent stops at once, until all survivors know all. Centre: so many broadcasts at once, their mean time.
set multiplot layout 1,2 title "Figure 10: several at once, datagrams alone, η = 50 ms, δ = 500 ms (median, 95 % interval)\n" font ',17'
set logscale x 2; set xlabel 'members'; set xrange [6.5:330]; set xtics (8, 16, 32, 64, 128, 256)
mine(what, count, column) = (strcol(1) eq what && $3 == count) ? column(column) : NaN
at(count) = 0.94 + 0.04 * log(count) / log(2) # side by side
colour(count) = count == 1 ? blue : count == 2 ? green : count == 4 ? orange : red
set title 'silent stops: until all survivors know all of them'; set ylabel 'ms'; set logscale y
set yrange [400:4000]; set ytics (500, 1000, 1500, 2000, 3000)
set arrow 1 from graph 0, first 475 to graph 1, first 475 nohead lc rgb grey dt 3
set label 1 'δ - η/2' at graph 0.02, first 455 tc rgb grey font ',11'
plot for [count in '1 2 4 8'] csv('fig10-summary') \
    using ($2 * at(count)):(mine('deaths', count + 0, 5)):(mine('deaths', count + 0, 6)):(mine('deaths', count + 0, 7)) \
    with yerrorbars pt 7 lw 2 lc rgb colour(count + 0) title count.(count eq '1' ? ' stop' : ' stops')
unset arrow 1; unset label 1
set title 'broadcasts: mean time until all survivors have one'; set yrange [0.2:300]
set ytics (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
plot for [count in '1 2 4 8'] csv('fig10-summary') \
    using ($2 * at(count)):(mine('broadcasts', count + 0, 5)):(mine('broadcasts', count + 0, 6)):(mine('broadcasts', count + 0, 7)) \
    with yerrorbars pt 7 lw 2 lc rgb colour(count + 0) title count.(count eq '1' ? ' broadcast' : ' broadcasts')
unset multiplot
