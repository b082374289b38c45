/* board.h: heartbeats within a host: a page of shared memory with two cache lines per process.
 *
 * To emit is to store the time, to observe is to load it: the paper's flag set by a remote put. No queue, no system call,
 * and a process that is late reads the newest heartbeat and not the oldest.
 *
 * The memory is an anonymous file of the first process of the host. The others open it through /proc/PID/fd while all
 * meet; then it is only mapped. It never had a name, so nothing can be left behind, whoever is killed when. Lines are by
 * rank of the job; a line nobody touches takes no memory.
 *
 * A line has one writer. Readers take it as a sequence lock: a writer that dies within a store leaves a line that cannot be
 * read, which counts as no news. */
#ifndef KNELL_RUNTIME_BOARD_H
#define KNELL_RUNTIME_BOARD_H

#include <knell/types.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct knell__beat {
    knell_time emitted;
    uint64_t digest; /* of the emitter's dead, */
    uint32_t size;   /* how many they are */
    uint32_t thread; /* who stored it, as the kernel numbers threads */
};

/* For sentinel.h: the list the kernel goes through when a thread ends, and the word it then marks. */
struct knell__board_lock {
    struct robust_list node;
    _Atomic uint32_t word;
};

struct knell__board_line;

/* All zero: no board. */
struct knell__board {
    struct knell__board_line *line;
    uint32_t ranks;
};

/* An anonymous file for a board; the descriptor, or KNELL_ESYSTEM. */
int knell__board_create(uint32_t ranks);

/* Opens the one that process `pid` has open as `fd`. */
int knell__board_open(pid_t pid, int fd);

/* Maps it; the descriptor may be closed after. KNELL_ESYSTEM; KNELL_EINVAL if it is not of that size. */
int knell__board_map(struct knell__board *board, int fd, uint32_t ranks);
void knell__board_unmap(struct knell__board *board);

void knell__board_store(struct knell__board *board, knell_rank rank, const struct knell__beat *beat);

/* Where the news are (news.h). */
void *knell__board_wall(const struct knell__board *board);

struct knell__board_lock *knell__board_lock(const struct knell__board *board, knell_rank rank);

/* False before the first store, and when no consistent line could be read. */
bool knell__board_load(const struct knell__board *board, knell_rank rank, struct knell__beat *beat);

#endif
