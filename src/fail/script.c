/* The verbs of script.h. */
#include "fail/script.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

enum { WORDS = 3 + KNELL_FAIL_ARGUMENTS_MAX };

struct line {
    struct knell_fail_script *script;
    char text[256];
    char *words[WORDS + 1];
    uint32_t count;
};

static int wrong(struct knell_fail_script *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(struct knell_fail_script *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->why, sizeof s->why, format, args);
    va_end(args);
    return KNELL_EINVAL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Digits with at most one point, times the unit, in integers: 1.5ms is 1500000. Digits below a nanosecond are cut
 * off. */
static bool scale_decimal(const char *digits, size_t length, int64_t unit, knell_time *time)
{
    int64_t value = 0, weight = unit;
    bool point = false, any = false;

    for (size_t i = 0; i < length; i++) {
        int64_t part;

        if (digits[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        any = true;
        weight = point ? weight / 10 : weight;
        part = (digits[i] - '0') * weight;
        if ((!point && __builtin_mul_overflow(value, 10, &value)) || __builtin_add_overflow(value, part, &value))
            return false;
    }
    *time = value;
    return any;
}

const char *knell_fail_parse_time(const char *text, knell_time *time)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},
                 {"us", 1000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"min", INT64_C(60000000000)},
                 {"h", INT64_C(3600000000000)}};
    size_t length = strspn(text, "0123456789.");

    if (*text == '-')
        return "must not be negative";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(text + length, units[i].name) == 0)
            return scale_decimal(text, length, units[i].ns, time) ? NULL : "is no time, or too long a one";
    }
    return "needs a unit: ns, us, ms, s, min or h";
}

static int read_number(struct knell_fail_script *s, const char *text, int64_t *number)
{
    bool minus = *text == '-';
    int64_t value = 0;
    bool ok = text[minus] != '\0';

    for (const char *p = text + minus; *p; p++) {
        ok = ok && *p >= '0' && *p <= '9' && !__builtin_mul_overflow(value, 10, &value) &&
             !__builtin_add_overflow(value, *p - '0', &value);
    }
    *number = minus ? -value : value;
    return ok ? 0 : wrong(s, "'%.40s' is no number", text);
}

static int read_slots(struct knell_fail_script *s, const char *text, uint32_t *first, uint32_t *count)
{
    if (knell_fail_instance_find(s->program, text, first, count) == 0)
        return 0;
    return wrong(s, "'%.40s' is no computer and no slot of a group", text);
}

static int read_function(struct knell_fail_script *s, const char *text, uint32_t *function)
{
    const char *symbol = strchr(text, ':');

    symbol = symbol ? symbol + 1 : text;
    for (uint32_t i = 0; i < knell_fail_function_count(s->program); i++) {
        struct knell_fail_function f = knell_fail_function_at(s->program, i);
        size_t library = f.library ? strlen(f.library) : 0;

        if (strcmp(f.symbol, symbol) == 0 &&
            (!f.library || (symbol == text + library + 1 && strncmp(text, f.library, library) == 0))) {
            *function = i;
            return 0;
        }
    }
    for (uint32_t i = 0; i < knell_fail_function_count(s->program); i++) {
        if (knell_fail_function_means(s->program, i, text)) {
            *function = i;
            return 0;
        }
    }
    return wrong(s, "the scenario names no function '%.40s'", text);
}

static int read_variable(struct knell_fail_script *s, const char *text, uint32_t *variable)
{
    for (uint32_t i = 0; i < knell_fail_variable_count(s->program); i++) {
        if (strcmp(knell_fail_variable_at(s->program, i), text) == 0) {
            *variable = i;
            return 0;
        }
    }
    return wrong(s, "the scenario names no variable '%.40s'", text);
}

static int read_message(struct knell_fail_script *s, const char *text, uint32_t *message)
{
    for (uint32_t i = 0; i < knell_fail_message_count(s->program); i++) {
        if (strcmp(knell_fail_message_at(s->program, i), text) == 0) {
            *message = i;
            return 0;
        }
    }
    return wrong(s, "the scenario names no message '%.40s'", text);
}

/* ---- stepping ---------------------------------------------------------------------------------------------------- */

static int64_t *value_of(const struct knell_fail_script *s, uint32_t instance, uint32_t variable)
{
    return &s->values[(size_t)instance * knell_fail_variable_count(s->program) + variable];
}

static void emit(struct knell_fail_script *s, const struct knell_fail_record *record)
{
    char text[4096];

    for (uint32_t i = 0; i < record->action_count; i++) {
        const struct knell_fail_action *a = &record->actions[i];

        if (a->type == KNELL_FAIL_SET && !a->vain)
            *value_of(s, record->instance, a->subject) = a->value;
    }
    if (s->json)
        knell_fail_record_json(s->program, record, text, sizeof text);
    else
        knell_fail_record_text(s->program, record, text, sizeof text);
    s->sink.line(s->sink.driver, text);
}

void knell_fail_script_settle(struct knell_fail_script *s)
{
    struct knell_fail_record record;

    while (knell_fail_step(s->world, s->now, NULL, &record) == 1)
        emit(s, &record);
}

static void feed(struct knell_fail_script *s, const struct knell_fail_event *event)
{
    struct knell_fail_record record;

    if (knell_fail_step(s->world, s->now, event, &record) == 1)
        emit(s, &record);
}

static int run_until(struct knell_fail_script *s, knell_time until)
{
    if (until < s->now)
        return wrong(s, "the time does not run backwards");
    for (;;) {
        knell_time next = knell_fail_deadline(s->world);

        if (next > until || next == KNELL_NEVER)
            break;
        s->now = next > s->now ? next : s->now;
        knell_fail_script_settle(s);
    }
    s->now = until;
    return 0;
}

/* ---- verbs ------------------------------------------------------------------------------------------------------- */

static int do_at(struct line *l)
{
    const char *why;
    knell_time t;

    why = knell_fail_parse_time(l->words[1], &t);
    if (why)
        return wrong(l->script, "'%.40s' %s", l->words[1], why);
    if (strcmp(l->words[0], "wait") == 0 && __builtin_add_overflow(t, l->script->now, &t))
        return wrong(l->script, "'%.40s' is too long", l->words[1]);
    return run_until(l->script, t);
}

static int do_next(struct line *l)
{
    knell_time next = knell_fail_deadline(l->script->world);

    if (next == KNELL_NEVER)
        return wrong(l->script, "no timer runs and no message is on its way");
    return run_until(l->script, next);
}

static void say_unarmed(struct knell_fail_script *s, uint32_t instance)
{
    char text[KNELL_FAIL_NAME_MAX + 96], name[KNELL_FAIL_NAME_MAX + 16];

    knell_fail_instance_name(s->program, instance, name, sizeof name);
    if (s->json)
        snprintf(text, sizeof text,
                 "{\"time_s\":%" PRId64 ".%09" PRId64 ",\"daemon\":\"%s\",\"outcome\":\"not armed\"}", s->now / SECOND,
                 s->now % SECOND, name);
    else
        snprintf(text, sizeof text, "%s: not armed, runs on", name);
    s->sink.line(s->sink.driver, text);
}

/* FUNCTION ARGUMENT..., FUNCTION OPERATION: what a call is known by, beside its number. */
static int read_call(struct line *l, int64_t *arguments, struct knell_fail_event *event)
{
    int64_t operation;

    event->symbol = strchr(l->words[2], ':') ? NULL : l->words[2];
    if (event->type == KNELL_FAIL_INSIDE) {
        if (read_number(l->script, l->words[3], &operation) != 0)
            return KNELL_EINVAL;
        event->operation = (uint64_t)operation;
        return operation > 0 ? 0 : wrong(l->script, "operations are counted from 1");
    }
    event->arguments = arguments;
    event->argument_count = l->count - 3;
    for (uint32_t i = 0; i < event->argument_count; i++) {
        if (read_number(l->script, l->words[3 + i], &arguments[i]) != 0)
            return KNELL_EINVAL;
    }
    return 0;
}

/* At the entry a call is counted for inside() too. */
static bool is_armed(const struct knell_fail_script *s, const struct knell_fail_event *event, uint32_t subject)
{
    struct knell_fail_probe probe = {event->type, subject}, inside = {KNELL_FAIL_INSIDE, subject};

    return knell_fail_is_armed(s->world, event->instance, probe) ||
           (event->type == KNELL_FAIL_BEFORE && knell_fail_is_armed(s->world, event->instance, inside));
}

/* By this name or, for a call, by another that means it. */
static bool find_armed(const struct knell_fail_script *s, struct knell_fail_event *event)
{
    if (is_armed(s, event, event->subject))
        return true;
    for (uint32_t f = 0; event->symbol && f < knell_fail_function_count(s->program); f++) {
        if (knell_fail_function_means(s->program, f, event->symbol) && is_armed(s, event, f)) {
            event->subject = f;
            return true;
        }
    }
    return false;
}

/* All events of one line happen before any message or timer that they cause. */
static int feed_all(struct line *l, enum knell_fail_event_type type, uint32_t subject)
{
    struct knell_fail_event event = {.type = type, .subject = subject};
    int64_t arguments[KNELL_FAIL_ARGUMENTS_MAX];
    struct knell_fail_script *s = l->script;
    uint32_t first, count;

    if (read_slots(s, l->words[1], &first, &count) != 0)
        return KNELL_EINVAL;
    if (type >= KNELL_FAIL_BEFORE && type <= KNELL_FAIL_INSIDE && read_call(l, arguments, &event) != 0)
        return KNELL_EINVAL;
    for (event.instance = first; event.instance < first + count; event.instance++) {
        if (type >= KNELL_FAIL_BEFORE && type <= KNELL_FAIL_WATCH && !find_armed(s, &event))
            say_unarmed(s, event.instance);
        else
            feed(s, &event);
    }
    knell_fail_script_settle(s);
    return 0;
}

static int do_process(struct line *l)
{
    char c = l->words[0][1]; /* lOad, eXit, eRror */

    return feed_all(l, c == 'o' ? KNELL_FAIL_ONLOAD : c == 'x' ? KNELL_FAIL_ONEXIT : KNELL_FAIL_ONERROR, 0);
}

static int do_call(struct line *l)
{
    uint32_t function = 0;
    char c = l->words[0][0];

    if (read_function(l->script, l->words[2], &function) != 0)
        return KNELL_EINVAL;
    return feed_all(l, c == 'b' ? KNELL_FAIL_BEFORE : c == 'a' ? KNELL_FAIL_AFTER : KNELL_FAIL_INSIDE, function);
}

static int do_set(struct line *l)
{
    struct knell_fail_script *s = l->script;
    uint32_t variable = 0, first, count;
    int64_t number;

    if (read_variable(s, l->words[2], &variable) != 0 || read_number(s, l->words[3], &number) != 0 ||
        read_slots(s, l->words[1], &first, &count) != 0)
        return KNELL_EINVAL;
    for (uint32_t i = first; i < first + count; i++)
        *value_of(s, i, variable) = number;
    return feed_all(l, KNELL_FAIL_WATCH, variable);
}

static int do_send(struct line *l)
{
    struct knell_fail_script *s = l->script;
    struct knell_fail_event event = {.type = KNELL_FAIL_MESSAGE};
    uint32_t first, count, one;

    if (strcmp(l->words[3], "from") != 0)
        return wrong(s, "send MESSAGE SLOTS from SLOT");
    if (read_message(s, l->words[1], &event.subject) != 0 || read_slots(s, l->words[2], &first, &count) != 0 ||
        read_slots(s, l->words[4], &event.sender, &one) != 0)
        return KNELL_EINVAL;
    for (event.instance = first; event.instance < first + count; event.instance++)
        feed(s, &event);
    knell_fail_script_settle(s);
    return 0;
}

static const char *probe_type(const struct knell_fail_probe *probe)
{
    static const char *const words[] = {
        [KNELL_FAIL_BEFORE] = "before",
        [KNELL_FAIL_AFTER] = "after",
        [KNELL_FAIL_INSIDE] = "inside",
        [KNELL_FAIL_WATCH] = "watch",
    };

    return words[probe->type];
}

static const char *probe_subject(const struct knell_fail_script *s, const struct knell_fail_probe *probe)
{
    return probe->type == KNELL_FAIL_WATCH ? knell_fail_variable_at(s->program, probe->subject)
                                           : knell_fail_function_at(s->program, probe->subject).symbol;
}

enum { PROBES_SHOWN = 8 };

static void show_text(struct knell_fail_script *s, uint32_t instance)
{
    static const char *const states[] = {"no process", "process held", "process runs", "process stopped"};
    struct knell_fail_probe probes[PROBES_SHOWN];
    char text[1024], name[96];
    const char *variable;
    int64_t value;
    size_t n;
    uint32_t armed = knell_fail_armed(s->world, instance, probes, PROBES_SHOWN);

    knell_fail_instance_name(s->program, instance, name, sizeof name);
    n = (size_t)snprintf(text, sizeof text, "%s: node %s, %s", name, knell_fail_node_of(s->world, instance),
                         states[knell_fail_process_of(s->world, instance)]);
    for (uint32_t i = 0; n < 700 && knell_fail_variable_of(s->world, instance, i, &variable, &value); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ", %s = %" PRId64, variable, value);
    for (uint32_t i = 0; n < 800 && i < armed && i < PROBES_SHOWN; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ", armed %s(%s)", probe_type(&probes[i]),
                              probe_subject(s, &probes[i]));
    if (knell_fail_waiting(s->world, instance) > 0)
        snprintf(text + n, sizeof text - n, ", %u waiting", knell_fail_waiting(s->world, instance));
    s->sink.line(s->sink.driver, text);
}

/* What does not fit is left out, with room kept for the end: the object is always whole. */
static void show_json(struct knell_fail_script *s, uint32_t instance)
{
    static const char *const states[] = {"none", "held", "runs", "stopped"};
    struct knell_fail_probe probes[PROBES_SHOWN];
    char text[4096], name[96];
    const size_t full = sizeof text - (size_t)2 * (KNELL_FAIL_NAME_MAX + 64);
    const char *variable;
    int64_t value;
    size_t n;
    uint32_t armed = knell_fail_armed(s->world, instance, probes, PROBES_SHOWN);

    knell_fail_instance_name(s->program, instance, name, sizeof name);
    n = (size_t)snprintf(text, sizeof text,
                         "{\"time_s\":%" PRId64 ".%09" PRId64
                         ",\"daemon\":\"%s\",\"node\":\"%s\",\"process\":\"%s\",\"variables\":{",
                         s->now / SECOND, s->now % SECOND, name, knell_fail_node_of(s->world, instance),
                         states[knell_fail_process_of(s->world, instance)]);
    for (uint32_t i = 0; n < full && knell_fail_variable_of(s->world, instance, i, &variable, &value); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\"%s\":%" PRId64, i > 0 ? "," : "", variable, value);
    n += (size_t)snprintf(text + n, sizeof text - n, "},\"armed\":[");
    for (uint32_t i = 0; n < full && i < armed && i < PROBES_SHOWN; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\"%s(%s)\"", i > 0 ? "," : "", probe_type(&probes[i]),
                              probe_subject(s, &probes[i]));
    snprintf(text + n, sizeof text - n, "],\"waiting\":%u}", knell_fail_waiting(s->world, instance));
    s->sink.line(s->sink.driver, text);
}

static int do_show(struct line *l)
{
    uint32_t first = 0, count = knell_fail_instance_count(l->script->program);

    if (l->count > 1 && read_slots(l->script, l->words[1], &first, &count) != 0)
        return KNELL_EINVAL;
    for (uint32_t i = first; i < first + count; i++)
        (l->script->json ? show_json : show_text)(l->script, i);
    return 0;
}

static const struct {
    const char *name;
    uint32_t least, most; /* words behind it */
    int (*run)(struct line *line);
} verbs[] = {
    {"load", 1, 1, do_process},  {"exit", 1, 1, do_process},
    {"error", 1, 1, do_process}, {"before", 2, 2 + KNELL_FAIL_ARGUMENTS_MAX, do_call},
    {"after", 2, 2, do_call},    {"inside", 3, 3, do_call},
    {"set", 3, 3, do_set},       {"send", 4, 4, do_send},
    {"at", 1, 1, do_at},         {"wait", 1, 1, do_at},
    {"next", 0, 0, do_next},     {"show", 0, 1, do_show},
};

static int split(struct line *l, const char *text)
{
    size_t length = strcspn(text, "#\r\n");
    char *p = l->text;

    if (text[length] == '#' && length > 0 && text[length - 1] != ' ' && text[length - 1] != '\t')
        return wrong(l->script, "a comment is set off by a space");
    if (length >= sizeof l->text)
        return wrong(l->script, "the line is too long");
    memcpy(l->text, text, length);
    l->text[length] = '\0';
    while (*(p += strspn(p, " \t")) != '\0') {
        if (l->count == WORDS)
            return wrong(l->script, "too many words");
        l->words[l->count++] = p;
        p += strcspn(p, " \t");
        if (*p)
            *p++ = '\0';
    }
    return 0;
}

int knell_fail_script_line(struct knell_fail_script *s, const char *text)
{
    struct line l = {.script = s};

    if (split(&l, text) != 0)
        return KNELL_EINVAL;
    if (l.count == 0)
        return 0;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].name, l.words[0]) != 0)
            continue;
        if (l.count - 1 < verbs[i].least || l.count - 1 > verbs[i].most)
            return wrong(s, "'%s' needs other words than these", l.words[0]);
        return verbs[i].run(&l);
    }
    return wrong(s, "'%.40s' is not one of load, exit, error, before, after, inside, set, send, at, wait, next, show",
                 l.words[0]);
}

/* ---- birth ------------------------------------------------------------------------------------------------------- */

size_t knell_fail_script_size(const struct knell_fail_program *program)
{
    return (size_t)knell_fail_instance_count(program) * knell_fail_variable_count(program) * sizeof(int64_t) + 8;
}

bool knell_fail_script_read(void *script, uint32_t instance, uint32_t variable, int64_t *value)
{
    *value = *value_of(script, instance, variable);
    return true;
}

void knell_fail_script_init(struct knell_fail_script *script, const struct knell_fail_program *program, int64_t *values)
{
    memset(script, 0, sizeof *script);
    script->program = program;
    script->values = values;
}
