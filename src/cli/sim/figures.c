/* figures.c: `knell sim figures`: figures 3 to 7 of the detector paper as CSV and SVG, and the numbers of the paper
 * beside ours. */
#include "cli/sim/figures.h"
#include "cli/sim/sim.h"
#include "cli/common/json.h"
#include "cli/common/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct usage usage = {
    .command = "knell sim figures",
    .summary = "Computes and draws figures 3 to 7 of the detector paper, marks on them the numbers the paper states, "
               "and says which of these hold.",
    .notes =
        "Writes figN.csv (the points), figN.gp (a gnuplot script) and figN.svg into DIR, which is created if necessary.\n"
        "A point is what `knell sim ring --fidelity fast` or `knell sim ping` gives with that size, runs and seed.\n"
        "A number whose 95 % interval is wider than its tolerance needs more runs to tell whether it holds.\n"
        "Without gnuplot the CSV files are written and the status is 1.\n",
    .examples = "  knell sim figures --out figures\n"
                "  knell sim figures --out /tmp/quick --runs 100 --json\n",
};

struct figures_command {
    const char *dir;
    struct sim_options sim;
    struct figures figures;
    struct claim claim[CLAIMS_MAX];
    size_t claims;
};

static int parse(int argc, char **argv, struct figures_command *c)
{
    struct option options[] = {
        OPT_TEXT("out", "DIR", &c->dir, "where to write the files", .required = true),
        OPT_INTEGER("runs", "R", &c->sim.runs, 1, 10000000, "independent runs per point", .fallback = "10000"),
        SIM_OPTIONS(&c->sim),
    };

    return options_parse(&usage, options, COUNT_OF(options), argc, argv);
}

/* Checked before minutes of simulation: can files be written to this folder? */
static int prepare_dir(const char *dir)
{
    struct stat about;

    if (mkdir(dir, 0777) == 0)
        return EXIT_OK;
    if (errno != EEXIST)
        return cli_usage_error(&usage, "--out %.200s: cannot be made: %s", dir, strerror(errno));
    if (stat(dir, &about) != 0 || !S_ISDIR(about.st_mode))
        return cli_usage_error(&usage, "--out %.200s: must be a folder", dir);
    if (access(dir, W_OK | X_OK) != 0)
        return cli_usage_error(&usage, "--out %.200s: cannot be written to: %s", dir, strerror(errno));
    return EXIT_OK;
}

/* Four or five digits, enough for a comparison; whole counts in full. */
static const char *format_value(double value, const char *unit, char text[32])
{
    if (fabs(value) < 1 && value != 0)
        snprintf(text, 32, "%.6f%s%s", value, *unit ? " " : "", unit);
    else if (fabs(value) >= 1000)
        snprintf(text, 32, "%.0f%s%s", value, *unit ? " " : "", unit);
    else
        snprintf(text, 32, "%.5g%s%s", value, *unit ? " " : "", unit);
    return text;
}

static void write_text(FILE *out, const struct figures_command *c)
{
    static const char *const verdicts[] = {"DOES NOT HOLD", "holds", "too few runs to tell"};
    char paper[32], ours[32];
    unsigned count[3] = {0};

    fprintf(out, "Figures 3 to 7 in %s: figN.csv, figN.gp, figN.svg. ", c->dir);
    fprintf(out, "%" PRId64 " runs per point, seed %" PRId64 ", %.1f s\n\n", c->sim.runs, c->sim.seed,
            c->figures.wall_s);
    fprintf(out, "  %-6s %-57s %13s %13s\n", "figure", "what the paper states", "paper", "here");
    for (size_t i = 0; i < c->claims; i++) {
        const struct claim *claim = &c->claim[i];
        enum claim_verdict verdict = claim_judge(claim);

        fprintf(out, "  %-6s %-57s %13s %13s  %s\n", claim->figure, claim->statement,
                format_value(claim->paper, claim->unit, paper), format_value(claim->ours, claim->unit, ours),
                verdicts[verdict]);
        count[verdict]++;
    }
    if (count[CLAIM_UNDECIDED] > 0)
        fprintf(out, "\n%u of %zu need more --runs to tell.\n", count[CLAIM_UNDECIDED], c->claims);
    fprintf(out, "\n%u of %zu do not hold:\n", count[CLAIM_BROKEN], c->claims);
    for (size_t i = 0; i < c->claims; i++) {
        const struct claim *claim = &c->claim[i];

        if (claim_judge(claim) == CLAIM_BROKEN)
            fprintf(out, "  %-6s %s:\n         %s\n", claim->figure, claim->statement, claim->note ? claim->note : "");
    }
}

static void write_claim(struct json *j, const struct claim *claim)
{
    json_object(j);
    json_key(j, "figure");
    json_string(j, claim->figure);
    json_key(j, "statement");
    json_string(j, claim->statement);
    json_key(j, "unit");
    json_string(j, claim->unit);
    json_key(j, "paper");
    json_real(j, claim->paper);
    json_key(j, "ours");
    json_real(j, claim->ours);
    json_key(j, "ci95");
    json_real(j, claim->ci95);
    json_key(j, "holds");
    if (claim_judge(claim) == CLAIM_UNDECIDED)
        json_null(j);
    else
        json_bool(j, claim_judge(claim) == CLAIM_HOLDS);
    json_key(j, "note");
    json_string(j, claim->note ? claim->note : "");
    json_close(j);
}

static void write_json(FILE *out, const struct figures_command *c)
{
    struct json j;

    json_begin(&j, out);
    json_object(&j);
    json_key(&j, "out");
    json_string(&j, c->dir);
    json_key(&j, "runs");
    json_integer(&j, c->sim.runs);
    json_key(&j, "seed");
    json_integer(&j, c->sim.seed);
    json_key(&j, "numbers");
    json_array(&j);
    for (size_t i = 0; i < c->claims; i++)
        write_claim(&j, &c->claim[i]);
    json_close(&j);
    json_key(&j, "wall_s");
    json_real(&j, c->figures.wall_s);
    json_close(&j);
}

int sim_figures_command(int argc, char **argv)
{
    static struct figures_command c; /* static since it has some kilobytes; it is used once per process */
    struct output out;
    int status = parse(argc, argv, &c);

    if (status >= 0)
        return status;
    if ((status = prepare_dir(c.dir)) != EXIT_OK ||
        (status = figures_simulate(&usage, &c.sim, &c.figures)) != EXIT_OK ||
        (status = figures_write_csv(&usage, c.dir, &c.figures)) != EXIT_OK)
        return status;
    c.claims = figures_claims(&c.figures, c.claim);
    int drawn = figures_plot(&usage, c.dir);
    if (output_begin(&out, &usage) != EXIT_OK)
        return EXIT_FAILED;
    if (c.sim.json)
        write_json(out.f, &c);
    else
        write_text(out.f, &c);
    status = output_commit(&out, &usage);
    return status == EXIT_OK ? drawn : status;
}
