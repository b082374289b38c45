/* allocate.c: windows come to be: MPI_Win_allocate_shared, and MPI_Win_allocate where all members are on this host.
 *
 * All members duplicate the communicator by agreement, tell each other what they want, map the memory, and agree that all of them have it:
 * a window is made at all members or at none. Nobody leaves before the second agreement, so nobody waits in vain. */
#include "mpi/base/gen/own.h"
#include "mpi/base/lock.h"
#include "mpi/coll/coll.h"
#include "mpi/create/make.h"
#include "mpi/detector/neighbours.h"
#include "mpi/error/error.h"
#include "mpi/detector/memory.h"
#include "mpi/window/window.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* What a member wants. The first one made the memory, and says whether the parts of all lie in a row. */
struct wish {
    int64_t size;
    int unit;
    int apart;
    struct memory_place place;
};

struct allocation {
    struct comm *parent;
    struct window *window;
    struct wish mine, *all;
    MPI_Info info;
    int fd;
};

/* ---- the plan ---------------------------------------------------------------------------------------------------------------- */

static size_t in_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static size_t control_bytes(size_t members)
{
    return in_pages(members * sizeof(struct window_target) + 3 * members * members * sizeof(uint64_t));
}

/* Where the parts begin, from the start of the memory; `base` is an offset as yet. */
static int plan(struct window *window, const struct wish *all)
{
    size_t at = control_bytes((size_t)window->comm->size);
    for (int i = 0; i < window->comm->size; i++) {
        size_t bytes = all[0].apart ? in_pages((size_t)all[i].size) : (size_t)all[i].size;
        window->part[i] = (struct window_part){.base = NULL, .size = all[i].size, .unit = all[i].unit};
        window->part[i].base += at;
        if (__builtin_add_overflow(at, bytes, &at) || at > INT64_MAX / 2)
            return MPI_ERR_SIZE;
    }
    window->bytes = in_pages(at);
    return MPI_SUCCESS;
}

static void place_control(struct window *window)
{
    size_t members = (size_t)window->comm->size;
    window->control.target = window->memory;
    window->control.request = (void *)(window->control.target + members);
    window->control.posts = window->control.request + members * members;
    window->control.complete = window->control.posts + members * members;
    for (size_t i = 0; i < members; i++)
        window->part[i].base = (char *)window->memory + (uintptr_t)window->part[i].base;
}

static int map(struct allocation *make)
{
    struct window *window = make->window;
    int code = plan(window, make->all);
    if (code != MPI_SUCCESS)
        return code;
    if (window->comm->rank > 0)
        make->fd = memory_open(&make->all[0].place, window->comm->process_of[0]);
    if (make->fd < 0)
        return MPI_ERR_RMA_SHARED;
    window->memory = memory_map(make->fd, window->bytes);
    if (!window->memory)
        return MPI_ERR_NO_MEM;
    place_control(window);
    return MPI_SUCCESS;
}

/* ---- one window ---------------------------------------------------------------------------------------------------------------- */

static struct window *new_window(struct comm *comm, int flavor)
{
    struct window *window = calloc(1, sizeof *window);
    size_t members = (size_t)comm->size;
    if (!window)
        layer_die("out of memory");
    window->comm = comm;
    window->handle = MPI_WIN_NULL;
    window->flavor = flavor;
    window->model = MPI_WIN_UNIFIED;
    window->part = calloc(members, sizeof *window->part);
    window->locked = calloc(members, sizeof *window->locked);
    window->starts = calloc(members, sizeof *window->starts);
    window->started.count = window->posted.count = -1;
    if (!window->part || !window->locked || !window->starts)
        layer_die("out of memory");
    return window;
}

void window_delete(struct window *window)
{
    MPI_Comm handle = window->comm->handle;
    if (window->memory)
        munmap(window->memory, window->bytes);
    mpi_comm_free(&handle);
    free(window->started.rank);
    free(window->posted.rank);
    free(window->part);
    free(window->locked);
    free(window->starts);
    free(window);
}

/* A window of this process alone, which Open MPI makes by this call only whatever the transports are. One at a time: they are made on one
 * communicator. */
static int make_handle(struct window *window, MPI_Info info)
{
    void *base;
    lock_take(LOCK_WINDOWS);
    layer_guard++;
    int code = native.win_allocate_shared(0, 1, info, context_alone, &base, &window->handle);
    layer_guard--;
    lock_give(LOCK_WINDOWS);
    return code;
}

/* ---- together ---------------------------------------------------------------------------------------------------------------- */

static int duplicate(struct comm *parent, struct comm **made)
{
    bool revoked = parent->hints.range != HINTS_RANGE_LOCAL && (comm_trouble(parent) & COMM_REVOKED);
    struct making *making =
        making_start(parent, MAKING_CREATE, NULL, comm_handle_make(), revoked ? MPIX_ERR_REVOKED : MPI_SUCCESS);
    return making_finish(making, made);
}

static bool any_is_dead(const struct comm *comm, const struct side_ticket *ticket)
{
    for (int i = 0; i < comm->size; i++)
        if (side_ticket_has_dead(ticket, comm->process_of[i]))
            return true;
    return false;
}

/* The worst class of all; codes of the MPI below mean something in one process only. */
static int agree(struct comm *comm, int code)
{
    struct side_ticket ticket = {.group = comm->id,
                                 .kind = KNELL_KIND_CREATE,
                                 .fold = SIDE_FOLD_WORST,
                                 .alone = comm->size == 1,
                                 .size = sizeof code};
    unsigned turns = 0;
    if (code != MPI_SUCCESS)
        mpi_error_class(code, &code);
    memcpy(ticket.value, &code, sizeof code);
    side_propose(&ticket);
    while (!side_decided(&ticket))
        wait_idle(&turns, comm);
    memcpy(&code, ticket.value, sizeof code);
    if (any_is_dead(comm, &ticket))
        code = MPIX_ERR_PROC_FAILED;
    free(ticket.dead);
    while (code == MPIX_ERR_PROC_FAILED && !(comm_trouble(comm) & COMM_DEAD))
        wait_idle(&turns, comm); /* the death is on its way here */
    return code;
}

static int share(struct allocation *make, int code)
{
    struct window *window = make->window;
    if (window->comm->rank == 0)
        make->fd = memory_make(&make->mine.place);
    int gathered = coll_allgather(window->comm, &make->mine, make->all, sizeof make->mine);
    if (code == MPI_SUCCESS)
        code = gathered;
    if (code == MPI_SUCCESS)
        code = map(make);
    if (code == MPI_SUCCESS)
        code = make_handle(window, make->info);
    code = agree(window->comm, code);
    if (make->fd >= 0)
        close(make->fd);
    return code;
}

static bool is_here(const struct comm *comm)
{
    for (int i = 0; i < comm->size; i++)
        if (neighbour_pid(comm->process_of[i]) == 0)
            return false;
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------- */

static int wrong(const struct comm *comm, MPI_Aint size, MPI_Aint unit)
{
    if (size < 0)
        return MPI_ERR_SIZE;
    if (unit <= 0 || unit != (int)unit)
        return MPI_ERR_DISP;
    return is_here(comm) ? MPI_SUCCESS : MPI_ERR_RMA_SHARED;
}

static bool wants_apart(MPI_Info info)
{
    char value[8] = "";
    int flag = 0;
    if (info != MPI_INFO_NULL)
        native.info_get(info, "alloc_shared_noncontig", sizeof value - 1, value, &flag);
    return flag && strcmp(value, "true") == 0;
}

static void give_up(struct window *window)
{
    if (window->handle != MPI_WIN_NULL) {
        native.win_set_errhandler(window->handle, MPI_ERRORS_RETURN);
        native.win_free(&window->handle);
    }
    window_delete(window);
}

static int make_window(struct allocation *make, int flavor, MPI_Win *win, void *baseptr)
{
    struct comm *comm = NULL;
    int wrong_here = wrong(make->parent, make->mine.size, make->mine.unit);
    int code = duplicate(make->parent, &comm);
    if (code != MPI_SUCCESS)
        return code;
    make->window = new_window(comm, flavor);
    make->all = calloc((size_t)comm->size, sizeof *make->all);
    if (!make->all)
        layer_die("out of memory");
    code = share(make, wrong_here);
    free(make->all);
    if (code != MPI_SUCCESS) {
        give_up(make->window);
        return code;
    }
    window_add(make->window);
    *win = make->window->handle;
    *(void **)baseptr = make->window->part[comm->rank].base;
    return MPI_SUCCESS;
}

static int allocate(struct comm *comm, MPI_Aint size, MPI_Aint unit, MPI_Info info, int flavor, MPI_Win *win,
                    void *baseptr)
{
    struct allocation make = {.parent = comm, .info = info, .fd = -1};
    make.mine = (struct wish){.size = size, .unit = unit == (int)unit ? (int)unit : -1, .place.fd = -1};
    make.mine.apart = flavor == MPI_WIN_FLAVOR_ALLOCATE || wants_apart(info);
    *win = MPI_WIN_NULL;
    if (comm_is_inter(comm))
        return error_raise(comm, MPI_ERR_COMM);
    return error_raise(comm, make_window(&make, flavor, win, baseptr));
}

int mpi_win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm handle, void *baseptr, MPI_Win *win)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.win_allocate_shared(size, disp_unit, info, handle, baseptr, win);
    return allocate(comm, size, disp_unit, info, MPI_WIN_FLAVOR_SHARED, win, baseptr);
}

/* Where not all share memory it is not carried: the same at all members. */
static int allocate_here(MPI_Aint size, MPI_Aint unit, MPI_Info info, struct comm *comm, void *baseptr, MPI_Win *win)
{
    *win = MPI_WIN_NULL;
    if (!comm_is_inter(comm) && !is_here(comm))
        return error_raise_lack(comm->handle, JOB_CALL_WIN_ALLOCATE);
    return allocate(comm, size, unit, info, MPI_WIN_FLAVOR_ALLOCATE, win, baseptr);
}

int mpi_win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm handle, void *baseptr, MPI_Win *win)
{
    struct comm *comm = comm_of(handle);
    return comm ? allocate_here(size, disp_unit, info, comm, baseptr, win)
                : native.win_allocate(size, disp_unit, info, handle, baseptr, win);
}

#if MPI_VERSION >= 4
int mpi_win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm handle, void *baseptr,
                              MPI_Win *win)
{
    struct comm *comm = comm_of(handle);
    if (!comm)
        return native.win_allocate_shared_c(size, disp_unit, info, handle, baseptr, win);
    return allocate(comm, size, disp_unit, info, MPI_WIN_FLAVOR_SHARED, win, baseptr);
}

int mpi_win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm handle, void *baseptr, MPI_Win *win)
{
    struct comm *comm = comm_of(handle);
    return comm ? allocate_here(size, disp_unit, info, comm, baseptr, win)
                : native.win_allocate_c(size, disp_unit, info, handle, baseptr, win);
}
#endif
