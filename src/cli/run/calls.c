/* calls.c: --calls: copies a rank's record of its calls (job/record.h) from the job's private directory, without the
 * room that it did not use. */
#include "cli/run/run.h"
#include "job/record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 4096 };

static size_t used_size(const struct job_record_head *head, size_t file_size)
{
    uint64_t calls = atomic_load(&head->calls), room = atomic_load(&head->room);
    calls = calls < room ? calls : room;
    calls = calls < JOB_RECORD_CALLS ? calls : JOB_RECORD_CALLS;
    uint64_t size = JOB_RECORD_CALLS_AT + calls * sizeof(struct job_record_call);
    return size < file_size ? (size_t)size : file_size;
}

static bool is_zero(const char *data, size_t size)
{
    return data[0] == 0 && memcmp(data, data + 1, size - 1) == 0;
}

/* What is zero stays a hole. */
static bool write_blocks(int fd, const char *data, size_t size)
{
    bool fine = ftruncate(fd, (off_t)size) == 0;
    for (size_t at = 0; at < size && fine; at += BLOCK) {
        size_t part = size - at < BLOCK ? size - at : BLOCK;
        if (!is_zero(data + at, part))
            fine = pwrite(fd, data + at, part, (off_t)at) == (ssize_t)part;
    }
    return fine;
}

static bool copy(const char *data, size_t size, const char *to)
{
    char temporary[PATH_MAX + 40];
    snprintf(temporary, sizeof temporary, "%s.new", to);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool fine = fd >= 0 && write_blocks(fd, data, size);
    fine = fd >= 0 && close(fd) == 0 && fine && rename(temporary, to) == 0;
    if (!fine)
        unlink(temporary);
    return fine;
}

uint64_t run_calls_copy(const char *from, const char *to)
{
    struct stat s;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0; /* the rank never came to MPI_Init */
    bool has_head = fstat(fd, &s) == 0 && s.st_size >= (off_t)JOB_RECORD_CALLS_AT;
    char *data = has_head ? mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    close(fd);
    if (data == MAP_FAILED)
        return 0;
    size_t size = used_size((const struct job_record_head *)data, (size_t)s.st_size);
    bool fine = copy(data, size, to);
    munmap(data, (size_t)s.st_size);
    return fine ? 0 : size;
}
