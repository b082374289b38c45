/* fake_comm.c: communicators and datatypes of the fake MPI, its table, and the beginning of a job. See fake.h. */
#include "fake.h"
#include "mpi/abandon/drain.h"
#include "mpi/base/settings.h"
#include "mpi/coll/out.h"
#include "mpi/detector/side.h"
#include "mpi/detector/silence.h"
#include "mpi/native/tune.h"
#include "mpi/p2p/anytag.h"
#include "mpi/p2p/probe.h"
#include "mpi/wait/doubt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMM_BASE = 0x10000, TYPE_BASE = 0x18000, SETTINGS = 8 };

int fake_types;
int fake_tag_ub = INT_MAX;

static int comms, types;

/* ---- the calls --------------------------------------------------------------------------------------------------------------- */

static int comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    (void)comm;
    *made = FAKE_HANDLE(MPI_Comm, COMM_BASE + 16 * ++comms);
    return MPI_SUCCESS;
}

static int comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    fake_duplicates++;
    return comm_dup(comm, made);
}

static int comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void)comm, (void)handler;
    return MPI_SUCCESS;
}

static int comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    (void)comm;
    *handler = MPI_ERRORS_RETURN;
    return MPI_SUCCESS;
}

static int errhandler_free(MPI_Errhandler *handler)
{
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

static int comm_get_attr(MPI_Comm comm, int key, void *value, int *flag)
{
    (void)comm;
    *flag = key == MPI_TAG_UB;
    *(int **)value = &fake_tag_ub;
    return MPI_SUCCESS;
}

static int comm_group(MPI_Comm comm, MPI_Group *group)
{
    (void)comm;
    *group = MPI_GROUP_EMPTY;
    return MPI_SUCCESS;
}

static int type_dup(MPI_Datatype type, MPI_Datatype *made)
{
    (void)type;
    fake_types++;
    *made = FAKE_HANDLE(MPI_Datatype, TYPE_BASE + 16 * ++types);
    return MPI_SUCCESS;
}

static int type_free(MPI_Datatype *type)
{
    fake_types--;
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

static int type_get_envelope(MPI_Datatype type, int *integers, int *addresses, int *parts, int *combiner)
{
    uintptr_t number = FAKE_NUMBER(type) - TYPE_BASE;
    *integers = *addresses = *parts = 0;
    *combiner = number <= 16 * (uintptr_t)types ? MPI_COMBINER_DUP : MPI_COMBINER_NAMED;
    return MPI_SUCCESS;
}

static int error_class(int code, int *class)
{
    *class = code;
    return MPI_SUCCESS;
}

static int initialized(int *flag)
{
    *flag = 1;
    return MPI_SUCCESS;
}

/* ---- the table --------------------------------------------------------------------------------------------------------------- */

/* In the section of the layer's wrappers, whose ends wait/where.c knows. */
__attribute__((section("knell_calls"), noinline)) static int not_played(void)
{
    fputs("fake: the layer has called something that is not played: add it to test/mpi/unit/fake_comm.c\n", stderr);
    abort();
}

static void fill_comms(void)
{
    native.comm_dup = comm_dup;
    native.comm_idup = comm_idup;
    native.comm_set_errhandler = comm_set_errhandler;
    native.comm_get_errhandler = comm_get_errhandler;
    native.errhandler_free = errhandler_free;
    native.comm_get_attr = comm_get_attr;
    native.comm_group = comm_group;
    native.type_dup = type_dup;
    native.type_free = type_free;
    native.type_get_envelope = type_get_envelope;
    native.error_class = error_class;
    native.initialized = initialized;
}

/* Before native_ready, which looks for a real MPI where none is. */
__attribute__((constructor(103))) static void fill_table(void)
{
    int (*missing)(void) = not_played;
    for (size_t at = 0; at + sizeof missing <= sizeof native; at += sizeof missing)
        memcpy((char *)&native + at, &missing, sizeof missing);
    fake_fill_messages();
    fake_fill_requests();
    fake_fill_statuses();
    fill_comms();
}

/* ---- the job ----------------------------------------------------------------------------------------------------------------- */

static struct {
    const char *name, *value;
} setting[SETTINGS];

void fake_setting(const char *name, const char *value)
{
    int at = 0;
    while (at < SETTINGS - 1 && setting[at].name && strcmp(setting[at].name, name) != 0)
        at++;
    setting[at].name = name;
    setting[at].value = value;
}

const char *settings_get(const char *name)
{
    for (int i = 0; i < SETTINGS && setting[i].name; i++)
        if (strcmp(setting[i].name, name) == 0)
            return setting[i].value;
    return NULL;
}

/* As in edge/life.c. */
static void connect_rooms(void)
{
    task_serve_by(drain_turn);
    notice_heard_by(NOTICE_TAKE, drain_heard);
    notice_heard_by(NOTICE_TAKEN, drain_heard);
    notice_heard_by(NOTICE_OUT, out_heard);
    drain_also(anytag_discard);
    drain_also(probe_discard);
    drain_if(out_may_discard);
    comm_at_end(anytag_forget);
    comm_at_end(out_forget);
}

void fake_begin(int process, int processes)
{
    self.process = process;
    self.processes = processes;
    connect_rooms();
    native_tune();
    context_make_all(false, NULL);
    native_learn_complete();
    doubt_begin();
    silence_begin();
    side_start(&(struct side_meeting){.address = "127.0.0.1:1"}, -1,
               &(struct side_hooks){comm_note_failure, comm_note_revoke});
    comm_make_predefined();
    atomic_store(&layer_attention, 0);
}

int fake_shared(int number)
{
    return PLACE_POOL_DEFAULT - PLACE_SHARED + PLACE_SHARED * number;
}

struct comm *fake_comm(int slot, unsigned epoch)
{
    static uint64_t made;
    struct offer agreed = {.id = 0}, mine = {.id = 0};
    struct place place;
    int *process = malloc((size_t)self.processes * sizeof *process);
    agreed.free_slots[slot / 8] = (uint8_t)(1 << slot % 8);
    agreed.epoch[slot] = (uint8_t)epoch;
    if (!process || !offer_take(&mine, &agreed, &place))
        abort();
    for (int i = 0; i < self.processes; i++)
        process[i] = i;
    struct comm *comm = comm_new(&(struct comm_group){process, self.processes, 0}, ++made, &place, comm_handle_make());
    free(process);
    return comm;
}
