/* Computers, groups and params. What an attribute may be is the compiler's business. */
#include "fail/parse.h"

static struct knell__attr *parse_attr(struct knell__parser *p)
{
    struct knell__attr *attr = knell__arena_take(p->arena, sizeof *attr);

    if (!attr)
        return NULL;
    attr->name = knell__parse_name(p, "an attribute: program, daemon, size, hosts or match");
    if (!attr->name.text || !knell__parse_expect(p, '=', "the value of the attribute"))
        return NULL;
    attr->value = (struct knell__word){p->token.text, p->token.at};
    attr->number = p->token.number;
    if (p->token.type == KNELL__FAIL_TOKEN_TEXT)
        attr->type = KNELL__ATTR_TEXT;
    else if (p->token.type == KNELL__FAIL_TOKEN_NAME)
        attr->type = KNELL__ATTR_NAME;
    else if (p->token.type == KNELL__FAIL_TOKEN_NUMBER)
        attr->type = KNELL__ATTR_NUMBER;
    else {
        knell__parse_expected(p, "a string, a name or a number");
        return NULL;
    }
    knell__parse_advance(p);
    knell__parse_accept(p, ';');
    return attr;
}

struct knell__place *knell__parse_place(struct knell__parser *p)
{
    struct knell__place *place = knell__arena_take(p->arena, sizeof *place);
    struct knell__attr **tail;

    if (!place)
        return NULL;
    tail = &place->attrs;
    place->group = p->token.type == KNELL__FAIL_WORD_GROUP;
    if (!knell__parse_head(p, &place->name, place->group ? "the name of the group" : "the name of the computer"))
        return NULL;
    while (!knell__parse_starts_section(p) && !knell__parse_is(p, '}') && !knell__parse_over(p)) {
        struct knell__attr *attr = parse_attr(p);

        if (!attr) {
            knell__parse_skip_statement(p);
            continue;
        }
        *tail = attr;
        tail = &attr->next;
    }
    knell__parse_close(p);
    return place;
}

struct knell__param *knell__parse_param(struct knell__parser *p)
{
    struct knell__param *param = knell__arena_take(p->arena, sizeof *param);
    bool minus;

    if (!param)
        return NULL;
    knell__parse_advance(p);
    param->name = knell__parse_name(p, "the name of the param");
    if (!param->name.text || !knell__parse_expect(p, '=', "the value of the param"))
        return NULL;
    minus = knell__parse_accept(p, '-');
    if (p->token.type != KNELL__FAIL_TOKEN_NUMBER) {
        knell__parse_expected(p, "a number");
        return NULL;
    }
    param->value = minus ? -p->token.number : p->token.number;
    knell__parse_advance(p);
    return knell__parse_expect(p, ';', "the end of the param") ? param : NULL;
}
