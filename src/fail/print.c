/* A record as a line: sequence number, time in seconds, daemon, line of the rule, what happened. The text is for
 * people, the JSON for programs; neither changes without a note in CHANGELOG.md, because runs are compared by their
 * logs. */
#include "fail/program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)

struct pen {
    char *buffer;
    size_t size;
    size_t length;
    bool json;
    const struct knell_fail_program *program;
};

static void write(struct pen *pen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write(struct pen *pen, const char *format, ...)
{
    bool room = pen->length < pen->size;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(room ? pen->buffer + pen->length : NULL, room ? pen->size - pen->length : 0, format, args);
    va_end(args);
    pen->length += n > 0 ? (size_t)n : 0;
}

static void put(struct pen *pen, const char *text)
{
    for (; *text; text++, pen->length++) {
        if (pen->length + 1 < pen->size) {
            pen->buffer[pen->length] = *text;
            pen->buffer[pen->length + 1] = '\0';
        }
    }
}

/* Strings of a scenario hold no control characters; quotes and backslashes are escaped, twice when they are
 * themselves in a JSON string. */
static void write_text(struct pen *pen, const char *text)
{
    put(pen, pen->json ? "\\\"" : "\"");
    for (; *text; text++) {
        char c[2] = {*text, '\0'};

        if (*text == '"')
            put(pen, pen->json ? "\\\\\\\"" : "\\\"");
        else if (*text == '\\')
            put(pen, pen->json ? "\\\\\\\\" : "\\\\");
        else
            put(pen, c);
    }
    put(pen, pen->json ? "\\\"" : "\"");
}

static void write_instance(struct pen *pen, uint32_t instance)
{
    char name[KNELL_FAIL_NAME_MAX + 16];

    knell_fail_instance_name(pen->program, instance, name, sizeof name);
    write(pen, "%s", name);
}

static void write_instances(struct pen *pen, uint32_t first, uint32_t count)
{
    const struct knell_fail_place *place = &pen->program->places[knell_fail_instance_place(pen->program, first)].public;

    if (place->group && count == place->size && count > 1)
        write(pen, "(%s[*])", place->name);
    else {
        write(pen, "(");
        write_instance(pen, first);
        write(pen, ")");
    }
}

static void write_call(struct pen *pen, const char *word, const struct knell_fail_event *event)
{
    const struct knell_fail_function *f = &pen->program->functions[event->subject];

    write(pen, "%s(%s%s%s", word, f->library ? f->library : "", f->library ? ":" : "", f->symbol);
    if (event->count > 0)
        write(pen, "#%" PRIu64, event->count);
    if (event->type == KNELL_FAIL_INSIDE)
        write(pen, ", %" PRIu64, event->operation);
    if (event->symbol && knell_fail_function_is_family(pen->program, event->subject))
        write(pen, ", %s", event->symbol);
    write(pen, ")");
}

static void write_event(struct pen *pen, const struct knell_fail_event *event)
{
    switch (event->type) {
    case KNELL_FAIL_ONLOAD:
        write(pen, "onload");
        break;
    case KNELL_FAIL_ONEXIT:
        write(pen, "onexit");
        break;
    case KNELL_FAIL_ONERROR:
        write(pen, "onerror");
        break;
    case KNELL_FAIL_BEFORE:
        write_call(pen, "before", event);
        break;
    case KNELL_FAIL_AFTER:
        write_call(pen, "after", event);
        break;
    case KNELL_FAIL_INSIDE:
        write_call(pen, "inside", event);
        break;
    case KNELL_FAIL_WATCH:
        write(pen, "watch(%s)", pen->program->variables[event->subject]);
        break;
    case KNELL_FAIL_MESSAGE:
        write(pen, "?%s from ", pen->program->messages[event->subject]);
        write_instance(pen, event->sender);
        break;
    case KNELL_FAIL_TIMER:
        write(pen, "%s", pen->program->decls[event->subject].name);
        break;
    }
}

static const char *node_name(const struct pen *pen, uint32_t instance, uint32_t node)
{
    uint32_t daemon = pen->program->places[knell_fail_instance_place(pen->program, instance)].daemon;

    return pen->program->nodes[pen->program->daemons[daemon].nodes.first + node].name;
}

static void write_flip(struct pen *pen, const struct knell_fail_action *a)
{
    if (a->whole)
        write(pen, "flip(%" PRId64 ", %" PRId64 ")", a->value, a->whole);
    else if (a->subject == KNELL_FAIL_NO_SUBJECT)
        write(pen, "flip(%" PRId64 ")", a->value);
    else
        write(pen, "flip(%s, %" PRId64 ")", pen->program->variables[a->subject], a->value);
}

static void write_what(struct pen *pen, uint32_t instance, const struct knell_fail_action *a)
{
    static const char *const words[] = {
        [KNELL_FAIL_STAY] = "stay",         [KNELL_FAIL_HALT] = "halt", [KNELL_FAIL_STOP] = "stop",
        [KNELL_FAIL_CONTINUE] = "continue", [KNELL_FAIL_CUT] = "cut",   [KNELL_FAIL_HEAL] = "heal",
    };

    switch (a->type) {
    case KNELL_FAIL_SEND:
        write(pen, "!%s", pen->program->messages[a->subject]);
        write_instances(pen, a->first, a->count);
        break;
    case KNELL_FAIL_GOTO:
        write(pen, "goto %s", node_name(pen, instance, a->subject));
        break;
    case KNELL_FAIL_ASSIGN:
        write(pen, "%s = %" PRId64, a->text, a->value);
        break;
    case KNELL_FAIL_SET:
        write(pen, "%s = %" PRId64, pen->program->variables[a->subject], a->value);
        break;
    case KNELL_FAIL_SIGNAL:
        write(pen, "signal(%" PRId64 ")", a->value);
        break;
    case KNELL_FAIL_SLOW:
        write(pen, "slow(%" PRId64 ")", a->value);
        break;
    case KNELL_FAIL_FLIP:
        write_flip(pen, a);
        break;
    case KNELL_FAIL_LOG:
        write(pen, "log(");
        write_text(pen, a->text);
        write(pen, ")");
        break;
    case KNELL_FAIL_CUT:
    case KNELL_FAIL_HEAL:
        write(pen, "%s", words[a->type]);
        write_instances(pen, a->first, a->count);
        break;
    default:
        write(pen, "%s", words[a->type]);
    }
}

static void write_action(struct pen *pen, const struct knell_fail_record *record, const struct knell_fail_action *a)
{
    write_what(pen, record->instance, a);
    if (a->dropped > 0)
        write(pen, " (%u dropped, mailboxes full)", a->dropped);
    if (a->vain)
        write(pen, " (no effect)");
    if (a->implied)
        write(pen, " (implied)");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void write_outcome(struct pen *pen, const struct knell_fail_record *record)
{
    switch (record->outcome) {
    case KNELL_FAIL_FIRED:
        write(pen, " -> ");
        break;
    case KNELL_FAIL_NO_RULE:
        write(pen, ": no rule%s", record->action_count > 0 ? ", " : "");
        break;
    case KNELL_FAIL_WAITS:
        write(pen, ": waits");
        break;
    case KNELL_FAIL_NO_PROCESS:
        write(pen, ": no process");
        break;
    case KNELL_FAIL_DROPPED:
        write(pen, ": dropped, mailboxes full");
        break;
    case KNELL_FAIL_RESTS:
        write(pen, "error: too many messages at one instant, takes none for 1 ms");
        break;
    case KNELL_FAIL_FAULTY:
        break;
    }
}

static bool has_event(const struct knell_fail_record *record)
{
    return record->outcome != KNELL_FAIL_RESTS && record->outcome != KNELL_FAIL_FAULTY;
}

static void write_head(struct pen *pen, const struct knell_fail_record *record)
{
    char name[KNELL_FAIL_NAME_MAX + 16], line[16] = "-";

    knell_fail_instance_name(pen->program, record->instance, name, sizeof name);
    if (record->line > 0)
        snprintf(line, sizeof line, "%u", record->line);
    write(pen, "%6" PRIu64 " %6" PRId64 ".%09" PRId64 " %-8s %4s  ", record->sequence,
          (int64_t)(record->now / 1000000000), (int64_t)(record->now % 1000000000), name, line);
}

size_t knell_fail_record_text(const struct knell_fail_program *program, const struct knell_fail_record *record,
                              char *buffer, size_t size)
{
    struct pen pen = {buffer, size, 0, false, program};
    uint32_t faults = record->fault_count < KNELL_FAIL_FAULTS_MAX ? record->fault_count : KNELL_FAIL_FAULTS_MAX;

    write_head(&pen, record);
    if (has_event(record))
        write_event(&pen, &record->event);
    write_outcome(&pen, record);
    for (uint32_t i = 0; i < record->action_count; i++) {
        write(&pen, "%s", i > 0 ? ", " : "");
        write_action(&pen, record, &record->actions[i]);
    }
    if (record->outcome == KNELL_FAIL_FIRED && record->action_count == 0)
        write(&pen, "nothing");
    for (uint32_t i = 0; i < faults; i++) {
        const struct knell_fail_fault *f = &record->faults[i];

        write(&pen, "%serror at %u:%u: %s", i > 0 || has_event(record) ? "; " : "", f->line, f->column,
              knell_fail_fault_text(f->type));
    }
    if (record->fault_count > faults)
        write(&pen, "; and %u more", record->fault_count - faults);
    return pen.length;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_json_faults(struct pen *pen, const struct knell_fail_record *record)
{
    write(pen, ",\"errors\":[");
    for (uint32_t i = 0; i < record->fault_count && i < KNELL_FAIL_FAULTS_MAX; i++) {
        const struct knell_fail_fault *f = &record->faults[i];

        write(pen, "%s{\"line\":%u,\"column\":%u,\"text\":\"%s\"}", i > 0 ? "," : "", f->line, f->column,
              knell_fail_fault_text(f->type));
    }
    write(pen, "]}");
}

size_t knell_fail_record_json(const struct knell_fail_program *program, const struct knell_fail_record *record,
                              char *buffer, size_t size)
{
    static const char *const outcomes[] = {"fired", "no rule", "waits", "no process", "dropped", "rests", "faulty"};
    struct pen pen = {buffer, size, 0, true, program};

    write(&pen, "{\"seq\":%" PRIu64 ",\"time_s\":%" PRId64 ".%09" PRId64 ",\"daemon\":\"", record->sequence,
          record->now / SECOND, record->now % SECOND);
    write_instance(&pen, record->instance);
    write(&pen, "\",\"line\":%u,\"event\":\"", record->line);
    if (has_event(record))
        write_event(&pen, &record->event);
    write(&pen, "\",\"outcome\":\"%s\",\"actions\":[", outcomes[record->outcome]);
    for (uint32_t i = 0; i < record->action_count; i++) {
        write(&pen, "%s\"", i > 0 ? "," : "");
        write_action(&pen, record, &record->actions[i]);
        write(&pen, "\"");
    }
    write(&pen, "]");
    write_json_faults(&pen, record);
    return pen.length;
}
