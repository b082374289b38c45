/* main.c: knell <command> [<subcommand>] [options]: finds the command in the table and runs it. It knows no options
 * but --help and --version, -h and -V. */
#include "cli/commands.h"
#include "cli/common/suggest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* `path` is what was typed so far: "knell" or "knell sim". */
static int help(const char *path, const struct command *table)
{
    printf("Usage: %s <command> [options]\n\nCommands:\n", path);
    for (const struct command *c = table; c->name; c++)
        printf("  %-10s  %s\n", c->name, c->summary);
    printf("\n`%s <command> --help` explains one of them.\n", path);
    return EXIT_OK;
}

static int unknown(const char *path, const struct command *table, const char *word)
{
    struct suggestion s = {.word = word};

    for (const struct command *c = table; c->name; c++)
        suggestion_offer(&s, c->name);
    if (s.best)
        fprintf(stderr, "%s: unknown command '%.40s', did you mean '%s'?\n", path, word, s.best);
    else
        fprintf(stderr, "%s: unknown command '%.40s'; `%s --help` lists them\n", path, word, path);
    return EXIT_USAGE;
}

static const struct command *find(const struct command *table, const char *name)
{
    for (const struct command *c = table; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

/* "help sim ring" becomes "sim ring --help". */
static void turn_help(int argc, char **argv)
{
    static char word[] = "--help";

    memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof *argv);
    argv[argc - 1] = word;
}

static int dispatch(const char *path, const struct command *table, int argc, char **argv)
{
    char deeper[64];
    const struct command *c;

    if (argc < 2) {
        fprintf(stderr, "%s: a command is missing; `%s --help` lists them\n", path, path);
        return EXIT_USAGE;
    }
    if (argc > 2 && strcmp(argv[1], "help") == 0)
        turn_help(argc, argv);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(path, table);
    c = find(table, argv[1]);
    if (!c)
        return unknown(path, table, argv[1]);
    if (c->run)
        return c->run(argc - 1, argv + 1);
    snprintf(deeper, sizeof deeper, "%s %s", path, c->name);
    return dispatch(deeper, c->commands, argc - 1, argv + 1);
}

static int run(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        puts("knell " KNELL_VERSION);
        return EXIT_OK;
    }
    return dispatch("knell", commands, argc, argv);
}

/* Commands report themselves if they cannot write their results; the output of help and version is checked here. */
int main(int argc, char **argv)
{
    int status = run(argc, argv);

    if (status == EXIT_OK && (fflush(stdout) != 0 || ferror(stdout))) {
        fprintf(stderr, "knell: cannot write the output: %s\n", strerror(errno));
        status = EXIT_FAILED;
    }
    return status;
}
