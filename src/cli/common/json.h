/* A streaming JSON writer: keys and values in the order written, one line per member of the outermost object (or all of it
 * in one line), no memory.
 *
 * Deterministic: a number is written with the fewest digits that read back as the same double. NaN and infinities,
 * which JSON has not, become null. Wrong nesting is an assert. Write errors stay in the stream for the caller to
 * check (cli/output.h). */
#ifndef KNELL_CLI_COMMON_JSON_H
#define KNELL_CLI_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { KNELL_JSON_DEPTH = 16 };

struct knell_json {
    FILE *out;
    int depth;
    bool after_key;
    bool one_line;
    char open[KNELL_JSON_DEPTH];  /* '{' or '[' */
    bool empty[KNELL_JSON_DEPTH]; /* nothing written at this level yet */
};

void knell_json_begin(struct knell_json *j, FILE *out);
void knell_json_begin_line(struct knell_json *j, FILE *out); /* the outermost object on one line */
void knell_json_object(struct knell_json *j);
void knell_json_array(struct knell_json *j);
void knell_json_close(struct knell_json *j); /* the innermost object or array; the outermost ends the line */
void knell_json_key(struct knell_json *j, const char *key);

void knell_json_string(struct knell_json *j, const char *text);
void knell_json_real(struct knell_json *j, double value);
void knell_json_integer(struct knell_json *j, int64_t value);
void knell_json_unsigned(struct knell_json *j, uint64_t value);
void knell_json_bool(struct knell_json *j, bool value);
void knell_json_null(struct knell_json *j);

/* A key and its value. */
void knell_json_put_string(struct knell_json *j, const char *key, const char *text);
void knell_json_put_real(struct knell_json *j, const char *key, double value);
void knell_json_put_integer(struct knell_json *j, const char *key, int64_t value);
void knell_json_put_unsigned(struct knell_json *j, const char *key, uint64_t value);
void knell_json_put_bool(struct knell_json *j, const char *key, bool value);
/* A time in nanoseconds, as seconds; the key ends in _s. */
void knell_json_put_seconds(struct knell_json *j, const char *key, int64_t ns);

/* The shortest text that strtod reads back as `value`; at most 24 letters. */
enum { KNELL_REAL_TEXT = 32 };
const char *knell__format_real(double value, char text[KNELL_REAL_TEXT]);

#endif
