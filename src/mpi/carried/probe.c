/* probe.c: probes in the shape of the MPI's own calls. */
#include "mpi/carried/state.h"
#include "mpi/context/context.h"

/* NOTICES_EVERY: who waits looks for notices all the time, and moves messages besides. */
enum { NOTICES_EVERY = 8 };

static struct arrived *look(int source, int tag, int context)
{
    struct arrived *found = carried_find_arrived((uint32_t)context, source, tag);
    if (found || (tag == context_notices_tag() && ++carried.looks % NOTICES_EVERY != 0))
        return found;
    carried_move();
    return carried_find_arrived((uint32_t)context, source, tag);
}

/* Found, and its sender does not withdraw it any more. */
static struct arrived *match(int source, int tag, int context)
{
    struct arrived *found;
    while ((found = look(source, tag, context)) != NULL) {
        carried_off(found);
        if (found->self || found->in_pieces || found->kind == KNELL_CARRIER_DATA ||
            knell_carrier_match(carried.carrier, carried_index(found->source), found->ticket))
            return found;
        carried_throw_away(found);
    }
    return NULL;
}

/* Nothing is here. Who looks at the MPI below is waited for here, too. */
static void go_on_here(int found)
{
    if (found)
        return;
    carried_enter();
    carried_move_here();
    carried_leave();
}

static bool is_elsewhere(int context, int source)
{
    return context < 0 || (source >= 0 && !carried_here(source));
}

static int probe_nobody(int *flag, MPI_Status *status)
{
    *flag = 1;
    carried_status_of(MPI_PROC_NULL, MPI_ANY_TAG, 0, status);
    return MPI_SUCCESS;
}

static int iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    int context = context_carried(comm);
    if (RARELY(is_elsewhere(context, source))) {
        int code = carried.below.iprobe(source, tag, comm, flag, status);
        go_on_here(*flag);
        return code;
    }
    if (RARELY(source == MPI_PROC_NULL))
        return probe_nobody(flag, status);
    carried_enter();
    const struct arrived *found = look(source, tag, context);
    *flag = found != NULL;
    if (found)
        carried_status_of(found->source, found->head.tag, found->size, status);
    carried_leave();
    return found || source != MPI_ANY_SOURCE || carried.all ? MPI_SUCCESS
                                                            : carried.below.iprobe(source, tag, comm, flag, status);
}

static int improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    int context = context_carried(comm);
    if (RARELY(is_elsewhere(context, source))) {
        int code = carried.below.improbe(source, tag, comm, flag, message, status);
        go_on_here(*flag);
        return code;
    }
    if (RARELY(source == MPI_PROC_NULL)) {
        *message = MPI_MESSAGE_NO_PROC;
        return probe_nobody(flag, status);
    }
    carried_enter();
    struct arrived *found = match(source, tag, context);
    *flag = found != NULL;
    if (found) {
        *message = carried_message(found);
        carried_status_of(found->source, found->head.tag, found->size, status);
    }
    carried_leave();
    return found || source != MPI_ANY_SOURCE || carried.all
               ? MPI_SUCCESS
               : carried.below.improbe(source, tag, comm, flag, message, status);
}

void carried_install_probes(void)
{
    native.iprobe = iprobe;
    native.improbe = improbe;
}
