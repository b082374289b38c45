/* picture.c: a job with deaths as a picture: one row per rank, over the time from MPI_Init to the end. The shade of
 * a cell is the share of its time that the rank spent in revoke, agree or shrink. */
#include "cli/run/run.h"
#include "cli/common/columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES = 16, MOST = COLUMNS_MAX, ROWS_MOST = 32 }; /* NAMES: columns before and after the cells */

const struct run_colors *run_colors(FILE *out)
{
    static const struct run_colors some = {"\033[31m", "\033[33m", "\033[2m", "\033[0m"}, none = {"", "", "", ""};
    return isatty(fileno(out)) && !getenv("NO_COLOR") ? &some : &none;
}

/* ---- a row ------------------------------------------------------------------------------------------------------- */

struct row {
    int width;
    double cell;         /* nanoseconds */
    double inside[MOST]; /* nanoseconds inside the calls, by cell */
    int died;            /* the cell of its death; -1: it did not die */
};

static void begin(const struct run_job *job, FILE *out, struct row *row)
{
    *row = (struct row){.width = columns_of(out) - NAMES, .died = -1};
    row->cell = (double)(job->end > job->begin ? job->end - job->begin : 1) / row->width;
}

/* Always inside the row, though the last report of a rank may come after the end. */
static int cell_of(const struct row *row, double at)
{
    int i = (int)(at / row->cell);
    return at < 0 ? 0 : i < row->width ? i : row->width - 1;
}

/* Adds a call to every cell it touches. `part` is the weight of one rank in a row of several. */
static void mark(const struct run_job *job, const struct job_report *report, double part, struct row *row)
{
    double from = (double)(report->when - job->begin), to = from + (double)report->took;
    if (report->word != JOB_WORD_DID || report->when >= job->end)
        return;
    int first = cell_of(row, from);
    for (int c = first; c < row->width && (c == first || c * row->cell < to); c++) {
        double left = c * row->cell, right = left + row->cell,
               inside = (to < right ? to : right) - (from > left ? from : left);
        row->inside[c] += part * (inside > 1 ? inside : 1); /* a short call is visible, too */
    }
}

static void fill(const struct run_job *job, int number, struct row *row)
{
    for (size_t i = 0; i < job->reports; i++)
        if (job->report[i].process == number)
            mark(job, &job->report[i], 1, row);
    if (run_is_death(&job->rank[number]))
        row->died = cell_of(row, (double)(run_died(job, number) - job->begin));
}

static const char *shade(const struct row *row, int cell)
{
    static const char *const shades[] = {"░", "▒", "▓", "█"};
    int quarter = (int)(4 * row->inside[cell] / row->cell);
    return shades[quarter < 4 ? quarter : 3];
}

static void draw(const struct row *row, FILE *out)
{
    const struct run_colors *colors = run_colors(out);
    for (int i = 0; i < row->width && (row->died < 0 || i < row->died); i++)
        if (row->inside[i] > 0)
            fprintf(out, "%s%s%s", colors->recovers, shade(row, i), colors->off);
        else
            fprintf(out, "%s─%s", colors->alive, colors->off);
    if (row->died >= 0)
        fprintf(out, "%s✗%s", colors->dead, colors->off);
    fputc('\n', out);
}

static void draw_rank(const struct run_job *job, int number, FILE *out)
{
    struct row row;
    begin(job, out, &row);
    fill(job, number, &row);
    fprintf(out, "  rank %-4d  ", number);
    draw(&row, out);
}

/* ---- few ranks, many ranks --------------------------------------------------------------------------------------- */

static void draw_all(const struct run_job *job, FILE *out)
{
    for (int i = 0; i < job->plan->ranks; i++) {
        if (*run_host_of(job, i) && (i == 0 || strcmp(run_host_of(job, i), run_host_of(job, i - 1)) != 0))
            fprintf(out, "  %s\n", run_host_of(job, i));
        draw_rank(job, i, out);
    }
}

/* All survivors in one row: their mean. */
static void draw_survivors(const struct run_job *job, int64_t count, FILE *out)
{
    struct row row;
    char name[32];
    begin(job, out, &row);
    for (size_t i = 0; i < job->reports; i++)
        if (!run_is_death(&job->rank[job->report[i].process]))
            mark(job, &job->report[i], 1.0 / (double)count, &row);
    snprintf(name, sizeof name, "%" PRId64 " other%s", count, count == 1 ? "" : "s");
    fprintf(out, "  %-11s", name);
    draw(&row, out);
}

/* One row per dead rank, and one for all others together. */
static void draw_dead(const struct run_job *job, FILE *out)
{
    int dead = 0;
    for (int i = 0; i < job->plan->ranks; i++)
        if (run_is_death(&job->rank[i]) && dead++ < ROWS_MOST)
            draw_rank(job, i, out);
    if (dead > ROWS_MOST)
        fprintf(out, "  and %d more that died\n", dead - ROWS_MOST);
    if (dead < job->plan->ranks)
        draw_survivors(job, job->plan->ranks - dead, out);
}

void run_write_picture(const struct run_job *job, FILE *out)
{
    char text[DURATION_TEXT];
    fputs("\n  ─ works   ✗ dies   ░▒▓█ share of its time inside revoke, agree, shrink\n\n", out);
    (job->plan->ranks <= ROWS_MOST ? draw_all : draw_dead)(job, out);
    int64_t whole = job->end - job->begin, rounded = whole > 1000000 ? whole - whole % 1000000 : whole;
    fprintf(out, "%13s0%*s\n\n", "", columns_of(out) - NAMES - 1, format_duration(rounded, text));
}
