/* pointer.c: see pointer.h. The memory has no name in any file system: it is a memfd of one member, which the others open through /proc.
 * So nothing is left behind, whoever is killed.
 *
 * Counters: generation g has the counter g modulo POINTER_COUNTERS. Before a generation that POINTER_APART divides begins there is a barrier.
 * So when a member is in generation g, the others are in g - POINTER_APART at least, and in g + POINTER_APART at most: they use the counters of
 * one half, or of both at its border. After the barrier nobody uses the half before it any more; one member clears it, which is done before
 * the next barrier. */
#include "mpi/file/pointer.h"
#include "mpi/coll/coll.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t bytes = POINTER_COUNTERS * sizeof(_Atomic int64_t);

static void begin(struct pointer *pointer, void *memory)
{
    *pointer = (struct pointer){.counter = memory, .etype = 1};
}

void pointer_make_alone(struct pointer *pointer)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin(pointer, memory == MAP_FAILED ? NULL : memory);
}

void pointer_make(struct pointer *pointer, struct memory_place *place)
{
    int fd = memory_make(place);
    begin(pointer, fd >= 0 ? memory_map(fd, bytes) : NULL);
}

void pointer_join(struct pointer *pointer, int process, const struct memory_place *place)
{
    int fd = memory_open(place, process);
    begin(pointer, fd >= 0 ? memory_map(fd, bytes) : NULL);
    if (fd >= 0)
        close(fd);
}

void pointer_close(const struct memory_place *place)
{
    if (place->fd >= 0)
        close((int)place->fd);
}

void pointer_end(struct pointer *pointer)
{
    if (pointer->counter)
        munmap(pointer->counter, bytes);
    pointer->counter = NULL;
}

/* ---- generations ------------------------------------------------------------------------------------------------------------------ */

static void clear(struct pointer *pointer, unsigned first)
{
    for (unsigned i = 0; i < POINTER_APART; i++)
        atomic_store(&pointer->counter[(first + i) % POINTER_COUNTERS], 0);
}

int pointer_renew(struct pointer *pointer, struct comm *comm, MPI_Offset base)
{
    int64_t nothing = 0;
    int code = MPI_SUCCESS;
    pointer->generation++;
    pointer->base = base;
    if (pointer->generation % POINTER_APART != 0)
        return MPI_SUCCESS;
    code = coll_most(comm, &nothing, 1);
    if (code == MPI_SUCCESS && comm->rank == 0 && pointer->counter)
        clear(pointer, pointer->generation - POINTER_APART);
    return code;
}

static _Atomic int64_t *counter_of(const struct pointer *pointer)
{
    return &pointer->counter[pointer->generation % POINTER_COUNTERS];
}

/* ---- moving it -------------------------------------------------------------------------------------------------------------------- */

MPI_Offset pointer_get(const struct pointer *pointer)
{
    return pointer->base + atomic_load(counter_of(pointer));
}

MPI_Offset pointer_add(struct pointer *pointer, MPI_Offset etypes)
{
    return pointer->base + atomic_fetch_add(counter_of(pointer), etypes);
}

static int64_t sum(const int64_t *number, int count)
{
    int64_t all = 0;
    for (int i = 0; i < count; i++)
        all += number[i];
    return all;
}

/* When all have said how much they want, nobody moves the pointer by an earlier call any more: one member moves it for all. The others need
 * no counter for that. */
int pointer_add_ordered(struct pointer *pointer, struct comm *comm, MPI_Offset etypes, MPI_Offset *offset)
{
    int64_t *wants = malloc((size_t)comm->size * sizeof *wants), mine = etypes, first = -1;
    if (!wants)
        return MPI_ERR_NO_MEM;
    int code = coll_allgather(comm, &mine, wants, sizeof mine);
    if (code == MPI_SUCCESS && comm->rank == 0 && pointer->counter)
        first = pointer_add(pointer, sum(wants, comm->size));
    if (code == MPI_SUCCESS)
        code = coll_most(comm, &first, 1);
    if (code == MPI_SUCCESS && first < 0)
        code = MPI_ERR_UNSUPPORTED_OPERATION;
    *offset = first + sum(wants, code == MPI_SUCCESS ? comm->rank : 0);
    free(wants);
    return code;
}
