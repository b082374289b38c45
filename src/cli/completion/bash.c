/* bash.c: the script for bash. Its three tables come from the tables of the commands; the rest is fixed text. The
 * script needs only bash; where bash-completion is installed, it completes the arguments of a program with the
 * program's own completion. */
#include "cli/completion/completion.h"

static const char head[] = "# Completion of knell for bash, written by `knell completion bash`.\n";

static const char machine[] =
    "\n"
    "_knell_files() # -f or -d\n"
    "{\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "# The program, whose place among the words is $1, or its arguments.\n"
    "_knell_program()\n"
    "{\n"
    "    local first=$1\n"
    "    [[ ${COMP_WORDS[first]} == -- ]] && ((first++))\n"
    "    if ((COMP_CWORD > first)) && declare -F _command_offset >/dev/null; then\n"
    "        _command_offset \"$first\"\n"
    "    else\n"
    "        _knell_files -f\n"
    "        ((COMP_CWORD > first)) || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <([[ -z $cur ]] || compgen -c -- \"$cur\")\n"
    "    fi\n"
    "}\n"
    "\n"
    "_knell()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} path='' value='' word i\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $value ]]; then # of the option before; bash splits --option=value into three words\n"
    "            [[ $word == '=' ]] || value=''\n"
    "        elif [[ $word == -?* && $word != -- ]]; then\n"
    "            value=$(_knell_value \"$path $word\")\n"
    "        elif [[ \" $(_knell_commands \"$path\") \" == *\" $word \"* ]]; then\n"
    "            path=${path:+$path }$word\n"
    "        elif [[ $(_knell_value \"$path operand\") == '<program>' ]]; then\n"
    "            _knell_program \"$i\"\n"
    "            return\n"
    "        fi\n"
    "    done\n"
    "    [[ $cur != '=' ]] || cur=''\n"
    "    if [[ ! $value && $cur == -* ]]; then\n"
    "        value=\"$(_knell_options \"$path\") --help\"\n"
    "    elif [[ ! $value ]]; then\n"
    "        value=$(_knell_commands \"$path\")\n"
    "        [[ $value ]] || value=$(_knell_value \"$path operand\")\n"
    "    fi\n"
    "    case $value in\n"
    "    '' | '<any>') ;;\n"
    "    '<file>') _knell_files -f ;;\n"
    "    '<dir>') _knell_files -d ;;\n"
    "    '<program>') _knell_program \"$COMP_CWORD\" ;;\n"
    "    *) mapfile -t COMPREPLY < <(compgen -W \"$value\" -- \"$cur\") ;;\n"
    "    esac\n"
    "}\n"
    "complete -F _knell knell\n";

static void write_commands(FILE *out, const char *path, const struct command *table)
{
    fprintf(out, "    '%s') echo '", path);
    for (const struct command *c = table; c->name; c++)
        fprintf(out, "%s%s", c == table ? "" : " ", c->name);
    fputs("' ;;\n", out);
}

static void write_options(FILE *out, const char *path, const struct option *options, size_t n)
{
    fprintf(out, "    '%s') echo '", path);
    for (size_t i = 0; i < n; i++) {
        if (option_has_dashes(&options[i]))
            fprintf(out, "--%s ", options[i].name);
        for (size_t b = 0; b < COUNT_OF(options[i].brief) && options[i].brief[b]; b++)
            fprintf(out, "-%s ", options[i].brief[b]);
    }
    fputs("' ;;\n", out);
}

/* 'run --ranks' | 'run --nodes' | 'run -n') */
static void write_names(FILE *out, const char *path, const struct option *o)
{
    if (!option_has_dashes(o)) {
        fprintf(out, "    '%s operand') ", path);
        return;
    }
    fprintf(out, "    '%s --%s'", path, o->name);
    if (o->alias)
        fprintf(out, " | '%s --%s'", path, o->alias);
    for (size_t b = 0; b < COUNT_OF(o->brief) && o->brief[b]; b++)
        fprintf(out, " | '%s -%s'", path, o->brief[b]);
    fputs(") ", out);
}

static void write_words(FILE *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
}

static void write_values(FILE *out, const char *path, const struct option *options, size_t n)
{
    static const char *const kinds[] = {[COMPLETION_ANY] = "<any>",
                                        [COMPLETION_FILE] = "<file>",
                                        [COMPLETION_DIR] = "<dir>",
                                        [COMPLETION_PROGRAM] = "<program>"};
    for (size_t i = 0; i < n; i++) {
        enum completion_value value = completion_value_of(&options[i]);
        if (value == COMPLETION_NONE)
            continue;
        write_names(out, path, &options[i]);
        fputs("echo '", out);
        if (value == COMPLETION_WORDS)
            write_words(out, options[i].words);
        else
            fputs(kinds[value], out);
        fputs("' ;;\n", out);
    }
}

void completion_bash(FILE *out, const struct command *table)
{
    fputs(head, out);
    fputs("\n# The commands below what was typed.\n_knell_commands()\n{\n    case $1 in\n", out);
    completion_each_level(out, table, write_commands);
    fputs(
        "    esac\n}\n\n# The options of a command.\n_knell_options()\n{\n    case $1 in\n    '') echo '--version -V' ;;\n",
        out);
    completion_each(out, table, write_options);
    fputs(
        "    esac\n}\n\n# What follows an option, or a command: words, or what they are; nothing where nothing does.\n"
        "_knell_value()\n{\n    case $1 in\n",
        out);
    completion_each(out, table, write_values);
    fputs("    esac\n}\n", out);
    fputs(machine, out);
}
