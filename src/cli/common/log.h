/* log.h: --log FILE of `knell run` and `knell live`: one JSON object a line, {"time_s": ..., "event": ..., ...}.
 *
 * A line is in the file as soon as it is ended, so that the file can be followed. What is told late, with the time at which it
 * happened, is put in its place when the log is closed: the file is in the order of time then, unless it is a pipe or a
 * device. */
#ifndef KNELL_CLI_COMMON_LOG_H
#define KNELL_CLI_COMMON_LOG_H

#include "cli/common/json.h"
#include "cli/common/options.h"

#include <sys/types.h>

struct log_line {
    int64_t when;
    off_t at;
    size_t size;
};

struct log {
    FILE *file; /* NULL: no log is wanted */
    const char *path;
    int64_t zero; /* what time_s counts from, by the clock; the caller sets it before the first line */
    struct json json;
    struct log_line *line; /* all of them */
    size_t lines, room;
    bool has_order; /* it is a file whose lines can be moved */
};

/* Before anything is started: an exit status, after a complaint about --log. */
int log_open(struct log *log, const struct usage *usage, const char *path);

/* A line: what is put between the two is part of it. */
struct json *log_begin(struct log *log, int64_t when, const char *event);
void log_end(struct log *log);

/* Also where there is none. An exit status, after a complaint. */
int log_close(struct log *log, const struct usage *usage);

#endif
