/* bench-live: measures detectors in real processes, ours and memberlist's, with one driver and one clock.
 *
 * Tables go to standard output, rows to CSV files; bench/live/plot draws these. */
#include "machine.h"
#include "parts.h"

#include <errno.h>
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
          "usage: bench-live PART... [options]\n\n", out);
    for (size_t i = 0; i < PARTS; i++)
        fprintf(out, "  %-10s %s\n", parts[i].name, parts[i].about);
    fputs("  all        all of these\n\n"
          "  --quick        only to see that it works\n"
          "  --out DIR      where the CSV files go (figures/live)\n"
          "  --minutes M    windows: of each kind and load (1)\n"
          "  --window S     windows: seconds of one (20)\n\n"
          "Needs root: it counts packets in a network namespace of its own.\n\n"
          "examples:\n"
          "  bench-live kill cost\n"
          "  bench-live windows --minutes 10 --window 60\n"
          "  bench-live all --quick --out /tmp/look\n", out);
}

static _Noreturn void misused(const char *what, const char *word)
{
    fprintf(stderr, "bench-live: %s: %s; see bench-live --help\n", what, word);
    exit(2);
}

static double number(const char *option, const char *text)
{
    char *end;
    double value = text ? strtod(text, &end) : 0;
    if (!text || *end || !(value > 0))
        misused("wants a number above 0", option);
    return value;
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
    struct options options = {.out = "figures/live", .minutes = 1, .window_s = 20};
    bool wanted[PARTS] = {false}, any = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            help(stdout);
            return 0;
        }
        if (strcmp(argv[i], "--quick") == 0)
            options.quick = true;
        else if (strcmp(argv[i], "--out") == 0 && argv[i + 1])
            options.out = argv[++i];
        else if (strcmp(argv[i], "--minutes") == 0) {
            options.minutes = number("--minutes", argv[i + 1]);
            i++;
        } else if (strcmp(argv[i], "--window") == 0) {
            options.window_s = number("--window", argv[i + 1]);
            i++;
        } else if (wants(wanted, argv[i]))
            any = true;
        else
            misused("not a part or an option", argv[i]);
    }
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
