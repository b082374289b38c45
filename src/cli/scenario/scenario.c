/* scenario.c: see scenario.h. */
#include "cli/scenario/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* One block of memory: the pointers, then the texts of the arguments that are rewritten. */
char **scenario_long_options(const struct usage *usage, int argc, char **argv)
{
    size_t size = ((size_t)argc + 1) * sizeof *argv;
    char **out, *text;

    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + sizeof "--define=";
    out = malloc(size);
    if (!out) {
        cli_failure(usage, "no memory for the command line");
        return NULL;
    }
    text = (char *)(out + argc + 1);
    for (int i = 0; i < argc; i++) {
        out[i] = text;
        if (strncmp(argv[i], "-D", 2) == 0 && argv[i][2] != '\0')
            text += sprintf(text, "--define=%s", argv[i] + 2) + 1;
        else
            text += sprintf(text, "%s",
                            strcmp(argv[i], "-D") == 0   ? "--define"
                            : strcmp(argv[i], "-o") == 0 ? "--output"
                                                         : argv[i]) +
                    1;
    }
    out[argc] = NULL;
    return out;
}

/* "X=5" */
static int parse_define(const struct usage *usage, const char *text, char *name, struct knell_fail_define *define)
{
    size_t length = strcspn(text, "=");

    if (text[length] != '=' || length == 0 || length > KNELL_FAIL_NAME_MAX ||
        parse_integer(text + length + 1, &define->value) != NULL)
        return cli_usage_error(usage, "-D %.80s: must be NAME=N, N a whole number", text);
    memcpy(name, text, length);
    name[length] = '\0';
    define->name = name;
    return -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

char *scenario_read_file(const struct usage *usage, const char *file, size_t limit, size_t *size)
{
    FILE *f = strcmp(file, "-") == 0 ? stdin : fopen(file, "re");
    char *text = malloc(limit + 2);

    if (!f)
        cli_usage_error(usage, "%.200s: %s", file, strerror(errno));
    else if (!text)
        cli_failure(usage, "no memory for %.200s", file);
    if (f && text) {
        *size = fread(text, 1, limit + 1, f);
        if (ferror(f))
            cli_usage_error(usage, "%.200s: %s", file, strerror(errno));
        else if (*size > limit)
            cli_usage_error(usage, "%.200s: more than %zu bytes", file, limit);
        if (ferror(f) || *size > limit) {
            free(text);
            text = NULL;
        } else {
            text[*size] = '\0';
        }
    } else {
        free(text);
        text = NULL;
    }
    if (f && f != stdin)
        fclose(f);
    return text;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

static void print_note(void *driver, const struct knell_fail_note *note)
{
    struct scenario *s = driver;
    char line[2048];

    if (note->severity == KNELL_FAIL_ERROR)
        s->errors++;
    else
        s->warnings++;
    if (s->silent)
        return;
    knell_fail_note_format(&s->source, note, line, sizeof line);
    fputs(line, stderr);
    if (strlen(line) == sizeof line - 1) /* a line of the scenario that was too long to show */
        fputc('\n', stderr);
}

static int compile(const struct usage *usage, const struct knell_fail_define *defines, uint32_t count,
                   struct scenario *s)
{
    struct knell_fail_reporter reporter = {s, print_note};
    size_t room = knell_fail_program_room(s->source.size, count);
    int result;

    s->memory = malloc(room);
    if (!s->memory)
        return cli_failure(usage, "no memory for %.200s", s->source.name);
    result = knell_fail_compile(&s->source, defines, count, &reporter, s->memory, room, &s->program);
    return result == 0 ? EXIT_OK : EXIT_FAILED;
}

struct defines {
    struct knell_fail_define define[TEXTS_MAX];
    char name[TEXTS_MAX][KNELL_FAIL_NAME_MAX + 1];
};

static int parse_defines(const struct usage *usage, const struct texts *texts, struct defines *defines)
{
    for (size_t i = 0; i < texts->n; i++) {
        if (parse_define(usage, texts->items[i], defines->name[i], &defines->define[i]) >= 0)
            return EXIT_USAGE;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(defines->name[k], defines->name[i]) == 0)
                return cli_usage_error(usage, "-D %s: given twice", defines->name[i]);
        }
    }
    return EXIT_OK;
}

static int open_file(const struct usage *usage, const char *file, const struct texts *texts, bool silent,
                     struct scenario *scenario)
{
    struct defines defines;

    memset(scenario, 0, sizeof *scenario);
    scenario->silent = silent;
    if (parse_defines(usage, texts, &defines) != EXIT_OK)
        return EXIT_USAGE;
    scenario->source.name = strcmp(file, "-") == 0 ? "standard input" : file;
    scenario->source.text = scenario_read_file(usage, file, KNELL_FAIL_SOURCE_MAX, &scenario->source.size);
    if (!scenario->source.text)
        return EXIT_USAGE;
    return compile(usage, defines.define, (uint32_t)texts->n, scenario);
}

int scenario_open(const struct usage *usage, const char *file, const struct texts *texts, struct scenario *scenario)
{
    return open_file(usage, file, texts, false, scenario);
}

int scenario_peek(const struct usage *usage, const char *file, const struct texts *texts, struct scenario *scenario)
{
    return open_file(usage, file, texts, true, scenario);
}

int scenario_compile(const struct usage *usage, const char *name, char *text, size_t size, const struct texts *texts,
                     struct scenario *scenario)
{
    struct defines defines;

    memset(scenario, 0, sizeof *scenario);
    scenario->source = (struct knell_fail_source){.name = name, .text = text, .size = size};
    if (parse_defines(usage, texts, &defines) != EXIT_OK)
        return EXIT_USAGE;
    return compile(usage, defines.define, (uint32_t)texts->n, scenario);
}

void scenario_close(struct scenario *scenario)
{
    free((char *)scenario->source.text);
    free(scenario->memory);
}

int scenario_require(struct scenario *scenario, const struct knell_fail_effector *effector)
{
    struct knell_fail_reporter reporter = {scenario, print_note};

    return knell_fail_require(scenario->program, effector, &reporter) == 0 ? EXIT_OK : EXIT_FAILED;
}
