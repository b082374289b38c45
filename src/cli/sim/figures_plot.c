/* figures_plot.c: writes a gnuplot script beside each CSV and runs gnuplot. The scripts stay, so that users can
 * change them: `gnuplot fig5.gp` in that folder draws figure 5 again. See figures.h. */
#include "cli/sim/figures.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char head[] =
    "# Draws NAME.svg out of NAME.csv; written by `knell sim figures`, run `gnuplot NAME.gp` in this folder.\n"
    "set terminal svg size 960,600 dynamic enhanced font 'Liberation Sans,Arial,sans-serif,15' background rgb 'white'\n"
    "set output 'NAME.svg'\n"
    "set encoding utf8; set datafile separator ','\n"
    "blue = '#1f5fa8'; orange = '#d9700f'; green = '#2d8a4e'; grey = '#777777'; red = '#b8202f'\n"
    "set border 3 lc rgb grey; set tics nomirror out textcolor rgb 'black'\n"
    "set grid xtics ytics lc rgb '#e4e4e4' lw 1 lt 1\n"
    "set key outside bottom center horizontal Left reverse samplen 2.5 height 0.6 width 1\n"
    "set bars 0.6; set pointsize 0.75\n"
    "set logscale x 2; set xrange [13:330000]; set xlabel 'nodes'\n"
    "set xtics ('16' 16, '64' 64, '256' 256, '1024' 1024, '4096' 4096, '16,384' 16384, \\\n"
    "    '65,536' 65536, '256,000' 256000)\n";

static const char fig3[] =
    "set title 'Figure 3: the largest suspicion timeout δ with a risk below 10^{-9}, τ = 1 μs'\n"
    "set ylabel 'largest δ'; set logscale y; set yrange [3:5e5]\n"
    "set ytics ('1 s' 1, '10 s' 10, '1 min' 60, '10 min' 600, '1 h' 3600, '10 h' 36000, '100 h' 360000)\n"
    "set arrow from 9000,22 to 256000,22 nohead lc rgb red dt 3\n"
    "set arrow from 9000,60 to 256000,60 nohead lc rgb red dt 3\n"
    "set label 'paper: 22 s for 20 y (holds)' at 8000,22 right tc rgb red\n"
    "set label 'paper: 60 s for 45 y (does not hold: 49.4 s)' at 8000,60 right tc rgb red\n"
    "plot 'fig3.csv' using 1:6 with lines lw 2 lc rgb '#8fb4dc' title 'MTBF of a node: 100 y', \\\n"
    "     '' using 1:5 with lines lw 3 lc rgb orange title '45 y', \\\n"
    "     '' using 1:4 with lines lw 3 lc rgb blue title '20 y', \\\n"
    "     '' using 1:3 with lines lw 2 lc rgb green title '10 y', \\\n"
    "     '' using 1:2 with lines lw 2 lc rgb grey title '5 y', \\\n"
    "     '+' using (256000):(22) every ::::0 with points pt 7 ps 0.9 lc rgb red notitle, \\\n"
    "     '+' using (256000):(60) every ::::0 with points pt 2 ps 1.1 lw 2 lc rgb red notitle\n";

static const char fig4a[] = "set title 'Figure 4(a): ⌊log n⌋ - 1 failures within δ; LowNoise, δ = 60 s, η = 10 s'\n"
                            "set ylabel 'time since the first failure, s'; set yrange [0:150]\n"
                            "set arrow from graph 0, first 55 to graph 1, first 55 nohead lc rgb red dt 3\n"
                            "set label 'paper: first tends to δ - η/2 = 55 s (holds)' at 256000,49 right tc rgb red\n";
static const char fig4b[] =
    "set title 'Figure 4(b): ⌊log n⌋ - 1 failures within δ; LowLat, δ = 1 s, η = 0.1 s'\n"
    "set ylabel 'time since the first failure, s'; set yrange [0:2.5]\n"
    "set arrow from graph 0, first 0.95 to graph 1, first 0.95 nohead lc rgb red dt 3\n"
    "set label 'paper: first tends to δ - η/2 = 0.95 s (holds)' at 256000,0.85 right tc rgb red\n";
static const char fig4[] =
    "plot 'NAME.csv' using 1:8 with lines lw 2 lc rgb '#f0b27a' title 'closed form, isolated', \\\n"
    "     '' using 1:7 with lines lw 2 lc rgb '#8fcaa3' title 'closed form, one observer dead', \\\n"
    "     '' using 1:5:6 with yerrorbars pt 7 lw 2 lc rgb orange title 'all know all (stable)', \\\n"
    "     '' using 1:3:4 with yerrorbars pt 7 lw 2 lc rgb green title 'all know the first'\n";

static const char fig5[] =
    "set title 'Figure 5: random failures, 1 year per node; LowNoise, δ = 60 s, η = 10 s'\n"
    "set ylabel 'time since the first failure, s'; set yrange [0:100]; set ytics 0,20,100\n"
    "set y2label 'failures'; set y2range [1:3]; set y2tics 1,0.25,2; set border 11\n"
    "set arrow from 20,85 to 256000,85 nohead lc rgb red dt 3\n"
    "set label 'paper: stable delayed by δ/2, to 85 s, at 256,000 nodes (does not hold: by 14 s, to 69 s)' \\\n"
    "    at 200000,89 right tc rgb red\n"
    "set label 'paper: first = δ - η/2 = 55 s (holds)' at 18,50 tc rgb red\n"
    "first = 55.0; rate(n) = n / (365 * 86400.0); failures(n) = exp(rate(n) * first)\n"
    "stable(n) = (failures(n) - 1) / rate(n); set samples 400\n"
    "plot sample [16:256000] stable(x) lw 2 lc rgb '#f0b27a' title 'closed forms', \\\n"
    "     [16:256000] first lw 2 lc rgb '#8fcaa3' notitle, \\\n"
    "     [16:256000] failures(x) axes x1y2 lw 2 lc rgb '#8fb4dc' notitle, \\\n"
    "     'fig5.csv' using 1:6:7 with yerrorbars pt 7 lw 2 lc rgb orange title 'all know all (stable)', \\\n"
    "     '' using 1:4:5 with yerrorbars pt 7 lw 2 lc rgb green title 'all know the first', \\\n"
    "     '' using 1:2:3 axes x1y2 with yerrorbars pt 5 lw 2 lc rgb blue title 'failures (right axis)', \\\n"
    "     '+' using (256000):(85) every ::::0 with points pt 2 ps 1.1 lw 2 lc rgb red notitle\n";

static const char fig6[] =
    "set title 'Figure 6: rounds of randomized pinging until every node was pinged'\n"
    "set ylabel 'rounds'; set yrange [0:28]; set ytics 0,4,28\n"
    "set arrow from graph 0, first 22 to graph 1, first 22 nohead lc rgb red dt 3\n"
    "set label 'paper: often 22 in the worst of 10,000 runs (holds within 2)' at 18,23.2 tc rgb red\n"
    "set label 'paper: 11 at 20,000 (holds)' at 20000,15.2 right tc rgb red\n"
    "set label 'paper: 13 at 100,000 (holds)' at 256000,5.4 right tc rgb red\n"
    "set arrow from 20000,14.5 to 20000,11.5 head size screen 0.008,25 filled lc rgb red\n"
    "set arrow from 100000,6.0 to 100000,12.4 head size screen 0.008,25 filled lc rgb red\n"
    "plot 'fig6.csv' using 1:5 with linespoints pt 9 lw 2 lc rgb orange title 'maximum', \\\n"
    "     '' using 1:2:3 with yerrorlines pt 7 lw 2 lc rgb blue title 'mean', \\\n"
    "     '' using 1:4 with linespoints pt 11 lw 2 lc rgb grey title 'minimum', \\\n"
    "     '+' using (20000):(11) every ::::0 with points pt 6 ps 1.3 lw 2 lc rgb red notitle, \\\n"
    "     '+' using (100000):(13) every ::::0 with points pt 6 ps 1.3 lw 2 lc rgb red notitle\n";

static const char fig7[] =
    "set title 'Figure 7: the fullest queue of one round of randomized pinging'\n"
    "set ylabel 'pings on one node'; set yrange [0:20]; set ytics 0,2,20\n"
    "set label 'paper: 8 on average at 20,000 (does not hold: 7.0)' at 21000,15.6 right tc rgb red\n"
    "set label 'paper: 11 on average at 100,000 (does not hold: 7.8)' at 105000,18.2 right tc rgb red\n"
    "set arrow from 20000,15.0 to 20000,8.5 head size screen 0.008,25 filled lc rgb red\n"
    "set arrow from 100000,17.6 to 100000,11.5 head size screen 0.008,25 filled lc rgb red\n"
    "plot 'fig7.csv' using 1:7 with lines lw 2 dt 2 lc rgb grey title '3 ln N / ln ln N', \\\n"
    "     '' using 1:5 with points pt 9 lc rgb orange title 'maximum', \\\n"
    "     '' using 1:2:3 with yerrorlines pt 7 lw 2 lc rgb blue title 'mean', \\\n"
    "     '' using 1:6 with lines lw 2 dt 3 lc rgb grey title 'ln N / ln ln N', \\\n"
    "     '+' using (20000):(8) every ::::0 with points pt 2 ps 1.1 lw 2 lc rgb red notitle, \\\n"
    "     '+' using (100000):(11) every ::::0 with points pt 2 ps 1.1 lw 2 lc rgb red notitle\n";

static const struct {
    const char *name;
    const char *parts[2];
} scripts[] = {
    {"fig3", {fig3}}, {"fig4a", {fig4a, fig4}}, {"fig4b", {fig4b, fig4}},
    {"fig5", {fig5}}, {"fig6", {fig6}},         {"fig7", {fig7}},
};

/* Puts the name of the figure where the text says NAME. */
static void write_named(FILE *out, const char *text, const char *name)
{
    for (const char *next; (next = strstr(text, "NAME")) != NULL; text = next + 4)
        fprintf(out, "%.*s%s", (int)(next - text), text, name);
    fputs(text, out);
}

static int write_script(const struct usage *usage, const char *dir, size_t which)
{
    char name[16];

    snprintf(name, sizeof name, "%s.gp", scripts[which].name);
    FILE *out = figures_open(usage, dir, name);
    if (!out)
        return EXIT_FAILED;
    write_named(out, head, scripts[which].name);
    for (size_t i = 0; i < COUNT_OF(scripts[which].parts) && scripts[which].parts[i]; i++)
        write_named(out, scripts[which].parts[i], scripts[which].name);
    return figures_close(usage, dir, name, out);
}

enum { NO_PROGRAM = 127 }; /* the shell's status for a program that is missing */

/* The exit status of `gnuplot fig3.gp fig4a.gp ...` in that folder; -1 if it could not be started or was killed. */
static int run_gnuplot(const char *dir)
{
    char *argv[] = {"gnuplot", "fig3.gp", "-e", "reset", "fig4a.gp", "-e", "reset", "fig4b.gp", "-e",
                    "reset",   "fig5.gp", "-e", "reset", "fig6.gp",  "-e", "reset", "fig7.gp",  NULL};
    int status;

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(dir) != 0)
            _exit(1);
        execvp(argv[0], argv);
        _exit(errno == ENOENT ? NO_PROGRAM : 1);
    }
    if (child < 0)
        return -1;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int figures_plot(const struct usage *usage, const char *dir)
{
    for (size_t i = 0; i < COUNT_OF(scripts); i++) {
        if (write_script(usage, dir, i) != EXIT_OK)
            return EXIT_FAILED;
    }
    int status = run_gnuplot(dir);
    if (status == NO_PROGRAM)
        return cli_failure(usage, "gnuplot is missing: CSV files but no SVG written; apt-get install gnuplot-nox");
    if (status != 0)
        return cli_failure(usage, "gnuplot failed on a script in %s", dir);
    return EXIT_OK;
}
