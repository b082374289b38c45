/* plan.c: `knell plan`: computes the timeouts of the detector from the platform (nodes, their MTBF, the network) and
 * a risk. The closed forms are in sim/bounds.h; nothing is simulated. */
#include "cli/plan/plan.h"
#include "cli/common/calibration.h"
#include "cli/common/json.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "sim/bounds.h"

#include <inttypes.h>
#include <math.h>

#define YEAR_S (365 * 86400.0)
#define SHORTEST_S 1e-9
#define LONGEST_S (1e6 * YEAR_S)

static const struct usage usage = {
    .command = "knell plan",
    .summary = "Computes the timeouts of the failure detector for a platform: the largest delta that keeps the risk of "
               "more overlapping failures than the broadcast survives below P, and what a delta and an eta cost and "
               "promise.",
    .notes = "Durations have a unit: ns us ms s min h d y (a year is 365 days).\n",
    .examples = "  knell plan --nodes 256000 --mtbf 20y --tau 1us --risk 1e-9\n"
                "  knell plan --nodes 4096 --mtbf 5y --tau 50us --risk 1e-9 \\\n"
                "      --eta 100ms --delta 1s --json\n"
                "  knell plan --nodes 4096 --mtbf 5y --risk 1e-9 --calibration here.json\n",
};

struct question {
    int64_t nodes;
    double mtbf_s, tau_s, risk, eta_s, delta_s;
    bool eta_given, delta_given, json;
    const char *calibration;
};

struct answer {
    double delta_max_s;
    double delta_s, eta_s; /* given or chosen */
    double risk;           /* of that delta */
    unsigned f_max;
    unsigned f; /* the failures R and T are computed for: f_max, at least 1 */
    double broadcast_s, reconnect_s;
    double isolated_s, scattered_s, consecutive_s;
    double messages_per_s;
    double lost_tolerated; /* the largest m with (m + 1) eta + tau <= delta */
    bool bound_valid;
};

/* Options override the calibration. */
static int take_calibration(struct question *q, bool tau_given)
{
    struct calibration calibrated;
    int status = calibration_read(&usage, q->calibration, &calibrated);

    if (status >= 0)
        return status;
    q->tau_s = tau_given ? q->tau_s : calibrated.tau_s;
    q->eta_s = q->eta_given ? q->eta_s : calibrated.eta_s;
    q->delta_s = q->delta_given ? q->delta_s : calibrated.delta_s;
    q->eta_given = q->delta_given = true;
    return -1;
}

/* -1, or the exit status: the command line, checked option by option. */
static int parse(int argc, char **argv, struct question *q)
{
    struct option options[] = {
        OPT_INTEGER("nodes", "N", &q->nodes, 2, INT64_C(1) << 31, "number of nodes", .required = true),
        OPT_SECONDS("mtbf", "T", &q->mtbf_s, 1, LONGEST_S, "mean time between failures of one node", .required = true),
        OPT_SECONDS("tau", "T", &q->tau_s, SHORTEST_S, YEAR_S, "bound on the time of one message",
                    .fallback_help = "from --calibration"),
        OPT_REAL("risk", "P", &q->risk, 1e-300, 0.99, "accepted probability of leaving the bound", .required = true),
        OPT_SECONDS("eta", "T", &q->eta_s, SHORTEST_S, LONGEST_S, "heartbeat period", .fallback_help = "delta / 10"),
        OPT_SECONDS("delta", "T", &q->delta_s, SHORTEST_S, LONGEST_S, "suspicion timeout",
                    .fallback_help = "the largest safe one"),
        OPT_TEXT("calibration", "FILE", &q->calibration, "take tau, eta and delta from `knell calibrate --out`"),
        OPT_FLAG("json", &q->json, "write JSON"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);

    q->eta_given = options_find(options, COUNT_OF(options), "eta")->given;
    q->delta_given = options_find(options, COUNT_OF(options), "delta")->given;
    if (status >= 0)
        return status;
    if (q->calibration)
        return take_calibration(q, options_find(options, COUNT_OF(options), "tau")->given);
    if (q->tau_s == 0)
        return cli_usage_error(&usage, "--tau is missing; `knell calibrate` measures it");
    return -1;
}

/* Chooses what was not given, and refuses contradictions: with delta < eta + tau, living nodes would be suspected. */
static int choose(const struct question *q, struct answer *a)
{
    char given[DURATION_TEXT], wanted[DURATION_TEXT];

    a->delta_max_s = knell_bounds_delta_max((uint64_t)q->nodes, q->mtbf_s, q->tau_s, q->risk);
    a->delta_s = q->delta_given ? q->delta_s : a->delta_max_s;
    a->eta_s = q->eta_given ? q->eta_s : a->delta_s / 10;
    /* A tolerance of one part in 1e12, since decimal input is summed in binary. */
    if (a->delta_s * (1 + 1e-12) >= a->eta_s + q->tau_s)
        return -1;
    if (q->delta_given) {
        format_seconds(q->delta_s, 12, given);
        format_seconds(a->eta_s + q->tau_s, 12, wanted);
        return cli_usage_error(&usage, "--delta %s: must be at least eta + tau = %s", given, wanted);
    }
    if (q->eta_given && a->delta_max_s > q->tau_s) {
        format_seconds(q->eta_s, 12, given);
        format_seconds(a->delta_max_s - q->tau_s, 6, wanted);
        return cli_usage_error(&usage, "--eta %s: must be at most %s, the largest safe delta less tau", given, wanted);
    }
    return cli_usage_error(&usage, "--risk %g: no delta above tau meets it; the risk of delta = 2 tau is %.3g", q->risk,
                           knell_bounds_risk((uint64_t)q->nodes, q->mtbf_s, 2 * q->tau_s, q->tau_s));
}

static void compute(const struct question *q, struct answer *a)
{
    uint64_t n = (uint64_t)q->nodes;

    a->f_max = knell_bounds_f_max(n);
    a->f = a->f_max > 0 ? a->f_max : 1;
    a->risk = knell_bounds_risk(n, q->mtbf_s, a->delta_s, q->tau_s);
    a->broadcast_s = knell_bounds_broadcast(n, q->tau_s);
    a->reconnect_s = knell_bounds_reconnect(a->f, a->delta_s, q->tau_s);
    a->isolated_s = knell_bounds_isolated(n, a->delta_s, q->tau_s);
    a->scattered_s = knell_bounds_scattered(n, a->f, a->delta_s, q->tau_s);
    a->consecutive_s = knell_bounds_consecutive(n, a->f, a->delta_s, q->tau_s);
    a->messages_per_s = (double)n / a->eta_s;
    a->lost_tolerated = fmax(floor((a->delta_s - q->tau_s) / a->eta_s * (1 + 1e-12)) - 1, 0);
    a->bound_valid = knell_bounds_valid(a->eta_s, q->tau_s);
}

static void write_json(FILE *out, const struct question *q, const struct answer *a)
{
    const struct {
        const char *name;
        double value;
    } members[] = {
        {"mtbf_s", q->mtbf_s},
        {"tau_s", q->tau_s},
        {"eta_s", a->eta_s},
        {"delta_s", a->delta_s},
        {"delta_max_s", a->delta_max_s},
        {"B_s", a->broadcast_s},
        {"R_s", a->reconnect_s},
        {"T_s", a->consecutive_s},
        {"T_isolated_s", a->isolated_s},
        {"T_scattered_s", a->scattered_s},
        {"T_consecutive_s", a->consecutive_s},
        {"risk", a->risk},
        {"messages_per_s", a->messages_per_s},
        {"lost_heartbeats_tolerated", a->lost_tolerated},
    };
    struct json j;

    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "nodes");
    json_integer(&j, q->nodes);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        json_key(&j, members[i].name);
        json_real(&j, members[i].value);
    }
    json_key(&j, "f_max");
    json_unsigned(&j, a->f_max);
    json_key(&j, "bound_valid");
    json_bool(&j, a->bound_valid);
    json_close(&j);
}

static void row(FILE *out, const char *name, double seconds, const char *meaning)
{
    char text[DURATION_TEXT];

    fprintf(out, "  %-14s %-13s %s\n", name, format_seconds(seconds, 5, text), meaning);
}

static void write_warnings(FILE *out, const struct question *q, const struct answer *a)
{
    if (a->f_max == 0)
        fprintf(out, "note: with fewer than 4 nodes f_max is 0: failures are survived one at a time;\n"
                     "      R, T and the risk are those of one failure\n");
    if (!a->bound_valid)
        fprintf(out, "warning: bound not valid: B, and with it T and the risk, needs eta >= 3 tau\n");
    if (a->lost_tolerated < 2)
        fprintf(out,
                "warning: over UDP, delta survives only %.0f lost heartbeat%s in a row;\n"
                "         (m + 1) eta + tau <= delta with m >= 2 is advised\n",
                a->lost_tolerated, a->lost_tolerated == 1 ? "" : "s");
    if (a->delta_s > a->delta_max_s)
        fprintf(out, "warning: delta is above the largest safe one: the risk is %.3g, not %g\n", a->risk, q->risk);
}

static void write_text(FILE *out, const struct question *q, const struct answer *a)
{
    char text[4][DURATION_TEXT];

    fprintf(out, "%" PRId64 " nodes, each failing every %s: one failure every %s.\nA message takes at most %s.\n\n",
            q->nodes, format_seconds(q->mtbf_s, 4, text[0]), format_seconds(q->mtbf_s / (double)q->nodes, 4, text[1]),
            format_seconds(q->tau_s, 4, text[2]));
    fprintf(out, "  %-14s %-13s %s timeout with a risk below %g\n", "largest delta",
            a->delta_max_s > 0 ? format_seconds(a->delta_max_s, 5, text[0]) : "none",
            a->delta_max_s > 0 ? "the largest" : "there is no", q->risk);
    row(out, "delta", a->delta_s, q->delta_given ? "suspicion timeout, given" : "suspicion timeout, the safe one");
    row(out, "eta", a->eta_s, q->eta_given ? "heartbeat period, given" : "heartbeat period, delta / 10");
    fprintf(out, "  %-14s %-13.4g of more than %u failures within T consecutive\n", "risk", a->risk, a->f);
    fprintf(out, "  %-14s %-13u overlapping failures survived within the bounds\n", "f_max", a->f_max);
    row(out, "B", a->broadcast_s, "one broadcast reaches every node");
    row(out, "R", a->reconnect_s, "the ring is closed again, worst case");
    row(out, "T isolated", a->isolated_s, "everybody knows of one failure");
    row(out, "T scattered", a->scattered_s, "of f_max failures, none next to another");
    row(out, "T consecutive", a->consecutive_s, "of f_max failures in a row, the worst case");
    fprintf(out, "  %-14s %-13.*g a second in all, %.3g from each node\n\n", "messages",
            a->messages_per_s < 1000 ? 3 : 10, a->messages_per_s < 1000 ? a->messages_per_s : round(a->messages_per_s),
            1 / a->eta_s);
    fprintf(out, "A dead node is suspected between %s and %s after its death,\nand all the others know it %s later.\n",
            format_seconds(a->delta_s - a->eta_s, 4, text[0]), format_seconds(a->delta_s + q->tau_s, 4, text[1]),
            format_seconds(a->broadcast_s, 3, text[2]));
    write_warnings(out, q, a);
}

int plan_command(int argc, char **argv)
{
    struct question q = {0};
    struct answer a = {0};
    struct output out;
    int status = parse(argc, argv, &q);

    if (status >= 0 || (status = choose(&q, &a)) >= 0)
        return status;
    compute(&q, &a);
    if ((status = output_begin(&out, &usage)) != EXIT_OK)
        return status;
    (q.json ? write_json : write_text)(out.f, &q, &a);
    return output_commit(&out, &usage);
}
