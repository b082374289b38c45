/* What can be asked of a program: its places, its tables, the names of its instances. */
#include "fail/program.h"

#include <stdio.h>
#include <string.h>

uint32_t knell_fail_place_count(const struct knell_fail_program *program)
{
    return program->place_count;
}

struct knell_fail_place knell_fail_place_at(const struct knell_fail_program *program, uint32_t place)
{
    return program->places[place].public;
}

uint32_t knell_fail_function_count(const struct knell_fail_program *program)
{
    return program->function_count;
}

struct knell_fail_function knell_fail_function_at(const struct knell_fail_program *program, uint32_t function)
{
    return program->functions[function];
}

uint32_t knell_fail_variable_count(const struct knell_fail_program *program)
{
    return program->variable_count;
}

const char *knell_fail_variable_at(const struct knell_fail_program *program, uint32_t variable)
{
    return program->variables[variable];
}

uint32_t knell_fail_message_count(const struct knell_fail_program *program)
{
    return program->message_count;
}

const char *knell_fail_message_at(const struct knell_fail_program *program, uint32_t message)
{
    return program->messages[message];
}

uint32_t knell_fail_instance_count(const struct knell_fail_program *program)
{
    return program->instance_count;
}

/* The last place that begins at or before the instance. */
uint32_t knell_fail_instance_place(const struct knell_fail_program *program, uint32_t instance)
{
    uint32_t low = 0, high = program->place_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (program->places[middle].public.first <= instance)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool knell_fail_function_is_family(const struct knell_fail_program *program, uint32_t function)
{
    const char *symbol = program->functions[function].symbol;

    return symbol[strlen(symbol) - 1] == '*';
}

bool knell_fail_looks_inside(const struct knell_fail_program *program)
{
    for (uint32_t i = 0; i < program->rule_count; i++) {
        if (program->rules[i].event == KNELL_FAIL_INSIDE)
            return true;
    }
    return false;
}

bool knell_fail_function_means(const struct knell_fail_program *program, uint32_t function, const char *symbol)
{
    const char *name = program->functions[function].symbol;

    return knell_fail_function_is_family(program, function) ? strncmp(name, symbol, strlen(name) - 1) == 0
                                                            : strcmp(name, symbol) == 0;
}

size_t knell_fail_instance_name(const struct knell_fail_program *program, uint32_t instance, char *buffer, size_t size)
{
    const struct knell_fail_place *place = &program->places[knell_fail_instance_place(program, instance)].public;
    int length;

    if (place->group)
        length = snprintf(buffer, size, "%s[%u]", place->name, instance - place->first);
    else
        length = snprintf(buffer, size, "%s", place->name);
    return length > 0 ? (size_t)length : 0;
}

/* A number below `end`; NULL: none. */
static const char *read_slot(const char *text, uint32_t end, uint32_t *slot)
{
    uint64_t value = 0;

    if (*text < '0' || *text > '9')
        return NULL;
    for (; *text >= '0' && *text <= '9' && value < end; text++)
        value = value * 10 + (uint64_t)(*text - '0');
    *slot = (uint32_t)value;
    return value < end ? text : NULL;
}

/* "[*]", "[3]", "[3..9]" */
static int read_slots(const char *text, const struct knell_fail_place *place, uint32_t *first, uint32_t *count)
{
    uint32_t from, to;

    if (strcmp(text, "[*]") == 0) {
        *first = place->first;
        *count = place->size;
        return 0;
    }
    text = *text == '[' ? read_slot(text + 1, place->size, &from) : NULL;
    to = text ? from : 0;
    if (text && strncmp(text, "..", 2) == 0)
        text = read_slot(text + 2, place->size, &to);
    if (!text || strcmp(text, "]") != 0 || to < from)
        return KNELL_EINVAL;
    *first = place->first + from;
    *count = to - from + 1;
    return 0;
}

int knell_fail_instance_find(const struct knell_fail_program *program, const char *name, uint32_t *first,
                             uint32_t *count)
{
    size_t length = strcspn(name, "[");

    for (uint32_t i = 0; i < program->place_count; i++) {
        const struct knell_fail_place *place = &program->places[i].public;

        if (strlen(place->name) != length || strncmp(place->name, name, length) != 0)
            continue;
        if (place->group)
            return read_slots(name + length, place, first, count);
        if (name[length] != '\0')
            return KNELL_EINVAL;
        *first = place->first;
        *count = 1;
        return 0;
    }
    return KNELL_EINVAL;
}
