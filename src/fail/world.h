/* The interpreter's memory: one block, laid out by world.c. What a step changes is here and in the caller's record,
 * nowhere else. Instances are numbered from 0 within the world in here; `first` is the number of the first hosted
 * one. */
#ifndef KNELL_FAIL_WORLD_H
#define KNELL_FAIL_WORLD_H

#include "fail/program.h"

#define KNELL__NOTHING UINT32_MAX

/* A message on its way or in a mailbox. */
struct knell__mail {
    knell_time arrival;
    uint32_t next; /* in the list it is in: on the way, a mailbox, or free */
    uint32_t previous;
    uint32_t to; /* within the world */
    uint32_t sender;
    uint32_t message;
};

struct knell__list {
    uint32_t first;
    uint32_t last;
};

struct knell__instance {
    const struct knell__fail_daemon *daemon; /* NULL: none */
    const struct knell__fail_node *node;
    int64_t *variables;
    uint8_t *visited; /* per node: a plain int is set on the first entry only */
    uint64_t *calls;  /* per function, before and after: reported since the process was loaded */
    uint64_t key;     /* of its draws */
    uint64_t draws;
    uint64_t waiting_mask; /* of the mailbox, as knell__fail_node.messages; may hold bits of what is gone */
    struct knell__list mailbox;
    uint32_t waiting;
    uint32_t first_timer; /* its timers in the heap: this one ends a rest, those of the daemon follow */
    uint32_t next_dirty;  /* in the list of those whose mailbox must be looked through */
    uint32_t burst;       /* rules fired at burst_time */
    knell_time burst_time;
    bool dirty;
    bool resting;
    uint8_t process; /* enum knell_fail_process */
};

/* Timers that are armed, the earliest on top; ties go to the lower number: instance, then order of declaration. */
struct knell__timers {
    knell_time *deadline; /* by timer */
    uint32_t *position;   /* by timer; KNELL__NOTHING: not armed */
    uint32_t *heap;
    uint32_t armed;
};

/* What went wrong when the first nodes were entered, until the first steps report it; more than these are only
 * counted. */
#define KNELL__START_FAULTS 16
struct knell__start_fault {
    uint32_t instance;
    struct knell_fail_fault fault;
};

struct knell_fail_world {
    const struct knell_fail_program *program;
    struct knell_fail_config config;
    struct knell_fail_counters counters;
    knell_time now;
    uint32_t first;
    uint32_t count;
    struct knell__instance *instances;
    struct knell__mail *mail;
    struct knell__list free;
    struct knell__list flying;
    struct knell__list dirty; /* instances */
    struct knell__timers timers;
    uint32_t *timer_owner;
    struct knell__start_fault start_faults[KNELL__START_FAULTS];
    uint32_t start_fault_count;
    uint32_t start_fault_next; /* the first that no record has said yet */
};

/* world.c: is the instance, by its number in the program, one of this world's? */
bool knell__world_hosts(const struct knell_fail_world *w, uint32_t instance);

/* timers.c */
void knell__timers_arm(struct knell__timers *t, uint32_t timer, knell_time deadline);
void knell__timers_cancel(struct knell__timers *t, uint32_t timer);
uint32_t knell__timers_due(const struct knell__timers *t, knell_time now); /* KNELL__NOTHING: none */

/* mail.c */
void knell__mail_send(struct knell_fail_world *w, uint32_t sender, struct knell_fail_action *send);
bool knell__mail_put(struct knell_fail_world *w, uint32_t to, uint32_t sender, uint32_t message, knell_time arrival);
uint32_t knell__mail_land(struct knell_fail_world *w,
                          knell_time now);                        /* into its mailbox; KNELL__NOTHING: none is due */
void knell__mail_take(struct knell_fail_world *w, uint32_t mail); /* out of its mailbox */
void knell__dirty_add(struct knell_fail_world *w, uint32_t instance);
void knell__dirty_drop(struct knell_fail_world *w); /* the first */

/* node.c: where an automaton is */
void knell__node_start(struct knell_fail_world *w, uint32_t instance, struct knell_fail_record *record);
void knell__node_enter(struct knell_fail_world *w, uint32_t instance, uint32_t node, struct knell_fail_record *record);
bool knell__node_eval(struct knell_fail_world *w, uint32_t instance, struct knell__fail_slice code,
                      struct knell_fail_record *record, int64_t *result);

/* fire.c: one rule. The first whose event matches and whose conditions hold, or NULL. */
const struct knell__fail_rule *knell__fire_find(struct knell_fail_world *w, uint32_t instance,
                                                const struct knell_fail_event *event, struct knell_fail_record *record);
void knell__fire(struct knell_fail_world *w, uint32_t instance, const struct knell__fail_rule *rule,
                 const struct knell_fail_event *event, bool was_running, struct knell_fail_record *record);
void knell__fire_continue(struct knell__instance *in, struct knell_fail_record *record); /* the implied one */
/* BEFORE, AFTER, INSIDE: for events of these types are the next three. */
bool knell__fire_is_call(enum knell_fail_event_type type);
/* Does this name of the scenario's mean the call of the event? */
bool knell__fire_means(const struct knell_fail_program *p, uint32_t function, const struct knell_fail_event *event);
/* Which call by this name it is of. */
uint64_t knell__fire_count(const struct knell__instance *in, uint32_t function, const struct knell_fail_event *event);
/* Does the rule, of whatever type, want this call? */
bool knell__fire_is_for(const struct knell_fail_world *w, const struct knell__instance *in,
                        const struct knell__fail_rule *rule, const struct knell_fail_event *event);

void knell__fault_add(struct knell_fail_world *w, struct knell_fail_record *record, struct knell_fail_fault fault);

#endif
