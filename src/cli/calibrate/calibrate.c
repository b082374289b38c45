/* calibrate.c: `knell calibrate`: its options, and the order of the measurement. */
#include "cli/calibrate/calibrate.h"

#include "cli/common/output.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define SAMPLES_MOST INT64_C(10000000)

static const struct usage usage = {
    .command = "knell calibrate",
    .summary =
        "Measures how late heartbeats are on this platform, from the moment one is due at a sleeping process to the moment "
        "another sleeping process has read it, and proposes eta and delta for a risk.",
    .notes =
        "Without --peer and --listen: between processes of this host, over UDP, authenticated, as the runtime does it.\n"
        "Between hosts: --listen on one of them first, then --peer on the other; both with the same --key, a file of 16 to "
        "64 bytes. Nothing is encrypted.\n"
        "Measure under the load of the job: on an idle machine delays are short. An --every near the eta you will use lets "
        "the processors sleep as they will then; a shorter one gives more samples.\n"
        "The risk is that of suspecting any living process of --job-ranks in the time of --job. `knell plan` covers failures.\n",
    .examples = "  knell calibrate\n"
                "  knell calibrate --for 10min --job-ranks 4096 --job 7d --risk 1e-3\n"
                "  knell calibrate --for 1min --out here.json\n"
                "  knell plan --nodes 4096 --mtbf 5y --risk 1e-9 --calibration here.json\n"
                "  head -c 32 /dev/urandom >key           # on both hosts the same\n"
                "  knell calibrate --listen 10.0.0.2:7100 --key key\n"
                "  knell calibrate --peer 10.0.0.2:7100 --key key --for 1min\n",
};

static int read_key(struct calibrate_plan *plan)
{
    uint8_t bytes[KNELL_RUNTIME_KEY_MAX + 1];
    FILE *file = fopen(plan->key_file, "re");
    if (!file)
        return cli_usage_error(&usage, "--key %.80s: %s", plan->key_file, strerror(errno));
    size_t size = fread(bytes, 1, sizeof bytes, file);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return cli_usage_error(&usage, "--key %.80s: %s", plan->key_file, strerror(error));
    if (size < KNELL_RUNTIME_KEY_MIN || size > KNELL_RUNTIME_KEY_MAX)
        return cli_usage_error(&usage,
                               "--key %.80s: must have %d to %d bytes; `head -c 32 /dev/urandom >FILE` makes one",
                               plan->key_file, KNELL_RUNTIME_KEY_MIN, KNELL_RUNTIME_KEY_MAX);
    memcpy(plan->key, bytes, size);
    plan->key_size = size;
    return -1;
}

static int check(struct calibrate_plan *plan, bool ranks_given)
{
    struct knell__address address;
    const char *text = plan->peer ? plan->peer : plan->listen;
    if (plan->peer && plan->listen)
        return cli_usage_error(&usage, "--peer and --listen: one of them, on one of the hosts");
    if (text && knell__address_parse(text, &address) != 0)
        return cli_usage_error(
            &usage, "--%s %.80s: must be an address and a port in numbers, as 10.0.0.2:7100 or [fd00::2]:7100",
            plan->peer ? "peer" : "listen", text);
    if (text && ranks_given)
        return cli_usage_error(&usage, "--ranks: only on one host; with --peer and --listen there are two processes");
    if (text && !plan->key_file)
        return cli_usage_error(&usage, "--key is missing: between hosts datagrams are authenticated");
    if (!text && plan->key_file)
        return cli_usage_error(&usage, "--key: only with --peer or --listen");
    if (plan->every > plan->duration)
        return cli_usage_error(&usage, "--every: must not be longer than --for");
    assert(plan->every > 0 && plan->ranks > 0); /* the options require it */
    if (plan->duration / plan->every > SAMPLES_MOST / plan->ranks)
        return cli_usage_error(&usage, "--every: gives more than %" PRId64 " samples; use a longer one", SAMPLES_MOST);
    return text ? read_key(plan) : -1;
}

static int parse(int argc, char **argv, struct calibrate_plan *plan)
{
    struct option options[] = {
        OPT_INTEGER("ranks", "N", &plan->ranks, 2, 256, "processes to measure between; also -n N", .brief = {"n"},
                    .alias = "nodes", .fallback_help = "one per processor, at least 2"),
        OPT_DURATION("for", "T", &plan->duration, SECOND / 10, 86400 * SECOND, "how long to measure",
                     .fallback = "10s"),
        OPT_DURATION("every", "T", &plan->every, SECOND / 10000, 60 * SECOND, "time between heartbeats of one process",
                     .fallback = "1ms"),
        OPT_TEXT("peer", "ADDR:PORT", &plan->peer, "measure to the host that listens there"),
        OPT_TEXT("listen", "ADDR:PORT", &plan->listen, "answer a host that measures"),
        OPT_TEXT("key", "FILE", &plan->key_file, "the secret both hosts have"),
        OPT_DURATION("wait", "T", &plan->wait, SECOND / 100, 86400 * SECOND, "how long to wait for the other host",
                     .fallback = "1min"),
        OPT_REAL("risk", "P", &plan->risk, 1e-12, 0.5, "accepted probability of a false suspicion",
                 .fallback = "0.001"),
        OPT_INTEGER("job-ranks", "R", &plan->job_ranks, 2, INT64_C(1) << 31, "processes of the job that is planned",
                    .fallback_help = "as many as are measured"),
        OPT_DURATION("job", "T", &plan->job, SECOND, DURATION_MAX_NS, "how long that job runs", .fallback = "1d"),
        OPT_DURATION("eta", "T", &plan->eta, SECOND / 10000, 3600 * SECOND, "heartbeat period",
                     .fallback_help = "proposed"),
        OPT_TEXT("out", "FILE", &plan->out, "write the JSON there, too, for `knell plan`"),
        OPT_FLAG("json", &plan->json, "write JSON"),
    };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    plan->ranks = processors > 2 ? processors < 256 ? processors : 256 : 2;
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    status = check(plan, options_find(options, COUNT_OF(options), "ranks")->given);
    if (plan->job_ranks == 0)
        plan->job_ranks = plan->peer ? 2 : plan->ranks;
    return status;
}

/* ---- what was found ---------------------------------------------------------------------------------------------- */

enum column { TIMER, JOURNEY, TOTAL };

/* In an array of its own, since each quantity is sorted separately. */
static struct calibrate_quantiles spread(const struct calibrate_sample *sample, enum column column, int64_t *row)
{
    for (size_t i = 0; i < sample->count; i++) {
        const struct calibrate_lateness *one = &sample->one[i];
        row[i] = column == TIMER ? one->timer : column == TOTAL ? one->total : one->total - one->timer;
    }
    return calibrate_quantiles_of(row, sample->count);
}

static int write_file(const struct calibrate_plan *plan, const struct calibrate_sample *sample,
                      const struct calibrate_result *found)
{
    FILE *file = fopen(plan->out, "we");
    if (!file)
        return cli_failure(&usage, "--out %.80s: %s", plan->out, strerror(errno));
    calibrate_json(file, plan, sample, found);
    bool broken = ferror(file) != 0;
    if (fclose(file) != 0 || broken)
        return cli_failure(&usage, "--out %.80s: %s", plan->out, strerror(errno));
    return EXIT_OK;
}

static int tell(const struct calibrate_plan *plan, const struct calibrate_sample *sample, int64_t *row)
{
    struct output out;
    struct calibrate_result found = {
        .timer = spread(sample, TIMER, row),
        .journey = spread(sample, JOURNEY, row),
    };
    found.total = spread(sample, TOTAL, row); /* last, since the array keeps its sorted values */
    found.sorted = row;
    found.loss = (double)(sample->sent - sample->count) / (double)sample->sent;
    found.proposal = calibrate_propose(row, sample->count, found.loss, plan);
    int status = plan->out ? write_file(plan, sample, &found) : EXIT_OK;
    if (status == EXIT_OK)
        status = output_begin(&out, &usage);
    if (status != EXIT_OK)
        return status;
    (plan->json ? calibrate_json : calibrate_text)(out.f, plan, sample, &found);
    return output_commit(&out, &usage);
}

int calibrate_command(int argc, char **argv)
{
    struct calibrate_plan plan = {0};
    struct calibrate_sample sample = {0};
    int status = parse(argc, argv, &plan);
    if (status >= 0)
        return status;
    if (plan.listen)
        return calibrate_listen(&usage, &plan);
    status = (plan.peer ? calibrate_peer : calibrate_host)(&usage, &plan, &sample);
    int64_t *row = status == EXIT_OK ? malloc((sample.count + 1) * sizeof *row) : NULL;
    if (status == EXIT_OK && !row)
        status = cli_failure(&usage, "no memory for %zu samples", sample.count);
    else if (status == EXIT_OK && sample.count == 0)
        status = cli_failure(&usage, "none of %" PRIu64 " heartbeats arrived", sample.sent);
    else if (status == EXIT_OK)
        status = tell(&plan, &sample, row);
    free(row);
    free(sample.one);
    return status;
}
