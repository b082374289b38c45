/* mttf.c: see mttf.h. */
#include "cli/run/mttf.h"

#include <inttypes.h>
#include <string.h>

static const char life_exponential[] =
#include "life_exponential.inc"
    ;

int run_mttf_open(const struct run_plan *plan, struct scenario *scenario)
{
    char mean[40], size[40];
    char *text = strdup(life_exponential);
    struct texts defines = plan->defines;
    memset(scenario, 0, sizeof *scenario);
    if (!text)
        return cli_failure(plan->usage, "no memory for --mttf");
    snprintf(mean, sizeof mean, "MTBF=%" PRId64, (plan->mttf + 999999) / 1000000);
    snprintf(size, sizeof size, "SIZE=%" PRId64, plan->ranks);
    if (defines.n + 2 > TEXTS_MAX)
        defines.n = TEXTS_MAX - 2; /* there are not so many params, so one of the others is an error anyway */
    defines.items[defines.n++] = mean;
    defines.items[defines.n++] = size;
    return scenario_compile(plan->usage, "--mttf", text, sizeof life_exponential - 1, &defines, scenario);
}
