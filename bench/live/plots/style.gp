# What the figures share. `dir`, `name` and `kind` come from bench/live/plot.
if (kind eq 'png') \
    set terminal pngcairo size 1100,600 enhanced font 'Liberation Sans,13' background rgb 'white'; \
else \
    set terminal svg size 1100,600 dynamic enhanced font 'Liberation Sans,Arial,sans-serif,15' background rgb 'white'
set output sprintf('%s/%s.%s', dir, name, kind)
set encoding utf8; set datafile separator ','
blue = '#1f5fa8'; orange = '#d9700f'; green = '#2d8a4e'; grey = '#777777'; red = '#b8202f'; light = '#8fb4dc'
set border 3 lc rgb grey; set tics nomirror out textcolor rgb 'black'
set grid xtics ytics lc rgb '#e4e4e4' lw 1 lt 1
set key outside bottom center horizontal Left reverse samplen 2.5 height 0.6 width 1
set bars 0.6; set pointsize 0.75
csv(part) = sprintf('%s/%s.csv', dir, part)
