/* run.h: what the files of the parent of `knell live` share: run.c, process.c, act.c, hosts.c, absence.c, fail.c. */
#ifndef KNELL_CLI_LIVE_RUN_H
#define KNELL_CLI_LIVE_RUN_H

#include "cli/live/live.h"
#include "runtime/address.h"

#include <signal.h>

#define LIVE_MS INT64_C(1000000)
enum { LIVE_KEY_SIZE = 32, LIVE_HOSTS_MAX = 250 };

/* ---- hosts in namespaces ----------------------------------------------------------------------------------------- */

/* The script tools/hosts makes them and runs as long as this process; hosts.c enters and cuts them. */
struct live_hosts {
    int count;
    pid_t holder;                 /* the script; 0: none */
    int switch_pid;               /* pidfd of the switch's first process */
    int control;                  /* a socket in the switch's network */
    int host_pid[LIVE_HOSTS_MAX]; /* pidfds */
    char address[LIVE_HOSTS_MAX][16];
};

/* 0, or -1 with the reason in `why` (KNELL_RUNTIME_WHY bytes); then nothing is left behind. */
int live_hosts_open(struct live_hosts *hosts, int count, char *why);

/* Returns when nothing of them is left. The caller has waited for all processes that it forked into them. */
void live_hosts_close(struct live_hosts *hosts);

/* As fork(): the child is on the host, and still a child of this process. */
pid_t live_hosts_fork(struct live_hosts *hosts, int host);

/* A socket that listens at any port of the host's address, or -1. */
int live_hosts_listen(struct live_hosts *hosts, int host, struct knell__address *bound);

/* Takes the host's port at the switch down; returns the time of the cut, by the clock, or -1. */
int64_t live_hosts_cut(struct live_hosts *hosts, int host);

/* ---- absence of the machine -------------------------------------------------------------------------------------- */

/* Watches from open to close, which adds the absences to the record. NULL: no memory. */
struct live_watch *live_watch_open(int64_t delta);
void live_watch_look(struct live_watch *away); /* to be called regularly */
void live_watch_close(struct live_watch *away, struct live_record *record);

/* ---- the run ----------------------------------------------------------------------------------------------------- */

struct live_process {
    pid_t pid;    /* 0: has ended */
    int status;   /* as of waitpid, once it has ended */
    bool stopped; /* by us, and not resumed */
    bool cut;     /* its host is cut off */
    bool ended;   /* it has ended, and fail.c knows */
};

struct live_run {
    const struct usage *usage;
    struct live_plan *plan;
    FILE *show;
    struct live_record *record;
    struct live_process *process; /* by rank */
    bool *touched, *dead;         /* scratch, by rank */
    int64_t settled;              /* when all survivors knew of all deaths; 0: not yet */
    uint32_t started, counted, living;
    struct live_notes *notes;
    int stop[2], leave[2], listening;
    uint8_t key[LIVE_KEY_SIZE];
    char rendezvous[KNELL__ADDRESS_TEXT];
    struct live_hosts hosts;
    struct live_watch *watch;
    struct live_fail *fail; /* NULL: no scenario */
    sigset_t ending;        /* SIGINT and the like: blocked, and waited for */
    int interrupted;        /* the signal that ended the run; 0: none */
    int status;
};

/* process.c */
int live_start_all(struct live_run *run);        /* hosts, sockets and processes; an exit status */
void live_reap(struct live_run *run);            /* collects ended processes; they get no more signals */
void live_end_unreachable(struct live_run *run); /* kills processes that are stopped or cut off */
void live_end_all(struct live_run *run);         /* kills and collects all processes, closes everything */

/* act.c: does what is due; returns when the next action is. */
int64_t live_act(struct live_run *run);
void live_kill(struct live_run *run, struct live_injection *injection);
void live_stop(struct live_run *run, struct live_injection *injection);
void live_resume(struct live_run *run, struct live_injection *injection);

/* fail.c: a scenario acts from `begin` on, by the clock. NULL after a complaint. */
struct live_fail *live_fail_open(struct live_run *run, int *status);
void live_fail_begin(struct live_fail *fail);
int64_t live_fail_act(struct live_fail *fail); /* as live_act */
void live_fail_close(struct live_fail *fail);

#endif
