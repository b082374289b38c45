/* run_where: where the ranks were when --timeout ended their job. Neighbours in the same place share a line. */
#include "cli/run.h"

#include <string.h>

enum { PLACE_TEXT = 96 };

static const char *outside(const struct knell__run_rank *rank)
{
    if (!rank->started)
        return "not started";
    if (rank->ghost)
        return "ghost";
    if (!rank->left)
        return "ended";
    if (!rank->ready)
        return rank->init ? "inside MPI_Init" : "not yet inside MPI_Init";
    if (!rank->told)
        return "no answer";
    if (rank->inside == KNELL__INSIDE_UNSURE)
        return "inside no MPI call, or held up inside the MPI below";
    return rank->inside < 0 ? "inside no MPI call" : NULL;
}

static void write_place(const struct knell__run_rank *rank, char text[PLACE_TEXT])
{
    const char *place = outside(rank);
    snprintf(text, PLACE_TEXT, "%s%s", place ? "" : "inside ", place ? place : knell__run_call_name(rank->inside));
}

/* The last of those who are where `first` is. */
static int last_there(const struct knell__run_job *job, int first, const char *place)
{
    char text[PLACE_TEXT];
    int last = first;
    while (last + 1 < job->plan->ranks) {
        write_place(&job->rank[last + 1], text);
        if (strcmp(text, place) != 0)
            break;
        last++;
    }
    return last;
}

void knell__run_where(const struct knell__run_job *job, FILE *out)
{
    char text[PLACE_TEXT];
    fprintf(out, "knell run: ended by --timeout after %s; where the ranks are:\n",
            knell__format_duration(job->plan->timeout, (char[KNELL_DURATION_TEXT]){0}));
    for (int first = 0, last; first < job->plan->ranks; first = last + 1) {
        write_place(&job->rank[first], text);
        last = last_there(job, first, text);
        if (first == last)
            fprintf(out, "  rank %d: %s\n", first, text);
        else
            fprintf(out, "  ranks %d to %d: %s\n", first, last, text);
    }
}
