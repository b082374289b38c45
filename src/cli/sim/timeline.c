/* timeline.c: see timeline.h. */
#include "cli/sim/timeline.h"

#include "cli/common/parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 56, ROWS_MAX = 40 }; /* with the names 80 columns */

void timeline_log(void *context, const struct knell_ring_event *event)
{
    struct timeline *timeline = context;
    if (timeline->count == timeline->room) {
        size_t room = timeline->room ? 2 * timeline->room : 64;
        struct knell_ring_event *grown = realloc(timeline->event, room * sizeof *grown);
        if (!grown) {
            timeline->no_memory = true;
            return;
        }
        timeline->event = grown;
        timeline->room = room;
    }
    timeline->event[timeline->count++] = *event;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->event);
    *timeline = (struct timeline){0};
}

static knell_time span_of(const struct timeline *timeline)
{
    knell_time last = timeline->count ? timeline->event[timeline->count - 1].time : 0;
    return last > 0 ? last : 1;
}

static int column(knell_time time, knell_time span)
{
    return (int)((double)time / (double)span * (WIDTH - 1));
}

static const struct knell_ring_event *find(const struct timeline *timeline, enum knell_ring_event_type type,
                                           knell_rank rank)
{
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline->event[i].type == type && timeline->event[i].rank == rank)
            return &timeline->event[i];
    return NULL;
}

static bool is_end(const struct knell_ring_event *event)
{
    return event->type == KNELL_RING_FAILURE || event->type == KNELL_RING_SILENCE;
}

struct pen {
    const char *dead, *found, *stable, *dim, *off;
};

/* The node lives: ----; it is dead and no node has detected it: ~~~~; after that, blanks. */
static void draw_row(const struct timeline *timeline, const struct knell_ring_event *failure, FILE *out,
                     const struct pen *pen)
{
    knell_time span = span_of(timeline);
    const struct knell_ring_event *found = find(timeline, KNELL_RING_DETECTION, failure->rank);
    int died = column(failure->time, span), seen = found ? column(found->time, span) : WIDTH;
    fprintf(out, "  node %-7" PRIu32 " %s", failure->rank, pen->dim);
    for (int i = 0; i < WIDTH; i++) {
        if (i == died)
            fprintf(out, "%s%s✗%s", pen->off, pen->dead, pen->dead);
        else if (i == seen)
            fprintf(out, "%s%s●%s", pen->off, pen->found, pen->off);
        else
            fputs(i < died ? "─" : i < seen ? "╌" : " ", out);
    }
    fprintf(out, "%s", pen->off);
    if (found)
        fprintf(out, " by %" PRIu32, found->by);
    fputc('\n', out);
}

static void draw_axis(const struct timeline *timeline, FILE *out, const struct pen *pen)
{
    char text[DURATION_TEXT];
    knell_time span = span_of(timeline);
    char marks[WIDTH + 1];
    memset(marks, ' ', WIDTH);
    marks[WIDTH] = '\0';
    for (size_t i = 0; i < timeline->count; i++)
        if (timeline->event[i].type == KNELL_RING_STABLE)
            marks[column(timeline->event[i].time, span)] = '^';
    fprintf(out, "  %-12s %s", "stable", pen->stable);
    for (int i = 0; i < WIDTH; i++)
        fputs(marks[i] == '^' ? "▲" : "┈", out);
    fprintf(out, "%s\n  %-12s 0%*s\n\n", pen->off, "", WIDTH - 1, format_duration(span, text));
}

static void draw_story(const struct timeline *timeline, FILE *out, const struct pen *pen)
{
    char text[DURATION_TEXT];
    for (size_t i = 0; i < timeline->count && i < (size_t)4 * ROWS_MAX; i++) {
        const struct knell_ring_event *event = &timeline->event[i];
        fprintf(out, "  %14s  ", format_duration(event->time, text));
        switch (event->type) {
        case KNELL_RING_FAILURE:
            fprintf(out, "%s✗ node %" PRIu32 " dies%s\n", pen->dead, event->rank, pen->off);
            break;
        case KNELL_RING_SILENCE:
            fprintf(out, "%s✗ node %" PRIu32 " falls silent%s\n", pen->dead, event->rank, pen->off);
            break;
        case KNELL_RING_DETECTION:
            fprintf(out, "%s● node %" PRIu32 " misses its heartbeats and tells everybody%s (node %" PRIu32 ")\n",
                    pen->found, event->by, pen->off, event->rank);
            break;
        case KNELL_RING_KNOWN:
            fprintf(out, "  all living nodes know that node %" PRIu32 " is dead\n", event->rank);
            break;
        case KNELL_RING_STABLE:
            fprintf(out, "%s▲ stable: everybody knows every death, the ring is whole%s\n", pen->stable, pen->off);
            break;
        }
    }
}

void timeline_draw(const struct timeline *timeline, FILE *out, bool color)
{
    struct pen pen = color ? (struct pen){"\033[31m", "\033[33m", "\033[32m", "\033[2m", "\033[0m"}
                           : (struct pen){"", "", "", "", ""};
    size_t rows = 0;
    if (timeline->count == 0) {
        fprintf(out, "  nobody failed\n");
        return;
    }
    fprintf(out, "  ✗ dies   ╌ dead, nobody knows   ● found by its observer   ▲ stable\n\n");
    for (size_t i = 0; i < timeline->count; i++)
        if (is_end(&timeline->event[i]) && rows++ < ROWS_MAX)
            draw_row(timeline, &timeline->event[i], out, &pen);
    if (rows > ROWS_MAX)
        fprintf(out, "  ... and %zu more\n", rows - ROWS_MAX);
    draw_axis(timeline, out, &pen);
    draw_story(timeline, out, &pen);
}
