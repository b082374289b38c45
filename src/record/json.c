/* json.c: documents and their values; see json.h. The parser is json_parse.c. */
#include "record/json_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_BLOCK = 4096, LARGEST_FILE = 1 << 28 };

struct record_json_block {
    struct record_json_block *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
};

void *record_json_allocate(struct record_json *json, size_t size)
{
    struct record_json_block *block = json->blocks;
    size_t wanted = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);

    if (!block || block->size - block->used < wanted) {
        size_t room = block ? 2 * block->size : FIRST_BLOCK;

        room = room > wanted ? room : wanted;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct record_json_block){.next = json->blocks, .size = room};
        json->blocks = block;
    }
    block->used += wanted;
    return block->bytes + block->used - wanted;
}

void record_json_free(struct record_json *json)
{
    while (json && json->blocks) {
        struct record_json_block *block = json->blocks;

        json->blocks = block->next;
        free(block);
    }
    free(json);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* As much as there is, at most `size`; -1: errno says why. */
static ssize_t read_whole(int fd, char *text, size_t size)
{
    size_t had = 0;

    while (had < size) {
        ssize_t got = read(fd, text + had, size - had);

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

static struct record_json *read_open_file(int fd, const char *path, char error[256])
{
    struct record_json *json = NULL;
    struct stat info;
    char *text = NULL, why[128] = "";
    ssize_t size;

    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        snprintf(why, sizeof why, "is no file");
    else if (info.st_size > LARGEST_FILE)
        snprintf(why, sizeof why, "is larger than 256 MB");
    else if (!(text = malloc((size_t)info.st_size + 1)) || (size = read_whole(fd, text, (size_t)info.st_size)) < 0)
        snprintf(why, sizeof why, "%s", strerror(errno));
    else
        json = record_json_parse(text, (size_t)size, why);
    free(text);
    if (!json)
        snprintf(error, 256, "%.120s: %s", path, why);
    return json;
}

struct record_json *record_json_read_file(const char *path, char error[256])
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe of that name would wait */
    struct record_json *json;

    if (fd < 0) {
        snprintf(error, 256, "%.120s: %s", path, strerror(errno));
        return NULL;
    }
    json = read_open_file(fd, path, error);
    close(fd);
    return json;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

const struct record_json_value *record_json_root(const struct record_json *json)
{
    return json ? &json->root : NULL;
}

enum record_json_type record_json_type(const struct record_json_value *value)
{
    return value ? value->type : RECORD_JSON_NULL;
}

size_t record_json_count(const struct record_json_value *value)
{
    return value ? value->count : 0;
}

const struct record_json_value *record_json_item(const struct record_json_value *value, size_t i)
{
    return i < record_json_count(value) ? &value->as.item[i] : NULL;
}

const char *record_json_key(const struct record_json_value *value, size_t i)
{
    const struct record_json_value *item = record_json_item(value, i);

    return item ? item->key : NULL;
}

const struct record_json_value *record_json_get(const struct record_json_value *value, const char *key)
{
    if (record_json_type(value) == RECORD_JSON_OBJECT)
        for (size_t i = value->count; i-- > 0;)
            if (strcmp(value->as.item[i].key, key) == 0)
                return &value->as.item[i];
    return NULL;
}

int64_t record_json_integer(const struct record_json_value *value, int64_t fallback)
{
    if (record_json_type(value) == RECORD_JSON_INTEGER)
        return value->as.integer;
    if (record_json_type(value) == RECORD_JSON_REAL && value->as.real >= -0x1p63 && value->as.real < 0x1p63 &&
        value->as.real == (double)(int64_t)value->as.real)
        return (int64_t)value->as.real;
    return fallback;
}

double record_json_real(const struct record_json_value *value, double fallback)
{
    if (record_json_type(value) == RECORD_JSON_INTEGER)
        return (double)value->as.integer;
    return record_json_type(value) == RECORD_JSON_REAL ? value->as.real : fallback;
}

bool record_json_bool(const struct record_json_value *value, bool fallback)
{
    return record_json_type(value) == RECORD_JSON_BOOL ? value->as.boolean : fallback;
}

const char *record_json_text(const struct record_json_value *value, const char *fallback)
{
    return record_json_type(value) == RECORD_JSON_TEXT ? value->as.text : fallback;
}
