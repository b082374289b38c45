/* bench-live: measures detectors in real processes, ours and memberlist's, with one driver and one clock.
 *
 * Tables go to standard output, rows to CSV files; bench/live/plot draws these. */
#include "machine.h"
#include "parts.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name;
    void (*run)(const struct options *options);
    const char *about;
} parts[] = {
    {"kill", part_kill, "SIGKILL with all shortcuts, silent stop with none"},
    {"cost", part_cost, "processor, memory and descriptors per process"},
    {"fig8", part_fig8, "latency, bandwidth and computation beside it"},
    {"accuracy", part_accuracy, "smallest eta beside busy programs"},
    {"eta", part_eta, "figure 9: SWIM at equal eta and equal packets"},
    {"smallest", part_smallest, "figure 9: each at its smallest safe setting"},
    {"stall", part_stall, "figure 9: the longest stop that is forgiven"},
    {"fig10", part_fig10, "simultaneous deaths, concurrent broadcasts"},
    {"windows", part_windows, "nobody dies: false positives, idle and loaded"},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static void help(FILE *out)
{
    fputs("Measures detectors in real processes, ours beside memberlist's (SWIM).\n\n"
          "usage: bench-live PART... [options]\n\n",
          out);
    for (size_t i = 0; i < PARTS; i++)
        fprintf(out, "  %-10s %s\n", parts[i].name, parts[i].about);
    fputs("  all        all of these\n\n"
          "  --quick        only to see that it works\n"
          "  --out DIR      where the CSV files go (figures/live)\n"
          "  --add          to the CSV files there already are\n"
          "  --ranks N      only with N members, where a part has several sizes\n"
          "  --load L       only under it: idle; burners, two per processor;\n"
          "                 burners-apart, in a session of their own\n"
          "  --minutes M    windows: of ours under each load (0.5)\n"
          "  --window S     windows: seconds of one (15)\n\n"
          "Needs root: it counts packets in a network namespace of its own.\n\n"
          "examples:\n"
          "  bench-live kill cost\n"
          "  bench-live smallest --ranks 64 --load burners\n"
          "  bench-live windows --minutes 10 --window 60\n"
          "  bench-live all --quick --out /tmp/look\n",
          out);
}

static _Noreturn void misused(const char *what, const char *word)
{
    fprintf(stderr, "bench-live: %s: %s; see bench-live --help\n", what, word);
    exit(2);
}

static const struct option words[] = {
    {"add", no_argument, NULL, 'a'},
    {"load", required_argument, NULL, 'l'},
    {"help", no_argument, NULL, 'h'},
    {"minutes", required_argument, NULL, 'm'},
    {"out", required_argument, NULL, 'o'},
    {"quick", no_argument, NULL, 'q'},
    {"ranks", required_argument, NULL, 'r'},
    {"window", required_argument, NULL, 'w'},
    {NULL, 0, NULL, 0},
};

static double number(const char *option, double least)
{
    char *end;
    double value = strtod(optarg, &end);
    if (end == optarg || *end || !(value >= least))
        misused("not a number it can be", option);
    return value;
}

static int load_named(const char *name)
{
    int load = machine_load_named(name);
    if (load < 0)
        misused("no such load", name);
    return load;
}

static void take(struct options *options, int letter)
{
    switch (letter) {
    case 'a':
        options->add = true;
        break;
    case 'h':
        help(stdout);
        exit(0);
    case 'l':
        options->load = load_named(optarg);
        break;
    case 'm':
        options->minutes = number("--minutes", 0.01);
        break;
    case 'o':
        options->out = optarg;
        break;
    case 'q':
        options->quick = true;
        break;
    case 'r':
        options->ranks = (uint32_t)number("--ranks", 2);
        break;
    case 'w':
        options->window_s = number("--window", 1);
        break;
    default:
        help(stderr);
        exit(2);
    }
}

static void make_folder(const char *path)
{
    char part[512];
    for (const char *slash = path; slash; slash = strchr(slash + 1, '/')) {
        const char *next = strchr(slash + 1, '/');
        snprintf(part, sizeof part, "%.*s", (int)(next ? next - path : (long)strlen(path)), path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            machine_give_up("cannot make the folder %s: %s", part, strerror(errno));
    }
}

static bool wants(bool wanted[PARTS], const char *word)
{
    bool found = false;
    for (size_t i = 0; i < PARTS; i++)
        if (strcmp(word, "all") == 0 || strcmp(word, parts[i].name) == 0)
            found = wanted[i] = true;
    return found;
}

int main(int argc, char **argv)
{
    struct options options = {.out = "figures/live", .minutes = 0.5, .window_s = 15, .load = -1};
    bool wanted[PARTS] = {false}, any = false;
    int letter;
    while ((letter = getopt_long(argc, argv, "h", words, NULL)) != -1)
        take(&options, letter);
    for (; optind < argc; optind++, any = true)
        if (!wants(wanted, argv[optind]))
            misused("not a part", argv[optind]);
    if (!any) {
        help(stderr);
        return 2;
    }
    make_folder(options.out);
    machine_begin();
    for (size_t i = 0; i < PARTS; i++)
        if (wanted[i]) {
            printf("\n%s: %s\n", parts[i].name, parts[i].about);
            fflush(stdout);
            parts[i].run(&options);
        }
    return 0;
}
