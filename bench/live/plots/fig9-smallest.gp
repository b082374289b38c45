# Figure 9, right: each at its smallest setting free of false positives, without and with burners.
set multiplot layout 1,2 title "Figure 9: a silent stop known to all, each at its smallest setting free of false positives\n" font ',17'
set datafile missing NaN
set logscale xy; set xlabel 'members'; set xrange [20:100]; set xtics (32, 64)
set ylabel 'last survivor knows, ms'; set key maxcols 2
set yrange [5:8000]; set ytics (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
kinds = 'swim-ppg swim knell-udp-low knell-udp'
colours = orange . ' ' . red . ' ' . light . ' ' . blue
array titles[4] = ['SWIM, push-pull and gossip', 'SWIM', 'Knell, datagrams, ordinary priority', 'Knell, datagrams']
setting(i, eta, delta) = i < 3 ? 'η ' . eta : 'η ' . eta . ', δ ' . delta
mine(kind, load, column) = (strcol(1) eq kind && strcol(3) eq load) ? column(column) : NaN
do for [load in "idle burners"] {
    set title load eq "idle" ? "idle machine" : "two burners per processor"
    plot for [i = 1:4] csv('smallest-summary') using 2:(mine(word(kinds, i), load, 9)) smooth unique with lines lw 2 lc rgb word(colours, i) \
             notitle, \
         for [i = 1:4] '' using 2:(mine(word(kinds, i), load, 9)):(mine(word(kinds, i), load, 10)):(mine(word(kinds, i), load, 11)) \
             with yerrorbars pt 5 + 2 * i lw 2 lc rgb word(colours, i) title titles[i], \
         for [i = 1:4] '' using ($2 > 40 ? $2 * 1.07 : NaN):(mine(word(kinds, i), load, 9)):(setting(i, strcol(4), strcol(5))) \
             with labels left tc rgb word(colours, i) font ',11' notitle, \
         for [i = 1:4] '' using ($2 < 40 ? $2 / 1.07 : NaN):(mine(word(kinds, i), load, 9)):(setting(i, strcol(4), strcol(5))) \
             with labels right tc rgb word(colours, i) font ',11' notitle
}
unset multiplot
