/* log.h: --log FILE of `knell run` and `knell live`: one JSON object per line, {"time_s": ..., "event": ..., ...}.
 *
 * A line reaches the file as soon as it is complete, so that a user can follow the file. Some events are reported
 * late, with the time at which they happened; log_close sorts the lines by time, unless the file is a pipe or a
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
    int64_t zero; /* the origin of time_s, by the clock; the caller sets it before the first line */
    struct json json;
    struct log_line *line; /* all of them */
    size_t lines, room;
    bool has_order; /* its lines can be sorted: it is a regular file */
};

/* To be called before anything starts. Returns an exit status, after a complaint about --log. */
int log_open(struct log *log, const struct usage *usage, const char *path);

/* One line: members put between the two calls are part of it. */
struct json *log_begin(struct log *log, int64_t when, const char *event);
void log_end(struct log *log);

/* Also for a log that was never opened. False: not all of it could be written. */
bool log_finish(struct log *log);
/* The same. Returns an exit status, after a complaint. */
int log_close(struct log *log, const struct usage *usage);

#endif
