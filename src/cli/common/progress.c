/* progress.c: see progress.h. */
#include "cli/common/progress.h"
#include "cli/common/parse.h"
#include "os/clock.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 30, BAR_LEAST = 10, TEXT = 160, WIDTH = 80, REDRAW_NS = 100000000 };

void progress_begin(struct progress *p, const char *label, uint64_t total)
{
    memset(p, 0, sizeof *p);
    p->shown = isatty(STDERR_FILENO) && total > 0;
    p->label = label;
    p->total = total;
    p->started_ns = knell__clock_now();
    p->drawn_ns = p->started_ns;
    pthread_mutex_init(&p->lock, NULL);
}

/* The bar with its brackets and blanks, in the `width` columns that the other parts leave; empty if it would be too
 * short to be read. */
static void format_bar(double part, int width, char *text, size_t size)
{
    static const char full[] = "##############################", rest[] = "..............................";
    int length = width - (int)strlen("  []") < BAR ? width - (int)strlen("  []") : BAR;
    int filled = (int)(part * length);

    text[0] = '\0';
    if (length >= BAR_LEAST)
        snprintf(text, size, "  [%.*s%.*s]", filled, full, length - filled, rest);
}

/* If the line is too narrow, the bar gets shorter; then the rate is omitted, then the bar, then the time left. */
void progress_format(const char *label, uint64_t done, uint64_t total, double elapsed_s, int width, char *text,
                     unsigned size)
{
    double part = (double)done / (double)total;
    double rate = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    char left[DURATION_TEXT] = "?", bar[2 * BAR + 8], share[16], speed[32], end[DURATION_TEXT + 8];

    if (rate > 0)
        format_seconds((double)(total - done) / rate, 3, left);
    snprintf(share, sizeof share, "  %3.0f%%", 100 * part);
    snprintf(speed, sizeof speed, "  %.3g/s", rate);
    snprintf(end, sizeof end, "  %s left", left);
    int fixed = (int)(strlen(label) + strlen(share));
    if (fixed + (int)strlen(end) > width)
        end[0] = '\0';
    if (fixed + (int)(strlen(end) + strlen(speed) + strlen("  []")) + BAR_LEAST > width)
        speed[0] = '\0';
    format_bar(part, width - fixed - (int)(strlen(end) + strlen(speed)), bar, sizeof bar);
    snprintf(text, size, "%s%s%s%s%s", label, bar, share, speed, end);
    if (width >= 0 && strlen(text) > (size_t)width)
        text[width] = '\0';
}

/* The last column stays free, since a terminal may wrap after it. */
static int columns(void)
{
    struct winsize size;
    int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : WIDTH;

    return width - 1 < TEXT - 1 ? width - 1 : TEXT - 1;
}

void progress_report(void *progress, uint64_t done)
{
    struct progress *p = progress;
    char text[TEXT];

    if (!p->shown || pthread_mutex_trylock(&p->lock) != 0)
        return; /* another thread is drawing */
    int64_t now = knell__clock_now();
    if (done > p->most)
        p->most = done;
    if (now - p->drawn_ns >= REDRAW_NS) {
        p->drawn_ns = now;
        progress_format(p->label, p->most, p->total, (double)(now - p->started_ns) / 1e9, columns(), text, sizeof text);
        fprintf(stderr, "\r%s\033[K", text);
    }
    pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    pthread_mutex_destroy(&p->lock);
}
