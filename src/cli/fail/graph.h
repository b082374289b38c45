/* graph.h: the picture of a scenario before it is drawn: panels with boxes, boxes with lines of text, each rule with
 * its target. */
#ifndef KNELL_CLI_FAIL_GRAPH_H
#define KNELL_CLI_FAIL_GRAPH_H

#include "fail/program.h"

#include <stdio.h>

enum { GRAPH_LINE = 120, GRAPH_LINES = 12, GRAPH_WIDTH = 52 };

enum graph_kind { GRAPH_DECL, GRAPH_PROCESS, GRAPH_CALL, GRAPH_MESSAGE, GRAPH_TIMER };

/* A declaration or a rule, broken into lines. */
struct graph_entry {
    enum graph_kind kind;
    char lines[GRAPH_LINES][GRAPH_LINE];
    int line_count;
    int event_length; /* of the event, at the start of the first line, which is coloured */
    int target;       /* a node; -1: enters its own node again; -2: stays; -3: none, a declaration */
    bool deadly;      /* one of its actions is halt */
    double y;         /* set by the drawing */
};

struct graph_box {
    const char *name;
    struct graph_entry *entries;
    uint32_t entry_count;
    double y, height; /* set by the drawing */
};

struct graph_panel {
    const char *name;
    char places[GRAPH_LINE];
    struct graph_entry *entries; /* declarations of the daemon */
    uint32_t entry_count;
    struct graph_box *boxes;
    uint32_t box_count;
    bool implicit;
    double x, width, height, box_width; /* set by the drawing */
};

void graph_draw(FILE *out, const char *title, struct graph_panel *panels, uint32_t count);

#endif
