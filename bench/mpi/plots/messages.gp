# How many messages all ranks together send for one operation: little data left, much data right; datagrams for shrink.
set datafile missing NaN
set multiplot layout 1,2 title "Messages of all ranks together for one operation\n" font ',17'
set logscale xy 2; set xlabel 'ranks'; set xrange [1.7:80]; set xtics (2, 4, 8, 16, 32, 64); set yrange [1:16384]
set ylabel 'messages'
mine(op, bytes, column) = (strcol(3) eq op && $4 == bytes) ? column(column) : NaN
some = 'bcast reduce allreduce allgather alltoall gather scan reduce_scatter_block'
do for [bytes in '8 1048576'] {
    set title bytes eq '8' ? '8 bytes' : '1 MiB'
    plot for [i = 1:words(some)] csv('messages') using 2:(mine(word(some, i), bytes + 0, 5)) \
             with linespoints pt (4 + i) lw 2 lc i title word(some, i) noenhanced, \
         for [op in (bytes eq '8' ? 'barrier agree' : '')] '' using 2:(mine(op, 0, 5)) with linespoints pt 2 lw 2 \
             lc rgb (op eq 'agree' ? grey : 'black') title op, \
         for [op in (bytes eq '8' ? 'shrink' : '')] '' using 2:(mine(op, 0, 7)) with linespoints pt 1 dt 2 lw 2 \
             lc rgb light title op.' (datagrams)'
}
unset multiplot
