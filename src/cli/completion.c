/* knell completion: a script with which bash or zsh completes commands, options and their values. It is made out of the tables
 * that parse the command lines, so it knows what they know. */
#include "cli/completion.h"
#include "cli/commands.h"
#include "cli/output.h"

#include <assert.h>
#include <string.h>

static const char *const shells[] = {"bash", "zsh", NULL};

static const struct knell_usage usage = {
    .command = "knell completion",
    .summary = "Writes a script with which a shell completes knell's commands, options and their values.",
    .notes = "`make install` puts both where shells look for them: share/bash-completion/completions/knell and "
             "share/zsh/site-functions/_knell.\n",
    .examples = "  eval \"$(knell completion bash)\"        # for this shell; in ~/.bashrc for all\n"
                "  eval \"$(knell completion zsh)\"         # after compinit\n",
};

/* ---- the way through all tables -------------------------------------------------------------------------------------------- */

enum { PATH = 64 };

struct walk {
    FILE *out;
    const char *path;
    knell__completion_options *each;
};

static void on_table(void *context, const struct knell_usage *of, const struct knell_option *options, size_t n)
{
    const struct walk *walk = context;
    (void)of;
    walk->each(walk->out, walk->path, options, n);
}

/* A command that is run under a visitor shows its table, and does nothing else. */
static void visit(const struct knell_command *command, const char *path, FILE *out, knell__completion_options *each)
{
    struct walk walk = {out, path, each};
    char name[PATH], *argv[] = {name, NULL};
    snprintf(name, sizeof name, "%s", command->name);
    knell__options_visit(on_table, &walk);
    command->run(1, argv);
    knell__options_visit(NULL, NULL);
}

static void join(char path[PATH], const char *above, const char *name)
{
    snprintf(path, PATH, "%.40s%s%.20s", above, *above ? " " : "", name);
}

static void each_below(const char *above, const struct knell_command *table, FILE *out, knell__completion_options *each)
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

void knell__completion_each(FILE *out, knell__completion_options *each)
{
    each_below("", knell__commands, out, each);
}

static void each_level(const char *above, const struct knell_command *table, FILE *out,
                       knell__completion_commands *each)
{
    char path[PATH];
    each(out, above, table);
    for (; table->name; table++)
        if (table->commands) {
            join(path, above, table->name);
            each_level(path, table->commands, out, each);
        }
}

void knell__completion_each_level(FILE *out, knell__completion_commands *each)
{
    each_level("", knell__commands, out, each);
}

enum knell__completion_value knell__completion_value_of(const struct knell_option *o)
{
    const char *arg = knell__option_has_dashes(o) ? o->arg : o->name;
    if (o->kind == KNELL_OPTION_FLAG)
        return KNELL__VALUE_NONE;
    if (o->kind == KNELL_OPTION_PROGRAM)
        return KNELL__VALUE_PROGRAM;
    if (o->words)
        return KNELL__VALUE_WORDS;
    if (arg && strcmp(arg, "FILE") == 0)
        return KNELL__VALUE_FILE;
    return arg && strcmp(arg, "DIR") == 0 ? KNELL__VALUE_DIR : KNELL__VALUE_ANY;
}

/* ---- the command ----------------------------------------------------------------------------------------------------------- */

static int write_script(const char *shell)
{
    struct knell_output out;
    int status = knell_output_begin(&out, &usage);
    if (status != KNELL_EXIT_OK)
        return status;
    (strcmp(shell, "zsh") == 0 ? knell__completion_zsh : knell__completion_bash)(out.f);
    return knell_output_commit(&out, &usage);
}

int knell__command_completion(int argc, char **argv)
{
    struct knell_texts given = {0};
    struct knell_option options[] = {KNELL_OPT_OPERANDS("SHELL", &given, 1, 1, "bash or zsh")};
    options[0].words = shells;
    int status = knell_options_parse(&usage, options, KNELL_COUNT(options), argc, argv);
    if (status >= 0)
        return status;
    assert(given.items[0]); /* as the options say: one, no less */
    if (strcmp(given.items[0], "bash") != 0 && strcmp(given.items[0], "zsh") != 0)
        return knell__cli_fail(&usage, "SHELL %.40s: must be bash or zsh", given.items[0]);
    return write_script(given.items[0]);
}
