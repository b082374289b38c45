/* run_picture: a job with deaths as a picture: a row for each rank over the time from MPI_Init to the end. */
#include "cli/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 64, ROWS_MOST = 32 }; /* with the names 80 columns */

const struct knell__run_colors *knell__run_colors(FILE *out)
{
    static const struct knell__run_colors some = {"\033[31m", "\033[33m", "\033[2m", "\033[0m"}, none = {"", "", "", ""};
    return isatty(fileno(out)) && !getenv("NO_COLOR") ? &some : &none;
}

/* Never outside: what a rank reports last may come after the end. */
static int column(const struct knell__run_job *job, int64_t when)
{
    int64_t span = job->end > job->begin ? job->end - job->begin : 1, at = when - job->begin;
    int i = (int)((double)at / (double)span * (WIDTH - 1));
    return i < 0 ? 0 : i < WIDTH ? i : WIDTH - 1;
}

enum cell { GONE = ' ', ALIVE = '-', RECOVERS = 'r', DIES = 'x' };

/* Inside revoke, agree or shrink. */
static void mark_recovery(const struct knell__run_job *job, const struct knell__report *report, char row[WIDTH])
{
    if (report->word == KNELL__WORD_DID && report->when < job->end)
        for (int c = column(job, report->when); c <= column(job, report->when + report->took); c++)
            row[c] = RECOVERS;
}

static void fill_row(const struct knell__run_job *job, int number, char row[WIDTH])
{
    memset(row, ALIVE, WIDTH);
    for (size_t i = 0; i < job->reports; i++)
        if (job->report[i].process == number)
            mark_recovery(job, &job->report[i], row);
    if (!knell__run_is_death(&job->rank[number]))
        return;
    int died = column(job, knell__run_died(job, number));
    memset(row + died, GONE, (size_t)(WIDTH - died));
    row[died] = DIES;
}

static void draw_cells(const struct knell__run_colors *colors, const char row[WIDTH], FILE *out)
{
    for (int i = 0; i < WIDTH && row[i] != GONE; i++)
        switch (row[i]) {
        case DIES: fprintf(out, "%s✗%s", colors->dead, colors->off); break;
        case RECOVERS: fprintf(out, "%s▒%s", colors->recovers, colors->off); break;
        default: fprintf(out, "%s─%s", colors->alive, colors->off); break;
        }
    fputc('\n', out);
}

static void draw_rank(const struct knell__run_job *job, int number, FILE *out)
{
    char row[WIDTH];
    fill_row(job, number, row);
    fprintf(out, "  rank %-4d  ", number);
    draw_cells(knell__run_colors(out), row, out);
}

/* ---- few ranks, many ranks ------------------------------------------------------------------------------------------------- */

static void draw_all(const struct knell__run_job *job, FILE *out)
{
    for (int i = 0; i < job->plan->ranks; i++)
        draw_rank(job, i, out);
}

/* All in one row: somebody is inside. */
static void draw_survivors(const struct knell__run_job *job, int64_t count, FILE *out)
{
    char row[WIDTH], name[32];
    memset(row, ALIVE, WIDTH);
    for (size_t i = 0; i < job->reports; i++)
        if (!knell__run_is_death(&job->rank[job->report[i].process]))
            mark_recovery(job, &job->report[i], row);
    snprintf(name, sizeof name, "%" PRId64 " other%s", count, count == 1 ? "" : "s");
    fprintf(out, "  %-11s", name);
    draw_cells(knell__run_colors(out), row, out);
}

/* A row for each that died, and one for the others together. */
static void draw_dead(const struct knell__run_job *job, FILE *out)
{
    int dead = 0;
    for (int i = 0; i < job->plan->ranks; i++)
        if (knell__run_is_death(&job->rank[i]) && dead++ < ROWS_MOST)
            draw_rank(job, i, out);
    if (dead > ROWS_MOST)
        fprintf(out, "  and %d more that died\n", dead - ROWS_MOST);
    if (dead < job->plan->ranks)
        draw_survivors(job, job->plan->ranks - dead, out);
}

void knell__run_picture(const struct knell__run_job *job, FILE *out)
{
    char text[KNELL_DURATION_TEXT];
    fputs("\n  ─ works   ✗ dies   ▒ is inside revoke, agree or shrink\n\n", out);
    (job->plan->ranks <= ROWS_MOST ? draw_all : draw_dead)(job, out);
    int64_t whole = job->end - job->begin, rounded = whole > 1000000 ? whole - whole % 1000000 : whole;
    fprintf(out, "%13s0%*s\n\n", "", WIDTH - 1, knell__format_duration(rounded, text));
}
