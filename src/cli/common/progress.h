/* progress.h: a progress bar on standard error, with rate and time left, while a command works. It appears only on a
 * terminal and takes at most one line. Any thread may report. The bar is erased at the end and never touches
 * standard output. */
#ifndef KNELL_CLI_COMMON_PROGRESS_H
#define KNELL_CLI_COMMON_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;
    const char *label;
    uint64_t total;
    int64_t started_ns;
    int64_t drawn_ns; /* under lock */
    uint64_t most;    /* under lock: reports of several threads may come out of order */
    pthread_mutex_t lock;
};

void progress_begin(struct progress *p, const char *label, uint64_t total);

/* `done` of the total are done. Cheap: it draws at most ten times a second. The signature is that of the pool's
 * callback. */
void progress_report(void *progress, uint64_t done);

void progress_end(struct progress *p);

/* The bar as text, at most `width` columns: "ring [#####.....] 50% 1234/s 3 s left". A function of its own so that a
 * test can check it. */
void progress_format(const char *label, uint64_t done, uint64_t total, double elapsed_s, int width, char *text,
                     unsigned size);

#endif
