#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_svg(const struct job *j, const char *what, int width, int height)
{
    char name[512];
    snprintf(name, sizeof name, "%s-%s.svg", j->option.picture, what);
    FILE *f = fopen(name, "w");
    if (!f) {
        perror(name);
        return NULL;
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"Helvetica,Arial,sans-serif\" text-anchor=\"middle\" fill=\"#333\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            width, height, width, height, width, height);
    return f;
}

static void close_svg(FILE *f)
{
    fprintf(f, "</svg>\n");
    fclose(f);
}

static void text(FILE *f, double x, double y, int size, const char *style, const char *words)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" %s>%s</text>\n", x, y, size, style, words);
}

static void turned(FILE *f, double x, double y, const char *words)
{
    char style[96];
    snprintf(style, sizeof style, "fill=\"#667\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    text(f, x, y, 13, style, words);
}

/* ---- the scheme ---------------------------------------------------------------------------------------------------------------------- */

enum { CELL = 58, GAP = 6, EDGE = 50, TOP = 44, FOOT = 84 };

static const char *const green = "#2f9e5f", *const red = "#d64550", *const grey = "#a8adb3", *const pale = "#eef1f4";

static void draw_cell(FILE *f, double x, double y, double size, const char *name, int weight, bool lost)
{
    char sign[16];
    const char *paint = lost ? grey : weight > 0 ? green : weight < 0 ? red : pale;
    bool plain = !lost && weight == 0;
    snprintf(sign, sizeof sign,
             weight == 1    ? "+"
             : weight == -1 ? "\u2212"
             : weight > 0   ? "+%d"
                            : "\u2212%d",
             abs(weight));
    fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"6\" fill=\"%s\"/>\n", x, y, size, size,
            paint);
    if (lost)
        text(f, x + size / 2, y + size * 0.45, (int)(size * 0.26), "fill=\"#fff\" font-weight=\"bold\"", "lost");
    else if (!plain)
        text(f, x + size / 2, y + size * 0.52, (int)(size * 0.5), "fill=\"#fff\" font-weight=\"bold\"", sign);
    text(f, x + size / 2, y + size * 0.83, (int)(size * 0.2), plain ? "fill=\"#9aa3ad\"" : "fill=\"#fff\"", name);
}

/* One table: the levels of the first axis to the right, of the second upwards; of the third, `slice`. */
static void draw_table(FILE *f, const struct scheme *s, int slice, double left, double top, const int *weight,
                       const bool *lost)
{
    int cells = s->tau + 1 - slice;
    char words[64];
    for (int grid = 0; grid < s->count; grid++) {
        const int *l = s->level[grid];
        if (s->dim == 2 || l[2] - s->min[2] == slice)
            draw_cell(f, left + (l[0] - s->min[0]) * (CELL + GAP), top + (s->tau - (l[1] - s->min[1])) * (CELL + GAP),
                      CELL, level_text(s, grid), weight[grid], lost[grid]);
    }
    for (int i = 0; i < cells; i++) {
        snprintf(words, sizeof words, "%d", s->min[0] + i);
        text(f, left + i * (CELL + GAP) + CELL / 2, top + (s->tau + 1) * (CELL + GAP) + 12, 14, "", words);
        snprintf(words, sizeof words, "%d", s->min[1] + i);
        text(f, left - 16, top + (s->tau - i) * (CELL + GAP) + CELL / 2 + 5, 14, "", words);
    }
    if (slice == 0)
        turned(f, left - 34, top + cells * (CELL + GAP) / 2, s->dim == 2 ? "level of the second axis" : "second level");
    snprintf(words, sizeof words, s->dim == 2 ? "level of the first axis" : "third level: %d",
             s->min[s->dim - 1] + slice);
    text(f, left + cells * (CELL + GAP) / 2, top + (s->tau + 1) * (CELL + GAP) + 32, 13, "fill=\"#667\"", words);
}

static void draw_legend(FILE *f, double x, double y)
{
    const char *const paint[] = {green, red, grey, pale}, *const words[] = {"added", "subtracted", "lost", "not used"};
    for (int i = 0; i < 4; x += 44 + 8 * (double)strlen(words[i++])) {
        fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"16\" rx=\"3\" fill=\"%s\"/>\n", x, y - 13,
                paint[i]);
        text(f, x + 23, y, 14, "text-anchor=\"start\"", words[i]);
    }
}

void picture_scheme(const struct job *j, const int *planned, const int *weight, const bool *lost)
{
    static const bool none[GRIDS_MOST];
    const struct scheme *s = &j->scheme;
    bool any = false;
    int slices = s->dim == 3 ? s->tau + 1 : 1, table = (s->tau + 1) * (CELL + GAP), wide = EDGE;
    for (int grid = 0; grid < s->count; grid++)
        any = any || lost[grid];
    for (int i = 0; i < slices; i++)
        wide += (s->tau + 1 - i) * (CELL + GAP) + EDGE;
    bool beside = s->dim == 2;
    int high = TOP + table + 50, panels = any ? 2 : 1;
    FILE *f = open_svg(j, "scheme", beside ? wide * panels : wide, (beside ? high : high * panels) + FOOT - 40);
    if (!f)
        return;
    for (int panel = 0; panel < panels; panel++) {
        double left = EDGE + (beside ? panel * wide : 0), top = TOP + (beside ? 0 : panel * high);
        text(f, left, top - 16, 18, "text-anchor=\"start\" font-weight=\"bold\"",
             panel ? "without what was lost" : "planned");
        for (int i = 0; i < slices; left += (s->tau + 1 - i) * (CELL + GAP) + EDGE, i++)
            draw_table(f, s, i, left, top, panel ? weight : planned, panel ? lost : none);
    }
    draw_legend(f, EDGE, (beside ? high : high * panels) + 22);
    close_svg(f);
}

/* ---- the solution --------------------------------------------------------------------------------------------------------------------- */

enum { PIXELS = 120, COLOURS = 48, SCALE = 4 };

/* From dark blue over green to yellow. */
static void colour(double share, char *text_out, size_t size)
{
    static const double stop[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double at = fmin(fmax(share, 0), 1) * 4;
    int i = at >= 4 ? 3 : (int)at, part[3];
    for (int c = 0; c < 3; c++)
        part[c] = (int)(stop[i][c] + (at - i) * (stop[i + 1][c] - stop[i][c]) + 0.5);
    snprintf(text_out, size, "#%02x%02x%02x", part[0], part[1], part[2]);
}

/* All runs of one colour are one path. */
static void draw_map(FILE *f, int (*shade)[PIXELS], int left, int top)
{
    for (int c = 0; c < COLOURS; c++) {
        char paint[16];
        colour((c + 0.5) / COLOURS, paint, sizeof paint);
        fprintf(f, "<path stroke=\"%s\" stroke-width=\"%.1f\" fill=\"none\" d=\"", paint, SCALE + 0.3);
        for (int y = 0; y < PIXELS; y++)
            for (int x = 0, end; x < PIXELS; x = end + 1) {
                for (end = x; end + 1 < PIXELS && shade[y][end + 1] == shade[y][x]; end++)
                    ;
                if (shade[y][x] == c)
                    fprintf(f, "M%d %dh%d", left + SCALE * x, top + SCALE * (PIXELS - 1 - y) + SCALE / 2,
                            SCALE * (end + 1 - x));
            }
        fprintf(f, "\"/>\n");
    }
}

static void draw_scale(FILE *f, double least, double most, int x, int top)
{
    char words[32], paint[16];
    for (int c = 0; c < COLOURS; c++) {
        colour((c + 0.5) / COLOURS, paint, sizeof paint);
        fprintf(f, "<rect x=\"%d\" y=\"%d\" width=\"18\" height=\"11\" fill=\"%s\"/>\n", x,
                top + 10 * (COLOURS - 1 - c), paint);
    }
    for (int i = 0; i <= 4; i++) {
        snprintf(words, sizeof words, "%.2f", least + (most - least) * i / 4);
        text(f, x + 26, top + 10 * COLOURS * (4 - i) / 4 + 5, 13, "text-anchor=\"start\"", words);
    }
}

void picture_solution(const struct job *j, double error)
{
    static double value[PIXELS][PIXELS];
    static int shade[PIXELS][PIXELS];
    double least = INFINITY, most = -INFINITY;
    char words[128];
    const int left = 60, top = 52, side = SCALE * PIXELS;
    for (int y = 0; y < PIXELS; y++)
        for (int x = 0; x < PIXELS; x++) {
            double at[DIM_MOST] = {(x + 0.5) / PIXELS, (y + 0.5) / PIXELS, 0.5};
            value[y][x] = sparse_at(&j->sparse, j->state + STATE_HEAD, at);
            least = fmin(least, value[y][x]), most = fmax(most, value[y][x]);
        }
    for (int y = 0; y < PIXELS; y++)
        for (int x = 0; x < PIXELS; x++)
            shade[y][x] = (int)fmin(COLOURS - 1, (value[y][x] - least) / (most - least) * COLOURS);
    FILE *f = open_svg(j, "solution", left + side + 100, top + side + 48);
    if (!f)
        return;
    snprintf(words, sizeof words, "the combined solution at t = %g: error %.1e", j->option.end, error);
    text(f, left, 30, 18, "text-anchor=\"start\" font-weight=\"bold\"", words);
    draw_map(f, shade, left, top);
    draw_scale(f, least, most, left + side + 20, top);
    for (int i = 0; i <= 4; i++) {
        snprintf(words, sizeof words, "%g", i / 4.0);
        text(f, left + side * i / 4.0, top + side + 18, 13, "", words);
        text(f, left - 20, top + side - side * i / 4.0 + 4, 13, "", words);
    }
    turned(f, 14, top + side / 2.0, "second axis");
    text(f, left + side / 2.0, top + side + 38, 13, "fill=\"#667\"",
         j->option.dim == 3 ? "first axis; the third is at 0.5" : "first axis");
    close_svg(f);
}
