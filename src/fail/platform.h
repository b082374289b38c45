/* A platform that relaunches, after the MPICH-Vcl of the FAIL-MPI paper: machines with slots, a job of processes on
 * a group of them, a dispatcher that notices a death, ends the survivors and launches the job again. An effector of
 * FAIL without a protocol under it: good for trying a scenario, for tests, and as the frame of the simulator's
 * effector.
 *
 * Pure like the rest: it says when something happens and what, the time is an argument, memory is the caller's. It
 * knows nothing of checkpoints, networks or the ring. */
#ifndef KNELL_FAIL_PLATFORM_H
#define KNELL_FAIL_PLATFORM_H

#include <knell/fail.h>

enum knell_platform_relaunch {
    KNELL_PLATFORM_JOB,     /* one death: all end, all come back */
    KNELL_PLATFORM_PROCESS, /* only the dead one comes back */
    KNELL_PLATFORM_NOTHING, /* the dead stay dead */
};

/* Every process of the job calls this function after it has run for `after`, and then every `every` (0: once). */
struct knell_platform_call {
    const char *symbol;
    knell_time after;
    knell_time every;
};

enum { KNELL_PLATFORM_CALLS_MAX = 16 };

struct knell_platform_config {
    uint32_t place;      /* the group of the job; processes on other places live on their own, one in every slot */
    uint32_t processes;  /* of the job; at most the size of the group, the other slots are spare */
    knell_time launch;   /* from one process to the next when the job is launched */
    knell_time detect;   /* from a death until the dispatcher knows */
    knell_time stop;     /* from there until the survivors are gone */
    knell_time relaunch; /* from there until the first process is back */
    knell_time length;   /* a process exits with status 0 after running for so long; 0: never */
    enum knell_platform_relaunch policy;
    bool spares; /* a dead process comes back on the next free slot instead of its own */
    struct knell_platform_call calls[KNELL_PLATFORM_CALLS_MAX];
    uint32_t call_count;
};

struct knell_platform_counters {
    uint64_t launches; /* of the whole job: 1 and one per recovery */
    uint64_t faults;   /* processes that the scenario killed, by halt or by a signal */
    uint64_t exits;    /* processes that ended by themselves */
};

struct knell_platform;

/* The group of a program with the most slots is where the job goes by default, fully used; times as on a cluster.
 * False: no group has a program. */
bool knell_platform_defaults(const struct knell_fail_program *program, struct knell_platform_config *config);

/* 0, or KNELL_EINVAL with one sentence in *why: a job larger than its group, a time out of range. */
int knell_platform_check(const struct knell_fail_program *program, const struct knell_platform_config *config,
                         const char **why);

size_t knell_platform_size(const struct knell_fail_program *program);

/* In a block of knell_platform_size() bytes, aligned to 8; the first launch is at `now`. Keeps pointers to the
 * program and the world, copies the config. */
struct knell_platform *knell_platform_init(void *memory, const struct knell_fail_program *program,
                                           const struct knell_fail_world *world,
                                           const struct knell_platform_config *config, knell_time now);

knell_time knell_platform_deadline(const struct knell_platform *platform);

/* 1: *event happened at `now`, feed it; 0: nothing more at `now`. */
int knell_platform_step(struct knell_platform *platform, knell_time now, struct knell_fail_event *event);

/* Carries out the actions of a record. */
void knell_platform_apply(struct knell_platform *platform, knell_time now, const struct knell_fail_record *record);

struct knell_platform_counters knell_platform_counters_of(const struct knell_platform *platform);
uint32_t knell_platform_held(const struct knell_platform *platform); /* processes that wait for a continue */
uint32_t knell_platform_alive(const struct knell_platform *platform);

/* The whole loop up to and with `until`; every record goes to `each` (may be NULL) after it was carried out, which may
 * return false to end the run. */
struct knell_platform_watcher {
    void *driver;
    bool (*each)(void *driver, const struct knell_fail_record *record);
};
void knell_platform_run(struct knell_platform *platform, struct knell_fail_world *world, knell_time until,
                        const struct knell_platform_watcher *watcher);

#endif
