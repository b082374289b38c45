/* Computers and groups: their attributes, and the numbering of the instances. Runs before the rules are compiled,
 * which name places, and after the daemons' names are known. */
#include "fail/compile.h"

static void wrong_type(struct knell__compiler *c, const struct knell__attr *attr, const char *wanted)
{
    knell__notes_error(c->notes, attr->value.at, "'%s' is %s", attr->name.text, wanted);
}

static const char *text_of(struct knell__compiler *c, const struct knell__attr *attr, const char *wanted)
{
    if (attr->type == KNELL__ATTR_TEXT)
        return attr->value.text;
    wrong_type(c, attr, wanted);
    return NULL;
}

static void set_daemon(struct knell__compiler *c, struct knell__fail_place *place, const struct knell__attr *attr)
{
    struct knell__hint hint = {.word = attr->value.text};

    if (attr->type != KNELL__ATTR_NAME) {
        wrong_type(c, attr, "the name of a daemon");
        return;
    }
    for (uint32_t i = 0; i < c->program->daemon_count; i++) {
        if (strcmp(c->program->daemons[i].name, attr->value.text) == 0) {
            place->daemon = i;
            place->public.daemon = c->program->daemons[i].name;
            return;
        }
    }
    for (uint32_t i = 0; i < c->program->daemon_count; i++)
        knell__hint_offer(&hint, c->program->daemons[i].name);
    knell__notes_error(c->notes, attr->value.at, "no daemon is called '%s'%s", attr->value.text,
                       knell__hint_text(&hint));
    place->public.daemon = ""; /* so that messages to it are not reported as well; an error stops the program anyway */
}

static void set_size(struct knell__compiler *c, struct knell__fail_place *place, const struct knell__attr *attr)
{
    int64_t size = attr->number;

    if (!place->public.group) {
        knell__notes_error(c->notes, attr->name.at, "a computer has no size: make it a Group");
        return;
    }
    if (attr->type == KNELL__ATTR_NAME) {
        struct knell__binding b = knell__compile_find(c, attr->value.text);

        if (b.meaning != KNELL__PARAM) {
            knell__compile_unknown(c, attr->value, false);
            size = 1;
        } else {
            size = b.value;
        }
    } else if (attr->type != KNELL__ATTR_NUMBER) {
        wrong_type(c, attr, "a number or a param");
        size = 1;
    }
    if (size < 1 || size > KNELL_FAIL_INSTANCES_MAX)
        knell__notes_error(c->notes, attr->value.at, "a group has 1 to %u slots", KNELL_FAIL_INSTANCES_MAX);
    else
        place->public.size = (uint32_t)size;
}

static void set_match(struct knell__compiler *c, struct knell__fail_place *place, const struct knell__attr *attr)
{
    if (attr->type != KNELL__ATTR_NUMBER && strcmp(attr->value.text, "rank") == 0)
        place->public.match = KNELL_FAIL_MATCH_RANK;
    else if (attr->type != KNELL__ATTR_NUMBER && strcmp(attr->value.text, "host") == 0)
        place->public.match = KNELL_FAIL_MATCH_HOST;
    else
        wrong_type(c, attr, "\"rank\" or \"host\"");
}

static void unknown_attr(struct knell__compiler *c, const struct knell__attr *attr)
{
    static const char *const known[] = {"program", "daemon", "size", "hosts", "match"};
    struct knell__hint hint = {.word = attr->name.text};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        knell__hint_offer(&hint, known[i]);
    knell__notes_error(c->notes, attr->name.at, "no attribute is called '%s'%s", attr->name.text,
                       hint.best ? knell__hint_text(&hint) : ": there are program, daemon, size, hosts and match");
}

static void set_attr(struct knell__compiler *c, struct knell__fail_place *place, const struct knell__attr *attr)
{
    if (strcmp(attr->name.text, "program") == 0)
        place->public.program = text_of(c, attr, "a string");
    else if (strcmp(attr->name.text, "hosts") == 0)
        place->public.hosts = text_of(c, attr, "a string");
    else if (strcmp(attr->name.text, "daemon") == 0)
        set_daemon(c, place, attr);
    else if (strcmp(attr->name.text, "size") == 0)
        set_size(c, place, attr);
    else if (strcmp(attr->name.text, "match") == 0)
        set_match(c, place, attr);
    else
        unknown_attr(c, attr);
}

static void set_attrs(struct knell__compiler *c, struct knell__fail_place *place, const struct knell__attr *attrs)
{
    bool sized = false;

    for (const struct knell__attr *a = attrs; a && !knell__notes_enough(c->notes); a = a->next) {
        for (const struct knell__attr *b = attrs; b != a; b = b->next) {
            if (strcmp(a->name.text, b->name.text) == 0) {
                knell__notes_error(c->notes, a->name.at, "'%s' is given twice", a->name.text);
                break;
            }
        }
        set_attr(c, place, a);
        sized |= strcmp(a->name.text, "size") == 0;
    }
    if (place->public.group && !sized)
        knell__notes_error(c->notes, place->at, "group %s has no size", place->public.name);
}

static void check_twice(struct knell__compiler *c, struct knell__word name)
{
    for (uint32_t i = 0; i < c->program->place_count; i++) {
        const struct knell__fail_place *other = &c->program->places[i];

        if (strcmp(other->public.name, name.text) == 0) {
            knell__notes_error(c->notes, name.at, "'%s' is already a place, at line %u", name.text, other->at.line);
            return;
        }
    }
}

void knell__compile_places(struct knell__compiler *c)
{
    struct knell_fail_program *program = c->program;

    for (const struct knell__place *p = c->tree->places; p && !knell__notes_enough(c->notes); p = p->next) {
        struct knell__fail_place *place = &program->places[program->place_count];

        if (program->place_count == KNELL_FAIL_NAMES_MAX) {
            knell__notes_error(c->notes, p->name.at, "more than %d places", KNELL_FAIL_NAMES_MAX);
            return;
        }
        check_twice(c, p->name);
        place->public.name = p->name.text;
        place->public.group = p->group;
        place->public.size = 1;
        place->public.first = program->instance_count;
        place->daemon = KNELL__FAIL_NO_DAEMON;
        place->at = p->name.at;
        set_attrs(c, place, p->attrs);
        if (place->public.size > KNELL_FAIL_INSTANCES_MAX - program->instance_count) {
            knell__notes_error(c->notes, p->name.at, "all places together have more than %u slots",
                               KNELL_FAIL_INSTANCES_MAX);
            return;
        }
        program->instance_count += place->public.size;
        program->place_count++;
    }
}
