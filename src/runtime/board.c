/* board: see board.h. */
#include "runtime/board.h"
#include "runtime/directory.h"
#include "runtime/news.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 64, LOOKS = 16 };

struct knell__board_line {
    _Alignas(LINE) _Atomic uint32_t version; /* odd while being written; 0: never */
    _Atomic uint32_t size;
    _Atomic int64_t emitted;
    _Atomic uint64_t digest;
    _Atomic uint32_t thread;
    _Alignas(LINE) struct knell__board_lock lock; /* apart: it is written once */
};
_Static_assert(sizeof(struct knell__board_line) == (size_t)2 * LINE, "a line is two cache lines");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "processes share these: no lock may hide in them");

static size_t size_of(uint32_t ranks)
{
    return (size_t)ranks * sizeof(struct knell__board_line) + knell__news_size(ranks) + knell__directory_size(ranks);
}

int knell__board_create(uint32_t ranks)
{
    int fd = memfd_create("knell-board", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return KNELL_ESYSTEM;
    /* Sealed: nobody can shrink it under the others' feet. */
    if (ftruncate(fd, (off_t)size_of(ranks)) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        close(fd);
        return KNELL_ESYSTEM;
    }
    return fd;
}

int knell__board_open(pid_t pid, int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, fd);
    int opened = open(path, O_RDWR | O_CLOEXEC);
    return opened < 0 ? KNELL_ESYSTEM : opened;
}

int knell__board_map(struct knell__board *board, int fd, uint32_t ranks)
{
    struct stat file;
    if (fstat(fd, &file) != 0)
        return KNELL_ESYSTEM;
    if (file.st_size != (off_t)size_of(ranks) || !(fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK))
        return KNELL_EINVAL;
    void *memory = mmap(NULL, size_of(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return KNELL_ESYSTEM;
    madvise(memory, size_of(ranks), MADV_DONTFORK); /* a child has no detector and must not write here */
    *board = (struct knell__board){memory, ranks};
    return 0;
}

void knell__board_unmap(struct knell__board *board)
{
    if (board->line)
        munmap(board->line, size_of(board->ranks));
    *board = (struct knell__board){0};
}

void knell__board_store(struct knell__board *board, knell_rank rank, const struct knell__beat *beat)
{
    struct knell__board_line *line = &board->line[rank];
    uint32_t version = atomic_load_explicit(&line->version, memory_order_relaxed) | 1u;
    atomic_store_explicit(&line->version, version, memory_order_relaxed);
    /* Release stores: whoever sees one of these sees the odd version too. */
    atomic_store_explicit(&line->emitted, beat->emitted, memory_order_release);
    atomic_store_explicit(&line->digest, beat->digest, memory_order_release);
    atomic_store_explicit(&line->size, beat->size, memory_order_release);
    atomic_store_explicit(&line->thread, beat->thread, memory_order_release);
    atomic_store_explicit(&line->version, version + 1 ? version + 1 : 2, memory_order_release);
}

bool knell__board_load(const struct knell__board *board, knell_rank rank, struct knell__beat *beat)
{
    struct knell__board_line *line = &board->line[rank];
    for (unsigned look = 0; look < LOOKS; look++) {
        uint32_t before = atomic_load_explicit(&line->version, memory_order_acquire);
        if (before == 0)
            return false;
        /* Acquire loads: the second look at the version comes after them. */
        struct knell__beat read = {
            .emitted = atomic_load_explicit(&line->emitted, memory_order_acquire),
            .digest = atomic_load_explicit(&line->digest, memory_order_acquire),
            .size = atomic_load_explicit(&line->size, memory_order_acquire),
            .thread = atomic_load_explicit(&line->thread, memory_order_acquire),
        };
        if (!(before & 1) && atomic_load_explicit(&line->version, memory_order_relaxed) == before) {
            *beat = read;
            return true;
        }
    }
    return false;
}

struct knell__board_lock *knell__board_lock(const struct knell__board *board, knell_rank rank)
{
    return &board->line[rank].lock;
}

void *knell__board_wall(const struct knell__board *board)
{
    return board->line + board->ranks;
}

void *knell__board_directory(const struct knell__board *board)
{
    return (char *)knell__board_wall(board) + knell__news_size(board->ranks);
}
