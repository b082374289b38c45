/* heartbeat.h: --eta, --delta, --overlay and --latest-only of the commands that run detectors: `knell live` and
 * `knell run`. */
#ifndef KNELL_CLI_COMMON_HEARTBEAT_H
#define KNELL_CLI_COMMON_HEARTBEAT_H

#include "cli/common/options.h"

/* Sets a delta that was not given (0) to `times` eta. -1: delta is longer than eta; otherwise the exit status, after
 * a complaint. */
int heartbeat_settle(const struct usage *usage, int64_t eta, int64_t times, int64_t *delta);

/* Indexed by enum knell_overlay; ends with NULL. */
extern const char *const heartbeat_overlay_names[];

/* Indexed by enum knell_split; ends with NULL. */
extern const char *const heartbeat_split_names[];

#define HEARTBEAT_BROADCAST_OPTIONS(o, l)                                                                 \
    OPT_WORD("overlay", o, heartbeat_overlay_names, "how deaths are broadcast", .fallback = "circulant"), \
        OPT_FLAG("latest-only", l, "a broadcast of a death does not repeat earlier ones")
#define HEARTBEAT_BROADCAST_NOTES                                                                                               \
    "--overlay circulant: every rank passes a death on once; ranks of one host read it in shared memory. hba: the paper's two " \
    "hypercubes, a datagram for every copy.\n"                                                                                  \
    "--latest-only: messages stay short, but ranks that are known to be dead hinder the next broadcast. Only for "              \
    "programs that repair every communicator after each stabilisation (detector paper, 5.1).\n"

#endif
