# The longest stop that is forgiven, against how soon one that does not end is known to all. Above the line nothing can be.
set title "A stop that ends, and one that does not: 32 members, η = 50 ms"
set xlabel 'a stop that does not end is known to all after, ms'; set ylabel 'the longest stop forgiven, ms'
set xrange [0:700]; set yrange [0:700]; set size ratio 0.8
mine(kind, delta, load, column) = (strcol(1) eq kind && $5 == delta && strcol(3) eq load) ? column(column) : NaN
set arrow 1 from 0,0 to 700,700 nohead lc rgb grey dt 3
set key outside right center vertical Left reverse
plot csv('stall') using (mine('swim', 0, 'idle', 7)):6 with points pt 9 ps 1.5 lc rgb red title 'SWIM', \
     '' using (mine('swim', 0, 'burners', 7)):6 with points pt 8 ps 1.5 lw 2 lc rgb red title 'SWIM, burners', \
     '' using (mine('swim-ppg', 0, 'idle', 7)):6 with points pt 11 ps 1.5 lc rgb orange title 'SWIM, push-pull and gossip', \
     '' using (mine('swim-ppg', 0, 'burners', 7)):6 with points pt 10 ps 1.5 lw 2 lc rgb orange title 'the same, burners', \
     '' using (mine('knell-udp', 150, 'idle', 7)):6 with points pt 7 ps 1.5 lc rgb blue title 'Knell, datagrams, δ 150', \
     '' using (mine('knell-udp', 150, 'burners', 7)):6 with points pt 6 ps 1.5 lw 2 lc rgb blue title 'the same, burners', \
     '' using (mine('knell-udp', 500, 'idle', 7)):6 with points pt 5 ps 1.5 lc rgb light title 'Knell, datagrams, δ 500', \
     '' using (mine('knell-udp', 500, 'burners', 7)):6 with points pt 4 ps 1.5 lw 2 lc rgb light title 'the same, burners', \
     '' using (mine('knell', 150, 'idle', 7)):6 with points pt 13 ps 1.5 lc rgb green title 'Knell, board, δ 150', \
     '' using (mine('knell', 500, 'idle', 7)):6 with points pt 12 ps 1.5 lw 2 lc rgb green title 'Knell, board, δ 500'
