/* knell live: real processes with detectors on this host, some of which are killed or stopped; how soon the others know. */
#include "cli/commands.h"
#include "cli/heartbeat.h"
#include "cli/live.h"
#include "cli/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct knell_usage usage = {
    .command = "knell live",
    .summary =
        "Starts N real processes, each with a failure detector, kills, stops or cuts off some, and measures when the "
        "others know. Judged by the parent's own log and clock, not by the detectors' word.",
    .notes =
        "R@T: rank R, T after all have started. R@T+D: resumed D later; a process that was silent for delta\n"
        "or longer is held for dead and ended.\n"
        "--hosts H: ranks are spread in H blocks over hosts 1 to H, namespaces with a network and processes of their own.\n"
        "That needs root. Without it, 127.0.0.1 to 127.0.0.H stand for the hosts.\n"
        "--cut HOST@T: the link of this host goes down and stays so; its processes are ended before the others leave.\n"
        "--fail FILE: halt is SIGKILL, stop and continue are SIGSTOP and SIGCONT; slots get the ranks in their order.\n" KNELL_SPREAD_NOTES
        "Exit status 1: a false positive, a survivor that did not learn of a death, or a wrong view at the end; 130 after "
        "ctrl-C.\n",
    .examples = "  knell live -n 8 --kill 3@1s\n"
                "  knell live -n 32 --eta 10ms --delta 100ms --for 5s --stop 7@1s --json\n"
                "  knell live -n 8 --eta 10ms --delta 50ms --stop 2@1s+20ms --no-shortcuts\n"
                "  knell live -n 16 --overlay hba --no-shortcuts --kill 3@1s --kill 9@1s\n"
                "  knell live -n 12 --hosts 3 --cut 2@1s --kill 0@1.2s --log run.log\n"
                "  knell live -n 8 --fail examples/fail/rolling-kills.fail -D EVERY=1 --for 5s\n",
};

/* ---- what is to be done ---------------------------------------------------------------------------------------------- */

static struct knell__injection *find(struct knell__live_plan *plan, knell_rank rank)
{
    for (size_t i = 0; i < plan->injections.count; i++)
        if (plan->injections.item[i].rank == rank)
            return &plan->injections.item[i];
    return NULL;
}

static int add(struct knell__live_plan *plan, struct knell__injection injection)
{
    return knell__injections_add(&plan->injections, injection) ? -1
                                                               : knell__cli_broken(&usage, "no memory for the plan");
}

/* A number, "@" and a time, "+" and a time where it may end. */
static int split(const char *option, const char *text, int64_t first, int64_t last, bool may_end, int64_t duration,
                 int64_t *number, struct knell__injection *injection)
{
    char copy[96], *at, *plus;
    const char *wrong = NULL;
    if (strlen(text) >= sizeof copy)
        return knell__cli_fail(&usage, "--%s %.40s...: too long; R@T is expected, as in 3@1.5s", option, text);
    strcpy(copy, text);
    at = strchr(copy, '@');
    if (!at)
        return knell__cli_fail(&usage, "--%s %s: R@T is expected, as in 3@1.5s", option, text);
    *at++ = '\0';
    plus = may_end ? strchr(at, '+') : NULL;
    if (plus && plus > at && (plus[-1] == 'e' || plus[-1] == 'E'))
        plus = strchr(plus + 1, '+'); /* 1e+3ms */
    if (plus)
        *plus++ = '\0';
    if (knell__parse_integer(copy, number) != NULL || *number < first || *number > last)
        return knell__cli_fail(&usage, "--%s %s: %s must be a whole number from %" PRId64 " to %" PRId64, option, text,
                               copy, first, last);
    if ((wrong = knell__parse_duration(at, &injection->at)) != NULL ||
        (plus && (wrong = knell__parse_duration(plus, &injection->lasts)) != NULL))
        return knell__cli_fail(&usage, "--%s %s: the time %s", option, text, wrong);
    if (injection->at >= duration || injection->lasts > duration || (plus && injection->lasts == 0))
        return knell__cli_fail(&usage, "--%s %s: must fall within --for", option, text);
    return -1;
}

static int parse_one(const char *option, const char *text, struct knell__live_plan *plan, enum knell__live_kind kind)
{
    struct knell__injection injection = {.kind = kind};
    int64_t rank = 0;
    int status = split(option, text, 0, plan->ranks - 1, kind == KNELL__LIVE_STOP, plan->duration, &rank, &injection);
    if (status >= 0)
        return status;
    injection.rank = (knell_rank)rank;
    if (find(plan, injection.rank))
        return knell__cli_fail(&usage, "--%s %s: rank %" PRId64 " has an injection already", option, text, rank);
    return add(plan, injection);
}

/* Each process of the host is a victim, unless it is one already by then. */
static int parse_cut(const char *text, struct knell__live_plan *plan)
{
    struct knell__injection injection = {.kind = KNELL__LIVE_CUT};
    int64_t host = 0;
    int status = split("cut", text, 1, plan->hosts, false, plan->duration, &host, &injection);
    if (status < 0 && plan->hosts == 1)
        return knell__cli_fail(&usage, "--cut %s: there is only one host; --hosts 2 or more is needed", text);
    for (int64_t rank = 0; rank < plan->ranks && status < 0; rank++) {
        if (knell__live_host_of(plan, (knell_rank)rank) != host - 1)
            continue;
        const struct knell__injection *earlier = find(plan, (knell_rank)rank);
        injection.rank = (knell_rank)rank;
        if (!earlier)
            status = add(plan, injection);
        else if (earlier->lasts || earlier->at > injection.at || earlier->kind == KNELL__LIVE_CUT)
            return knell__cli_fail(&usage, "--cut %s: rank %" PRId64 " of this host has an injection already%s", text,
                                   rank, earlier->kind == KNELL__LIVE_CUT ? "" : ", and not one that ends it before");
    }
    plan->has_cuts = true;
    return status;
}

static int check(struct knell__live_plan *plan, const struct knell_texts *kills, const struct knell_texts *stops,
                 const struct knell_texts *cuts)
{
    int status = knell__heartbeat_settle(&usage, plan->eta, 10, &plan->delta);
    if (status >= 0)
        return status;
    if (plan->hosts > plan->ranks)
        return knell__cli_fail(&usage, "--hosts %" PRId64 ": more than there are processes", plan->hosts);
    for (size_t i = 0; i < kills->n && status < 0; i++)
        status = parse_one("kill", kills->items[i], plan, KNELL__LIVE_KILL);
    for (size_t i = 0; i < stops->n && status < 0; i++)
        status = parse_one("stop", stops->items[i], plan, KNELL__LIVE_STOP);
    for (size_t i = 0; i < cuts->n && status < 0; i++)
        status = parse_cut(cuts->items[i], plan);
    if (status < 0 && plan->fail && plan->settle)
        return knell__cli_fail(&usage, "--settle: not with --fail, which may strike at any time");
    if (status < 0 && plan->fail && plan->injections.count)
        return knell__cli_fail(&usage, "--fail says who fails already; give it or --kill, --stop and --cut");
    if (status < 0 && plan->injections.count >= (size_t)plan->ranks)
        return knell__cli_fail(
            &usage, "%zu of %" PRId64 " processes would be killed, stopped or cut off: at least one must live",
            plan->injections.count, plan->ranks);
    return status;
}

static int parse(int argc, char **argv, struct knell__live_plan *plan)
{
    static const char *const of_fail[] = {"define", "seed"};
    struct knell_texts kills = {0}, stops = {0}, cuts = {0};
    struct knell_option options[] = {
        KNELL_OPT_INTEGER("ranks", "N", &plan->ranks, 2, 1024, "number of processes; also -n N", .required = true,
                          .brief = {"n"}, .alias = "nodes"),
        KNELL_OPT_INTEGER("hosts", "H", &plan->hosts, 1, 250, "spreads them over H hosts", .fallback = "1"),
        KNELL_OPT_DURATION("eta", "T", &plan->eta, 100000, INT64_C(60000000000), "heartbeat period",
                           .fallback = "10ms"),
        KNELL_OPT_DURATION("delta", "T", &plan->delta, 200000, INT64_C(600000000000), "suspicion timeout",
                           .fallback_help = "10 eta"),
        KNELL_OPT_DURATION("for", "T", &plan->duration, 1000000, INT64_C(86400000000000), "how long", .fallback = "3s"),
        KNELL_OPT_DURATION("settle", "T", &plan->settle, 1000000, INT64_C(86400000000000),
                           "ends T after all survivors know all deaths, if before"),
        KNELL_OPT_TEXTS("kill", "R@T", &kills, "kill rank R at time T (SIGKILL)"),
        KNELL_OPT_TEXTS("stop", "R@T[+D]", &stops, "stop rank R at time T (SIGSTOP), for D or for good"),
        KNELL_OPT_TEXTS("cut", "HOST@T", &cuts, "cut host HOST off at time T: its link goes down"),
        KNELL_OPT_TEXT("fail", "FILE", &plan->fail, "a FAIL scenario strikes instead; see docs/scenarios.md"),
        KNELL_FAIL_OPTION_DEFINE(&plan->defines),
        KNELL_OPT_INTEGER("seed", "N", &plan->seed, 0, INT64_MAX, "--fail: what its draws depend on", .fallback = "1"),
        KNELL_SPREAD_OPTIONS(&plan->overlay, &plan->latest_only),
        KNELL_OPT_FLAG("ordinary", &plan->ordinary, "detectors at ordinary priority, though real time is permitted"),
        KNELL_OPT_FLAG("no-shortcuts", &plan->no_shortcuts, "no shared memory, no word of the kernel: the ring alone"),
        KNELL_OPT_DURATION("wait", "T", &plan->wait, 1000000, INT64_C(600000000000),
                           "how long the processes may take to meet", .fallback = "20s"),
        KNELL_OPT_TEXT("log", "FILE", &plan->log, "writes all that was done and noted here, a JSON object a line"),
        KNELL_OPT_FLAG("json", &plan->json, "write JSON"),
    };
    int status = knell_options_parse(&usage, options, KNELL_COUNT(options), argc, argv);
    if (status < 0 && !plan->fail)
        for (size_t i = 0; i < KNELL_COUNT(of_fail); i++)
            if (knell_options_find(options, KNELL_COUNT(options), of_fail[i])->given)
                return knell__cli_fail(&usage, "--%s: only with --fail", of_fail[i]);
    return status >= 0 ? status : check(plan, &kills, &stops, &cuts);
}

static int report(const struct knell__live_plan *plan, const struct knell__live_log *log)
{
    struct knell__verdict verdict;
    struct knell_output out;
    int status = KNELL_EXIT_OK;
    if (!knell__live_judge(plan, log, &verdict))
        status = knell__cli_broken(&usage, "no memory for the verdict");
    if (status == KNELL_EXIT_OK)
        status = knell_output_begin(&out, &usage);
    if (status == KNELL_EXIT_OK) {
        (plan->json ? knell__live_json : knell__live_report)(out.f, plan, log, &verdict);
        status = knell_output_commit(&out, &usage);
    }
    if (status == KNELL_EXIT_OK && (verdict.false_positives || verdict.unknown || verdict.wrong_views))
        status = KNELL_EXIT_FAILED;
    knell__live_verdict_free(&verdict);
    return status;
}

/* Where heartbeats go as datagrams, some get lost. */
static void advise(const struct knell__live_plan *plan)
{
    struct knell_runtime_config config = {.eta = plan->eta, .delta = plan->delta};
    char advice[KNELL_RUNTIME_WHY];
    if ((plan->hosts > 1 || plan->no_shortcuts) && knell_runtime_advice(&config, advice))
        fprintf(stderr, "%s: warning: %s\n", usage.command, advice);
}

/* Whatever became of the run, what is known of it is written. An exit status. */
static int write_log(const struct knell__live_plan *plan, const struct knell__live_log *log, struct knell__log *file)
{
    int status = log->begin ? knell__live_log_write(&usage, plan, log, file) : KNELL_EXIT_OK;
    int closed = knell__log_close(file, &usage);
    return status == KNELL_EXIT_OK ? closed : status;
}

static int run(struct knell__live_plan *plan, struct knell__live_log *log)
{
    struct knell__log file = {0};
    int status = plan->log ? knell__log_open(&file, &usage, plan->log) : KNELL_EXIT_OK;
    if (status != KNELL_EXIT_OK)
        return status;
    advise(plan);
    if (!plan->json)
        setvbuf(stdout, NULL, _IOLBF, 0); /* the timeline is seen as it happens */
    status = knell__live_run(&usage, plan, plan->json ? NULL : stdout, log);
    int written = plan->log ? write_log(plan, log, &file) : KNELL_EXIT_OK;
    status = status == KNELL_EXIT_OK ? written : status;
    return status == KNELL_EXIT_OK ? report(plan, log) : status;
}

int knell__command_live(int argc, char **argv)
{
    struct knell__live_plan plan = {0};
    struct knell__live_log log = {0};
    int status = parse(argc, argv, &plan);
    if (status < 0)
        status = run(&plan, &log);
    free(log.note);
    free(log.away);
    free(plan.injections.item);
    return status;
}
