/* zsh.c: the script for zsh: one function per command, which passes its options to _arguments. */
#include "cli/completion/completion.h"

#include <string.h>

static const char head[] = "#compdef knell\n"
                           "# Completion of knell for zsh, written by `knell completion zsh`.\n"
                           "\n"
                           "_knell_program()\n"
                           "{\n"
                           "    _alternative 'files:program:_files' 'commands:command:_command_names -e'\n"
                           "}\n";

static const char tail[] =
    "\n"
    "# Autoloaded, it is called for the first word already; read by eval, it makes itself known.\n"
    "if [[ ${funcstack[1]} == _knell ]]; then\n"
    "    _knell \"$@\"\n"
    "else\n"
    "    compdef _knell knell\n"
    "fi\n";

/* The function for "sim ring" is _knell_sim_ring. */
static void write_name(FILE *out, const char *path)
{
    fputs("_knell", out);
    if (*path)
        fputc('_', out);
    for (; *path; path++)
        fputc(*path == ' ' ? '_' : *path, out);
}

/* Quotes text within '...' for _arguments, where brackets end an explanation and colons end a part. */
static void write_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fputc('\\', out);
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, out);
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void write_value(FILE *out, const struct option *o)
{
    static const char *const actions[] = {[COMPLETION_ANY] = " ",
                                          [COMPLETION_FILE] = "_files",
                                          [COMPLETION_DIR] = "_directories",
                                          [COMPLETION_PROGRAM] = "_knell_program"};
    enum completion_value value = completion_value_of(o);
    if (value == COMPLETION_NONE)
        return;
    fputc(':', out);
    write_quoted(out, option_has_dashes(o) && o->arg ? o->arg : o->name, ":");
    fputc(':', out);
    if (value != COMPLETION_WORDS) {
        fputs(actions[value], out);
        return;
    }
    for (size_t i = 0; o->words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "(", o->words[i]);
    fputc(')', out);
}

/* `sign` is "=" if a value may follow it. */
static void write_option(FILE *out, const struct option *o, const char *dashes, const char *name, const char *sign)
{
    fprintf(out, " \\\n        '%s%s%s%s[", o->kind == OPTION_TEXTS ? "*" : "", dashes, name, sign);
    write_quoted(out, o->help, "[]:\\");
    fputc(']', out);
    write_value(out, o);
    fputc('\'', out);
}

static void write_operand(FILE *out, const struct option *o)
{
    bool program = o->kind == OPTION_PROGRAM;
    fprintf(out, " \\\n        '%s", program ? "(-)1" : o->max > 1 ? "*" : "1");
    write_value(out, o);
    fputs(program ? "' \\\n        '*::argument:_normal'" : "'", out);
}

static void write_command(FILE *out, const char *path, const struct option *options, size_t n)
{
    fputc('\n', out);
    write_name(out, path);
    fputs("()\n{\n    _arguments '(- *)--help[this command explained]'", out);
    for (size_t i = 0; i < n; i++) {
        const struct option *o = &options[i];
        if (!option_has_dashes(o)) {
            write_operand(out, o);
            continue;
        }
        write_option(out, o, "--", o->name, o->kind == OPTION_FLAG ? "" : "=");
        for (size_t b = 0; b < COUNT_OF(o->brief) && o->brief[b]; b++)
            write_option(out, o, "-", o->brief[b], "");
    }
    fputs("\n}\n", out);
}

/* ---- levels ------------------------------------------------------------------------------------------------------ */

static void write_level(FILE *out, const char *path, const struct command *table)
{
    fputc('\n', out);
    write_name(out, path);
    fputs("()\n{\n    local curcontext=$curcontext state line ret=1\n    local -a commands=(", out);
    for (const struct command *c = table; c->name; c++) {
        fprintf(out, "\n        '%s:", c->name);
        write_quoted(out, c->summary, "");
        fputc('\'', out);
    }
    fputs("\n    )\n    _arguments -C '(- *)--help[the commands]'", out);
    if (!*path)
        fputs(" '(- *)'{-V,--version}'[the version]'", out);
    fputs(" '1: :->command' '*:: :->rest' && ret=0\n"
          "    case $state in\n"
          "    command) _describe -t commands command commands && ret=0 ;;\n"
          "    rest) ",
          out);
    write_name(out, path);
    fputs("_${words[1]} 2>/dev/null && ret=0 ;;\n    esac\n    return ret\n}\n", out);
}

void completion_zsh(FILE *out, const struct command *table)
{
    fputs(head, out);
    completion_each(out, table, write_command);
    completion_each_level(out, table, write_level);
    fputs(tail, out);
}
