/* The picture of a scenario before it is drawn: panels with boxes, boxes with lines of text, each rule with its
 * target. */
#ifndef KNELL_CLI_FAIL_GRAPH_H
#define KNELL_CLI_FAIL_GRAPH_H

#include "fail/program.h"

#include <stdio.h>

enum { KNELL_GRAPH_LINE = 120, KNELL_GRAPH_LINES = 12, KNELL_GRAPH_WIDTH = 52 };

enum knell_graph_kind {
    KNELL_GRAPH_DECL,
    KNELL_GRAPH_PROCESS,
    KNELL_GRAPH_CALL,
    KNELL_GRAPH_MESSAGE,
    KNELL_GRAPH_TIMER
};

/* A declaration or a rule, broken into lines. */
struct knell_graph_entry {
    enum knell_graph_kind kind;
    char lines[KNELL_GRAPH_LINES][KNELL_GRAPH_LINE];
    int line_count;
    int event_length; /* of the first line: the event, which is coloured */
    int target;       /* node; -1: enters its own node again; -2: stays; -3: a declaration */
    bool deadly;      /* a halt among its actions */
    double y;         /* set by the drawing */
};

struct knell_graph_box {
    const char *name;
    struct knell_graph_entry *entries;
    uint32_t entry_count;
    double y, height; /* set by the drawing */
};

struct knell_graph_panel {
    const char *name;
    char places[KNELL_GRAPH_LINE];
    struct knell_graph_entry *entries; /* declarations of the daemon */
    uint32_t entry_count;
    struct knell_graph_box *boxes;
    uint32_t box_count;
    bool implicit;
    double x, width, height, box_width; /* set by the drawing */
};

void knell__graph_draw(FILE *out, const char *title, struct knell_graph_panel *panels, uint32_t count);

#endif
