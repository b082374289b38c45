/* A world's birth and what can be asked of it. The block is measured and cut by one function, so that both always
 * agree. */
#include "fail/world.h"
#include "util/prng.h"

#include <string.h>

/* ---- the block --------------------------------------------------------------------------------------------------- */

struct cutter {
    uint8_t *base; /* NULL: only measure */
    size_t used;
};

static void *cut(struct cutter *c, size_t count, size_t size)
{
    void *piece = c->base ? c->base + c->used : NULL;

    c->used += (count * size + 7) & ~(size_t)7;
    return piece;
}

/* An instance that lives elsewhere has none here. */
static const struct knell__fail_daemon *daemon_of(const struct knell_fail_program *p,
                                                  const struct knell_fail_config *config, uint32_t instance)
{
    uint32_t daemon = p->places[knell_fail_instance_place(p, instance)].daemon;
    bool here = !config->hosted || config->hosted[instance];

    return daemon == KNELL__FAIL_NO_DAEMON || !here ? NULL : &p->daemons[daemon];
}

static void cut_instance(struct cutter *c, const struct knell_fail_program *p, const struct knell_fail_config *config,
                         uint32_t number, struct knell__instance *in, uint32_t *timers)
{
    const struct knell__fail_daemon *d = daemon_of(p, config, number);
    int64_t *variables = cut(c, d ? d->variables : 0, sizeof *variables);
    uint8_t *visited = cut(c, d ? d->nodes.count : 0, sizeof *visited);
    uint64_t *calls = cut(c, 2 * (size_t)p->function_count, sizeof *calls);

    if (in) {
        in->daemon = d;
        in->variables = variables;
        in->visited = visited;
        in->calls = calls;
        in->first_timer = *timers;
    }
    *timers += d ? d->timers + 1 : 0;
}

static struct knell_fail_world *cut_world(struct cutter *c, const struct knell_fail_program *p,
                                          const struct knell_fail_config *config)
{
    struct knell_fail_world *w = cut(c, 1, sizeof *w);
    struct knell__instance *instances = cut(c, config->hosted_count, sizeof *instances);
    struct knell__mail *mail = cut(c, config->messages, sizeof *mail);
    uint32_t timers = 0;
    struct knell__timers t;
    uint32_t *owner;

    for (uint32_t i = 0; i < config->hosted_count; i++)
        cut_instance(c, p, config, config->hosted_first + i, instances ? &instances[i] : NULL, &timers);
    t.deadline = cut(c, timers, sizeof *t.deadline);
    t.position = cut(c, timers, sizeof *t.position);
    t.heap = cut(c, timers, sizeof *t.heap);
    t.armed = 0;
    owner = cut(c, timers, sizeof *owner);
    if (w) {
        w->instances = instances;
        w->mail = mail;
        w->timers = t;
        w->timer_owner = owner;
        memset(t.position, 0xff, timers * sizeof *t.position);
    }
    return w;
}

/* The config with its zeros replaced; false: out of range. */
static bool complete(const struct knell_fail_program *p, const struct knell_fail_config *given,
                     struct knell_fail_config *config)
{
    *config = *given;
    if (config->hosted_count == 0 && config->hosted_first == 0)
        config->hosted_count = p->instance_count;
    if (config->messages == 0)
        config->messages = 4096 + 4 * p->instance_count;
    if (config->rules_per_instant == 0)
        config->rules_per_instant = 1024 + 4 * p->instance_count;
    return config->message_delay >= 0 && config->hosted_first <= p->instance_count &&
           config->hosted_count <= p->instance_count - config->hosted_first && config->messages < KNELL__NOTHING / 64;
}

size_t knell_fail_world_size(const struct knell_fail_program *program, const struct knell_fail_config *given)
{
    struct cutter c = {NULL, 0};
    struct knell_fail_config config;

    if (!complete(program, given, &config))
        return 0;
    cut_world(&c, program, &config);
    return c.used;
}

/* ---- birth ------------------------------------------------------------------------------------------------------- */

static void free_all_mail(struct knell_fail_world *w)
{
    uint32_t last = w->config.messages - 1;

    for (uint32_t i = 0; i <= last; i++) {
        w->mail[i].next = i < last ? i + 1 : KNELL__NOTHING;
        w->mail[i].previous = i > 0 ? i - 1 : KNELL__NOTHING;
    }
    w->free = (struct knell__list){0, last};
    w->flying = w->dirty = (struct knell__list){KNELL__NOTHING, KNELL__NOTHING};
}

static void keep_start_faults(struct knell_fail_world *w, uint32_t instance, const struct knell_fail_record *record)
{
    for (uint32_t i = 0; i < record->fault_count && i < KNELL_FAIL_FAULTS_MAX; i++) {
        if (w->start_fault_count < KNELL__START_FAULTS)
            w->start_faults[w->start_fault_count++] = (struct knell__start_fault){instance, record->faults[i]};
    }
}

static void start(struct knell_fail_world *w, uint32_t instance)
{
    struct knell__instance *in = &w->instances[instance];
    struct knell_fail_record record;

    record.action_count = record.fault_count = 0;
    record.event = (struct knell_fail_event){0};
    in->key = knell_prng_key(w->config.seed, w->first + instance);
    in->mailbox = (struct knell__list){KNELL__NOTHING, KNELL__NOTHING};
    in->burst_time = INT64_MIN;
    for (uint32_t t = 0; in->daemon && t <= in->daemon->timers; t++)
        w->timer_owner[in->first_timer + t] = instance;
    knell__node_start(w, instance, &record);
    keep_start_faults(w, instance, &record);
}

int knell_fail_world_init(void *memory, const struct knell_fail_program *program, const struct knell_fail_config *given,
                          knell_time now, struct knell_fail_world **world)
{
    struct cutter c = {memory, 0};
    struct knell_fail_config config;
    struct knell_fail_world *w;

    if (!complete(program, given, &config))
        return KNELL_EINVAL;
    memset(memory, 0, knell_fail_world_size(program, given));
    w = cut_world(&c, program, &config);
    w->program = program;
    w->config = config;
    w->now = now;
    w->first = config.hosted_first;
    w->count = config.hosted_count;
    free_all_mail(w);
    for (uint32_t i = 0; i < w->count; i++)
        start(w, i);
    *world = w;
    return 0;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool knell__world_hosts(const struct knell_fail_world *w, uint32_t instance)
{
    return instance >= w->first && instance - w->first < w->count && (!w->config.hosted || w->config.hosted[instance]);
}

static const struct knell__instance *find(const struct knell_fail_world *w, uint32_t instance)
{
    return instance >= w->first && instance - w->first < w->count ? &w->instances[instance - w->first] : NULL;
}

knell_time knell_fail_deadline(const struct knell_fail_world *w)
{
    knell_time deadline = w->timers.armed > 0 ? w->timers.deadline[w->timers.heap[0]] : KNELL_NEVER;

    if (w->start_fault_next < w->start_fault_count || w->dirty.first != KNELL__NOTHING)
        return w->now;
    if (w->flying.first != KNELL__NOTHING && w->mail[w->flying.first].arrival < deadline)
        deadline = w->mail[w->flying.first].arrival;
    return deadline;
}

uint32_t knell_fail_armed(const struct knell_fail_world *w, uint32_t instance, struct knell_fail_probe *probes,
                          uint32_t room)
{
    const struct knell__instance *in = find(w, instance);
    uint32_t count = 0;

    if (!in || !in->node || in->process == KNELL_FAIL_NONE)
        return 0;
    for (uint32_t i = 0; i < in->node->rules.count; i++) {
        const struct knell__fail_rule *rule = &w->program->rules[in->node->rules.first + i];
        struct knell_fail_probe probe = {rule->event, rule->subject};
        bool known = false;

        if (rule->event < KNELL_FAIL_BEFORE || rule->event > KNELL_FAIL_WATCH)
            continue;
        for (uint32_t j = 0; j < i && !known; j++) {
            const struct knell__fail_rule *other = &w->program->rules[in->node->rules.first + j];

            known = other->event == probe.type && other->subject == probe.subject;
        }
        if (known)
            continue;
        if (count < room)
            probes[count] = probe;
        count++;
    }
    return count;
}

bool knell_fail_is_armed(const struct knell_fail_world *w, uint32_t instance, struct knell_fail_probe probe)
{
    const struct knell__instance *in = find(w, instance);

    if (!in || !in->node || in->process == KNELL_FAIL_NONE)
        return false;
    for (uint32_t i = 0; i < in->node->rules.count; i++) {
        const struct knell__fail_rule *rule = &w->program->rules[in->node->rules.first + i];

        if (rule->event == probe.type && rule->subject == probe.subject)
            return true;
    }
    return false;
}

enum knell_fail_process knell_fail_process_of(const struct knell_fail_world *w, uint32_t instance)
{
    const struct knell__instance *in = find(w, instance);

    return in ? (enum knell_fail_process)in->process : KNELL_FAIL_NONE;
}

const char *knell_fail_node_of(const struct knell_fail_world *w, uint32_t instance)
{
    const struct knell__instance *in = find(w, instance);

    return in && in->node ? in->node->name : "";
}

uint32_t knell_fail_waiting(const struct knell_fail_world *w, uint32_t instance)
{
    const struct knell__instance *in = find(w, instance);

    return in ? in->waiting : 0;
}

struct knell_fail_counters knell_fail_counters_of(const struct knell_fail_world *w)
{
    return w->counters;
}

bool knell_fail_variable_of(const struct knell_fail_world *w, uint32_t instance, uint32_t number, const char **name,
                            int64_t *value)
{
    const struct knell__instance *in = find(w, instance);

    if (!in || !in->daemon || number >= in->daemon->variables)
        return false;
    *name = w->program->variable_names[in->daemon->first_variable + number];
    *value = in->variables[number];
    return true;
}
