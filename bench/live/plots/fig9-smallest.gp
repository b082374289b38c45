# Figure 9, right: each at its smallest setting free of false positives, without and with burners.
set multiplot layout 1,3 title "Figure 9: a silent stop known to all, each at its smallest setting free of false positives\n" font ',17'
set logscale xy; set xlabel 'members'; set xrange [6.5:80]; set xtics (8, 32, 64)
set ylabel 'last survivor knows, ms'; set yrange [5:3000]; set ytics (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
mine(kind, load, column) = (strcol(1) eq kind && strcol(3) eq load) ? column(column) : NaN
do for [load in "idle burners burners-apart"] {
    set title load eq "idle" ? "idle machine" : load eq "burners" ? "two burners per processor" : "burners of another session"
    plot csv('smallest-summary') using 2:(mine('swim', load, 9)) smooth unique with lines lw 2 lc rgb red notitle, \
         '' using 2:(mine('swim', load, 9)):(mine('swim', load, 10)):(mine('swim', load, 11)) \
             with yerrorbars pt 9 lw 2 lc rgb red title 'SWIM', \
         '' using 2:(mine('swim-ppg', load, 9)) smooth unique with lines lw 2 lc rgb orange notitle, \
         '' using 2:(mine('swim-ppg', load, 9)):(mine('swim-ppg', load, 10)):(mine('swim-ppg', load, 11)) \
             with yerrorbars pt 11 lw 2 lc rgb orange title 'SWIM, push-pull and gossip', \
         '' using 2:(mine('knell-udp', load, 9)) smooth unique with lines lw 2 lc rgb blue notitle, \
         '' using 2:(mine('knell-udp', load, 9)):(mine('knell-udp', load, 10)):(mine('knell-udp', load, 11)) \
             with yerrorbars pt 7 lw 2 lc rgb blue title 'Knell, datagrams alone', \
         '' using 2:(mine('swim-ppg', load, 9) * 1.35):(sprintf('η %s', strcol(4))) with labels tc rgb orange font ',11' notitle, \
         '' using 2:(mine('knell-udp', load, 9) * 0.7):(sprintf('η %s, δ %s', strcol(4), strcol(5))) \
             with labels tc rgb blue font ',11' notitle
}
unset multiplot
