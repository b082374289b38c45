/* heartbeat.c: see heartbeat.h. */
#include "cli/common/heartbeat.h"

#include <knell/core.h>

const char *const heartbeat_overlay_names[] = {
    [KNELL_OVERLAY_CIRCULANT] = "circulant", [KNELL_OVERLAY_HBA] = "hba", NULL};

const char *const heartbeat_split_names[] = {[KNELL_SPLIT_GO_ON] = "go-on", [KNELL_SPLIT_END] = "end", NULL};

int heartbeat_settle(const struct usage *usage, int64_t eta, int64_t times, int64_t *delta)
{
    char eta_text[DURATION_TEXT], delta_text[DURATION_TEXT];
    if (*delta == 0)
        *delta = times * eta;
    if (*delta > eta)
        return -1;
    return cli_usage_error(usage,
                           "--delta %s: must be longer than eta, which is %s: a heartbeat takes eta and its journey; "
                           "give a longer --delta or a shorter --eta",
                           format_duration(*delta, delta_text), format_duration(eta, eta_text));
}
