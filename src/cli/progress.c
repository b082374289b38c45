/* See progress.h. */
#include "cli/progress.h"
#include "cli/parse.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, REDRAW_NS = 100000000 };

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void knell_progress_begin(struct knell_progress *p, const char *label, uint64_t total)
{
    memset(p, 0, sizeof *p);
    p->shown = isatty(STDERR_FILENO) && total > 0;
    p->label = label;
    p->total = total;
    p->started_ns = now_ns();
    p->drawn_ns = p->started_ns;
    pthread_mutex_init(&p->lock, NULL);
}

void knell__progress_format(const char *label, uint64_t done, uint64_t total, double elapsed_s, char *text,
                            unsigned size)
{
    static const char full[] = "##############################", rest[] = "..............................";
    double part = (double)done / (double)total;
    double rate = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    int filled = (int)(part * BAR);
    char left[KNELL_DURATION_TEXT] = "?";

    if (rate > 0)
        knell__format_seconds((double)(total - done) / rate, 2, left);
    snprintf(text, size, "%s  [%.*s%.*s]  %3.0f%%  %.3g/s  %s left", label, filled, full, BAR - filled, rest,
             100 * part, rate, left);
}

void knell_progress_report(void *progress, uint64_t done)
{
    struct knell_progress *p = progress;
    char text[160];

    if (!p->shown || pthread_mutex_trylock(&p->lock) != 0)
        return; /* another thread is drawing: this report is old before it could be seen */
    int64_t now = now_ns();
    if (done > p->most)
        p->most = done;
    if (now - p->drawn_ns >= REDRAW_NS) {
        p->drawn_ns = now;
        knell__progress_format(p->label, p->most, p->total, (double)(now - p->started_ns) / 1e9, text, sizeof text);
        fprintf(stderr, "\r%s\033[K", text);
    }
    pthread_mutex_unlock(&p->lock);
}

void knell_progress_end(struct knell_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    pthread_mutex_destroy(&p->lock);
}
