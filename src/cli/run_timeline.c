/* run_timeline: what happened in a job, in the order of time: who died and how it was known, who was the first and the last to
 * know, and how long revoke, agree and shrink took. A job in which nothing happened has none. */
#include "cli/run.h"
#include "mpi/gen/calls.h"

#include <inttypes.h>
#include <knell/core.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static double milliseconds(int64_t time)
{
    return (double)time * 1e-6;
}

/* ---- lines in the order of time -------------------------------------------------------------------------------------------- */

struct line {
    int64_t when;
    size_t number; /* what happened at the same time stays in order */
    const char *color;
    char text[240];
};

struct lines {
    struct line *line;
    size_t count, room;
    const struct knell__run_colors *colors;
};

/* A timeline that finds no memory is shorter. */
static void add_line(struct lines *lines, int64_t when, const char *color, const char *text)
{
    if (lines->count == lines->room) {
        size_t room = lines->room ? 2 * lines->room : 32;
        struct line *more = realloc(lines->line, room * sizeof *more);
        if (!more)
            return;
        lines->line = more;
        lines->room = room;
    }
    struct line *line = &lines->line[lines->count];
    *line = (struct line){.when = when, .number = lines->count++, .color = color};
    snprintf(line->text, sizeof line->text, "%s", text);
}

static int by_time(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* ---- deaths ---------------------------------------------------------------------------------------------------------------- */

struct learning {
    const struct knell__report *first, *last;
    int know;
};

static struct learning learning_of(const struct knell__run_job *job, int victim)
{
    struct learning l = {0};
    for (size_t i = 0; i < job->reports; i++) {
        const struct knell__report *report = &job->report[i];
        if (report->word != KNELL__WORD_LEARNED || report->peer != victim)
            continue;
        l.know++;
        l.first = l.first && l.first->when <= report->when ? l.first : report;
        l.last = l.last && l.last->when >= report->when ? l.last : report;
    }
    return l;
}

const struct knell__report *knell__run_first_to_know(const struct knell__run_job *job, int rank)
{
    return learning_of(job, rank).first;
}

int64_t knell__run_died(const struct knell__run_job *job, int rank)
{
    const struct knell__report *first = knell__run_first_to_know(job, rank);
    int64_t died = job->rank[rank].died;
    return first && first->when < died ? first->when : died;
}

bool knell__run_is_death(const struct knell__run_rank *rank)
{
    return rank->ready && rank->died && (rank->ghost || !rank->left);
}

static void write_how(const struct knell__run_rank *rank, int number, char *text, size_t size)
{
    if (rank->ghost)
        snprintf(text, size, "✗ rank %d became a ghost", number);
    else if (rank->injected)
        snprintf(text, size, "✗ rank %d was killed", number);
    else if (!rank->ended)
        snprintf(text, size, "✗ rank %d died", number);
    else if (WIFSIGNALED(rank->status))
        snprintf(text, size, "✗ rank %d died by signal %d (%s)", number, WTERMSIG(rank->status), strsignal(WTERMSIG(rank->status)));
    else
        snprintf(text, size, "✗ rank %d ended with status %d without MPI_Finalize", number, WEXITSTATUS(rank->status));
}

static void add_known(const struct learning *l, int64_t died, struct lines *lines)
{
    char text[sizeof lines->line->text];
    snprintf(text, sizeof text, "  found by rank %" PRId32 " (%s)", l->first->by, knell_why_text((enum knell_why)l->first->value));
    add_line(lines, died, "", text);
    snprintf(text, sizeof text, "  rank %" PRId32 " knew after %.3f ms, all %d after %.3f ms (rank %" PRId32 ")", l->first->process,
             milliseconds(l->first->when - died), l->know, milliseconds(l->last->when - died), l->last->process);
    add_line(lines, died, "", text);
}

static void add_death(const struct knell__run_job *job, int victim, struct lines *lines)
{
    struct learning l = learning_of(job, victim);
    int64_t died = knell__run_died(job, victim);
    char text[sizeof lines->line->text];
    write_how(&job->rank[victim], victim, text, sizeof text);
    add_line(lines, died, lines->colors->dead, text);
    if (l.first)
        add_known(&l, died, lines);
}

/* ---- calls ----------------------------------------------------------------------------------------------------------------- */

enum { SHOWN = 20 }; /* of each kind */

static void add_span(int call, const struct knell__run_span *span, struct lines *lines)
{
    char text[sizeof lines->line->text];
    snprintf(text, sizeof text, "  %s by %d rank%s: %.3f ms, the longest %.3f ms", knell__run_call_name(call), span->ranks,
             span->ranks == 1 ? "" : "s", milliseconds(span->end - span->first), milliseconds(span->longest));
    add_line(lines, span->first, "", text);
}

static void add_calls(const struct knell__run_job *job, int call, struct lines *lines)
{
    struct knell__run_span *span;
    char text[sizeof lines->line->text];
    size_t count = knell__run_spans(job, call, &span);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        add_span(call, &span[i], lines);
    if (count > SHOWN) {
        snprintf(text, sizeof text, "  %s: %zu more from here on, see --log", knell__run_call_name(call), count - SHOWN);
        add_line(lines, span[SHOWN].first, "", text);
    }
    free(span);
}

/* ---- wrong bits ------------------------------------------------------------------------------------------------------------ */

static int add_flips(const struct knell__run_job *job, struct lines *lines)
{
    char text[sizeof lines->line->text];
    int messages = 0;
    for (size_t i = 0; i < job->reports; i++) {
        const struct knell__report *report = &job->report[i];
        if (report->word != KNELL__WORD_FLIPPED || report->code <= 0 || messages++ >= SHOWN)
            continue;
        snprintf(text, sizeof text, "~ rank %" PRId32 " sent %" PRId32 " wrong bit%s by %s", report->process, report->code,
                 report->code == 1 ? "" : "s", knell__run_call_name((int)report->value));
        add_line(lines, report->when, lines->colors->dead, text);
    }
    return messages;
}

/* ---- who was to die --------------------------------------------------------------------------------------------------------- */

static void write_spared(const struct knell__run_job *job, FILE *out)
{
    for (size_t i = 0; i < job->plan->kills.n; i++) {
        const char *kill = job->plan->kills.items[i]; /* begins with the rank */
        if (!job->rank[atoi(kill)].injected)
            fprintf(out, "knell run: --kill %s: did not come to that, rank %d was through before\n", kill, atoi(kill));
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------- */

static void write_lines(const struct knell__run_job *job, struct lines *lines, FILE *out)
{
    int64_t zero = job->begin ? job->begin : job->launched;
    qsort(lines->line, lines->count, sizeof *lines->line, by_time);
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->line[i];
        fprintf(out, "%9.4f s  %s%s%s\n", (double)(line->when - zero) * 1e-9, line->color, line->text,
                *line->color ? lines->colors->off : "");
    }
}

static void write_head(const struct knell__run_job *job, int deaths, int flips, FILE *out)
{
    fprintf(out, "knell run: %d of %" PRId64 " ranks died", deaths, job->plan->ranks);
    if (flips)
        fprintf(out, ", %d message%s had wrong bits", flips, flips == 1 ? "" : "s");
    fprintf(out, "; times from %s\n", job->begin ? "the moment all had left MPI_Init" : "the start");
}

void knell__run_timeline(const struct knell__run_job *job, FILE *out)
{
    static const int shown[] = {KNELL__CALL_COMM_REVOKE, KNELL__CALL_COMM_AGREE, KNELL__CALL_COMM_SHRINK};
    struct lines lines = {.colors = knell__run_colors(out)};
    int deaths = 0, flips = add_flips(job, &lines);
    for (int i = 0; i < job->plan->ranks; i++)
        if (knell__run_is_death(&job->rank[i])) {
            add_death(job, i, &lines);
            deaths++;
        }
    for (size_t i = 0; deaths && i < KNELL_COUNT(shown); i++)
        add_calls(job, shown[i], &lines);
    if (job->aborted)
        fprintf(out, job->aborted_by_handler ? "knell run: rank %d had an error, code %d, and no handler for it; the job was ended\n"
                                             : "knell run: rank %d called MPI_Abort with %d; the job was ended\n",
                job->aborted_by, job->abort_code);
    if (deaths || flips)
        write_head(job, deaths, flips, out);
    if (deaths && job->begin)
        knell__run_picture(job, out);
    if (lines.count)
        write_lines(job, &lines, out);
    write_spared(job, out);
    if (job->timed_out)
        knell__run_where(job, out);
    free(lines.line);
}
