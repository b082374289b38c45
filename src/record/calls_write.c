/* calls_write.c: a record of calls as a smaller file and as a table; see calls.h. */
#include "record/calls.h"

#include "job/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, PLACE = 128 };

/* ---- the smaller file ------------------------------------------------------------------------------------------- */

static bool write_at(int fd, const void *bytes, size_t size, off_t offset)
{
    size_t had = 0;

    while (had < size) {
        ssize_t put = pwrite(fd, (const char *)bytes + had, size - had, offset + (off_t)had);

        if (put < 0 && errno != EINTR)
            return false;
        had += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Nearly all of a head is room for stacks and modules: blocks of zeros stay holes. */
static bool write_sparse(int fd, const char *bytes, size_t size)
{
    static const char zeros[BLOCK];

    for (size_t at = 0; at < size; at += BLOCK) {
        size_t part = size - at < BLOCK ? size - at : BLOCK;

        if (memcmp(bytes + at, zeros, part) != 0 && !write_at(fd, bytes + at, part, (off_t)at))
            return false;
    }
    return true;
}

static bool write_all(int fd, struct record_calls *calls)
{
    struct job_record_head *head = calls->memory; /* which begins with it, and is ours */
    size_t size = calls->count * sizeof *calls->call;

    head->calls = calls->count + calls->left_out;
    head->room = calls->count;
    return write_sparse(fd, (const char *)head, sizeof *head) && write_at(fd, calls->call, size, JOB_RECORD_CALLS_AT) &&
           ftruncate(fd, (off_t)(JOB_RECORD_CALLS_AT + size)) == 0;
}

static bool write_new(struct record_calls *calls, const char *part)
{
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), why;

    if (fd < 0)
        return false;
    if (write_all(fd, calls))
        return close(fd) == 0;
    why = errno;
    close(fd);
    errno = why;
    return false;
}

static bool write_and_rename(struct record_calls *calls, const char *to)
{
    char *part;
    bool good;
    int why;

    if (asprintf(&part, "%s.part", to) < 0)
        return false;
    good = write_new(calls, part) && rename(part, to) == 0;
    why = errno;
    if (!good)
        unlink(part);
    free(part);
    errno = why;
    return good;
}

bool record_calls_write_compact(const char *from, const char *to)
{
    struct record_calls calls;
    char error[256];
    bool good;

    errno = EINVAL; /* if the file can be read and is no record */
    if (!record_calls_open(from, &calls, error))
        return false;
    good = write_and_rename(&calls, to);
    record_calls_close(&calls); /* free() keeps errno */
    return good;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* A place for each stack, found at its first call: finding one takes long. */
struct places {
    const struct record_calls *calls;
    struct symbols *symbols;
    char text[JOB_RECORD_STACKS][PLACE];
};

static const char *place_of(struct places *places, uint32_t stack)
{
    char *text;

    if (stack >= places->calls->stacks)
        return "?";
    text = places->text[stack];
    if (!*text)
        record_calls_site_text(places->calls, places->symbols, stack, text, PLACE);
    for (char *c = text; *c; c++) /* a file may have any name */
        if ((unsigned char)*c < ' ')
            *c = '?';
    return text;
}

static void put_seconds(FILE *out, int64_t time, int64_t zero)
{
    bool before = time < zero;
    uint64_t ns = before ? (uint64_t)zero - (uint64_t)time : (uint64_t)time - (uint64_t)zero;

    fprintf(out, "%s%" PRIu64 ".%09" PRIu64 "\t", before ? "-" : "", ns / 1000000000, ns % 1000000000);
}

static void put_number(FILE *out, bool has, int number)
{
    if (has)
        fprintf(out, "%d\t", number);
    else
        fputs("-\t", out);
}

static void put_call(FILE *out, const struct job_record_call *call, const char *place, int64_t zero)
{
    put_seconds(out, call->begin, zero);
    if (call->end)
        put_seconds(out, call->end, zero);
    else
        fputs("-\t", out);
    fprintf(out, "%s\t%s\t", job_call_name(call->call), place);
    if (call->size != 0 || call->group != 0) /* MPI_COMM_WORLD is number 0 */
        fprintf(out, "%" PRIx64 "\t", call->group);
    else
        fputs("-\t", out);
    put_number(out, call->size != 0, call->size);
    put_number(out, call->peer != JOB_RECORD_NO_PEER, call->peer);
    put_number(out, call->end != 0, call->code);
    fprintf(out, "%u\t%u\t%u\n", call->deaths, call->posted, call->thread);
}

void record_calls_write_text(const struct record_calls *calls, struct symbols *symbols, int64_t zero, FILE *out)
{
    struct places *places = calloc(1, sizeof *places);

    if (!places) {
        fputs("# out of memory\n", out);
        return;
    }
    places->calls = calls;
    places->symbols = symbols;
    fputs("begin_s\tend_s\tcall\tsite\tcommunicator\tsize\tpeer\tcode\tdeaths\tposted\tthread\n", out);
    for (size_t i = 0; i < calls->count; i++)
        put_call(out, &calls->call[i], place_of(places, calls->call[i].stack), zero);
    if (calls->left_out > 0)
        fprintf(out, "# left out: %" PRIu64 " calls, for which the file had no room\n", calls->left_out);
    free(places);
}
