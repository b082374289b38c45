/* json.h: a streaming JSON writer. It writes keys and values in the order of the calls, with one line per member of
 * the outermost object (or the whole object on one line), and allocates no memory.
 *
 * The output is deterministic: a number has the fewest digits that read back as the same double. NaN and infinities,
 * which JSON does not have, become null. Wrong nesting is an assert. Write errors stay in the stream; the caller
 * checks them (common/output.h). */
#ifndef KNELL_CLI_COMMON_JSON_H
#define KNELL_CLI_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

struct json {
    FILE *out;
    int depth;
    bool after_key;
    bool one_line;
    char open[JSON_DEPTH];  /* '{' or '[' */
    bool empty[JSON_DEPTH]; /* nothing written at this level yet */
};

void json_begin(struct json *j, FILE *out);
void json_begin_line(struct json *j, FILE *out); /* the outermost object on one line */
void json_object(struct json *j);
void json_array(struct json *j);
void json_close(struct json *j); /* the innermost object or array; the outermost ends the line */
void json_key(struct json *j, const char *key);

void json_string(struct json *j, const char *text);
void json_real(struct json *j, double value);
void json_integer(struct json *j, int64_t value);
void json_unsigned(struct json *j, uint64_t value);
void json_bool(struct json *j, bool value);
void json_null(struct json *j);

/* A key and its value. */
void json_put_string(struct json *j, const char *key, const char *text);
void json_put_real(struct json *j, const char *key, double value);
void json_put_integer(struct json *j, const char *key, int64_t value);
void json_put_unsigned(struct json *j, const char *key, uint64_t value);
void json_put_bool(struct json *j, const char *key, bool value);
/* A time in nanoseconds, as seconds; the key ends in _s. */
void json_put_seconds(struct json *j, const char *key, int64_t ns);

/* The shortest text that strtod reads back as `value`; at most 24 letters. */
enum { REAL_TEXT = 32 };
const char *format_real(double value, char text[REAL_TEXT]);

#endif
