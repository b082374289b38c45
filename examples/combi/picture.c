/* picture: the scheme and the solution as SVG. A picture that cannot be written is said, and the job goes on. */
#include "job.h"

#include <stdarg.h>

enum { CELL = 58, STEP = 64, EDGE = 50, TOP = 44 };

static const char style[] =
    "<style>text{font-family:Helvetica,Arial,sans-serif;font-size:14px;fill:#333;text-anchor:middle}"
    ".title{font-size:18px;font-weight:bold;text-anchor:start}"
    ".name{font-size:12px;fill:#fff}.pale{font-size:12px;fill:#9aa3ad}"
    ".sign{font-size:29px;font-weight:bold;fill:#fff}.lost{font-size:15px;font-weight:bold;fill:#fff}</style>";

static FILE *open_svg(const struct job *j, const char *what, int width, int height)
{
    char name[512];
    snprintf(name, sizeof name, "%s-%s.svg", j->option.picture, what);
    FILE *f = fopen(name, "w");
    if (!f)
        return perror(name), NULL;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">%s\n", width, height, style);
    fprintf(f, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
    return f;
}

__attribute__((format(printf, 5, 6))) static void text(FILE *f, double x, double y, const char *class,
                                                       const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(f, "<text x=\"%g\" y=\"%g\" class=\"%s\">", x, y, class);
    vfprintf(f, format, list);
    fprintf(f, "</text>\n");
    va_end(list);
}

static void draw_cell(FILE *f, double x, double y, int weight, bool lost, const char *name)
{
    const char *paint = lost ? "#a8adb3" : weight > 0 ? "#2f9e5f" : weight < 0 ? "#d64550" : "#eef1f4";
    fprintf(f, "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\"/>\n", x, y, CELL, CELL, paint);
    if (lost)
        text(f, x + CELL / 2, y + 27, "lost", "lost");
    else if (weight != 0) /* %.0d: no 0 */
        text(f, x + CELL / 2, y + 29, "sign", "%s%.0d", weight > 0 ? "+" : "\u2212", abs(weight) > 1 ? abs(weight) : 0);
    text(f, x + CELL / 2, y + 48, lost || weight != 0 ? "name" : "pale", "%s", name);
}

/* Levels of the first axis to the right, of the second upwards; of the third, tables beside each other. */
void picture_scheme(const struct job *j, const int *weight, const bool *lost)
{
    const struct scheme *s = &j->scheme;
    int flat = s->dim == 2, panels = memchr(lost, true, GRIDS_MOST) ? 2 : 1, table = (s->tau + 1) * STEP;
    int wide = EDGE + table, high = TOP + table + 12, across = flat ? panels : s->tau + 1, down = flat ? 1 : panels;
    FILE *f = open_svg(j, "scheme", EDGE + across * wide, down * high + 12);
    if (!f)
        return;
    for (int panel = 0; panel < panels; panel++) {
        int left = EDGE + flat * panel * wide, top = TOP + !flat * panel * high;
        text(f, left, top - 16, "title", "%s", panel ? "without what was lost" : "planned");
        for (int grid = 0; grid < s->count; grid++) {
            int slice = flat ? 0 : s->level[grid][2] - s->min[2];
            draw_cell(f, left + slice * wide + (s->level[grid][0] - s->min[0]) * STEP,
                      top + table - (s->level[grid][1] - s->min[1] + 1) * STEP, (panel ? weight : j->classic)[grid],
                      panel && lost[grid], level_text(s, grid));
        }
    }
    fprintf(f, "</svg>\n");
    fclose(f);
}

enum { SIDE = 480, ROWS = 120, STOPS = 24 };

/* A rectangle with colours between dark violet and yellow, for `count` shares of the whole range. */
static void gradient(FILE *f, int number, const char *along, const double *share, int count, double x, double y,
                     double width, double height)
{
    static const int colour[][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}, {0}};
    fprintf(f, "<linearGradient id=\"g%d\" %s>", number, along);
    for (int i = 0, c[3]; i < count; i++) {
        int part = (int)(4 * share[i]);
        for (int k = 0; k < 3; k++)
            c[k] = (int)(colour[part][k] + (colour[part + 1][k] - colour[part][k]) * (4 * share[i] - part));
        fprintf(f, "<stop offset=\"%.3f\" stop-color=\"#%02x%02x%02x\"/>", i / (count - 1.0), c[0], c[1], c[2]);
    }
    fprintf(f, "</linearGradient>\n<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"url(#g%d)\"/>\n", x, y,
            width, height, number);
}

/* Each row is a gradient, and so is the scale. */
void picture_solution(const struct job *j, double error)
{
    static const double scale[] = {0, 0.25, 0.5, 0.75, 1};
    static double value[ROWS][STOPS + 1];
    double least = INFINITY, most = -INFINITY, high = (double)SIDE / ROWS;
    FILE *f = open_svg(j, "solution", EDGE + SIDE + 100, TOP + SIDE + 40);
    if (!f)
        return;
    for (int p = 0; p < ROWS * (STOPS + 1); p++) {
        int row = p / (STOPS + 1), i = p % (STOPS + 1);
        double x[DIM_MOST] = {(double)(i % STOPS) / STOPS, (row + 0.5) / ROWS, 0.5};
        value[row][i] = combination_at(&j->solution, x);
        least = fmin(least, value[row][i]), most = fmax(most, value[row][i]);
    }
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i <= STOPS; i++)
            value[row][i] = fmax(0, (value[row][i] - least) / (most - least)); /* 0 also if it is no number */
        gradient(f, row, "", value[row], STOPS + 1, EDGE, TOP + SIDE - (row + 1) * high, SIDE, high + 0.4);
    }
    gradient(f, ROWS, "x2=\"0\" y1=\"1\"", scale, 5, EDGE + SIDE + 20, TOP, 18, SIDE);
    for (int i = 0; i <= 4; i++) {
        double y = TOP + SIDE * (1 - scale[i]) + 5;
        text(f, EDGE + SIDE + 62, y, "", "%.2f", least + (most - least) * scale[i]);
        text(f, EDGE + SIDE * scale[i], TOP + SIDE + 20, "", "%g", scale[i]);
        text(f, EDGE - 22, y, "", "%g", scale[i]);
    }
    text(f, EDGE, 28, "title", "the combined solution at t = %d: error %.1e", END_TIME, error);
    fprintf(f, "</svg>\n");
    fclose(f);
}
