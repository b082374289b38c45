/* part_cost: what a detector costs its process while nobody dies: processor time beside a process that only sleeps as often, memory
 * beside one that does nothing, descriptors. */
#include "observe.h"
#include "parts.h"

#include <dirent.h>
#include <string.h>

#define MS 1000000LL
#define ETA (10 * MS)
#define DELTA (100 * MS)

static const enum crew_kind kinds[] = {CREW_SLEEPER, CREW_KNELL, CREW_UDP, CREW_PPG};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- processor ------------------------------------------------------------------------------------------------------------ */

static void one_window(FILE *csv, enum crew_kind kind, uint32_t ranks, double seconds, struct series *cpu)
{
    struct setting setting = {kind, ETA, DELTA};
    struct machine_span span;
    double percent;
    uint32_t held = observe_window(ranks, &setting, seconds, false, &span, &percent);
    if (held == UINT32_MAX)
        return;
    series_add(cpu, percent);
    fprintf(csv, "%s,%u,%g,%.4f,%.1f,%.1f,%.1f,%.0f,%.2f,%u\n", crew_kind_name(kind), ranks, (double)ETA / MS, percent,
            span.datagrams_s, span.segments_s, span.pressure, span.steal_ms, span.away_ms, held);
    fflush(csv);
}

static void processor(const struct options *options, FILE *csv, uint32_t ranks)
{
    struct series cpu[KINDS] = {0};
    char text[64];
    for (unsigned round = 0; round < (options->quick ? 2 : 6); round++)
        for (size_t i = 0; i < KINDS; i++) {
            size_t at = round % 2 ? KINDS - 1 - i : i;
            one_window(csv, kinds[at], ranks, options->quick ? 1 : 3, &cpu[at]);
        }
    for (size_t i = 0; i < KINDS; i++) {
        printf("  %-10s n %3u  processor, %% of a core each: %s\n", crew_kind_name(kinds[i]), ranks,
               series_text(&cpu[i], text));
        series_free(&cpu[i]);
    }
}

/* ---- memory and descriptors ----------------------------------------------------------------------------------------------- */

/* KiB that no other process has. */
static double private_kib(pid_t pid)
{
    char path[64], line[256];
    long kib, sum = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_%*[a-zA-Z]: %ld kB", &kib) == 1)
            sum += kib;
    if (file)
        fclose(file);
    return (double)sum;
}

static double descriptors(pid_t pid)
{
    char path[64];
    int count = -2; /* "." and ".." */
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

static void room(FILE *csv, enum crew_kind kind, uint32_t ranks)
{
    struct crew_plan plan = {.kind = kind, .ranks = ranks, .eta = 10 * ETA, .delta = 10 * DELTA};
    struct series memory = {0}, open = {0};
    struct crew crew;
    char text[64];
    if (!crew_start(&crew, &plan))
        return;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        series_add(&memory, private_kib(crew.member[rank].pid));
        series_add(&open, descriptors(crew.member[rank].pid));
    }
    crew_end(&crew);
    fprintf(csv, "%s,%u,%.0f,%.0f,%.0f,%.0f\n", crew_kind_name(kind), ranks, series_median(&memory),
            series_most(&memory), series_median(&open), series_most(&open));
    printf("  %-10s n %3u  private KiB: %s, most %.0f; descriptors: most %.0f\n", crew_kind_name(kind), ranks,
           series_text(&memory, text), series_most(&memory), series_most(&open));
    series_free(&memory);
    series_free(&open);
}

void part_cost(const struct options *options)
{
    static const uint32_t sizes[] = {8, 32, 64, 256};
    FILE *csv =
        csv_open(options, "cost-processor",
                 "kind,n,eta_ms,cpu_percent,datagrams_s,segments_s,pressure_percent,steal_ms,away_ms,false_positives");
    for (size_t i = 0; i < 3; i++)
        if (options_want(options, sizes[i]))
            processor(options, csv, sizes[i]);
    csv_close(csv);
    csv = csv_open(options, "cost-room",
                   "kind,n,private_kib_median,private_kib_most,descriptors_median,descriptors_most");
    for (size_t i = 0; i < 4; i++) {
        if (!options_want(options, sizes[i]))
            continue;
        room(csv, CREW_EMPTY, sizes[i]);
        room(csv, CREW_OFF, sizes[i]);
        room(csv, CREW_KNELL, sizes[i]);
        room(csv, CREW_UDP, sizes[i]);
        if (sizes[i] <= 64)
            room(csv, CREW_PPG, sizes[i]);
    }
    csv_close(csv);
}
