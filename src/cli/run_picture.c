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
static void mark_recovery(const struct knell__run_job *job, int rank, char *row)
{
    for (size_t i = 0; i < job->reports; i++) {
        const struct knell__report *report = &job->report[i];
        if (report->word != KNELL__WORD_DID || report->process != rank)
            continue;
        for (int c = column(job, report->when); c <= column(job, report->when + report->took); c++)
            row[c] = RECOVERS;
    }
}

static void fill_row(const struct knell__run_job *job, int number, char row[WIDTH])
{
    const struct knell__run_rank *rank = &job->rank[number];
    memset(row, ALIVE, WIDTH);
    mark_recovery(job, number, row);
    if (!knell__run_is_death(rank))
        return;
    int died = column(job, knell__run_died(job, number));
    memset(row + died, GONE, (size_t)(WIDTH - died));
    row[died] = DIES;
}

static void draw_row(const struct knell__run_colors *colors, int number, const char row[WIDTH], FILE *out)
{
    fprintf(out, "  rank %-4d  ", number);
    for (int i = 0; i < WIDTH && row[i] != GONE; i++)
        switch (row[i]) {
        case DIES: fprintf(out, "%s✗%s", colors->dead, colors->off); break;
        case RECOVERS: fprintf(out, "%s▒%s", colors->recovers, colors->off); break;
        default: fprintf(out, "%s─%s", colors->alive, colors->off); break;
        }
    fputc('\n', out);
}

/* Of many ranks only those that died. */
static bool is_shown(const struct knell__run_job *job, int rank)
{
    return job->plan->ranks <= ROWS_MOST || knell__run_is_death(&job->rank[rank]);
}

void knell__run_picture(const struct knell__run_job *job, FILE *out)
{
    const struct knell__run_colors *colors = knell__run_colors(out);
    char text[KNELL_DURATION_TEXT], row[WIDTH];
    int rows = 0;
    fputs("\n  ─ works   ✗ dies   ▒ is inside revoke, agree or shrink\n\n", out);
    for (int i = 0; i < job->plan->ranks; i++)
        if (is_shown(job, i) && rows++ < ROWS_MOST) {
            fill_row(job, i, row);
            draw_row(colors, i, row, out);
        }
    if (job->plan->ranks > ROWS_MOST)
        fprintf(out, "  and %" PRId64 " ranks more\n", job->plan->ranks - (rows < ROWS_MOST ? rows : ROWS_MOST));
    int64_t whole = job->end - job->begin, rounded = whole > 1000000 ? whole - whole % 1000000 : whole;
    fprintf(out, "%13s0%*s\n\n", "", WIDTH - 1, knell__format_duration(rounded, text));
}
