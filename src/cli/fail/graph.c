/* graph.c: `knell fail graph`: the automata of a scenario as SVG. This file collects the contents, graph_svg.c draws
 * them. The texts are taken from the source, so that a param stays a name and an expression stays as written. */
#include "cli/fail/graph.h"
#include "cli/fail/fail.h"
#include "cli/scenario/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
    .command = "knell fail graph",
    .summary =
        "Draws the automata of a fault scenario as SVG: one panel per daemon, one box per node, an arrow from each "
        "rule to the node it goes to.",
    .examples = "  knell fail graph examples/fail/figure-10.fail -o figure-10.svg\n",
};

/* ---- text of the source ------------------------------------------------------------------------------------------ */

static const char *source_at(const struct knell_fail_source *source, struct knell__fail_at at)
{
    const char *p = source->text;

    for (uint32_t line = 1; line < at.line; line++)
        p = strchr(p, '\n') + 1;
    return p + at.column - 1;
}

/* From p up to the semicolon, with single spaces and without comments. */
static void copy_statement(const char *p, char *text, size_t size)
{
    size_t n = 0;
    bool quoted = false;

    for (; *p && (quoted || *p != ';') && n + 2 < size; p++) {
        bool blank = *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';

        if (!quoted && p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
            blank = true;
            if (*p == '\0')
                break;
        }
        if (*p == '"' && (!quoted || p[-1] != '\\'))
            quoted = !quoted;
        if (!blank)
            text[n++] = *p;
        else if (n > 0 && text[n - 1] != ' ')
            text[n++] = ' ';
    }
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = '\0';
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void add_line(struct graph_entry *e, int indent, const char *text, int length)
{
    if (e->line_count < GRAPH_LINES)
        snprintf(e->lines[e->line_count++], GRAPH_LINE, "%*s%.*s", indent, "", length, text);
}

/* How many letters of the text fit: up to the last comma, otherwise the last space, otherwise a full line. */
static int break_at(const char *text, int room)
{
    for (int i = room; i > room / 2; i--) {
        if (text[i - 1] == ' ' && text[i - 2] == ',')
            return i;
    }
    for (int i = room; i > room / 2; i--) {
        if (text[i - 1] == ' ')
            return i;
    }
    return room;
}

static void add_wrapped(struct graph_entry *e, int indent, const char *text)
{
    while (*text) {
        int length = (int)strlen(text), room = GRAPH_WIDTH - indent;
        int fits = length > room ? break_at(text, room) : length;

        add_line(e, indent, text, fits);
        text += fits;
        text += strspn(text, " ");
    }
}

/* The goto is drawn, not written. */
static void drop_goto(char *actions)
{
    char *last = strstr(actions, "goto");

    for (char *next = last; next; next = strstr(next + 1, "goto"))
        last = next;
    if (!last)
        return;
    while (last > actions && (last[-1] == ' ' || last[-1] == ','))
        last--;
    *last = '\0';
}

static void fill_rule(struct graph_entry *e, char *text)
{
    char *arrow = strstr(text, "->"), *end = arrow ? arrow : text + strlen(text); /* a very long rule was cut off */
    char *actions = arrow ? arrow + 2 : end;

    actions += strspn(actions, " ");
    while (end > text && end[-1] == ' ')
        end--;
    *end = '\0';
    if (e->target >= -1)
        drop_goto(actions);
    e->event_length = (int)(strstr(text, "&&") ? strcspn(text, "&") : strlen(text));
    if ((int)(strlen(text) + strlen(actions)) + 3 <= GRAPH_WIDTH && *actions) {
        char whole[GRAPH_LINE];

        snprintf(whole, sizeof whole, "%.55s \u2192 %.55s", text, actions);
        add_line(e, 0, whole, (int)strlen(whole));
        return;
    }
    add_wrapped(e, 0, text);
    if (*actions) {
        char whole[1024];

        snprintf(whole, sizeof whole, "\u2192 %s", actions);
        add_wrapped(e, 2, whole);
    }
}

/* ---- rules and nodes --------------------------------------------------------------------------------------------- */

static enum graph_kind kind_of(enum knell_fail_event_type event)
{
    if (event <= KNELL_FAIL_ONERROR)
        return GRAPH_PROCESS;
    if (event <= KNELL_FAIL_WATCH)
        return GRAPH_CALL;
    return event == KNELL_FAIL_MESSAGE ? GRAPH_MESSAGE : GRAPH_TIMER;
}

static void collect_rule(const struct scenario *s, const struct knell__fail_rule *rule, uint32_t node,
                         struct graph_entry *e)
{
    char text[1024];

    e->kind = kind_of(rule->event);
    e->target = -1;
    for (uint32_t i = 0; i < rule->actions.count; i++) {
        const struct knell__fail_act *act = &s->program->acts[rule->actions.first + i];

        if (act->type == KNELL_FAIL_GOTO && act->subject != node)
            e->target = (int)act->subject;
        if (act->type == KNELL_FAIL_STAY)
            e->target = -2;
        e->deadly |= act->type == KNELL_FAIL_HALT;
    }
    copy_statement(source_at(&s->source, rule->at), text, sizeof text);
    fill_rule(e, text);
}

/* The declaration's position is that of its name; the words before the name are written again. */
static void collect_decl(const struct scenario *s, const struct knell__fail_decl *d, struct graph_entry *e)
{
    static const char *const words[] = {"int", "always int", "time_g"};
    char rest[1024], text[1100];

    e->kind = GRAPH_DECL;
    e->target = -3;
    copy_statement(source_at(&s->source, d->at), rest, sizeof rest);
    snprintf(text, sizeof text, "%s %s",
             d->type == KNELL__FAIL_TIME && d->unit_ns < 1000000000 ? "time" : words[d->type], rest);
    add_wrapped(e, 0, text);
}

static int collect_box(const struct scenario *s, const struct knell__fail_node *node, uint32_t number,
                       struct graph_box *box)
{
    const struct knell_fail_program *p = s->program;

    box->name = node->name;
    box->entry_count = node->decls.count + node->rules.count;
    box->entries = calloc(box->entry_count + 1, sizeof *box->entries);
    if (!box->entries)
        return EXIT_FAILED;
    for (uint32_t i = 0; i < node->decls.count; i++)
        collect_decl(s, &p->decls[node->decls.first + i], &box->entries[i]);
    for (uint32_t i = 0; i < node->rules.count; i++)
        collect_rule(s, &p->rules[node->rules.first + i], number, &box->entries[node->decls.count + i]);
    return EXIT_OK;
}

static void collect_places(const struct knell_fail_program *p, uint32_t daemon, char *text, size_t size)
{
    size_t n = 0;

    *text = '\0';
    for (uint32_t i = 0; i < p->place_count && n + 80 < size; i++) {
        const struct knell_fail_place *place = &p->places[i].public;

        if (p->places[i].daemon != daemon)
            continue;
        n += (size_t)snprintf(text + n, size - n, n > 0 ? ", %s" : "on %s", place->name);
        if (place->group)
            n += (size_t)snprintf(text + n, size - n, "[%u]", place->size);
    }
}

static int collect_panel(const struct scenario *s, uint32_t number, struct graph_panel *panel)
{
    const struct knell__fail_daemon *d = &s->program->daemons[number];
    int status = EXIT_OK;

    panel->name = d->name;
    panel->implicit = d->implicit;
    collect_places(s->program, number, panel->places, sizeof panel->places);
    panel->entry_count = d->decls.count;
    panel->entries = calloc(d->decls.count + 1, sizeof *panel->entries);
    panel->box_count = d->nodes.count;
    panel->boxes = calloc(d->nodes.count + 1, sizeof *panel->boxes);
    if (!panel->entries || !panel->boxes)
        return EXIT_FAILED;
    for (uint32_t i = 0; i < d->decls.count; i++)
        collect_decl(s, &s->program->decls[d->decls.first + i], &panel->entries[i]);
    for (uint32_t i = 0; i < d->nodes.count && status == EXIT_OK; i++)
        status = collect_box(s, &s->program->nodes[d->nodes.first + i], i, &panel->boxes[i]);
    return status;
}

static void free_panels(struct graph_panel *panels, uint32_t count)
{
    for (uint32_t i = 0; panels && i < count; i++) {
        for (uint32_t j = 0; panels[i].boxes && j < panels[i].box_count; j++)
            free(panels[i].boxes[j].entries);
        free(panels[i].boxes);
        free(panels[i].entries);
    }
    free(panels);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int write_picture(const struct scenario *s, const char *file, struct graph_panel *panels)
{
    const char *slash = strrchr(s->source.name, '/');
    FILE *out = file ? fopen(file, "we") : stdout;
    bool bad;

    if (!out)
        return cli_usage_error(&usage, "--output %.200s: %s", file, strerror(errno));
    graph_draw(out, slash ? slash + 1 : s->source.name, panels, s->program->daemon_count);
    bad = fflush(out) != 0 || ferror(out);
    if (file)
        bad |= fclose(out) != 0;
    return bad ? cli_failure(&usage, "cannot write the picture: %s", strerror(errno)) : EXIT_OK;
}

static int graph(const struct scenario *s, const char *file)
{
    uint32_t count = s->program->daemon_count;
    struct graph_panel *panels = calloc(count + 1, sizeof *panels);
    int status = panels ? EXIT_OK : EXIT_FAILED;

    for (uint32_t i = 0; i < count && status == EXIT_OK; i++)
        status = collect_panel(s, i, &panels[i]);
    if (status == EXIT_OK)
        status = write_picture(s, file, panels);
    else
        cli_failure(&usage, "no memory for the picture");
    free_panels(panels, count);
    return status;
}

int fail_graph_command(int argc, char **argv)
{
    struct texts files = {0}, defines = {0};
    const char *output = NULL;
    struct scenario scenario;
    struct option options[] = {
        OPT_OPERANDS("FILE", &files, 1, 1, "the scenario"),
        SCENARIO_OPTION_DEFINE(&defines),
        OPT_TEXT("output", "FILE", &output, "writes the picture here; also -o FILE",
                 .fallback_help = "standard output"),
    };
    char **arguments = scenario_long_options(&usage, argc, argv);
    int status;

    if (!arguments)
        return EXIT_FAILED;
    status = options_parse(&usage, options, COUNT_OF(options), argc, arguments);
    if (status < 0) {
        status = scenario_open(&usage, files.items[0], &defines, &scenario);
        if (status == EXIT_OK)
            status = graph(&scenario, output);
        scenario_close(&scenario);
    }
    free(arguments);
    return status;
}
