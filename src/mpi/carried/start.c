/* start.c: the carrier is made by the first process of the host, in MPI_Init, and all join it; or none does. */
#include "mpi/base/settings.h"
#include "mpi/carried/state.h"
#include "mpi/detector/memory.h"
#include "mpi/detector/neighbours.h"
#include "mpi/native/tune.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct carried_state carried;

static bool is_set_to(const char *word)
{
    const char *setting = settings_get("KNELL_CARRIER");
    return setting && strcmp(setting, word) == 0;
}

/* fd -1: it could not be made. */
static int make(struct memory_place *place)
{
    int fd = memory_make(place);
    if (fd >= 0 && ftruncate(fd, (off_t)knell_carrier_size((unsigned)neighbours_count())) == 0)
        return fd;
    place->fd = -1;
    return fd;
}

static bool join(const struct memory_place *place, int own)
{
    int fd = own >= 0 ? own : memory_open(place, self.host);
    if (fd < 0 || place->fd < 0)
        return false;
    int code = knell_carrier_join(fd, (unsigned)neighbours_count(), carried_index(self.process), &carried.carrier);
    if (fd != own)
        close(fd);
    return code == 0;
}

/* The worst of all. */
static bool all_have(bool joined, void (*look)(void))
{
    int mine = joined, all = 0;
    MPI_Request request;
    if (native.iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request) != MPI_SUCCESS ||
        native_await(&request, 1, look) != MPI_SUCCESS)
        layer_die("the MPI cannot bring the ranks of this host together");
    return all != 0;
}

static void number_processes(void)
{
    size_t count = (size_t)self.processes;
    carried.index_of = malloc(count * sizeof *carried.index_of);
    carried.process_of = malloc(count * sizeof *carried.process_of);
    if (!carried.index_of || !carried.process_of)
        layer_die("out of memory");
    for (int process = 0, index = 0; process < self.processes; process++) {
        bool here = neighbour_pid(process) != 0;
        carried.index_of[process] = here ? index : -1;
        if (here)
            carried.process_of[index++] = process;
    }
    carried.all = neighbours_count() == self.processes;
}

static void make_peers(void)
{
    carried.peer = calloc((size_t)self.processes, sizeof *carried.peer);
    if (!carried.peer)
        layer_die("out of memory");
    for (int i = 0; i < self.processes; i++) {
        list_begin(&carried.peer[i].posted);
        list_begin(&carried.peer[i].unexpected);
        list_begin(&carried.peer[i].queue);
        list_begin(&carried.peer[i].pieces);
    }
    list_begin(&carried.posted_any);
    list_begin(&carried.unexpected);
    list_begin(&carried.asked);
    for (int i = 0; i < CARRIED_TAGS; i++)
        list_begin(&carried.unexpected_tag[i]);
    carried_slots_reserve();
}

/* Where the memory of this host is; each host's first process tells all. */
static struct memory_place find_place(const struct memory_place *own, void (*look)(void))
{
    struct memory_place *all = malloc((size_t)self.processes * sizeof *all);
    MPI_Request request;
    if (!all)
        layer_die("out of memory");
    if (native.iallgather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, MPI_COMM_WORLD, &request) !=
            MPI_SUCCESS ||
        native_await(&request, 1, look) != MPI_SUCCESS)
        layer_die("the MPI cannot tell the ranks where their memory is");
    struct memory_place found = all[self.host];
    free(all);
    return found;
}

enum carried_extent carried_start(void (*look)(void))
{
    struct memory_place place = {.fd = -1};
    if (self.processes == 1 || is_set_to("off"))
        return CARRIED_NONE;
    carried.only_pieces = is_set_to("pieces");
    number_processes();
    int own = self.process == self.host ? make(&place) : -1;
    place = find_place(&place, look);
    bool joined = join(&place, own), all = all_have(joined, look);
    if (own >= 0)
        close(own);
    if (joined && !all)
        knell_carrier_leave(carried.carrier);
    if (!all) {
        carried.carrier = NULL;
        return CARRIED_NONE;
    }
    make_peers();
    return carried.all ? CARRIED_ALL : CARRIED_HOST;
}

void carried_begin(void)
{
    if (!carried.carrier)
        return;
    carried.below = native;
    carried_types_begin();
    carried_install_posts();
    carried_install_probes();
    carried_install_tests();
    native_is_let_go_of = true;
}
