/* json.h: reads JSON (RFC 8259) into memory. Strict: nothing after the value, no comments, no trailing commas, no lone surrogates.
 * Bytes above 127 are passed through as they are; escapes become UTF-8. It does not write JSON.
 *
 * Every function that takes a value accepts NULL, so that record_json_text(record_json_get(record_json_get(v, "a"), "b"), "")
 * needs no checks in between. Values live as long as their document. */
#ifndef KNELL_RECORD_JSON_H
#define KNELL_RECORD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_JSON_DEPTH = 64 }; /* arrays and objects inside each other */

enum record_json_type {
    RECORD_JSON_NULL,
    RECORD_JSON_BOOL,
    RECORD_JSON_INTEGER, /* a number without fraction and exponent that fits an int64_t */
    RECORD_JSON_REAL,    /* any other */
    RECORD_JSON_TEXT,
    RECORD_JSON_ARRAY,
    RECORD_JSON_OBJECT
};

struct record_json; /* a document */
struct record_json_value;

/* NULL on wrong input: `error` is "line 3, column 5: ..." (columns are bytes). The text is not needed afterwards. */
struct record_json *record_json_parse(const char *text, size_t size, char error[128]);
/* The same for a file; `error` begins with its path. */
struct record_json *record_json_read_file(const char *path, char error[256]);
/* Accepts NULL. */
void record_json_free(struct record_json *json);

/* NULL for NULL. */
const struct record_json_value *record_json_root(const struct record_json *json);

/* RECORD_JSON_NULL for NULL. */
enum record_json_type record_json_type(const struct record_json_value *value);

/* A member of an object, the last of that name; NULL: there is none, or the value is no object. */
const struct record_json_value *record_json_get(const struct record_json_value *value, const char *key);

/* Of an array or object, in the order of the text; NULL: there is none. */
const struct record_json_value *record_json_item(const struct record_json_value *value, size_t i);
size_t record_json_count(const struct record_json_value *value);
/* The name under which an object has item i; NULL: there is none, or the value is no object. */
const char *record_json_key(const struct record_json_value *value, size_t i);

/* The fallback: the value is of another kind. A real without a fraction that fits is an integer too; an integer is a real too. */
int64_t record_json_integer(const struct record_json_value *value, int64_t fallback);
double record_json_real(const struct record_json_value *value, double fallback);
bool record_json_bool(const struct record_json_value *value, bool fallback);
const char *record_json_text(const struct record_json_value *value, const char *fallback);

#endif
