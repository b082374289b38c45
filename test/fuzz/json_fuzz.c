/* Fuzz target of the JSON reader: any bytes are read. What is refused has its place in one line; what is read is written again, and the
 * same comes out of that once more.
 *
 * Built with libFuzzer (KNELL_FUZZ) or with replay.c as a plain test. */
#include "record/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                             \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static void write_value(FILE *out, const struct record_json_value *value);

static void write_items(FILE *out, const struct record_json_value *value, bool is_object)
{
    fputc(is_object ? '{' : '[', out);
    for (size_t i = 0; i < record_json_count(value); i++) {
        const char *key = record_json_key(value, i);
        MUST((key != NULL) == is_object);
        fputs(i ? "," : "", out);
        if (key) {
            MUST(record_json_get(value, key) >= record_json_item(value, i));
            write_text(out, key);
            fputc(':', out);
        }
        write_value(out, record_json_item(value, i));
    }
    fputc(is_object ? '}' : ']', out);
}

/* Goes no deeper than RECORD_JSON_DEPTH. */
static void write_value(FILE *out, const struct record_json_value *value)
{
    switch (record_json_type(value)) {
    case RECORD_JSON_NULL:
        fputs("null", out);
        break;
    case RECORD_JSON_BOOL:
        fputs(record_json_bool(value, false) ? "true" : "false", out);
        break;
    case RECORD_JSON_INTEGER:
        fprintf(out, "%lld", (long long)record_json_integer(value, 0));
        break;
    case RECORD_JSON_REAL:
        fprintf(out, "%.17e", record_json_real(value, 0));
        break;
    case RECORD_JSON_TEXT:
        write_text(out, record_json_text(value, NULL));
        break;
    default:
        write_items(out, value, record_json_type(value) == RECORD_JSON_OBJECT);
    }
}

/* NULL: refused. */
static char *read_and_write(const char *text, size_t size)
{
    char error[128] = "", *written = NULL;
    size_t length;
    struct record_json *json = record_json_parse(text, size, error);
    if (!json) {
        MUST(strncmp(error, "line ", 5) == 0 && !strchr(error, '\n'));
        return NULL;
    }
    FILE *out = open_memstream(&written, &length);
    write_value(out, record_json_root(json));
    fclose(out);
    record_json_free(json);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *once = read_and_write((const char *)data, size);
    if (once) {
        char *twice = read_and_write(once, strlen(once));
        MUST(twice && strcmp(once, twice) == 0);
        free(twice);
    }
    free(once);
    return 0;
}
