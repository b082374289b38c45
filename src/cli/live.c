/* knell live: real processes with detectors on this host, some of which are killed or stopped; how soon the others know. */
#include "cli/commands.h"
#include "cli/live.h"
#include "cli/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct knell_usage usage = {
    .command = "knell live",
    .summary = "Starts N real processes on this host, each with a failure detector, kills or stops some, and measures when the "
               "others know. Judged by the parent's own log and clock, not by the detectors' word.",
    .notes = "R@T: rank R, T after all have started. R@T+D: resumed D later; a process that was silent for delta\n"
             "or longer is held for dead and ended. -n N is short for --nodes N.\n"
             "--hosts H: ranks are spread over 127.0.0.1 to 127.0.0.H in H blocks; only within a block is there a board,\n"
             "between blocks there are datagrams, and clocks are translated.\n"
             "Exit status 1: a false positive, or a survivor that did not learn of a death.\n",
    .examples = "  knell live -n 8 --kill 3@1s\n"
                "  knell live -n 32 --eta 10ms --delta 100ms --for 5s --stop 7@1s --json\n"
                "  knell live -n 8 --eta 10ms --delta 50ms --stop 2@1s+20ms --no-shortcuts\n",
};

/* R@T or, where it may end, R@T+D. */
static int parse_injection(const char *option, const char *text, struct knell__live_plan *plan, enum knell__live_kind kind)
{
    struct knell__injection injection = {.kind = kind};
    char copy[96], *at, *plus;
    int64_t rank;
    const char *wrong = NULL;
    if (strlen(text) >= sizeof copy)
        return knell__cli_fail(&usage, "--%s %.40s...: too long; R@T is expected, as in 3@1.5s", option, text);
    strcpy(copy, text);
    at = strchr(copy, '@');
    if (!at)
        return knell__cli_fail(&usage, "--%s %s: R@T is expected, as in 3@1.5s", option, text);
    *at++ = '\0';
    plus = kind == KNELL__LIVE_STOP ? strchr(at, '+') : NULL;
    if (plus && plus > at && (plus[-1] == 'e' || plus[-1] == 'E'))
        plus = strchr(plus + 1, '+'); /* 1e+3ms */
    if (plus)
        *plus++ = '\0';
    if (knell__parse_integer(copy, &rank) != NULL || rank < 0 || rank >= plan->nodes)
        return knell__cli_fail(&usage, "--%s %s: rank %s must be a whole number from 0 to %" PRId64, option, text, copy,
                               plan->nodes - 1);
    if ((wrong = knell__parse_duration(at, &injection.at)) != NULL ||
        (plus && (wrong = knell__parse_duration(plus, &injection.lasts)) != NULL))
        return knell__cli_fail(&usage, "--%s %s: the time %s", option, text, wrong);
    if (injection.at >= plan->duration || injection.lasts > plan->duration || (plus && injection.lasts == 0))
        return knell__cli_fail(&usage, "--%s %s: must fall within --for", option, text);
    injection.rank = (knell_rank)rank;
    for (size_t i = 0; i < plan->injections; i++)
        if (plan->injection[i].rank == injection.rank)
            return knell__cli_fail(&usage, "--%s %s: rank %" PRId64 " has an injection already", option, text, rank);
    plan->injection[plan->injections++] = injection;
    return -1;
}

static int check(struct knell__live_plan *plan, const struct knell_texts *kills, const struct knell_texts *stops)
{
    int status = -1;
    if (plan->hosts > plan->nodes)
        return knell__cli_fail(&usage, "--hosts %" PRId64 ": more than there are processes", plan->hosts);
    if (plan->delta <= plan->eta)
        return knell__cli_fail(&usage, "--delta must be longer than --eta: a heartbeat takes eta and its journey");
    for (size_t i = 0; i < kills->n && status < 0; i++)
        status = parse_injection("kill", kills->items[i], plan, KNELL__LIVE_KILL);
    for (size_t i = 0; i < stops->n && status < 0; i++)
        status = parse_injection("stop", stops->items[i], plan, KNELL__LIVE_STOP);
    if (status < 0 && plan->injections >= (size_t)plan->nodes)
        return knell__cli_fail(&usage, "%zu of %" PRId64 " processes would be killed or stopped: at least one must live",
                               plan->injections, plan->nodes);
    return status;
}

static int parse(int argc, char **argv, struct knell__live_plan *plan)
{
    struct knell_texts kills = {0}, stops = {0};
    struct knell_option options[] = {
        KNELL_OPT_INTEGER("nodes", "N", &plan->nodes, 2, 1024, "number of processes", .required = true),
        KNELL_OPT_INTEGER("hosts", "H", &plan->hosts, 1, 250, "as if on H hosts: own addresses, boards and clocks",
                          .fallback = "1"),
        KNELL_OPT_DURATION("eta", "T", &plan->eta, 100000, INT64_C(60000000000), "heartbeat period", .fallback = "10ms"),
        KNELL_OPT_DURATION("delta", "T", &plan->delta, 200000, INT64_C(600000000000), "suspicion timeout",
                           .fallback = "100ms"),
        KNELL_OPT_DURATION("for", "T", &plan->duration, 1000000, INT64_C(86400000000000), "how long", .fallback = "3s"),
        KNELL_OPT_TEXTS("kill", "R@T", &kills, "kill rank R at time T (SIGKILL)"),
        KNELL_OPT_TEXTS("stop", "R@T[+D]", &stops, "stop rank R at time T (SIGSTOP), for D or for good"),
        KNELL_OPT_FLAG("no-shortcuts", &plan->no_shortcuts, "no shared memory, no word of the kernel: the ring alone"),
        KNELL_OPT_DURATION("wait", "T", &plan->wait, 1000000, INT64_C(600000000000), "how long the processes may take to meet",
                           .fallback = "20s"),
        KNELL_OPT_FLAG("json", &plan->json, "write JSON"),
    };
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-n") == 0)
            argv[i] = "--nodes";
    int status = knell_options_parse(&usage, options, KNELL_COUNT(options), argc, argv);
    return status >= 0 ? status : check(plan, &kills, &stops);
}

static int report(const struct knell__live_plan *plan, const struct knell__live_log *log)
{
    struct knell__verdict *verdict = malloc(sizeof *verdict);
    struct knell_output out;
    int status;
    if (!verdict)
        return knell__cli_broken(&usage, "no memory for the verdict");
    knell__live_judge(plan, log, verdict);
    status = knell_output_begin(&out, &usage);
    if (status == KNELL_EXIT_OK) {
        knell__live_report(out.f, plan, log, verdict);
        status = knell_output_commit(&out, &usage);
    }
    if (status == KNELL_EXIT_OK && (verdict->false_positives || verdict->unknown))
        status = KNELL_EXIT_FAILED;
    free(verdict);
    return status;
}

int knell__command_live(int argc, char **argv)
{
    struct knell__live_plan plan = {0};
    struct knell__live_log log = {0};
    int status = parse(argc, argv, &plan);
    if (status >= 0)
        return status;
    if (!plan.json)
        setvbuf(stdout, NULL, _IOLBF, 0); /* the timeline is seen as it happens */
    status = knell__live_run(&usage, &plan, plan.json ? NULL : stdout, &log);
    if (status == KNELL_EXIT_OK)
        status = report(&plan, &log);
    free(log.note);
    return status;
}
