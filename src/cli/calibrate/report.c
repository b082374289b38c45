/* report.c: the result of `knell calibrate`, as text and as JSON. */
#include "cli/calibrate/calibrate.h"
#include "cli/common/json.h"

#include <inttypes.h>
#include <math.h>

enum { BAR = 36 };

static const char *at(double seconds, char text[DURATION_TEXT])
{
    return format_seconds(seconds, 3, text);
}

/* ---- the distribution -------------------------------------------------------------------------------------------- */

static void write_spread(FILE *out, const char *name, const struct calibrate_quantiles *spread)
{
    const double value[] = {spread->min, spread->median, spread->p99, spread->p999, spread->p9999, spread->max};
    char text[DURATION_TEXT];
    fprintf(out, "  %-12s", name);
    for (size_t i = 0; i < COUNT_OF(value); i++)
        fprintf(out, " %10s", at(value[i], text));
    fputc('\n', out);
}

/* 1, 2, 5, 10, 20, 50, ... microseconds. */
static double next_bound(double seconds)
{
    double power = pow(10, floor(log10(seconds * 1.001))), leading = seconds / power;
    return leading < 1.5 ? 2 * power : leading < 3.5 ? 5 * power : 10 * power;
}

static size_t count_below(const int64_t *sorted, size_t count, double seconds)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)sorted[middle] * 1e-9 < seconds)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void write_bar(FILE *out, double from, double to, size_t inside, size_t count)
{
    char text[2][DURATION_TEXT];
    int length = (int)((double)BAR * (double)inside / (double)count + 0.5);
    fprintf(out, "  %8s .. %-8s ", at(from, text[0]), at(to, text[1]));
    for (int i = 0; i < BAR; i++)
        fputc(i < length ? '#' : i == 0 && inside ? '.' : ' ', out);
    fprintf(out, " %zu\n", inside);
}

static void write_histogram(FILE *out, const int64_t *sorted, size_t count)
{
    size_t below = 0;
    for (double from = 1e-6, to; below < count; from = to) {
        to = next_bound(from);
        size_t up_to = count_below(sorted, count, to);
        if (up_to > 0)
            write_bar(out, from, to, up_to - below, count);
        below = up_to;
    }
}

/* ---- the proposal ------------------------------------------------------------------------------------------------ */

static void write_doubts(FILE *out, const struct calibrate_sample *sample, const struct calibrate_result *found)
{
    const struct calibrate_proposal *proposal = &found->proposal;
    char text[3][DURATION_TEXT];
    if (proposal->tau.measured) {
        fprintf(out, "\ntau is measured: ten samples or more are beyond it.\n");
    } else {
        fprintf(out,
                "\ntau is a guess: so rare a delay is beyond a sample of %zu. The longest seen\n"
                "was %s; were delays independent, fewer than 1 in %.0f would be longer,\n"
                "with 95 %% confidence. The tail is taken to fall exponentially, as the largest\n"
                "hundredth does; were it a power law, tau would be %s. Measure longer,\n"
                "and under the load of the job.\n",
                sample->count, at(found->total.max, text[0]), (double)sample->count / 3,
                at(proposal->tau.power_law_s, text[1]));
    }
    if (found->loss > 0)
        fprintf(out, "%.2g of the heartbeats were lost; losses are taken to be independent.\n", found->loss);
    if (proposal->eta_s < 3 * proposal->tau_s)
        fprintf(out, "warning: eta is below 3 tau = %s: the bounds of `knell plan` do not hold.\n",
                at(3 * proposal->tau_s, text[2]));
}

static void write_proposal(FILE *out, const struct calibrate_plan *plan, const struct calibrate_proposal *proposal)
{
    char text[DURATION_TEXT];
    fprintf(out,
            "\nWanted: %" PRId64 " processes for %s, and a risk of %g that one is suspected though it\n"
            "lives. So one heartbeat in %.2g may be later than tau:\n\n",
            plan->job_ranks, format_seconds((double)plan->job * 1e-9, 4, text), plan->risk, 1 / proposal->beyond);
    fprintf(out, "  tau    %-10s bound on one heartbeat, from due to read\n", at(proposal->tau_s, text));
    fprintf(out, "  eta    %-10s heartbeat period, %s\n", at(proposal->eta_s, text),
            plan->eta ? "given" : "3 tau or more, 10 ms at least");
    fprintf(out, "  delta  %-10s suspicion timeout, %u eta + tau: survives %u lost in a row\n",
            format_seconds(proposal->delta_s, 5, text), proposal->lost + 1, proposal->lost);
}

static void write_next(FILE *out, const struct calibrate_plan *plan, const struct calibrate_proposal *proposal)
{
    fprintf(out,
            "\nGo on with this, and the mean time between failures of your own nodes:\n\n"
            "  knell plan --nodes %" PRId64 " --mtbf 20y --risk 1e-9 \\\n"
            "      --tau %.10gms --eta %.10gms --delta %.10gms\n",
            plan->job_ranks, proposal->tau_s * 1e3, proposal->eta_s * 1e3, proposal->delta_s * 1e3);
}

void calibrate_text(FILE *out, const struct calibrate_plan *plan, const struct calibrate_sample *sample,
                    const struct calibrate_result *found)
{
    char text[2][DURATION_TEXT];
    if (plan->peer)
        fprintf(out, "From here to %s and back", plan->peer);
    else
        fprintf(out, "%" PRId64 " processes on this host", plan->ranks);
    fprintf(out,
            ", a heartbeat every %s, for %s:\n%" PRIu64 " sent, %" PRIu64
            " lost. The machine was away for %.0f ms in all, "
            "for %.0f ms\nat most within 100 ms.\n\n",
            format_duration(plan->every, text[0]), format_duration(plan->duration, text[1]), sample->sent,
            sample->sent - sample->count, 1e3 * sample->steal_s, 1e3 * sample->steal_s_most);
    fprintf(out, "  %-12s %10s %10s %10s %10s %10s %10s\n", "", "min", "median", "99 %", "99.9 %", "99.99 %", "max");
    write_spread(out, "timer late", &found->timer);
    write_spread(out, plan->peer ? "journey *" : "journey", &found->journey);
    write_spread(out, "in all", &found->total);
    if (plan->peer)
        fprintf(out, "  * a round trip less half of the shortest\n");
    fprintf(out, "\n");
    write_histogram(out, found->sorted, sample->count);
    write_proposal(out, plan, &found->proposal);
    write_doubts(out, sample, found);
    write_next(out, plan, &found->proposal);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_spread(struct json *j, const char *key, const struct calibrate_quantiles *spread)
{
    json_key(j, key);
    json_object(j);
    json_put_real(j, "min", spread->min);
    json_put_real(j, "median", spread->median);
    json_put_real(j, "p99", spread->p99);
    json_put_real(j, "p999", spread->p999);
    json_put_real(j, "p9999", spread->p9999);
    json_put_real(j, "max", spread->max);
    json_close(j);
}

void calibrate_json(FILE *out, const struct calibrate_plan *plan, const struct calibrate_sample *sample,
                    const struct calibrate_result *found)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_put_integer(&j, "knell_calibration", 2);
    json_put_real(&j, "tau_s", found->proposal.tau_s);
    json_put_real(&j, "eta_s", found->proposal.eta_s);
    json_put_real(&j, "delta_s", found->proposal.delta_s);
    json_key(&j, "tau_measured");
    json_bool(&j, found->proposal.tau.measured);
    json_put_real(&j, "tau_power_law_s", found->proposal.tau.power_law_s);
    json_put_real(&j, "beyond", found->proposal.beyond);
    json_put_real(&j, "lost_heartbeats_tolerated", found->proposal.lost);
    json_put_integer(&j, "job_ranks", plan->job_ranks);
    json_put_real(&j, "job_s", (double)plan->job * 1e-9);
    json_put_real(&j, "risk", plan->risk);
    json_key(&j, "peer");
    if (plan->peer)
        json_string(&j, plan->peer);
    else
        json_null(&j);
    json_put_integer(&j, "ranks", plan->peer ? 2 : plan->ranks);
    json_put_real(&j, "every_s", (double)plan->every * 1e-9);
    json_put_real(&j, "for_s", (double)plan->duration * 1e-9);
    json_key(&j, "sent");
    json_unsigned(&j, sample->sent);
    json_key(&j, "lost");
    json_unsigned(&j, sample->sent - sample->count);
    json_spread(&j, "timer_s", &found->timer);
    json_spread(&j, "journey_s", &found->journey);
    json_spread(&j, "total_s", &found->total);
    json_put_real(&j, "steal_s", sample->steal_s);
    json_put_real(&j, "steal_max_s", sample->steal_s_most);
    json_close(&j);
}
