/* log.c: see log.h. */
#include "cli/common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int log_open(struct log *log, const struct usage *usage, const char *path)
{
    struct stat s;
    bool plain = stat(path, &s) != 0 || S_ISREG(s.st_mode);
    int fd = open(path, (plain ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    *log = (struct log){.path = path, .has_order = plain, .file = fd >= 0 ? fdopen(fd, "w") : NULL};
    if (!log->file)
        return cli_usage_error(usage, "--log %.200s: %s", path, strerror(errno));
    setvbuf(log->file, NULL, _IOLBF, 0);
    return EXIT_OK;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Without memory the lines keep the order in which they were written. */
static void keep(struct log *log, int64_t when)
{
    if (log->has_order && log->lines == log->room) {
        size_t room = log->room ? 2 * log->room : 256;
        struct log_line *more = realloc(log->line, room * sizeof *more);
        log->has_order = more != NULL;
        log->line = more ? more : log->line;
        log->room = more ? room : log->room;
    }
    if (log->has_order)
        log->line[log->lines++] = (struct log_line){.when = when, .at = ftello(log->file)};
}

struct json *log_begin(struct log *log, int64_t when, const char *event)
{
    keep(log, when);
    json_begin_line(&log->json, log->file);
    json_object(&log->json);
    json_put_seconds(&log->json, "time_s", when - log->zero);
    json_put_string(&log->json, "event", event);
    return &log->json;
}

void log_end(struct log *log)
{
    json_close(&log->json);
    if (log->has_order) {
        struct log_line *line = &log->line[log->lines - 1];
        line->size = (size_t)(ftello(log->file) - line->at);
    }
}

/* ---- the order of time ------------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const struct log_line *x = a, *y = b;
    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

static bool is_in_order(const struct log *log)
{
    bool in_order = true;
    for (size_t i = 1; i < log->lines && in_order; i++)
        in_order = log->line[i - 1].when <= log->line[i].when;
    return in_order;
}

static bool read_all(int fd, char *text, size_t size)
{
    size_t done = 0;
    for (ssize_t got = 1; done < size && got > 0; done += got > 0 ? (size_t)got : 0)
        got = pread(fd, text + done, size - done, (off_t)done);
    return done == size;
}

static bool write_all(int fd, const char *text, size_t size)
{
    size_t done = 0;
    for (ssize_t put = 1; done < size && put > 0; done += put > 0 ? (size_t)put : 0)
        put = pwrite(fd, text + done, size - done, (off_t)done);
    return done == size;
}

/* In place, and the file keeps its length: a reader that follows the file never sees it shrink. */
static bool sort_lines(struct log *log)
{
    const struct log_line *last = &log->line[log->lines - 1];
    size_t size = (size_t)last->at + last->size;
    char *text = malloc(2 * size), *sorted = text + size;
    bool fine = text && read_all(fileno(log->file), text, size);
    qsort(log->line, log->lines, sizeof *log->line, by_time);
    for (size_t i = 0; fine && i < log->lines; i++) {
        memcpy(sorted, text + log->line[i].at, log->line[i].size);
        sorted += log->line[i].size;
    }
    fine = fine && write_all(fileno(log->file), text + size, size);
    free(text);
    return fine;
}

bool log_finish(struct log *log)
{
    if (!log->file)
        return true;
    bool fine = fflush(log->file) == 0 && !ferror(log->file);
    if (fine && log->has_order && !is_in_order(log))
        fine = sort_lines(log);
    fine &= fclose(log->file) == 0;
    free(log->line);
    *log = (struct log){.path = log->path};
    return fine;
}

int log_close(struct log *log, const struct usage *usage)
{
    return log_finish(log) ? EXIT_OK : cli_failure(usage, "--log %.200s: cannot be written", log->path);
}
