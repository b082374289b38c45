/* figures_claims.c: the numbers that the detector paper states in sections 3.3, 3.4 and 4, each beside ours. See
 * figures.h.
 *
 * Ours are closed forms where there are any, otherwise means of the simulation. */
#include "cli/sim/figures.h"
#include "sim/bounds.h"
#include "sim/closed.h"

#include <assert.h>
#include <math.h>

struct list {
    const struct figures *figures;
    struct claim *claim;
    size_t n;
};

enum claim_verdict claim_judge(const struct claim *claim)
{
    if (claim->few || claim->ci95 > claim->slack)
        return CLAIM_UNDECIDED;
    return fabs(claim->ours - claim->paper) <= claim->slack + claim->ci95 ? CLAIM_HOLDS : CLAIM_BROKEN;
}

static void add(struct list *l, struct claim claim)
{
    assert(l->n < CLAIMS_MAX);
    l->claim[l->n++] = claim;
}

/* A number of the simulation. The interval assumes a normally distributed mean, which needs about 30 runs. */
static void add_simulated(struct list *l, struct claim claim)
{
    claim.few |= l->figures->runs < 30;
    add(l, claim);
}

/* The half-width of a/b, b well away from 0. */
static double ratio_ci95(double a, double a_ci95, double b, double b_ci95)
{
    return hypot(a_ci95, a / b * b_ci95) / fabs(b);
}

/* The half-width of a share; three divided by the number of runs if all runs agree. */
static double share_ci95(double share, uint64_t runs)
{
    return fmax(1.96 * sqrt(share * (1 - share) / (double)runs), 3 / (double)runs);
}

static const struct figures_ring *ring(const struct list *l, enum figures_case which, uint32_t nodes)
{
    return &l->figures->ring[which][figures_size(nodes)];
}

static const struct figures_ping *ping(const struct list *l, uint32_t nodes)
{
    return &l->figures->ping[figures_size(nodes)];
}

static double delta_max(double years)
{
    return knell_bounds_delta_max(256000, years * FIGURES_YEAR_S, FIGURES_TAU_S, FIGURES_RISK);
}

static void add_fig3(struct list *l)
{
    add(l, (struct claim){"3", "largest delta at 256,000 nodes, 20 years per node", "s", 22, delta_max(20), 0.5, NULL,
                          0, false});
    add(l, (struct claim){"3", "largest delta at 256,000 nodes, 45 years per node", "s", 60, delta_max(45), 0.5,
                          "the paper's own formula gives 49.4 s; at 60 s the risk is 17 times as large", 0, false});
}

static void add_fig4(struct list *l)
{
    const struct figures_ring *noise = ring(l, FIGURES_BURST_LOW_NOISE, 256000);
    const struct figures_ring *lat = ring(l, FIGURES_BURST_LOW_LAT, 256000);
    const struct knell_stat *n16 = &ring(l, FIGURES_BURST_LOW_NOISE, 16)->first;
    const struct knell_stat *n256 = &ring(l, FIGURES_BURST_LOW_NOISE, 256)->first;
    double small = n16->mean - 55, large = n256->mean - 55;

    add_simulated(l, (struct claim){"4(a)", "first failure known to all after delta - eta/2", "s", 55,
                                    noise->first.mean, 0.5, NULL, noise->first.ci95, false});
    add_simulated(l, (struct claim){"4(b)", "the same with LowLat", "s", 0.95, lat->first.mean, 0.005, NULL,
                                    lat->first.ci95, false});
    add_simulated(l,
                  (struct claim){"4", "LowNoise / LowLat is the ratio of the deltas (stable)", "", 60,
                                 noise->stable.mean / lat->stable.mean, 3, "within 5 %: eta/delta differs as well",
                                 ratio_ci95(noise->stable.mean, noise->stable.ci95, lat->stable.mean, lat->stable.ci95),
                                 false});
    add_simulated(l, (struct claim){"4(a)", "first beyond delta - eta/2 falls as 1/n: from 16 to 256", "times", 16,
                                    small / large, 2,
                                    "it falls as (floor(log n) - 2)/n, for more failures strike larger platforms",
                                    ratio_ci95(small, n16->ci95, large, n256->ci95), n256->ci95 >= large});
}

static void add_fig5(struct list *l)
{
    const struct figures_setting *s = &figures_settings[FIGURES_RANDOM];
    struct knell_closed_busy most = knell_closed_busy(256000, s->mtbf_s, s->eta_s, s->delta_s);
    struct knell_closed_busy less = knell_closed_busy(65536, s->mtbf_s, s->eta_s, s->delta_s);
    const struct figures_ring *r = ring(l, FIGURES_RANDOM, 256000);

    add(l, (struct claim){"5", "MTBF of 256,000 nodes: a couple of minutes", "min", 2, s->mtbf_s / 256000 / 60, 0.5,
                          NULL, 0, false});
    add_simulated(l, (struct claim){"5", "first failure known to all after a constant time", "s", most.first_s,
                                    r->first.mean, 0.5, NULL, r->first.ci95, false});
    add(l, (struct claim){"5", "failures beyond the first grow as n: 65,536 to 256,000", "times", 256000 / 65536.0,
                          (most.failures - 1) / (less.failures - 1), 0.1,
                          "it is e^(lambda (delta - eta/2)): exponential, a line only while near 1", 0, false});
    add_simulated(l, (struct claim){"5", "completion delayed by delta/2 on average at 256,000", "s", s->delta_s / 2,
                                    r->stable.mean - r->first.mean, 3,
                                    "by the closed form 14.3 s over all runs, 40 s over the 36 % with more failures",
                                    r->stable.ci95, false});
}

static void add_ping_theory(struct list *l)
{
    add(l, (struct claim){"3.4.2", "a given node is not pinged in a round, 100,000 nodes", "", 0.367881,
                          knell_closed_ping_missed(100000), 5e-7, NULL, 0, false});
    add(l, (struct claim){"3.4.2", "1/e", "", 0.367894, exp(-1), 5e-7, "a slip of digits: 1/e = 0.367879", 0, false});
    add(l, (struct claim){"3.4.2", "nodes ignored in a round at 100,000", "", 36788,
                          1e5 * knell_closed_ping_missed(100000), 0.5, NULL, 0, false});
    add(l, (struct claim){"3.4.2", "rounds until a given node is pinged but for 1e-9", "", 20.7,
                          knell_closed_ping_rounds(100000, 1, 1e-9), 0.05, NULL, 0, false});
    add(l,
        (struct claim){"3.4.2", "rounds until all 100,000 are pinged but for 1e-9", "", 21,
                       ceil(knell_closed_ping_rounds(100000, 100000, 1e-9)), 0.5,
                       "21 are enough for one given node; that none of 100,000 is missed takes ln N more", 0, false});
    add(l, (struct claim){"3.4.2", "fullest queue at 100,000, lower bound", "", 4.7, knell_closed_ping_queue(100000),
                          0.05, NULL, 0, false});
    add(l, (struct claim){"3.4.2", "fullest queue at 100,000, upper bound", "", 14.1,
                          3 * knell_closed_ping_queue(100000), 0.05, NULL, 0, false});
}

static void add_fig6(struct list *l)
{
    add_simulated(l, (struct claim){"6", "rounds at 20,000 nodes, mean", "", 11, ping(l, 20000)->rounds.mean, 0.5, NULL,
                                    ping(l, 20000)->rounds.ci95, false});
    add_simulated(l, (struct claim){"6", "rounds at 100,000 nodes, mean", "", 13, ping(l, 100000)->rounds.mean, 0.5,
                                    NULL, ping(l, 100000)->rounds.ci95, false});
    /* The paper's worst case is that of 10,000 runs; e times fewer runs have a worst case of one round less. */
    add_simulated(l,
                  (struct claim){"6", "rounds, worst of all runs at 100,000 nodes", "", 22, ping(l, 100000)->rounds.max,
                                 2, "the worst of 10,000 runs differs by a round or two from seed to seed", 0,
                                 log(1e4 / (double)l->figures->runs) > 2});
    add_simulated(l, (struct claim){"4.3", "messages until all of 100,000 are pinged, mean", "", 2599974,
                                    ping(l, 100000)->messages.mean, 99999, "the paper's is that of 13 whole rounds",
                                    ping(l, 100000)->messages.ci95, false});
}

static void add_fig7(struct list *l)
{
    add_simulated(l, (struct claim){"7", "fullest queue at 20,000 nodes, mean", "", 8, ping(l, 20000)->queue.mean, 0.5,
                                    "8 is not the mean but what 98 % of the rounds stay within",
                                    ping(l, 20000)->queue.ci95, false});
    add_simulated(l, (struct claim){"7", "fullest queue at 100,000 nodes, mean", "", 11, ping(l, 100000)->queue.mean,
                                    0.5, "11 is not the mean but what all but a few rounds in 10,000 stay within",
                                    ping(l, 100000)->queue.ci95, false});
    add_simulated(l, (struct claim){"7", "runs at 20,000 whose fullest queue is at most 8", "%", 100,
                                    100 * ping(l, 20000)->within, 5, "with high probability",
                                    100 * share_ci95(ping(l, 20000)->within, l->figures->runs), false});
    add_simulated(l, (struct claim){"7", "runs at 100,000 whose fullest queue is at most 11", "%", 100,
                                    100 * ping(l, 100000)->within, 5, "with high probability",
                                    100 * share_ci95(ping(l, 100000)->within, l->figures->runs), false});
}

size_t figures_claims(const struct figures *figures, struct claim claims[CLAIMS_MAX])
{
    struct list l = {.figures = figures, .claim = claims};

    add_fig3(&l);
    add_fig4(&l);
    add_fig5(&l);
    add_ping_theory(&l);
    add_fig6(&l);
    add_fig7(&l);
    return l.n;
}
