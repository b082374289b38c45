/* dying.h: what the programs share in which ranks die: one clock, a file in which all ranks of this host note their times, somebody
 * who kills, and a limit. */
#ifndef BENCH_MPI_DYING_H
#define BENCH_MPI_DYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DYING_MOST = 64, DYING_SOON_MS = 20 };

int64_t dying_now(void);

/* A moment within DYING_SOON_MS that nobody has agreed on: anywhere in what the ranks do. */
int64_t dying_moment(void);

/* Memory that all have who name the same file, zero at first; NULL. */
void *dying_map(const char *file, size_t size);

/* Says why, and ends the job. */
void dying_give_up(const char *why);

/* After so many seconds the process says what it hangs at, and ends. */
void dying_limit(unsigned seconds);
extern const char *volatile dying_at;

/* Between rank 0 and a child it has from before MPI_Init, which sends the signal to all that are ordered, and notes when it began. */
struct dying_killer {
    int order; /* -1: there is none */
    pid_t pid;
};
struct dying_killer dying_hire(int signal, int64_t *died);
void dying_order(const struct dying_killer *killer, const pid_t *pids, int count);
/* Whoever was only stopped is killed. */
void dying_dismiss(struct dying_killer *killer);

#endif
