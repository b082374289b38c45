/* json_scan.h: the words of JSON: texts, numbers, true, false, null. json_parse.c puts them together. */
#ifndef KNELL_RECORD_JSON_SCAN_H
#define KNELL_RECORD_JSON_SCAN_H

#include "record/json_tree.h"

struct record_json_scan {
    const char *begin, *at, *end;
    struct record_json *json; /* texts go there */
    char *error;              /* 128 bytes */
};

/* Always false, so that `return record_json_fail(...)` reads well. */
bool record_json_fail(struct record_json_scan *s, const char *where, const char *what);

void record_json_skip_space(struct record_json_scan *s);
bool record_json_next_is(const struct record_json_scan *s, char c);
/* Goes past it if it is the next. */
bool record_json_take(struct record_json_scan *s, char c);

/* At a quotation mark. */
bool record_json_take_text(struct record_json_scan *s, const char **text);
/* Any value but arrays and objects. */
bool record_json_take_scalar(struct record_json_scan *s, struct record_json_value *value);

#endif
