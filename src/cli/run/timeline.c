/* timeline.c: what happened in a job, in the order of time: which ranks died and how their death was found, which
 * rank knew first and which last, and how long revoke, agree and shrink took. A job in which nothing happened has no
 * timeline. */
#include "cli/run/run.h"
#include "job/calls.h"

#include <inttypes.h>
#include <knell/core.h>
#include <knell/runtime.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static double milliseconds(int64_t time)
{
    return (double)time * 1e-6;
}

/* ---- lines in the order of time ---------------------------------------------------------------------------------- */

struct line {
    int64_t when;
    size_t number; /* keeps the order of events at the same time */
    const char *color;
    char text[240];
};

struct lines {
    struct line *line;
    size_t count, room;
    const struct run_colors *colors;
    size_t unseen[JOB_CALL_END]; /* calls that have no line */
};

/* Without memory the line is omitted. */
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

/* ---- deaths ------------------------------------------------------------------------------------------------------ */

struct learning {
    const struct job_report *first, *last;
    int know;
};

static struct learning learning_of(const struct run_job *job, int victim)
{
    struct learning l = {0};
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word != JOB_WORD_LEARNED || report->peer != victim)
            continue;
        l.know++;
        l.first = l.first && l.first->when <= report->when ? l.first : report;
        l.last = l.last && l.last->when >= report->when ? l.last : report;
    }
    return l;
}

const struct job_report *run_first_to_know(const struct run_job *job, int rank)
{
    return learning_of(job, rank).first;
}

int64_t run_died(const struct run_job *job, int rank)
{
    const struct job_report *first = run_first_to_know(job, rank);
    int64_t died = job->rank[rank].died;
    return first && first->when < died ? first->when : died;
}

bool run_is_death(const struct run_rank *rank)
{
    return rank->ready && rank->died && (rank->ghost || !rank->left);
}

/* Did its observer end it after delta of silence? A rank that is declared dead must not live on. */
static bool is_ended_by_us(const struct run_rank *rank, const struct job_report *first)
{
    int status = rank->status;
    bool is_our_way =
        WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == KNELL_RUNTIME_EXIT_FENCED;
    bool was_silent = first && (first->value == KNELL_WHY_TIMEOUT || first->value == KNELL_WHY_ENDED);
    return was_silent && (!rank->ended || is_our_way);
}

static void write_how(const struct run_rank *rank, int number, char *text, size_t size)
{
    if (rank->ghost)
        snprintf(text, size, "✗ rank %d became a ghost", number);
    else if (rank->injected)
        snprintf(text, size, "✗ rank %d was killed", number);
    else if (!rank->ended)
        snprintf(text, size, "✗ rank %d died", number);
    else if (WIFSIGNALED(rank->status))
        snprintf(text, size, "✗ rank %d died by signal %d (%s)", number, WTERMSIG(rank->status),
                 strsignal(WTERMSIG(rank->status)));
    else if (WEXITSTATUS(rank->status) == KNELL_RUNTIME_EXIT_SPLIT)
        snprintf(text, size, "✗ rank %d ended with its side of a network split", number);
    else
        snprintf(text, size, "✗ rank %d ended with status %d without MPI_Finalize", number, WEXITSTATUS(rank->status));
}

static void add_known(const struct learning *l, int64_t died, struct lines *lines)
{
    char text[sizeof lines->line->text];
    snprintf(text, sizeof text, "  found by rank %" PRId32 " (%s)", l->first->by,
             knell_why_text((enum knell_why)l->first->value));
    add_line(lines, died, "", text);
    snprintf(text, sizeof text,
             "  rank %" PRId32 " knew after %.3f ms, all %d after %.3f ms (the last: rank %" PRId32 ")",
             l->first->process, milliseconds(l->first->when - died), l->know, milliseconds(l->last->when - died),
             l->last->process);
    add_line(lines, died, "", text);
}

static void add_death(const struct run_job *job, int victim, struct lines *lines)
{
    struct learning l = learning_of(job, victim);
    int64_t died = run_died(job, victim);
    char text[sizeof lines->line->text];
    const struct run_link *link = &job->links.link[victim];
    bool by_us = !job->rank[victim].ghost && !job->rank[victim].injected && !link->is_host_lost &&
                 is_ended_by_us(&job->rank[victim], l.first);
    if (link->is_host_lost)
        snprintf(text, sizeof text, "✗ rank %d was lost with its host %s", victim, link->host);
    else if (by_us)
        snprintf(text, sizeof text, "✗ rank %d was ended by Knell after %s of silence", victim,
                 format_duration(job->plan->delta, (char[DURATION_TEXT]){0}));
    else
        write_how(&job->rank[victim], victim, text, sizeof text);
    add_line(lines, died, lines->colors->dead, text);
    if (by_us)
        add_line(lines, died, "", "  it was stopped, or had no processor; a larger --delta waits longer");
    if (l.first)
        add_known(&l, died, lines);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

enum { NEAR = 2, SHOWN = 20 }; /* of each call: lines after each death, and lines in all */

static void add_span(int call, const struct run_span *span, struct lines *lines)
{
    char text[sizeof lines->line->text];
    snprintf(text, sizeof text, "  %s by %d rank%s: %.3f ms in all, the longest %.3f ms", job_call_name(call),
             span->ranks, span->ranks == 1 ? "" : "s", milliseconds(span->end - span->first),
             milliseconds(span->longest));
    add_line(lines, span->first, "", text);
}

/* The first few spans that end after a death: the death came in the middle of them, or they answer it. */
static bool *find_near(const struct run_job *job, const struct run_span *span, size_t count)
{
    bool *near = calloc(count + 1, sizeof *near);
    for (int rank = 0; near && rank < job->plan->ranks; rank++) {
        if (!run_is_death(&job->rank[rank]))
            continue;
        int64_t died = run_died(job, rank);
        for (size_t i = 0, found = 0; i < count && found < NEAR; i++)
            if (span[i].end >= died) {
                near[i] = true;
                found++;
            }
    }
    return near;
}

static void add_calls(const struct run_job *job, int call, struct lines *lines)
{
    struct run_span *span;
    size_t count = run_spans(job, call, &span), shown = 0;
    bool *near = find_near(job, span, count);
    for (size_t i = 0; near && i < count && shown < SHOWN; i++)
        if (near[i]) {
            add_span(call, &span[i], lines);
            shown++;
        }
    free(near);
    free(span);
    lines->unseen[call] = count - shown;
}

/* Counts the calls that have no line: not near a death, or too many. */
static void write_unseen(const struct lines *lines, FILE *out)
{
    for (int call = 0; call < JOB_CALL_END; call++)
        if (lines->unseen[call])
            fprintf(out, "%13sand %zu more of %s, not near a death; --log has them\n", "", lines->unseen[call],
                    job_call_name(call));
}

/* ---- wrong bits -------------------------------------------------------------------------------------------------- */

static int add_flips(const struct run_job *job, struct lines *lines)
{
    char text[sizeof lines->line->text];
    int messages = 0;
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word != JOB_WORD_FLIPPED || report->code <= 0 || messages++ >= SHOWN)
            continue;
        snprintf(text, sizeof text, "~ rank %" PRId32 " sent %" PRId32 " wrong bit%s by %s", report->process,
                 report->code, report->code == 1 ? "" : "s", job_call_name((int)report->value));
        add_line(lines, report->when, lines->colors->dead, text);
    }
    return messages;
}

/* ---- how well it worked ------------------------------------------------------------------------------------------ */

static void write_meaning(FILE *out)
{
    fprintf(out,
            "%13safter: since the death; in all: from the first rank in to the last\n"
            "%13sout; the longest: of one rank\n",
            "", "");
}

/* Written only after a death: otherwise the punctuality of the detectors does not matter. */
static void write_punctuality(const struct run_job *job, FILE *out)
{
    if (job->counted)
        fprintf(out, "%13smissed deadlines: %" PRIu64 " heartbeats of %d ranks; the latest was %.3f ms late\n", "",
                job->missed, job->counted, milliseconds(job->late_most));
}

/* Where hosts share no clock. */
static void write_clocks(const struct run_job *job, FILE *out)
{
    int64_t error = 0;
    for (int i = 0; i < job->links.ranks; i++)
        if (job->links.link[i].is_started && job->links.link[i].ahead_error > error)
            error = job->links.link[i].ahead_error;
    if (error)
        fprintf(out, "%13sclocks of other hosts: known within %.3f ms\n", "", milliseconds(error));
}

/* ---- the end by an error handler --------------------------------------------------------------------------------- */

void run_write_fatal(const struct run_job *job, FILE *out)
{
    fprintf(out, "knell run: rank %d: %.*s\n", job->aborted_by, JOB_DESK_ERROR - 1,
            run_seen(job, job->aborted_by)->words.error);
}

int run_first_dead(const struct run_job *job)
{
    int first = -1;
    for (int i = 0; i < job->plan->ranks; i++)
        if (run_is_death(&job->rank[i]) && (first < 0 || run_died(job, i) < run_died(job, first)))
            first = i;
    return first;
}

/* Without a timeline only if a rank had died: the program may not know which, or that any has. */
void run_write_abort(const struct run_job *job, FILE *out)
{
    int dead = run_first_dead(job);
    if (dead < 0 && job->plan->quiet)
        return;
    fprintf(out, "knell run: rank %d called MPI_Abort with %d; the job was ended", job->aborted_by, job->abort_code);
    if (dead >= 0)
        fprintf(out, " (rank %d had died)", dead);
    fputc('\n', out);
}

void run_write_end(const struct run_job *job, int status, FILE *out)
{
    int dead = run_first_dead(job);
    if (dead >= 0 && status != 0)
        fprintf(out, "knell run: rank %d died, and the job ended with status %d: %s\n", dead, status, job->verdict.why);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void write_lines(const struct run_job *job, struct lines *lines, FILE *out)
{
    int64_t zero = job->begin ? job->begin : job->launched;
    qsort(lines->line, lines->count, sizeof *lines->line, by_time);
    for (size_t i = 0; i < lines->count; i++) {
        const struct line *line = &lines->line[i];
        fprintf(out, "%9.4f s  %s%s%s\n", (double)(line->when - zero) * 1e-9, line->color, line->text,
                *line->color ? lines->colors->off : "");
    }
}

static void write_head(const struct run_job *job, int deaths, int flips, FILE *out)
{
    fprintf(out, "knell run: %d of %" PRId64 " ranks died", deaths, job->plan->ranks);
    if (flips)
        fprintf(out, ", %d message%s had wrong bits", flips, flips == 1 ? "" : "s");
    fprintf(out, "; times from %s\n", job->begin ? "the moment all had left MPI_Init" : "the start");
}

void run_write_timeline(const struct run_job *job, FILE *out)
{
    static const int shown[] = {JOB_CALL_COMM_REVOKE, JOB_CALL_COMM_AGREE, JOB_CALL_COMM_SHRINK};
    struct lines lines = {.colors = run_colors(out)};
    int deaths = 0, flips = add_flips(job, &lines);
    for (int i = 0; i < job->plan->ranks; i++)
        if (run_is_death(&job->rank[i])) {
            add_death(job, i, &lines);
            deaths++;
        }
    for (size_t i = 0; deaths && i < COUNT_OF(shown); i++)
        add_calls(job, shown[i], &lines);
    if (deaths || flips)
        write_head(job, deaths, flips, out);
    if (deaths && job->begin)
        run_write_picture(job, out);
    if (lines.count)
        write_lines(job, &lines, out);
    write_unseen(&lines, out);
    if (deaths) {
        write_meaning(out);
        write_punctuality(job, out);
        write_clocks(job, out);
    }
    run_write_not_injected(job, out);
    free(lines.line);
}
