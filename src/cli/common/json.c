/* See json.h. */
#include "cli/common/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void knell_json_begin(struct knell_json *j, FILE *out)
{
    memset(j, 0, sizeof *j);
    j->out = out;
}

void knell_json_begin_line(struct knell_json *j, FILE *out)
{
    knell_json_begin(j, out);
    j->one_line = true;
}

/* What separates the next key or element from the one before: only the outermost level breaks lines. */
static void separate(struct knell_json *j)
{
    bool first = j->empty[j->depth - 1];

    j->empty[j->depth - 1] = false;
    if (j->depth == 1 && !j->one_line)
        fputs(first ? "\n  " : ",\n  ", j->out);
    else if (!first)
        fputs(", ", j->out);
}

static void before_value(struct knell_json *j)
{
    if (j->depth > 0 && !j->after_key) {
        assert(j->open[j->depth - 1] == '[' && "a value in an object needs a key");
        separate(j);
    }
    j->after_key = false;
}

static void open_level(struct knell_json *j, char bracket)
{
    before_value(j);
    assert(j->depth < KNELL_JSON_DEPTH);
    fputc(bracket, j->out);
    j->open[j->depth] = bracket;
    j->empty[j->depth] = true;
    j->depth++;
}

void knell_json_object(struct knell_json *j)
{
    open_level(j, '{');
}

void knell_json_array(struct knell_json *j)
{
    open_level(j, '[');
}

void knell_json_close(struct knell_json *j)
{
    assert(j->depth > 0 && !j->after_key);
    j->depth--;
    if (j->depth == 0 && !j->empty[0] && !j->one_line)
        fputc('\n', j->out);
    fputc(j->open[j->depth] == '{' ? '}' : ']', j->out);
    if (j->depth == 0)
        fputc('\n', j->out);
}

/* Bytes from 0x80 pass as they are: what is UTF-8 stays UTF-8. */
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

void knell_json_key(struct knell_json *j, const char *key)
{
    assert(j->depth > 0 && j->open[j->depth - 1] == '{' && !j->after_key);
    separate(j);
    write_string(j->out, key);
    fputs(": ", j->out);
    j->after_key = true;
}

void knell_json_string(struct knell_json *j, const char *text)
{
    before_value(j);
    write_string(j->out, text);
}

const char *knell__format_real(double value, char text[KNELL_REAL_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, KNELL_REAL_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

void knell_json_real(struct knell_json *j, double value)
{
    char text[KNELL_REAL_TEXT];

    before_value(j);
    fputs(isfinite(value) ? knell__format_real(value, text) : "null", j->out);
}

void knell_json_integer(struct knell_json *j, int64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRId64, value);
}

void knell_json_unsigned(struct knell_json *j, uint64_t value)
{
    before_value(j);
    fprintf(j->out, "%" PRIu64, value);
}

void knell_json_bool(struct knell_json *j, bool value)
{
    before_value(j);
    fputs(value ? "true" : "false", j->out);
}

void knell_json_null(struct knell_json *j)
{
    before_value(j);
    fputs("null", j->out);
}

void knell_json_put_string(struct knell_json *j, const char *key, const char *text)
{
    knell_json_key(j, key);
    knell_json_string(j, text);
}

void knell_json_put_real(struct knell_json *j, const char *key, double value)
{
    knell_json_key(j, key);
    knell_json_real(j, value);
}

void knell_json_put_integer(struct knell_json *j, const char *key, int64_t value)
{
    knell_json_key(j, key);
    knell_json_integer(j, value);
}

void knell_json_put_unsigned(struct knell_json *j, const char *key, uint64_t value)
{
    knell_json_key(j, key);
    knell_json_unsigned(j, value);
}

void knell_json_put_bool(struct knell_json *j, const char *key, bool value)
{
    knell_json_key(j, key);
    knell_json_bool(j, value);
}

/* A division, since it gives the double nearest to the decimal number, which is then written short. */
void knell_json_put_seconds(struct knell_json *j, const char *key, int64_t ns)
{
    knell_json_put_real(j, key, (double)ns / 1e9);
}
