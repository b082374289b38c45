/* json_parse.c: text to a tree of values; see json.h. No recursion: open arrays and objects are levels. Values wait on a stack until
 * their array or object is closed; then they move to the document, side by side. */
#include "record/json_scan.h"

#include <stdlib.h>
#include <string.h>

struct level {
    bool is_object;
    const char *key; /* of the array or object itself */
    size_t first;    /* its items begin here on the stack */
};

struct parser {
    struct record_json_scan scan;
    struct record_json_value *waiting;
    size_t waiting_count, waiting_room;
    struct level level[RECORD_JSON_DEPTH];
    int depth;
    const char *key; /* of the value to come */
};

static bool push_waiting(struct parser *p, const struct record_json_value *value)
{
    if (p->waiting_count == p->waiting_room) {
        size_t room = p->waiting_room ? 2 * p->waiting_room : 64;
        struct record_json_value *more = realloc(p->waiting, room * sizeof *more);

        if (!more)
            return record_json_fail(&p->scan, p->scan.at, "out of memory");
        p->waiting = more;
        p->waiting_room = room;
    }
    p->waiting[p->waiting_count++] = *value;
    return true;
}

static bool open_level(struct parser *p)
{
    if (p->depth == RECORD_JSON_DEPTH)
        return record_json_fail(&p->scan, p->scan.at, "more than 64 arrays and objects inside each other");
    p->level[p->depth++] = (struct level){.is_object = *p->scan.at == '{', .key = p->key, .first = p->waiting_count};
    p->scan.at++;
    p->key = NULL;
    record_json_skip_space(&p->scan);
    return true;
}

static bool close_level(struct parser *p)
{
    const struct level *level = &p->level[--p->depth];
    size_t count = p->waiting_count - level->first;
    struct record_json_value *item = count ? record_json_allocate(p->scan.json, count * sizeof *item) : NULL;

    if (count && !item)
        return record_json_fail(&p->scan, p->scan.at, "out of memory");
    if (count)
        memcpy(item, p->waiting + level->first, count * sizeof *item);
    p->waiting_count = level->first;
    p->scan.at++;
    return push_waiting(p,
                        &(struct record_json_value){.key = level->key,
                                                    .type = level->is_object ? RECORD_JSON_OBJECT : RECORD_JSON_ARRAY,
                                                    .count = count,
                                                    .as.item = item});
}

/* If the innermost level is an object: the name before a value. */
static bool take_key(struct parser *p)
{
    p->key = NULL;
    if (p->depth == 0 || !p->level[p->depth - 1].is_object)
        return true;
    record_json_skip_space(&p->scan);
    if (!record_json_next_is(&p->scan, '"'))
        return record_json_fail(&p->scan, p->scan.at, "the name of a member must be here");
    if (!record_json_take_text(&p->scan, &p->key))
        return false;
    record_json_skip_space(&p->scan);
    return record_json_take(&p->scan, ':') || record_json_fail(&p->scan, p->scan.at, "a colon must be here");
}

/* After a value: closes what ends here. more: another value follows. */
static bool take_ends(struct parser *p, bool *more)
{
    *more = false;
    while (p->depth > 0 && !*more) {
        bool is_object = p->level[p->depth - 1].is_object;

        record_json_skip_space(&p->scan);
        *more = record_json_take(&p->scan, ',');
        if (!*more && !record_json_next_is(&p->scan, is_object ? '}' : ']'))
            return record_json_fail(&p->scan, p->scan.at,
                                    is_object ? "a comma or } must be here" : "a comma or ] must be here");
        if (!*more && !close_level(p))
            return false;
    }
    return true;
}

/* One value, or the beginning of an array or object that is not empty: then `inside`, and its first value follows. */
static bool take_value(struct parser *p, bool *inside)
{
    struct record_json_value value = {.key = p->key};

    record_json_skip_space(&p->scan);
    *inside = false;
    if (!record_json_next_is(&p->scan, '[') && !record_json_next_is(&p->scan, '{'))
        return record_json_take_scalar(&p->scan, &value) && push_waiting(p, &value);
    if (!open_level(p))
        return false;
    if (record_json_next_is(&p->scan, p->level[p->depth - 1].is_object ? '}' : ']'))
        return close_level(p);
    *inside = true;
    return true;
}

static bool take_document(struct parser *p)
{
    bool more = true, inside;

    while (more) {
        if (!take_key(p) || !take_value(p, &inside) || (!inside && !take_ends(p, &more)))
            return false;
    }
    record_json_skip_space(&p->scan);
    return p->scan.at == p->scan.end || record_json_fail(&p->scan, p->scan.at, "the text must end here");
}

struct record_json *record_json_parse(const char *text, size_t size, char error[128])
{
    struct parser p = {.scan = {.begin = text, .at = text, .end = text + size, .error = error}};
    bool good;

    p.scan.json = calloc(1, sizeof *p.scan.json);
    good = p.scan.json ? take_document(&p) : record_json_fail(&p.scan, text, "out of memory");
    if (good) {
        p.scan.json->root = p.waiting[0];
    } else {
        record_json_free(p.scan.json);
        p.scan.json = NULL;
    }
    free(p.waiting);
    return p.scan.json;
}
