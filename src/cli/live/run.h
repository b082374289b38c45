/* live_run.h: what the files of the parent of `knell live` share: live_run.c, live_process.c, live_act.c, live_hosts.c,
 * live_away.c, live_fail.c. */
#ifndef KNELL_CLI_LIVE_RUN_H
#define KNELL_CLI_LIVE_RUN_H

#include "cli/live/live.h"
#include "runtime/address.h"

#include <signal.h>

#define KNELL__LIVE_MS INT64_C(1000000)
enum { KNELL__LIVE_KEY = 32, KNELL__LIVE_HOSTS = 250 };

int64_t knell__live_clock(void);

/* ---- hosts in namespaces ----------------------------------------------------------------------------------------------- */

/* Made by the script tools/hosts, which lasts as long as this process; entered and cut from here. */
struct knell__live_hosts {
    int count;
    pid_t holder;                    /* the script; 0: none */
    int switch_pid;                  /* pidfd of the switch's first process */
    int control;                     /* a socket in the switch's network */
    int host_pid[KNELL__LIVE_HOSTS]; /* pidfds */
    char address[KNELL__LIVE_HOSTS][16];
};

/* 0, or -1 with one sentence (of KNELL_RUNTIME_WHY bytes) on why there cannot be hosts here; then nothing is left. */
int knell__live_hosts_open(struct knell__live_hosts *hosts, int count, char *why);

/* Returns when nothing is left of them. Whoever was forked into them must have been waited for. */
void knell__live_hosts_close(struct knell__live_hosts *hosts);

/* As fork(): the child is on the host, and still a child of this process. */
pid_t knell__live_hosts_fork(struct knell__live_hosts *hosts, int host);

/* A socket that listens at any port of the host's address; -1. */
int knell__live_hosts_listen(struct knell__live_hosts *hosts, int host, struct knell__address *bound);

/* The host's port at the switch goes down; returns when, by the clock, or -1. */
int64_t knell__live_hosts_cut(struct knell__live_hosts *hosts, int host);

/* ---- absence of the machine -------------------------------------------------------------------------------------------- */

/* Watches from open to close; what it found is then in the log. NULL: no memory. */
struct knell__live_away *knell__live_away_open(int64_t delta);
void knell__live_away_look(struct knell__live_away *away); /* now and then */
void knell__live_away_close(struct knell__live_away *away, struct knell__live_log *log);

/* ---- the run ----------------------------------------------------------------------------------------------------------- */

struct knell__live_process {
    pid_t pid;    /* 0: has ended */
    int status;   /* of one that has ended, as of waitpid */
    bool stopped; /* by us, and not resumed */
    bool cut;     /* its host is */
    bool ended;   /* and live_fail has been told */
};

struct knell__live_run {
    const struct knell_usage *usage;
    struct knell__live_plan *plan;
    FILE *show;
    struct knell__live_log *log;
    struct knell__live_process *process; /* by rank */
    bool *touched, *dead;                /* scratch, by rank */
    int64_t settled;                     /* when all was known; 0: not yet */
    uint32_t started, counted, living;
    struct knell__live_notes *notes;
    int stop[2], leave[2], listening;
    uint8_t key[KNELL__LIVE_KEY];
    char rendezvous[KNELL__ADDRESS_TEXT];
    struct knell__live_hosts hosts;
    struct knell__live_away *away;
    struct knell__live_fail *fail; /* NULL: no scenario */
    sigset_t ending;               /* SIGINT and the like: blocked, and waited for */
    int interrupted;               /* by this one; 0: not */
    int status;
};

/* live_process.c */
int knell__live_make(struct knell__live_run *run);      /* hosts, ways and processes; an exit status */
void knell__live_reap(struct knell__live_run *run);     /* who has ended is not killed or stopped any more */
void knell__live_end_deaf(struct knell__live_run *run); /* kills whom nobody can ask to leave: stopped or cut off */
void knell__live_end_all(struct knell__live_run *run);  /* nothing is left */

/* live_act.c: does what is due; returns when the next thing is. */
int64_t knell__live_act(struct knell__live_run *run);
void knell__live_kill(struct knell__live_run *run, struct knell__injection *injection);
void knell__live_stop(struct knell__live_run *run, struct knell__injection *injection);
void knell__live_resume(struct knell__live_run *run, struct knell__injection *injection);

/* live_fail.c: a scenario acts from `begin` on, by the clock; NULL after a complaint. */
struct knell__live_fail *knell__live_fail_open(struct knell__live_run *run, int *status);
void knell__live_fail_begin(struct knell__live_fail *fail);
int64_t knell__live_fail_act(struct knell__live_fail *fail); /* as knell__live_act */
void knell__live_fail_close(struct knell__live_fail *fail);

#endif
