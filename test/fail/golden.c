/* Golden tests of FAIL. A file is a list of cases:
 *
 *      check [-D NAME=N ...] [for EFFECTOR]      or    run [seed=N] [delay=T] [messages=N] [burst=N] [json]
 *      the scenario                                    or    platform SETTINGS until=T
 *      --                      (run only)
 *      the script
 *      ----
 *      the expected output, up to an empty line
 *
 * Lines between cases that begin with # are comments. `--rewrite FILE...` writes what comes out into the files
 * instead of comparing: look at the difference before committing it. */
#include "fail/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char world_memory[1 << 22] __attribute__((aligned(8)));
static char program_memory[1 << 22] __attribute__((aligned(8)));
static int64_t values[1 << 16];

struct text {
    char *bytes;
    size_t length;
    size_t room;
};

static void append(struct text *t, const char *bytes, size_t length)
{
    if (t->length + length + 1 > t->room) {
        t->room = (t->length + length + 1) * 2;
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes)
            abort();
    }
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

static void append_line(void *driver, const char *line)
{
    append(driver, line, strlen(line));
    append(driver, "\n", 1);
}

struct report {
    struct text *out;
    const struct knell_fail_source *source;
    bool quiet; /* without warnings: a script sends what nobody in the scenario does */
};

static void append_note(void *driver, const struct knell_fail_note *note)
{
    struct report *r = driver;
    char text[1024];
    size_t length = knell_fail_note_format(r->source, note, text, sizeof text);

    if (r->quiet && note->severity == KNELL_FAIL_WARNING)
        return;
    append(r->out, text, length < sizeof text ? length : sizeof text - 1);
}

/* ---- verbs ------------------------------------------------------------------------------------------------------- */

static const struct knell_fail_program *compile(struct report *report, char *options)
{
    struct knell_fail_reporter reporter = {report, append_note};
    struct knell_fail_define defines[8];
    const struct knell_fail_program *program;
    uint32_t count = 0;

    for (char *d = strstr(options, "-D "); d && count < 8; d = strstr(d + 1, "-D ")) {
        char *equals = strchr(d, '=');

        *equals = '\0';
        defines[count++] = (struct knell_fail_define){d + 3, strtoll(equals + 1, NULL, 10)};
        d = equals;
    }
    if (knell_fail_compile(report->source, defines, count, &reporter, program_memory, sizeof program_memory,
                           &program) != 0)
        return NULL;
    return program;
}

static void run_check(const struct knell_fail_source *source, char *options, struct text *out)
{
    struct report report = {out, source, false};
    struct knell_fail_reporter reporter = {&report, append_note};
    char *effector = strstr(options, "for ");
    const struct knell_fail_program *program = compile(&report, options);

    if (program && effector)
        knell_fail_require(program, knell_fail_effector_find(effector + 4), &reporter);
    if (out->length == 0)
        append_line(out, "ok");
}

static int64_t option(const char *options, const char *name)
{
    const char *found = strstr(options, name);
    char word[32];
    knell_time time;

    if (!found || sscanf(found + strlen(name), "%31s", word) != 1)
        return 0;
    return knell_fail_parse_time(word, &time) ? strtoll(word, NULL, 10) : time;
}

static void run_lines(struct knell_fail_script *s, char *script, struct text *out)
{
    knell_fail_script_settle(s);
    for (char *line = strtok(script, "\n"); line; line = strtok(NULL, "\n")) {
        append(out, "> ", 2);
        append_line(out, line);
        if (knell_fail_script_line(s, line) != 0)
            append_line(out, s->why);
    }
}

static void run_script(const struct knell_fail_source *source, char *options, char *script, struct text *out)
{
    struct report report = {out, source, true};
    struct knell_fail_script s;
    struct knell_fail_config config = {
        .seed = (uint64_t)option(options, "seed="),
        .message_delay = option(options, "delay="),
        .messages = (uint32_t)option(options, "messages="),
        .rules_per_instant = (uint32_t)option(options, "burst="),
        .driver = &s,
        .read = knell_fail_script_read,
    };
    const struct knell_fail_program *program = compile(&report, options);

    if (!program)
        return;
    memset(values, 0, sizeof values);
    knell_fail_script_init(&s, program, values);
    s.sink = (struct knell_fail_sink){out, append_line};
    s.json = strstr(options, "json") != NULL;
    if (knell_fail_world_size(program, &config) > sizeof world_memory ||
        knell_fail_world_init(world_memory, program, &config, 0, &s.world) != 0) {
        append_line(out, "no world");
        return;
    }
    run_lines(&s, script, out);
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

/* Up to a line that is exactly `end`; the cursor goes behind it. NULL: there is none. */
static char *cut_until(char **cursor, const char *end)
{
    size_t length = strlen(end);
    char *start = *cursor;

    for (char *line = start; line;) {
        char *newline = strchr(line, '\n');

        if (strncmp(line, end, length) == 0 && (line[length] == '\n' || line[length] == '\0')) {
            *line = '\0';
            *cursor = newline ? newline + 1 : line + length;
            return start;
        }
        line = newline ? newline + 1 : NULL;
    }
    return NULL;
}

struct golden {
    const char *file;
    char *cursor;
    struct text rewritten;
    unsigned cases;
    unsigned failed;
    bool rewrite;
};

static void check_output(struct golden *g, const char *head, const char *expected, const struct text *out)
{
    const char *got = out->bytes ? out->bytes : "";

    g->cases++;
    append(&g->rewritten, got, strlen(got));
    if (strcmp(expected, got) == 0 || g->rewrite)
        return;
    g->failed++;
    printf("%s: case %u, %s\nexpected:\n%sgot:\n%s\n", g->file, g->cases, head, expected, got);
}

static void run_case(struct golden *g, char *head, char *scenario, char *script, const char *expected)
{
    struct knell_fail_source source = {"test.fail", scenario, strlen(scenario)};
    struct text out = {0};
    char options[256];

    snprintf(options, sizeof options, "%s", head);
    if (strncmp(head, "run", 3) == 0)
        run_script(&source, options, script, &out);
    else
        run_check(&source, options, &out);
    check_output(g, head, expected, &out);
    free(out.bytes);
}

/* Comments and empty lines between cases; false: the end. */
static bool skip_to_case(struct golden *g)
{
    while (*g->cursor == '\n' || *g->cursor == '#') {
        size_t length = strcspn(g->cursor, "\n") + 1;

        append(&g->rewritten, g->cursor, length);
        g->cursor += length;
    }
    return *g->cursor != '\0';
}

static bool next_case(struct golden *g)
{
    char *head = g->cursor, *scenario, *script = NULL, *expected, *start, *divider;

    if (!skip_to_case(g))
        return false;
    head = g->cursor;
    g->cursor += strcspn(g->cursor, "\n");
    *g->cursor++ = '\0';
    start = g->cursor;
    scenario = cut_until(&g->cursor, "----");
    if (!scenario) {
        printf("%s: a case without ----\n", g->file);
        exit(2);
    }
    append_line(&g->rewritten, head);
    append(&g->rewritten, scenario, strlen(scenario));
    append_line(&g->rewritten, "----");
    divider = strncmp(head, "run", 3) == 0 ? strstr(start, "\n--\n") : NULL;
    if (divider) {
        divider[1] = '\0';
        script = divider + 4;
    }
    expected = cut_until(&g->cursor, "");
    if (!expected) {
        expected = g->cursor;
        g->cursor += strlen(g->cursor);
    }
    run_case(g, head, scenario, script ? script : start + strlen(start), expected);
    append(&g->rewritten, "\n", 1);
    return true;
}

static char *read_file(const char *file)
{
    FILE *f = fopen(file, "rb");
    char *text = calloc(1, 1 << 20);
    size_t size = f && text ? fread(text, 1, (1 << 20) - 1, f) : 0;

    if (!f || size == 0) {
        printf("%s: cannot be read\n", file);
        exit(2);
    }
    fclose(f);
    return text;
}

static unsigned run_file(const char *file, bool rewrite)
{
    char *text = read_file(file);
    struct golden g = {.file = file, .cursor = text, .rewrite = rewrite};

    while (next_case(&g))
        continue;
    if (rewrite) {
        FILE *f = fopen(file, "wb");

        while (g.rewritten.length > 1 && strcmp(g.rewritten.bytes + g.rewritten.length - 2, "\n\n") == 0)
            g.rewritten.bytes[--g.rewritten.length] = '\0';
        if (!f || fwrite(g.rewritten.bytes, 1, g.rewritten.length, f) != g.rewritten.length || fclose(f) != 0)
            printf("%s: cannot be written\n", file);
    }
    printf("%s: %u cases, %u failed\n", file, g.cases, g.failed);
    free(g.rewritten.bytes);
    free(text);
    return g.failed + (g.cases == 0);
}

int main(int argc, char **argv)
{
    bool rewrite = argc > 1 && strcmp(argv[1], "--rewrite") == 0;
    unsigned failed = 0;

    for (int i = rewrite ? 2 : 1; i < argc; i++)
        failed += run_file(argv[i], rewrite);
    return failed > 0 || argc < 2;
}
