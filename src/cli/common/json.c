/* json.c: see json.h. */
#include "cli/common/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_begin(struct json *j, FILE *out)
{
    memset(j, 0, sizeof *j);
    j->out = out;
}

void json_begin_line(struct json *j, FILE *out)
{
    json_begin(j, out);
    j->one_line = true;
}

/* Separates the next key or element from the previous one. Only the outermost level breaks lines. */
static void separate(struct json *j)
{
    bool first = j->empty[j->depth - 1];

    j->empty[j->depth - 1] = false;
    if (j->depth == 1 && !j->one_line)
        fputs(first ? "\n  " : ",\n  ", j->out);
    else if (!first)
        fputs(", ", j->out);
}

static void before_value(struct json *j)
{
    if (j->depth > 0 && !j->after_key) {
        assert(j->open[j->depth - 1] == '[' && "a value in an object needs a key");
        separate(j);
    }
    j->after_key = false;
}

static void open_level(struct json *j, char bracket)
{
    before_value(j);
    assert(j->depth < JSON_DEPTH);
    fputc(bracket, j->out);
    j->open[j->depth] = bracket;
    j->empty[j->depth] = true;
    j->depth++;
}

void json_object(struct json *j)
{
    open_level(j, '{');
}

void json_array(struct json *j)
{
    open_level(j, '[');
}

void json_close(struct json *j)
{
    assert(j->depth > 0 && !j->after_key);
    j->depth--;
    if (j->depth == 0 && !j->empty[0] && !j->one_line)
        fputc('\n', j->out);
    fputc(j->open[j->depth] == '{' ? '}' : ']', j->out);
    if (j->depth == 0)
        fputc('\n', j->out);
}

/* Bytes from 0x80 pass unchanged, so UTF-8 stays UTF-8. */
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p == '\t')
            fputs("\\t", out);
        else if (*p < ' ')
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

void json_key(struct json *j, const char *key)
{
    assert(j->depth > 0 && j->open[j->depth - 1] == '{' && !j->after_key);
    separate(j);
    write_string(j->out, key);
    fputs(": ", j->out);
    j->after_key = true;
}

void json_string(struct json *j, const char *text)
{
    before_value(j);
    write_string(j->out, text);
}

const char *format_real(double value, char text[REAL_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, REAL_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void json_real(struct json *j, double value)
{
    char text[REAL_TEXT];

    before_value(j);
    fputs(isfinite(value) ? format_real(value, text) : "null", j->out);
}

void json_integer(struct json *j, int64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRId64, value);
}

void json_unsigned(struct json *j, uint64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRIu64, value);
}

void json_bool(struct json *j, bool value)
{
    before_value(j);
    fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j)
{
    before_value(j);
    fputs("null", j->out);
}

void json_put_string(struct json *j, const char *key, const char *text)
{
    json_key(j, key);
    json_string(j, text);
}

void json_put_real(struct json *j, const char *key, double value)
{
    json_key(j, key);
    json_real(j, value);
}

void json_put_integer(struct json *j, const char *key, int64_t value)
{
    json_key(j, key);
    json_integer(j, value);
}

void json_put_unsigned(struct json *j, const char *key, uint64_t value)
{
    json_key(j, key);
    json_unsigned(j, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
    json_key(j, key);
    json_bool(j, value);
}

/* A division, since it yields the double nearest to the decimal number, which then has few digits. */
void json_put_seconds(struct json *j, const char *key, int64_t ns)
{
    json_put_real(j, key, (double)ns / 1e9);
}
