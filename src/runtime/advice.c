/* advice: what is allowed but unwise. */
#include <knell/runtime.h>

#include <inttypes.h>
#include <stdio.h>

enum { LOST_ADVISED = 2 };

int knell_runtime_advice(const struct knell_runtime_config *config, char *text)
{
    knell_time tau = config->tau > 0 ? config->tau : 1000000;
    int64_t survived = config->eta > 0 ? (config->delta - tau) / config->eta - 1 : LOST_ADVISED;
    if (survived >= LOST_ADVISED)
        return 0;
    snprintf(text, KNELL_RUNTIME_WHY,
             "delta of %g ms survives %" PRId64
             " lost heartbeat%s in a row; over UDP %d are advised: 3 eta + tau, %g ms or more",
             (double)config->delta * 1e-6, survived > 0 ? survived : 0, survived == 1 ? "" : "s", LOST_ADVISED,
             (double)((LOST_ADVISED + 1) * config->eta + tau) * 1e-6);
    return 1;
}
