/* graph_svg.c: draws the picture of graph.h. The boxes of a daemon stand below each other. Every node has one lane
 * at the right, in its colour, and the rules that go to the node join its lane: no label can cover another, whatever
 * the automaton looks like. */
#include "cli/fail/graph.h"

#include <string.h>

#define CHAR 7.25 /* width of a letter of the fixed-width font at 12 px */
#define LINE 17.0
#define PAD 12.0
#define HEAD 30.0
#define GAP 26.0
#define LANE 15.0
#define MARGIN 28.0
#define TOP 62.0 /* of a panel, above its first box */

static const char *const lanes[] = {"#2563a8", "#b3541e", "#3d7d3a", "#8a4fa3",
                                    "#a8325a", "#1f7f86", "#7a6a1c", "#5c5f66"};

static const char *lane_colour(int target)
{
    return lanes[(size_t)target % (sizeof lanes / sizeof *lanes)];
}

static const char *kind_colour(enum graph_kind kind)
{
    static const char *const colours[] = {"#6b7280", "#2f7a39", "#b45309", "#1d4ed8", "#7e3aa8"};

    return colours[kind];
}

static void escape(FILE *out, const char *text, int length)
{
    for (int i = 0; i < length && text[i]; i++) {
        switch (text[i]) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(text[i], out);
        }
    }
}

/* The number of letters, not of bytes. */
static int letters(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double widest(const struct graph_entry *entries, uint32_t count, double width)
{
    for (uint32_t i = 0; i < count; i++) {
        for (int j = 0; j < entries[i].line_count; j++) {
            double w = letters(entries[i].lines[j]) * CHAR;

            width = w > width ? w : width;
        }
    }
    return width;
}

static double stack(struct graph_entry *entries, uint32_t count, double y)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && entries[i].kind != GRAPH_DECL && entries[i - 1].kind == GRAPH_DECL)
            y += 6;
        entries[i].y = y;
        y += entries[i].line_count * LINE + (entries[i].kind == GRAPH_DECL ? 0 : 4);
    }
    return y;
}

static void measure(struct graph_panel *p, double x)
{
    double y = TOP, width = widest(p->entries, p->entry_count, 190);

    for (uint32_t i = 0; i < p->box_count; i++)
        width = widest(p->boxes[i].entries, p->boxes[i].entry_count, width);
    if ((double)strlen(p->name) * 12 + letters(p->places) * CHAR + 30 > width)
        width = (double)strlen(p->name) * 12 + letters(p->places) * CHAR + 30;
    p->x = x;
    p->box_width = width + 2 * PAD + 34;
    y = stack(p->entries, p->entry_count, y) + (p->entry_count > 0 ? 12 : 0);
    for (uint32_t i = 0; i < p->box_count; i++) {
        p->boxes[i].y = y;
        p->boxes[i].height = stack(p->boxes[i].entries, p->boxes[i].entry_count, y + HEAD + 8) + 8 - y;
        y += p->boxes[i].height + GAP;
    }
    p->height = y;
    p->width = p->box_width + 2 * MARGIN + p->box_count * LANE;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void draw_entry(FILE *out, const struct graph_entry *e, double x)
{
    for (int i = 0; i < e->line_count; i++) {
        const char *line = e->lines[i];
        int event = i == 0 && e->kind != GRAPH_DECL ? e->event_length : 0;

        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" xml:space=\"preserve\">", x, e->y + 12 + i * LINE,
                e->kind == GRAPH_DECL ? "decl" : "rule");
        if (event > 0) {
            fprintf(out, "<tspan fill=\"%s\" font-weight=\"bold\">", kind_colour(e->kind));
            escape(out, line, event);
            fputs("</tspan>", out);
        }
        if ((int)strlen(line) > event)
            escape(out, line + event, GRAPH_LINE);
        fputs("</text>\n", out);
    }
}

/* What stands at the right end of a rule: the node it goes to, a circle for entering again, a bar for staying. */
static void draw_port(FILE *out, const struct graph_panel *p, const struct graph_entry *e, double right)
{
    double y = e->y + 8;

    if (e->target >= 0) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"port\" style=\"fill:%s\">", right - 8, y + 4,
                lane_colour(e->target));
        escape(out, p->boxes[e->target].name, GRAPH_LINE);
        fputs("</text>\n", out);
    } else if (e->target == -1) {
        fprintf(out, "<path d=\"M%.1f %.1fa5 5 0 1 1 -4 -3.6\" class=\"again\" marker-end=\"url(#small)\"/>\n",
                right - 9, y + 1);
    } else if (e->target == -2) {
        fprintf(out, "<path d=\"M%.1f %.1fh8\" class=\"again\"/>\n", right - 18, y);
    }
}

static void draw_edge(FILE *out, const struct graph_panel *p, const struct graph_entry *e, double right)
{
    const struct graph_box *to = &p->boxes[e->target];
    double lane = right + 16 + e->target * LANE, from_y = e->y + 8, to_y = to->y + HEAD / 2, r = 6;
    int down = to_y > from_y ? 1 : -1;

    fprintf(out,
            "<path d=\"M%.1f %.1fH%.1fQ%.1f %.1f %.1f %.1fV%.1fQ%.1f %.1f %.1f %.1fH%.1f\" class=\"edge\" "
            "stroke=\"%s\" marker-end=\"url(#arrow%d)\"/>\n",
            right, from_y, lane - r, lane, from_y, lane, from_y + down * r, to_y - down * r, lane, to_y, lane - r, to_y,
            right + 5, lane_colour(e->target), e->target % (int)(sizeof lanes / sizeof *lanes));
}

static void draw_box(FILE *out, const struct graph_panel *p, uint32_t number)
{
    const struct graph_box *b = &p->boxes[number];
    double x = p->x + MARGIN, right = x + p->box_width;
    const char *colour = lane_colour((int)number);

    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"10\" class=\"box\" stroke=\"%s\"/>\n",
            x, b->y, p->box_width, b->height, colour);
    if (b->entry_count > 0)
        fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-opacity=\".35\"/>\n", x, b->y + HEAD, right,
                colour);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"node\" style=\"fill:%s\">", x + PAD, b->y + 20, colour);
    escape(out, p->implicit ? "(one node)" : b->name, GRAPH_LINE);
    fputs("</text>\n", out);
    if (number == 0)
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#374151\"/><path d=\"M%.1f %.1fH%.1f\" class=\"edge\" "
                "stroke=\"#374151\" marker-end=\"url(#start)\"/>\n",
                p->x + 8, b->y + HEAD / 2, p->x + 12, b->y + HEAD / 2, x - 5);
    for (uint32_t i = 0; i < b->entry_count; i++) {
        const struct graph_entry *e = &b->entries[i];

        if (e->deadly)
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"4\" fill=\"#fde8e8\"/>\n",
                    x + 5, e->y - 2, p->box_width - 10, e->line_count * LINE + 2);
        draw_entry(out, e, x + PAD);
        draw_port(out, p, e, right);
        if (e->target >= 0)
            draw_edge(out, p, e, right);
    }
}

static void draw_panel(FILE *out, const struct graph_panel *p)
{
    fprintf(out, "<rect x=\"%.1f\" y=\"8\" width=\"%.1f\" height=\"%.1f\" rx=\"12\" class=\"panel\"/>\n", p->x,
            p->width, p->height - 8);
    fprintf(out, "<text x=\"%.1f\" y=\"38\" class=\"daemon\">", p->x + MARGIN);
    escape(out, p->name, GRAPH_LINE);
    fprintf(out, "<tspan class=\"places\" dx=\"10\">");
    escape(out, p->places, GRAPH_LINE);
    fputs("</tspan></text>\n", out);
    for (uint32_t i = 0; i < p->entry_count; i++)
        draw_entry(out, &p->entries[i], p->x + MARGIN + PAD);
    for (uint32_t i = 0; i < p->box_count; i++)
        draw_box(out, p, i);
}

static void draw_head(FILE *out, const char *title, double width, double height)
{
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
        width, height, width, height);
    escape(out, title, GRAPH_LINE);
    fputs("</title>\n<style>\n"
          "text{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:12px;fill:#1f2937}\n"
          ".decl{fill:#6b7280}.node{font-weight:bold;font-size:14px}.port{font-weight:bold;text-anchor:end;font-size:"
          "11px}\n"
          ".daemon{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:18px;font-weight:bold}\n"
          ".places{font-size:12px;font-weight:normal;fill:#6b7280}\n"
          ".panel{fill:#f8fafc;stroke:#cbd5e1}.box{fill:#fff;stroke-width:1.5}\n"
          ".edge{fill:none;stroke-width:1.4}.again{fill:none;stroke:#6b7280;stroke-width:1.3}\n"
          "</style>\n<defs>\n",
          out);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        fprintf(
            out,
            "<marker id=\"arrow%zu\" viewBox=\"0 0 8 8\" refX=\"4\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
            "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"%s\"/></marker>\n",
            i, lanes[i]);
    fputs("<marker id=\"start\" viewBox=\"0 0 8 8\" refX=\"4\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
          "orient=\"auto\">"
          "<path d=\"M0 0L8 4L0 8z\" fill=\"#374151\"/></marker>\n"
          "<marker id=\"small\" viewBox=\"0 0 8 8\" refX=\"4\" refY=\"4\" markerWidth=\"5\" markerHeight=\"5\" "
          "orient=\"auto\">"
          "<path d=\"M0 0L8 4L0 8z\" fill=\"#6b7280\"/></marker>\n</defs>\n"
          "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          out);
}

void graph_draw(FILE *out, const char *title, struct graph_panel *panels, uint32_t count)
{
    double x = 8, height = 60;

    for (uint32_t i = 0; i < count; i++) {
        measure(&panels[i], x);
        x += panels[i].width + 14;
        height = panels[i].height > height ? panels[i].height : height;
    }
    for (uint32_t i = 0; i < count; i++)
        panels[i].height = height;
    draw_head(out, title, x + 2, height + 8);
    for (uint32_t i = 0; i < count; i++)
        draw_panel(out, &panels[i]);
    fputs("</svg>\n", out);
}
