/* fake_runtime.c: the detector's runtime as the layer calls it, without threads and sockets: it knows what the test says, and tells it
 * the way the real one does. See fake.h. */
#include "fake.h"

#include <knell/runtime.h>

static knell_on_fact *tell;

struct knell_runtime_config knell_runtime_config_default(void)
{
    return (struct knell_runtime_config){.eta = 1, .delta = 5};
}

int knell_runtime_start(const struct knell_runtime_config *config, struct knell_runtime **runtime, char *why)
{
    static char any;
    (void)why;
    tell = config->on_fact_at_once;
    *runtime = (struct knell_runtime *)&any;
    return 0;
}

void knell_runtime_stop(struct knell_runtime *runtime)
{
    (void)runtime;
}

int knell_runtime_counters(struct knell_runtime *runtime, struct knell_runtime_counters *counters)
{
    (void)runtime, (void)counters;
    return KNELL_ESTOPPED;
}

int knell_runtime_group(struct knell_runtime *runtime, uint64_t id, const knell_rank *member, uint32_t size)
{
    (void)runtime, (void)id, (void)member, (void)size;
    return 0;
}

int knell_runtime_drop(struct knell_runtime *runtime, uint64_t id)
{
    (void)runtime, (void)id;
    return 0;
}

int knell_runtime_propose(struct knell_runtime *runtime, uint64_t group, enum knell_kind kind, uint8_t operation,
                          const void *value, uint32_t size, uint64_t acked)
{
    (void)runtime, (void)group, (void)kind, (void)operation, (void)value, (void)size, (void)acked;
    return KNELL_ESTOPPED;
}

int knell_runtime_suspect(struct knell_runtime *runtime, knell_rank rank, enum knell_why why)
{
    (void)runtime, (void)rank, (void)why;
    return KNELL_ESTOPPED;
}

int knell_runtime_revoke(struct knell_runtime *runtime, uint64_t group)
{
    (void)runtime;
    fake_revoke(group);
    return 0;
}

int knell_runtime_hear(struct knell_runtime *runtime, knell_rank from, const void *bytes, size_t size)
{
    (void)runtime, (void)from, (void)bytes, (void)size;
    return 0;
}

int knell_runtime_trigger(struct knell_runtime *runtime)
{
    (void)runtime;
    return 0;
}

void fake_die(int process)
{
    tell(NULL, &(struct knell_fact){.type = KNELL_FACT_FAILED, .rank = (knell_rank)process, .why = KNELL_WHY_KERNEL});
}

void fake_revoke(uint64_t group)
{
    tell(NULL, &(struct knell_fact){.type = KNELL_FACT_REVOKED, .group = group});
}
