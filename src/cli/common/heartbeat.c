/* See heartbeat.h. */
#include "cli/common/heartbeat.h"

#include <knell/core.h>

const char *const knell__overlay_names[] = {[KNELL_OVERLAY_CIRCULANT] = "circulant", [KNELL_OVERLAY_HBA] = "hba", NULL};

int knell__heartbeat_settle(const struct knell_usage *usage, int64_t eta, int64_t times, int64_t *delta)
{
    char eta_text[KNELL_DURATION_TEXT], delta_text[KNELL_DURATION_TEXT];
    if (*delta == 0)
        *delta = times * eta;
    if (*delta > eta)
        return -1;
    return knell__cli_fail(usage,
                           "--delta %s: must be longer than eta, which is %s: a heartbeat takes eta and its journey; "
                           "give a longer --delta or a shorter --eta",
                           knell__format_duration(*delta, delta_text), knell__format_duration(eta, eta_text));
}
