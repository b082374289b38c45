/* calls.c: see calls.h. */
#include "job/calls.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const call_name[] = {
#define CALL_NAME(number, name) #name,
    JOB_CALLS(CALL_NAME)
#undef CALL_NAME
};

static const struct {
    int call;
    const char *name;
} alias[] = {
#define CALL_ALIAS(number, other) {JOB_CALL_##number, #other},
    JOB_CALL_ALIASES(CALL_ALIAS)
#undef CALL_ALIAS
};
enum { ALIASES = sizeof alias / sizeof *alias };

static const struct job_call_shape shape[] = {
#define CALL_SHAPE(number, comm, peer, communicates) {comm, peer, communicates},
    JOB_CALL_SHAPES(CALL_SHAPE)
#undef CALL_SHAPE
};

const char *job_call_name(int call)
{
    return call >= 0 && call < JOB_CALL_END ? call_name[call] : "a call";
}

const char *job_call_alias(int call)
{
    for (int i = 0; i < ALIASES; i++)
        if (alias[i].call == call)
            return alias[i].name;
    return NULL;
}

int job_call_named(const char *name)
{
    for (int call = 0; call < JOB_CALL_END; call++)
        if (strcmp(call_name[call], name) == 0)
            return call;
    for (int i = 0; i < ALIASES; i++)
        if (strcmp(alias[i].name, name) == 0)
            return alias[i].call;
    return -1;
}

struct job_call_shape job_call_shape(int call)
{
    return call >= 0 && call < JOB_CALL_END ? shape[call] : (struct job_call_shape){0};
}

static const char *const not_carried[] = {
#define CALL_NOT_CARRIED(name) #name,
    JOB_CALLS_NOT_CARRIED(CALL_NOT_CARRIED)
#undef CALL_NOT_CARRIED
        NULL,
};

/* How long the call's name is in the symbol: Fortran has underscores behind it, and `_f08` or `_f08ts` for one of its bindings. */
static size_t name_length(const char *symbol)
{
    static const char *const ends[] = {"_f08", "_f08ts"};
    size_t length = strlen(symbol);
    while (length > 0 && symbol[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strncasecmp(symbol + length - end, ends[i], end) == 0)
            return length - end;
    }
    return length;
}

static bool is_called(const char *symbol, const char *name)
{
    symbol += *symbol == 'P' || *symbol == 'p';
    size_t length = name_length(symbol);
    return strlen(name) == length && strncasecmp(symbol, name, length) == 0;
}

const char *job_call_not_carried(const char *symbol)
{
    const char *const *name = not_carried;
    while (*name && !is_called(symbol, *name))
        name++;
    return *name;
}

bool job_call_recovers(const char *symbol)
{
    for (int i = 0; i < ALIASES; i++) /* those that have two names */
        if (is_called(symbol, alias[i].name) || is_called(symbol, call_name[alias[i].call]))
            return true;
    return false;
}
