/* completion.c: `knell completion`: writes a script with which bash or zsh completes commands, options and their
 * values. The script is generated from the tables that parse the command lines, so it always matches them. */
#include "cli/completion/completion.h"
#include "cli/common/output.h"

#include <assert.h>
#include <string.h>

static const char *const shells[] = {"bash", "zsh", NULL};

static const struct usage usage = {
    .command = "knell completion",
    .summary = "Writes a script with which a shell completes knell's commands, options and their values.",
    .notes = "`make install` puts both where shells look for them: share/bash-completion/completions/knell and "
             "share/zsh/site-functions/_knell.\n",
    .examples = "  eval \"$(knell completion bash)\"        # for this shell; in ~/.bashrc for all\n"
                "  eval \"$(knell completion zsh)\"         # after compinit\n",
};

/* ---- the walk through all tables --------------------------------------------------------------------------------- */

enum { PATH = 64 };

struct walk {
    FILE *out;
    const char *path;
    completion_options *each;
};

static void on_table(void *context, const struct usage *of, const struct option *options, size_t n)
{
    const struct walk *walk = context;
    (void)of;
    walk->each(walk->out, walk->path, options, n);
}

/* While a visitor is set, a command passes its table to the visitor and does nothing else. */
static void visit(const struct command *command, const char *path, FILE *out, completion_options *each)
{
    struct walk walk = {out, path, each};
    char name[PATH], *argv[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    options_visit(on_table, &walk);
    command->run(1, argv);
    options_visit(NULL, NULL);
}

static void join(char path[PATH], const char *above, const char *name)
{
    snprintf(path, PATH, "%.40s%s%.20s", above, *above ? " " : "", name);
}

static void each_below(const char *above, const struct command *table, FILE *out, completion_options *each)
{
    char path[PATH];
    for (; table->name; table++) {
        join(path, above, table->name);
        if (table->run)
            visit(table, path, out, each);
        else
            each_below(path, table->commands, out, each);
    }
}

void completion_each(FILE *out, const struct command *table, completion_options *each)
{
    each_below("", table, out, each);
}

static void each_level(const char *above, const struct command *table, FILE *out, completion_commands *each)
{
    char path[PATH];
    each(out, above, table);
    for (; table->name; table++)
        if (table->commands) {
            join(path, above, table->name);
            each_level(path, table->commands, out, each);
        }
}

void completion_each_level(FILE *out, const struct command *table, completion_commands *each)
{
    each_level("", table, out, each);
}

enum completion_value completion_value_of(const struct option *o)
{
    const char *arg = option_has_dashes(o) ? o->arg : o->name;
    if (o->kind == OPTION_FLAG)
        return COMPLETION_NONE;
    if (o->kind == OPTION_PROGRAM)
        return COMPLETION_PROGRAM;
    if (o->words)
        return COMPLETION_WORDS;
    if (arg && strcmp(arg, "FILE") == 0)
        return COMPLETION_FILE;
    return arg && strcmp(arg, "DIR") == 0 ? COMPLETION_DIR : COMPLETION_ANY;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int write_script(const struct command *table, const char *shell)
{
    struct output out;
    int status = output_begin(&out, &usage);
    if (status != EXIT_OK)
        return status;
    (strcmp(shell, "zsh") == 0 ? completion_zsh : completion_bash)(out.f, table);
    return output_commit(&out, &usage);
}

int completion_command(const struct command *table, int argc, char **argv)
{
    struct texts given = {0};
    struct option options[] = {OPT_OPERANDS("SHELL", &given, 1, 1, "bash or zsh")};
    options[0].words = shells;
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    assert(given.items[0]); /* the options require exactly one */
    if (strcmp(given.items[0], "bash") != 0 && strcmp(given.items[0], "zsh") != 0)
        return cli_usage_error(&usage, "SHELL %.40s: must be bash or zsh", given.items[0]);
    return write_script(table, given.items[0]);
}
