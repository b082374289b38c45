/* live.c: `knell live`: starts real processes with detectors on this host, kills or stops some of them, and measures
 * how soon the others know. */
#include "cli/live/live.h"
#include "cli/common/heartbeat.h"
#include "cli/common/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
    .command = "knell live",
    .summary =
        "Starts N real processes, each with a failure detector, kills, stops or cuts off some, and measures when the "
        "others know. The parent's own record and clock count, not what the detectors say.",
    .notes =
        "R@T: rank R, T after all have started. R@T+D: resumed D later; a process that was silent for delta\n"
        "or longer is declared dead and ended.\n"
        "--hosts H: ranks are spread in H blocks over hosts 1 to H, namespaces with a network and processes of their own.\n"
        "That needs root. Without it, 127.0.0.1 to 127.0.0.H stand for the hosts.\n"
        "--cut HOST@T: the link of this host goes down and stays down; its processes are ended before the others leave.\n"
        "--fail FILE: halt is SIGKILL, stop and continue are SIGSTOP and SIGCONT; slots get the ranks in the "
        "order of the text.\n" HEARTBEAT_BROADCAST_NOTES
        "Exit status 1: a false positive, a survivor that did not learn of a death, or a wrong view at the end; 130 after "
        "ctrl-C.\n",
    .examples = "  knell live -n 8 --kill 3@1s\n"
                "  knell live -n 32 --eta 10ms --delta 100ms --for 5s --stop 7@1s --json\n"
                "  knell live -n 8 --eta 10ms --delta 50ms --stop 2@1s+20ms --no-shortcuts\n"
                "  knell live -n 16 --overlay hba --no-shortcuts --kill 3@1s --kill 9@1s\n"
                "  knell live -n 12 --hosts 3 --cut 2@1s --kill 0@1.2s --log run.log\n"
                "  knell live -n 8 --fail examples/fail/rolling-kills.fail -D EVERY=1 --for 5s\n",
};

/* ---- what is to be done ------------------------------------------------------------------------------------------ */

static struct live_injection *find(struct live_plan *plan, knell_rank rank)
{
    for (size_t i = 0; i < plan->injections.count; i++)
        if (plan->injections.item[i].rank == rank)
            return &plan->injections.item[i];
    return NULL;
}

static int add(struct live_plan *plan, struct live_injection injection)
{
    return live_injections_add(&plan->injections, injection) ? -1 : cli_failure(&usage, "no memory for the plan");
}

/* Parses a number, "@" and a time, and where a duration is allowed "+" and a time. */
static int split(const char *option, const char *text, int64_t first, int64_t last, bool may_end, int64_t duration,
                 int64_t *number, struct live_injection *injection)
{
    char copy[96], *at, *plus;
    const char *wrong = NULL;
    if (strlen(text) >= sizeof copy)
        return cli_usage_error(&usage, "--%s %.40s...: too long; R@T is expected, as in 3@1.5s", option, text);
    strcpy(copy, text);
    at = strchr(copy, '@');
    if (!at)
        return cli_usage_error(&usage, "--%s %s: R@T is expected, as in 3@1.5s", option, text);
    *at++ = '\0';
    plus = may_end ? strchr(at, '+') : NULL;
    if (plus && plus > at && (plus[-1] == 'e' || plus[-1] == 'E'))
        plus = strchr(plus + 1, '+'); /* 1e+3ms */
    if (plus)
        *plus++ = '\0';
    if (parse_integer(copy, number) != NULL || *number < first || *number > last)
        return cli_usage_error(&usage, "--%s %s: %s must be a whole number from %" PRId64 " to %" PRId64, option, text,
                               copy, first, last);
    if ((wrong = parse_duration(at, &injection->at)) != NULL ||
        (plus && (wrong = parse_duration(plus, &injection->lasts)) != NULL))
        return cli_usage_error(&usage, "--%s %s: the time %s", option, text, wrong);
    if (injection->at >= duration || injection->lasts > duration || (plus && injection->lasts == 0))
        return cli_usage_error(&usage, "--%s %s: must fall within --for", option, text);
    return -1;
}

static int parse_one(const char *option, const char *text, struct live_plan *plan, enum live_injection_kind kind)
{
    struct live_injection injection = {.kind = kind};
    int64_t rank = 0;
    int status = split(option, text, 0, plan->ranks - 1, kind == LIVE_STOP, plan->duration, &rank, &injection);
    if (status >= 0)
        return status;
    injection.rank = (knell_rank)rank;
    if (find(plan, injection.rank))
        return cli_usage_error(&usage, "--%s %s: rank %" PRId64 " has an injection already", option, text, rank);
    return add(plan, injection);
}

/* Each process of the host becomes a victim, unless it already is one at that time. */
static int parse_cut(const char *text, struct live_plan *plan)
{
    struct live_injection injection = {.kind = LIVE_CUT};
    int64_t host = 0;
    int status = split("cut", text, 1, plan->hosts, false, plan->duration, &host, &injection);
    if (status < 0 && plan->hosts == 1)
        return cli_usage_error(&usage, "--cut %s: there is only one host; --hosts 2 or more is needed", text);
    for (int64_t rank = 0; rank < plan->ranks && status < 0; rank++) {
        if (live_host_of(plan, (knell_rank)rank) != host - 1)
            continue;
        const struct live_injection *earlier = find(plan, (knell_rank)rank);
        injection.rank = (knell_rank)rank;
        if (!earlier)
            status = add(plan, injection);
        else if (earlier->lasts || earlier->at > injection.at || earlier->kind == LIVE_CUT)
            return cli_usage_error(&usage, "--cut %s: rank %" PRId64 " of this host has an injection already%s", text,
                                   rank, earlier->kind == LIVE_CUT ? "" : ", and not one that ends it before");
    }
    plan->has_cuts = true;
    return status;
}

static int check(struct live_plan *plan, const struct texts *kills, const struct texts *stops, const struct texts *cuts)
{
    int status = heartbeat_settle(&usage, plan->eta, 10, &plan->delta);
    if (status >= 0)
        return status;
    if (plan->hosts > plan->ranks)
        return cli_usage_error(&usage, "--hosts %" PRId64 ": more than there are processes", plan->hosts);
    for (size_t i = 0; i < kills->n && status < 0; i++)
        status = parse_one("kill", kills->items[i], plan, LIVE_KILL);
    for (size_t i = 0; i < stops->n && status < 0; i++)
        status = parse_one("stop", stops->items[i], plan, LIVE_STOP);
    for (size_t i = 0; i < cuts->n && status < 0; i++)
        status = parse_cut(cuts->items[i], plan);
    if (status < 0 && plan->fail && plan->settle)
        return cli_usage_error(&usage, "--settle: not with --fail, which may strike at any time");
    if (status < 0 && plan->fail && plan->injections.count)
        return cli_usage_error(&usage, "--fail already says which ranks fail; give it or --kill, --stop and --cut");
    if (status < 0 && plan->injections.count >= (size_t)plan->ranks)
        return cli_usage_error(
            &usage, "%zu of %" PRId64 " processes would be killed, stopped or cut off: at least one must live",
            plan->injections.count, plan->ranks);
    return status;
}

static int parse(int argc, char **argv, struct live_plan *plan)
{
    static const char *const of_fail[] = {"define", "seed"};
    struct texts kills = {0}, stops = {0}, cuts = {0};
    struct option options[] = {
        OPT_INTEGER("ranks", "N", &plan->ranks, 2, 1024, "number of processes; also -n N", .required = true,
                    .brief = {"n"}, .alias = "nodes"),
        OPT_INTEGER("hosts", "H", &plan->hosts, 1, 250, "spreads them over H hosts", .fallback = "1"),
        OPT_DURATION("eta", "T", &plan->eta, 100000, INT64_C(60000000000), "heartbeat period", .fallback = "10ms"),
        OPT_DURATION("delta", "T", &plan->delta, 200000, INT64_C(600000000000), "suspicion timeout",
                     .fallback_help = "10 eta"),
        OPT_DURATION("for", "T", &plan->duration, 1000000, INT64_C(86400000000000), "how long", .fallback = "3s"),
        OPT_DURATION("settle", "T", &plan->settle, 1000000, INT64_C(86400000000000),
                     "ends T after all survivors know all deaths, if that is earlier"),
        OPT_TEXTS("kill", "R@T", &kills, "kill rank R at time T (SIGKILL)"),
        OPT_TEXTS("stop", "R@T[+D]", &stops, "stop rank R at time T (SIGSTOP), for D or for good"),
        OPT_TEXTS("cut", "HOST@T", &cuts, "cut host HOST off at time T: its link goes down"),
        OPT_TEXT("fail", "FILE", &plan->fail, "a FAIL scenario injects faults instead; see docs/use/scenarios.md"),
        SCENARIO_OPTION_DEFINE(&plan->defines),
        OPT_INTEGER("seed", "N", &plan->seed, 0, INT64_MAX, "--fail: seed of its random draws", .fallback = "1"),
        HEARTBEAT_BROADCAST_OPTIONS(&plan->overlay, &plan->latest_only),
        OPT_FLAG("ordinary", &plan->ordinary, "detectors at ordinary priority, though real time is permitted"),
        OPT_FLAG("no-shortcuts", &plan->no_shortcuts, "no shared memory, no reports of the kernel: heartbeats only"),
        OPT_DURATION("wait", "T", &plan->wait, 1000000, INT64_C(600000000000),
                     "how long the processes may take to meet", .fallback = "20s"),
        OPT_TEXT("log", "FILE", &plan->log, "writes all actions and notes here, one JSON object per line"),
        OPT_FLAG("json", &plan->json, "write JSON"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status < 0 && !plan->fail)
        for (size_t i = 0; i < COUNT_OF(of_fail); i++)
            if (options_find(options, COUNT_OF(options), of_fail[i])->given)
                return cli_usage_error(&usage, "--%s: only with --fail", of_fail[i]);
    return status >= 0 ? status : check(plan, &kills, &stops, &cuts);
}

static int report(const struct live_plan *plan, const struct live_record *record)
{
    struct live_verdict verdict;
    struct output out;
    int status = EXIT_OK;
    if (!live_judge(plan, record, &verdict))
        status = cli_failure(&usage, "no memory for the verdict");
    if (status == EXIT_OK)
        status = output_begin(&out, &usage);
    if (status == EXIT_OK) {
        (plan->json ? live_json : live_report)(out.f, plan, record, &verdict);
        status = output_commit(&out, &usage);
    }
    if (status == EXIT_OK && (verdict.false_positives || verdict.unknown || verdict.wrong_views))
        status = EXIT_FAILED;
    live_verdict_free(&verdict);
    return status;
}

/* If heartbeats travel as datagrams, some may get lost. */
static void advise(const struct live_plan *plan)
{
    struct knell_runtime_config config = {.eta = plan->eta, .delta = plan->delta};
    char advice[KNELL_RUNTIME_WHY];
    if ((plan->hosts > 1 || plan->no_shortcuts) && knell_runtime_advice(&config, advice))
        fprintf(stderr, "%s: warning: %s\n", usage.command, advice);
}

/* Writes what is known of the run, also after a failure. Returns an exit status. */
static int write_log(const struct live_plan *plan, const struct live_record *record, struct log *file)
{
    int status = record->begin ? live_log_write(&usage, plan, record, file) : EXIT_OK;
    int closed = log_close(file, &usage);
    return status == EXIT_OK ? closed : status;
}

static int run(struct live_plan *plan, struct live_record *record)
{
    struct log file = {0};
    int status = plan->log ? log_open(&file, &usage, plan->log) : EXIT_OK;
    if (status != EXIT_OK)
        return status;
    advise(plan);
    if (!plan->json)
        setvbuf(stdout, NULL, _IOLBF, 0); /* the user sees events as they happen */
    status = live_execute(&usage, plan, plan->json ? NULL : stdout, record);
    int written = plan->log ? write_log(plan, record, &file) : EXIT_OK;
    status = status == EXIT_OK ? written : status;
    return status == EXIT_OK ? report(plan, record) : status;
}

int live_command(int argc, char **argv)
{
    struct live_plan plan = {0};
    struct live_record record = {0};
    int status = parse(argc, argv, &plan);
    if (status < 0)
        status = run(&plan, &record);
    free(record.note);
    free(record.absence);
    free(plan.injections.item);
    return status;
}
