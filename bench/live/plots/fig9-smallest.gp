# Figure 9, right: each at its smallest setting free of false positives, without and with two burners per processor.
set multiplot layout 1,2 title "Figure 9: a silent stop known to all, each at its smallest setting free of false positives\n" font ',17'
set logscale xy; set xlabel 'members'; set xrange [6.5:80]; set xtics (8, 32, 64)
set ylabel 'last survivor knows, ms'; set yrange [5:3000]; set ytics (5, 10, 20, 50, 100, 200, 500, 1000, 2000)
mine(kind, load, column) = (strcol(1) eq kind && $3 == load) ? column(column) : NaN
do for [burners = 0:2:2] {
    set title (burners > 0) ? 'two burners per processor' : 'idle machine'
    plot csv('smallest-summary') using 2:(mine('swim', burners, 9)) smooth unique with lines lw 2 lc rgb red notitle, \
         '' using 2:(mine('swim', burners, 9)):(mine('swim', burners, 10)):(mine('swim', burners, 11)) \
             with yerrorbars pt 9 lw 2 lc rgb red title 'SWIM', \
         '' using 2:(mine('swim-ppg', burners, 9)) smooth unique with lines lw 2 lc rgb orange notitle, \
         '' using 2:(mine('swim-ppg', burners, 9)):(mine('swim-ppg', burners, 10)):(mine('swim-ppg', burners, 11)) \
             with yerrorbars pt 11 lw 2 lc rgb orange title 'SWIM, push-pull and gossip', \
         '' using 2:(mine('knell-udp', burners, 9)) smooth unique with lines lw 2 lc rgb blue notitle, \
         '' using 2:(mine('knell-udp', burners, 9)):(mine('knell-udp', burners, 10)):(mine('knell-udp', burners, 11)) \
             with yerrorbars pt 7 lw 2 lc rgb blue title 'Knell, datagrams alone', \
         '' using 2:(mine('swim-ppg', burners, 9) * 1.35):(sprintf('η %s', strcol(4))) with labels tc rgb orange font ',11' notitle, \
         '' using 2:(mine('knell-udp', burners, 9) * 0.7):(sprintf('η %s, δ %s', strcol(4), strcol(5))) \
             with labels tc rgb blue font ',11' notitle
}
unset multiplot
