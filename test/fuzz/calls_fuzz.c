/* Fuzz target of the reader of calls: patches to a record as a rank leaves it (test/unit/record_file.h), as a file of one is too large to be
 * an input. A patch is a byte that says where, two bytes of offset there, a byte of length, and the bytes; "cut" has the length of the file
 * in the place of the offset, in its own unit. Whatever the file has become: it is refused in a line, or what it gives keeps to calls.h,
 * can be shown, and is the same in a compact copy.
 *
 * Built with libFuzzer (KNELL_FUZZ) or with replay.c as a plain test. */
#include "../unit/record_file.h"
#include "record/calls.h"
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct record_file file;
static size_t file_size;

/* ---- patches ---------------------------------------------------------------------------------------------------- */

enum { NUMBERS, MODULES, STACKS, CALLS, ANYWHERE, CUT, WHERES };

static uint8_t *area(unsigned where, size_t *size)
{
    struct job_record_head *head = &file.head;
    switch (where) {
    case NUMBERS:
        *size = offsetof(struct job_record_head, module);
        return (uint8_t *)head;
    case MODULES:
        *size = RECORD_FILE_MODULES * sizeof *head->module;
        return (uint8_t *)head->module;
    case STACKS:
        *size = RECORD_FILE_STACKS * sizeof *head->stack;
        return (uint8_t *)head->stack;
    case CALLS:
        *size = sizeof file.call;
        return (uint8_t *)file.call;
    default:
        *size = sizeof file;
        return (uint8_t *)&file;
    }
}

static void patch(const uint8_t *data, size_t size)
{
    while (size >= 4) {
        size_t offset = (size_t)data[1] << 8 | data[2], length = data[3], room;
        unsigned where = data[0] % WHERES;
        uint8_t *bytes = area(where, &room);
        data += 4;
        size -= 4;
        length = length < size ? length : size;
        if (where == CUT) {
            file_size = offset & 0x8000 ? JOB_RECORD_CALLS_AT + (offset & 0x7fff) : offset * 20;
        } else {
            offset = where == ANYWHERE ? offset * 10 % room : offset % room;
            memcpy(bytes + offset, data, length < room - offset ? length : room - offset);
        }
        data += length;
        size -= length;
    }
}

/* ---- what must hold --------------------------------------------------------------------------------------------- */

static void check(const struct record_calls *calls)
{
    MUST(calls->ranks > 0 && calls->rank >= 0 && calls->rank < calls->ranks);
    MUST(calls->modules <= JOB_RECORD_MODULES && calls->stacks <= JOB_RECORD_STACKS);
    MUST(calls->count <= RECORD_FILE_CALLS + 0x7fff / sizeof *calls->call);
    for (uint32_t i = 0; i < calls->modules; i++) {
        MUST(memchr(calls->head->module[i].path, 0, JOB_RECORD_PATH));
        MUST(calls->head->module[i].build_id_size <= JOB_RECORD_BUILD_ID);
    }
    for (uint32_t i = 0; i < calls->stacks; i++) {
        MUST(calls->head->stack[i].frames <= JOB_RECORD_FRAMES && record_calls_stack_key(calls, i) != 0);
        MUST((record_calls_site_key(calls, i) != 0) == (calls->site[i] < calls->head->stack[i].frames));
    }
    for (size_t i = 0; i < calls->count; i++)
        MUST(calls->call[i].begin > 0 && (calls->call[i].end == 0 || calls->call[i].end >= calls->call[i].begin));
}

static void show(const struct record_calls *calls)
{
    struct symbols *symbols = symbols_open();
    char *text = NULL;
    size_t size, lines = 0;
    FILE *out = open_memstream(&text, &size);
    record_calls_write_text(calls, symbols, 0, out);
    fclose(out);
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    MUST(lines == 1 + calls->count + (calls->left_out > 0));
    free(text);
    symbols_close(symbols);
}

static void check_copy(const struct record_calls *calls, const char *path)
{
    struct record_calls again;
    char error[256];
    MUST(record_calls_write_compact(path, path));
    MUST(record_calls_open(path, &again, error));
    MUST(again.count == calls->count && again.stacks == calls->stacks && again.modules == calls->modules);
    MUST(again.left_out == calls->left_out || again.count + calls->left_out < calls->left_out); /* beyond 64 bits */
    MUST(again.count == 0 || memcmp(again.call, calls->call, again.count * sizeof *again.call) == 0);
    MUST(memcmp(again.stack_key, calls->stack_key, again.stacks * sizeof *again.stack_key) == 0);
    record_calls_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = record_file_path();
    struct record_calls calls;
    char error[256];
    record_file_fill(&file, 0);
    file_size = JOB_RECORD_CALLS_AT + sizeof file.call;
    patch(data, size);
    MUST(record_file_write(&file, path, RECORD_FILE_CALLS) && truncate(path, (off_t)file_size) == 0);
    if (!record_calls_open(path, &calls, error)) {
        MUST(strncmp(error, path, strlen(path)) == 0);
        return 0;
    }
    check(&calls);
    show(&calls);
    check_copy(&calls, path);
    record_calls_close(&calls);
    return 0;
}
