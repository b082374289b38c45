# Figure 8 without MPI: the speed of two programs beside their detectors, relative to none. The grey band is none against none.
set multiplot layout 1,3 title "Figure 8: speed beside the detector, relative to none (median, 95 % interval)\n" font ',17'
set logscale x; set xrange [0.7:1400]; set xlabel 'η, ms'
set xtics ('1' 1, '10' 10, '100' 100, '1000' 1000); set ytics format "%.2f"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb grey dt 3
pick(load, mode, column) = (strcol(1) eq load && strcol(2) eq mode && $3 > 0) ? column(column) : NaN
control(load, mode, column) = (strcol(1) eq load && strcol(2) eq mode && $3 == 0) ? column(column) : NaN
do for [load in 'latency bandwidth compute'] {
    set yrange [*:*] # statistics leave out what is beyond it
    stats csv('fig8-summary') using (control(load, 'knell', 8)) name 'LOW' nooutput
    stats csv('fig8-summary') using (control(load, 'knell', 9)) name 'HIGH' nooutput
    set object 1 rectangle from graph 0, first LOW_min to graph 1, first HIGH_max fc rgb '#eeeeee' fs noborder behind
    set title load eq 'latency' ? 'round trips (loopback, UDP)' : load eq 'bandwidth' ? 'bytes (loopback, TCP)' : \
        'matrix multiplications'
    if (load eq 'bandwidth') { set yrange [0.4:1.6] } else { set yrange [0.8:1.15] }
    plot csv('fig8-summary') using 3:(pick(load, 'knell', 7)):(pick(load, 'knell', 8)):(pick(load, 'knell', 9)) \
             with yerrorlines pt 7 lw 2 lc rgb blue title 'board', \
         '' using ($3 * 1.06):(pick(load, 'knell-udp', 7)):(pick(load, 'knell-udp', 8)):(pick(load, 'knell-udp', 9)) \
             with yerrorlines pt 5 lw 2 lc rgb orange title 'datagrams'
}
unset multiplot
