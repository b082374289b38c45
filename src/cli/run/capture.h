/* capture.h: what the job writes, on its way to our output. */
#ifndef KNELL_CLI_RUN_CAPTURE_H
#define KNELL_CLI_RUN_CAPTURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run_capture;

struct run_capture_plan {
    const char *file;              /* has all of it; NULL: none */
    int out;                       /* so has this descriptor */
    const char *expect, *progress; /* regular expressions, or NULL */
    /* Hears of each line, in another thread; or NULL. */
    void (*on_line)(void *context, const char *line);
    void *context;
};

/* NULL: errno says why. */
struct run_capture *run_capture_open(const struct run_capture_plan *plan);
/* What the launcher is to write to. */
int run_capture_target(const struct run_capture *capture);
/* After the launcher was started. */
bool run_capture_start(struct run_capture *capture);
/* No process of the job is left: the rest is copied. False: our reader holds it up, and the rest is lost. */
bool run_capture_end(struct run_capture *capture);

bool run_capture_matched(const struct run_capture *capture);        /* a line did, by --expect */
int64_t run_capture_progress_at(const struct run_capture *capture); /* the last line by --progress; 0: none yet */
uint64_t run_capture_left_out(const struct run_capture *capture);   /* bytes that the file does not have */
void run_capture_free(struct run_capture *capture);

#endif
