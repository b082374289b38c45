/* calls.c: opens a record of calls and checks it; see calls.h. The file is read and not mapped: its rank may still write, and somebody
 * may cut it off, which would be a SIGBUS here. */
#include "record/calls_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct memory {
    struct job_record_head head;
    struct record_calls_places places;
    struct job_record_call call[];
};

/* Always false. */
static bool fail(char error[256], const char *path, const char *why)
{
    snprintf(error, 256, "%.150s: %s", path, why);
    return false;
}

/* As many bytes as the file has there, at most `size`; -1: errno says why. */
static ssize_t read_at(int fd, void *bytes, size_t size, off_t offset)
{
    size_t had = 0;

    while (had < size) {
        ssize_t got = pread(fd, (char *)bytes + had, size - had, offset + (off_t)had);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        had += (size_t)got;
    }
    return (ssize_t)had;
}

/* ---- what a file may not say ------------------------------------------------------------------------------------ */

/* No number leads out of its array, texts end, and what is not complete is nothing. */
static void check_head(struct job_record_head *head, struct record_calls *calls)
{
    uint32_t modules = head->modules, stacks = head->stacks;

    calls->modules = modules < JOB_RECORD_MODULES ? modules : JOB_RECORD_MODULES;
    calls->stacks = stacks < JOB_RECORD_STACKS ? stacks : JOB_RECORD_STACKS;
    head->modules = calls->modules;
    head->stacks = calls->stacks;
    for (uint32_t i = 0; i < calls->modules; i++) {
        head->module[i].path[JOB_RECORD_PATH - 1] = 0;
        if (head->module[i].build_id_size > JOB_RECORD_BUILD_ID)
            head->module[i].build_id_size = 0;
    }
    for (uint32_t i = 0; i < calls->stacks; i++)
        if (head->stack[i].frames > JOB_RECORD_FRAMES)
            head->stack[i].frames = JOB_RECORD_FRAMES;
    memset(head->module + calls->modules, 0, (JOB_RECORD_MODULES - calls->modules) * sizeof *head->module);
    memset(head->stack + calls->stacks, 0, (JOB_RECORD_STACKS - calls->stacks) * sizeof *head->stack);
}

/* Leaves out records that are not complete. The last ones are those that a thread wrote when it was killed; before others, the file
 * system was full for a while, and `missing` counts them. Returns how many there are. */
static size_t check_calls(struct job_record_call *call, size_t count, uint64_t *missing)
{
    size_t kept = 0;

    *missing = 0;
    for (size_t i = 0; i < count; i++) {
        if (call[i].begin <= 0)
            continue;
        if (call[i].end != 0 && call[i].end < call[i].begin)
            call[i].end = call[i].begin;
        call[kept++] = call[i];
        *missing = i + 1 - kept;
    }
    return kept;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static bool read_head(int fd, const char *path, struct job_record_head *head, char error[256])
{
    struct stat info;
    char why[80];
    ssize_t size;

    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return fail(error, path, "is no file");
    size = read_at(fd, head, sizeof *head, 0);
    if (size < 0)
        return fail(error, path, strerror(errno));
    if ((size_t)size < sizeof head->magic || head->magic != JOB_RECORD_MAGIC)
        return fail(error, path, "is no record of calls");
    snprintf(why, sizeof why, "is cut off after %zd bytes", size);
    if ((size_t)size < sizeof *head)
        return fail(error, path, why);
    snprintf(why, sizeof why, "is of rank %d of %d, which cannot be", (int)head->rank, (int)head->ranks);
    if (head->ranks < 1 || head->rank < 0 || head->rank >= head->ranks)
        return fail(error, path, why);
    return true;
}

/* How many calls the file says that it has. */
static size_t count_of(const struct job_record_head *head)
{
    uint64_t count = head->calls, room = head->room;

    count = count < room ? count : room;
    return count < JOB_RECORD_CALLS ? (size_t)count : JOB_RECORD_CALLS;
}

static bool read_calls(int fd, const char *path, struct memory *memory, size_t *count, char error[256])
{
    ssize_t size = read_at(fd, memory->call, *count * sizeof *memory->call, JOB_RECORD_CALLS_AT);

    if (size < 0)
        return fail(error, path, strerror(errno));
    *count = (size_t)size / sizeof *memory->call;
    return true;
}

static bool read_file(int fd, const char *path, struct memory **memory, size_t *count, char error[256])
{
    struct memory *more;

    *memory = calloc(1, sizeof **memory);
    if (!*memory)
        return fail(error, path, strerror(errno));
    if (!read_head(fd, path, &(*memory)->head, error))
        return false;
    *count = count_of(&(*memory)->head);
    more = realloc(*memory, sizeof *more + *count * sizeof *more->call);
    if (!more)
        return fail(error, path, strerror(errno));
    *memory = more;
    return read_calls(fd, path, more, count, error);
}

bool record_calls_open(const char *path, struct record_calls *calls, char error[256])
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe of that name would wait */
    struct memory *memory = NULL;
    size_t count = 0;
    uint64_t missing;
    bool good = fd >= 0 ? read_file(fd, path, &memory, &count, error) : fail(error, path, strerror(errno));

    if (fd >= 0)
        close(fd);
    *calls = (struct record_calls){0};
    if (!good) {
        free(memory);
        return false;
    }
    check_head(&memory->head, calls);
    record_calls_find_places(&memory->head, calls->modules, calls->stacks, &memory->places);
    calls->rank = memory->head.rank;
    calls->ranks = memory->head.ranks;
    calls->count = check_calls(memory->call, count, &missing);
    calls->left_out = memory->head.calls - count + missing;
    calls->call = memory->call;
    calls->head = &memory->head;
    calls->stack_key = memory->places.stack_key;
    calls->site_key = memory->places.site_key;
    calls->site = memory->places.site;
    calls->memory = memory;
    return true;
}

void record_calls_close(struct record_calls *calls)
{
    free(calls->memory);
    *calls = (struct record_calls){0};
}
