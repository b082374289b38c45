/* json_tree.h: a JSON document in memory, between its parser (json_parse.c) and those who read it (json.c). */
#ifndef KNELL_RECORD_JSON_TREE_H
#define KNELL_RECORD_JSON_TREE_H

#include "record/json.h"

struct record_json_value {
    const char *key; /* NULL outside objects */
    enum record_json_type type;
    size_t count; /* of items */
    union {
        bool boolean;
        int64_t integer;
        double real;
        const char *text;
        const struct record_json_value *item;
    } as;
};

/* Values and texts are cut out of blocks, which are freed together. */
struct record_json_block;

struct record_json {
    struct record_json_block *blocks;
    struct record_json_value root;
};

/* NULL: out of memory. */
void *record_json_allocate(struct record_json *json, size_t size);

#endif
