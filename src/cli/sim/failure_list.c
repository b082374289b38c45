/* failure_list.c: see failure_list.h. */
#include "cli/sim/failure_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096 };

struct reader {
    const struct usage *usage;
    const char *path;
    uint32_t nodes;
    size_t line;
    struct knell_failure *list;
    size_t count, room;
};

/* At most 100 y, so that the simulated clock also covers what follows the failure. */
static const char *parse_time(const char *text, knell_time *time)
{
    double seconds;
    knell_time parsed;
    if (parse_real(text, &seconds) != NULL) {
        const char *wrong = parse_duration(text, &parsed);
        if (wrong)
            return wrong;
        seconds = (double)parsed * 1e-9;
    } else {
        parsed = seconds >= 0 && seconds < 4e9 ? (knell_time)(seconds * 1e9 + 0.5) : 0;
    }
    if (seconds < 0 || parsed > DURATION_MAX_NS / 2 || seconds >= 4e9)
        return "must be from 0 to 100y";
    *time = parsed;
    return NULL;
}

static int complain(const struct reader *r, const char *what)
{
    return cli_usage_error(r->usage, "--failures list=%s: line %zu: %s", r->path, r->line, what);
}

static int add(struct reader *r, knell_time time, knell_rank rank)
{
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        struct knell_failure *list = realloc(r->list, room * sizeof *list);
        if (!list)
            return cli_failure(r->usage, "no memory for the list in %s", r->path);
        r->list = list;
        r->room = room;
    }
    r->list[r->count++] = (struct knell_failure){time, rank};
    return EXIT_OK;
}

static int read_line(struct reader *r, char *line)
{
    char what[160], *save = NULL;
    const char *wrong;
    knell_time time;
    int64_t node;
    line[strcspn(line, "#\n")] = '\0';
    const char *first = strtok_r(line, " \t\r", &save), *second = strtok_r(NULL, " \t\r", &save);
    if (!first)
        return EXIT_OK;
    if (!second || strtok_r(NULL, " \t\r", &save))
        return complain(r, "expected `time node`, as in `12.5s 7`");
    if ((wrong = parse_time(first, &time)) != NULL) {
        snprintf(what, sizeof what, "time %.40s %s", first, wrong);
        return complain(r, what);
    }
    if (parse_integer(second, &node) != NULL || node < 0 || node >= r->nodes) {
        snprintf(what, sizeof what, "node %.40s must be a whole number from 0 to %" PRIu32, second, r->nodes - 1);
        return complain(r, what);
    }
    return add(r, time, (knell_rank)node);
}

static int by_rank(const void *a, const void *b)
{
    const struct knell_failure *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int by_time(const void *a, const void *b)
{
    const struct knell_failure *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1) : by_rank(a, b);
}

static int check_all(struct reader *r)
{
    if (r->count == 0)
        return cli_usage_error(r->usage, "--failures list=%s: no failure in it", r->path);
    if (r->count >= r->nodes)
        return cli_usage_error(r->usage,
                               "--failures list=%s: %zu failures of %" PRIu32 " nodes: at least one must live", r->path,
                               r->count, r->nodes);
    qsort(r->list, r->count, sizeof *r->list, by_rank);
    for (size_t i = 1; i < r->count; i++)
        if (r->list[i].rank == r->list[i - 1].rank)
            return cli_usage_error(r->usage, "--failures list=%s: node %" PRIu32 " fails twice", r->path,
                                   r->list[i].rank);
    qsort(r->list, r->count, sizeof *r->list, by_time);
    return EXIT_OK;
}

int failure_list_read(const struct usage *usage, const char *path, uint32_t nodes, struct knell_failure **list,
                      size_t *count)
{
    struct reader r = {.usage = usage, .path = path, .nodes = nodes};
    char line[LINE_MAX_BYTES]; /* limits a file without end or without lines */
    int status = EXIT_OK;
    FILE *file = fopen(path, "re");
    if (!file)
        return cli_usage_error(usage, "--failures list=%s: %s", path, strerror(errno));
    while (status == EXIT_OK && fgets(line, sizeof line, file)) {
        r.line++;
        bool ends = strchr(line, '\n') || feof(file);
        status = ends ? read_line(&r, line) : complain(&r, "too long, or a zero byte: not a list of failures");
    }
    if (status == EXIT_OK && ferror(file))
        status = cli_usage_error(usage, "--failures list=%s: %s", path, strerror(errno));
    fclose(file);
    if (status == EXIT_OK)
        status = check_all(&r);
    if (status != EXIT_OK) {
        free(r.list);
        return status;
    }
    *list = r.list;
    *count = r.count;
    return EXIT_OK;
}
