/* picture: the scheme and the solution as SVG. A picture that cannot be written is said, and the job goes on. */
#include "job.h"

#include <stdarg.h>

static FILE *open_svg(const struct job *j, const char *what, int width, int height)
{
    char name[512];
    snprintf(name, sizeof name, "%s-%s.svg", j->option.picture, what);
    FILE *f = fopen(name, "w");
    if (!f)
        return perror(name), NULL;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" text-anchor=\"middle\" fill=\"#333\" "
            "font-family=\"Helvetica,Arial,sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height);
    return f;
}

__attribute__((format(printf, 6, 7))) static void text(FILE *f, double x, double y, int size, const char *style,
                                                       const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(f, "<text x=\"%g\" y=\"%g\" font-size=\"%d\" %s>", x, y, size, style);
    vfprintf(f, format, list);
    fprintf(f, "</text>\n");
    va_end(list);
}

static void box(FILE *f, double x, double y, double width, double height, int round, const char *paint)
{
    fprintf(f, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%d\" fill=\"%s\"/>\n", x, y, width, height,
            round, paint);
}

static const char title[] = "text-anchor=\"start\" font-weight=\"bold\"",
                  white[] = "fill=\"#fff\" font-weight=\"bold\"";

/* ---- the scheme -------------------------------------------------------------------------------------------------- */

enum { CELL = 58, STEP = 64, EDGE = 50, TOP = 44 };
static const char *const paint[] = {"#2f9e5f", "#d64550", "#a8adb3", "#eef1f4"}; /* added, subtracted, lost, not used */

/* One table: levels of the first axis to the right, of the second upwards; of the third, `slice`. */
static void draw_table(FILE *f, const struct scheme *s, int slice, double left, double top, const int *weight,
                       const bool *lost)
{
    int cells = s->tau + 1 - slice;
    for (int grid = 0; grid < s->count; grid++) {
        double x = left + (s->level[grid][0] - s->min[0]) * STEP,
               y = top + (s->tau + s->min[1] - s->level[grid][1]) * STEP;
        int w = weight[grid], kind = lost[grid] ? 2 : w > 0 ? 0 : w < 0 ? 1 : 3;
        if (s->dim == 3 && s->level[grid][2] - s->min[2] != slice)
            continue;
        box(f, x, y, CELL, CELL, 6, paint[kind]);
        if (kind == 2)
            text(f, x + CELL / 2, y + 27, 15, white, "lost");
        else if (kind < 2)
            text(f, x + CELL / 2, y + 29, 29, white, abs(w) == 1 ? "%s" : "%s%d", w > 0 ? "+" : "\u2212", abs(w));
        text(f, x + CELL / 2, y + 48, 11, kind < 3 ? "fill=\"#fff\"" : "fill=\"#9aa3ad\"", "%s", level_text(s, grid));
    }
    for (int i = 0; i < cells; i++) {
        text(f, left + i * STEP + CELL / 2, top + (s->tau + 1) * STEP + 12, 14, "", "%d", s->min[0] + i);
        text(f, left - 18, top + (s->tau - i) * STEP + CELL / 2 + 5, 14, "", "%d", s->min[1] + i);
    }
    text(f, left + cells * STEP / 2, top + (s->tau + 1) * STEP + 34, 14, "",
         s->dim == 2 ? "levels of both axes" : "third level: %d", s->min[s->dim - 1] + slice);
}

void picture_scheme(const struct job *j, const int *planned, const int *weight, const bool *lost)
{
    static const bool none[GRIDS_MOST];
    static const char *const words[] = {"added", "subtracted", "lost", "not used"};
    const struct scheme *s = &j->scheme;
    int slices = s->dim == 3 ? s->tau + 1 : 1, table = (s->tau + 1) * STEP, panels = 1;
    int wide = EDGE + slices * (table + EDGE), high = TOP + table + 50;
    for (int grid = 0; grid < s->count; grid++)
        panels = lost[grid] ? 2 : panels;
    int right = s->dim == 2 ? wide : 0, down = s->dim == 2 ? 0 : high; /* from one panel to the next */
    FILE *f = open_svg(j, "scheme", wide + right * (panels - 1), high + down * (panels - 1) + 40);
    if (!f)
        return;
    for (int panel = 0; panel < panels; panel++) {
        double left = EDGE + right * panel, top = TOP + down * panel;
        text(f, left, top - 16, 18, title, "%s", panel ? "without what was lost" : "planned");
        for (int i = 0; i < slices; i++)
            draw_table(f, s, i, left + i * (table + EDGE), top, panel ? weight : planned, panel ? lost : none);
    }
    for (int i = 0; i < 4; i++) {
        box(f, EDGE + 120 * i, high + down * (panels - 1) + 6, 16, 16, 3, paint[i]);
        text(f, EDGE + 120 * i + 23, high + down * (panels - 1) + 19, 14, "text-anchor=\"start\"", "%s", words[i]);
    }
    fprintf(f, "</svg>\n");
    fclose(f);
}

/* ---- the solution ------------------------------------------------------------------------------------------------ */

enum { PIXELS = 48, DOT = 10, SHADES = 60 };

/* From dark violet over blue and green to yellow. */
static const char *shade(double share)
{
    static const int stop[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}, {0}};
    static char words[16];
    int i = (int)(4 * share), c[3];
    for (int k = 0; k < 3; k++)
        c[k] = (int)(stop[i][k] + (stop[i + 1][k] - stop[i][k]) * (4 * share - i));
    snprintf(words, sizeof words, "#%02x%02x%02x", c[0], c[1], c[2]);
    return words;
}

void picture_solution(const struct job *j, double error)
{
    static double value[PIXELS * PIXELS];
    double least = INFINITY, most = -INFINITY, left = EDGE, top = TOP, side = DOT * PIXELS;
    FILE *f = open_svg(j, "solution", EDGE + DOT * PIXELS + 100, TOP + DOT * PIXELS + 40);
    if (!f)
        return;
    for (int p = 0; p < PIXELS * PIXELS; p++) {
        double x[DIM_MOST] = {(p % PIXELS + 0.5) / PIXELS, (p / PIXELS + 0.5) / PIXELS, 0.5};
        value[p] = sparse_at(&j->sparse, j->state + STATE_HEAD, x);
        least = fmin(least, value[p]), most = fmax(most, value[p]);
    }
    for (int p = 0; p < PIXELS * PIXELS; p++)
        fprintf(f, "<path d=\"M%g %gh10.4v10.4h-10.4z\" fill=\"%s\"/>\n", left + DOT * (p % PIXELS),
                top + side - DOT * (p / PIXELS + 1), shade((value[p] - least) / (most - least)));
    for (int i = 0; i < SHADES; i++)
        box(f, left + side + 20, top + side - (i + 1) * side / SHADES, 18, side / SHADES + 0.4, 0,
            shade((i + 0.5) / SHADES));
    for (int i = 0; i <= 4; i++) {
        text(f, left + side + 62, top + side * (4 - i) / 4 + 5, 14, "", "%.2f", least + (most - least) * i / 4);
        text(f, left + side * i / 4, top + side + 20, 14, "", "%g", i / 4.0);
        text(f, left - 22, top + side * (4 - i) / 4 + 5, 14, "", "%g", i / 4.0);
    }
    text(f, left, 28, 18, title, "the combined solution at t = %g: error %.1e", j->option.end, error);
    fprintf(f, "</svg>\n");
    fclose(f);
}
