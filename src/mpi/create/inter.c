/* inter.c: MPI_Intercomm_create (docs/design/mpi.md, "Intercommunicators").
 *
 * The two leaders send each other their groups, and each tells its own: by letters, not by collectives, so that the death of another
 * member keeps nobody from hearing of it. Then the members of both groups agree (unborn.h), and that tells of deaths. Somebody may never
 * come to that: if its leader died before it had told, or its communicator was revoked. So until the first agreement is decided all leave
 * when a leader is dead, and a leader that leaves for another reason tells all others.
 *
 * The n-th call of a leader is for the n-th call of the other one with the same communicator and tag, well or not: whoever fails says so,
 * and letters carry the number. */
#include "mpi/base/gen/own.h"
#include "mpi/create/letter.h"
#include "mpi/create/unborn.h"
#include "mpi/error/error.h"
#include "mpi/wait/wait.h"

#include <knell/mpix.h>
#include <stdlib.h>
#include <string.h>

/* Of one call. */
struct meeting {
    struct comm *local, *peer; /* peer: of a leader */
    int leader, remote_leader; /* processes */
    uint64_t local_number;     /* of such calls on `local`, */
    uint64_t key, number;      /* and of such calls between the two leaders */
    bool greeted;              /* the other leader has the group of this one */
    struct letter *remote;     /* LETTER_LOCAL; freed in the end */
};

static bool leads(const struct meeting *meeting)
{
    return meeting->leader == self.process;
}

static bool is_revoked(const struct comm *comm)
{
    return (comm_trouble(comm) & COMM_REVOKED) != 0;
}

/* Codes of the MPI below mean something in one process only. */
static int class_of(int code)
{
    int class = code;
    mpi_error_class(code, &class);
    return class;
}

/* ---- the leaders ------------------------------------------------------------------------------------------------------------ */

static void greet(struct meeting *meeting, int code)
{
    const struct comm *local = meeting->local;
    struct letter letter = {.kind = LETTER_GROUP,
                            .code = class_of(code),
                            .key = meeting->key,
                            .number = meeting->number,
                            .count = code == MPI_SUCCESS ? local->size : 0};
    if (!side_is_dead(meeting->remote_leader)) /* the MPI below would keep it for ever */
        letter_send(meeting->remote_leader, &letter, local->process_of);
    meeting->greeted = true;
}

/* Why a leader does not wait for the other one any more. */
static int leader_check(const struct meeting *meeting)
{
    if (is_revoked(meeting->local) || is_revoked(meeting->peer))
        return MPIX_ERR_REVOKED;
    return side_is_dead(meeting->remote_leader) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

static int await_group(struct meeting *meeting, struct letter **got)
{
    int code = MPI_SUCCESS;
    for (unsigned turns = 0;; wait_idle(&turns, meeting->local)) {
        *got = letter_take(meeting->remote_leader, LETTER_GROUP, meeting->key, meeting->number);
        if (*got || code != MPI_SUCCESS)
            return *got ? (*got)->code : code;
        code = leader_check(meeting); /* and a last look */
    }
}

static int check_apart(const struct comm *local, const struct letter *remote)
{
    for (int i = 0; i < remote->count; i++)
        if (local->rank_of[letter_processes(remote)[i]] >= 0)
            return MPI_ERR_COMM;
    return MPI_SUCCESS;
}

static uint64_t mix_all(uint64_t into, const int *process, int count)
{
    for (int i = 0; i < count; i++)
        into = unborn_mix(into, (uint64_t)process[i]);
    return into;
}

/* The same for both leaders, and another for every call: calls are counted by the pair of leaders. */
static uint64_t id_of(const struct meeting *meeting, const struct letter *remote)
{
    const struct comm *local = meeting->local;
    bool lower = self.process < meeting->remote_leader;
    int leaders[2] = {lower ? self.process : meeting->remote_leader, lower ? meeting->remote_leader : self.process};
    uint64_t id = mix_all(unborn_mix(meeting->key, meeting->number), leaders, 2);
    if (lower)
        id = mix_all(id, local->process_of, local->size);
    id = mix_all(id, letter_processes(remote), remote->count);
    return lower ? id : mix_all(id, local->process_of, local->size);
}

static int find_leader(struct meeting *meeting, MPI_Comm peer, int remote_leader, int tag)
{
    meeting->peer = comm_of(peer);
    if (!meeting->peer)
        return MPI_ERR_COMM;
    if (remote_leader < 0 || remote_leader >= meeting->peer->size)
        return MPI_ERR_RANK;
    if ((unsigned)tag > (unsigned)context_tag_ub)
        return MPI_ERR_TAG;
    meeting->remote_leader = meeting->peer->process_of[remote_leader];
    if (meeting->local->rank_of[meeting->remote_leader] >= 0)
        return MPI_ERR_COMM;
    meeting->key = unborn_mix(meeting->peer->id, (uint64_t)tag);
    meeting->number =
        unborn_count(meeting->peer, unborn_mix(meeting->key, UINT64_C(1) << 32 | (unsigned)meeting->remote_leader));
    letter_forget(meeting->remote_leader, meeting->key, meeting->number);
    return MPI_SUCCESS;
}

static int exchange(struct meeting *meeting, struct letter **remote)
{
    int code = leader_check(meeting);
    greet(meeting, code);
    if (code == MPI_SUCCESS)
        code = await_group(meeting, remote);
    return code == MPI_SUCCESS ? check_apart(meeting->local, *remote) : code;
}

/* The others of this group, about the remote one or why there is none. */
static void tell_group(const struct meeting *meeting, const struct letter *remote, const int *process)
{
    const struct comm *local = meeting->local;
    for (int i = 0; i < local->size; i++)
        if (local->process_of[i] != self.process && !side_is_dead(local->process_of[i]))
            letter_send(local->process_of[i], remote, process);
}

static int say_bye(const struct meeting *meeting, int code)
{
    struct letter bye = {.kind = LETTER_BYE, .code = class_of(code), .key = meeting->key, .number = meeting->number};
    if (meeting->greeted && code != MPI_SUCCESS && !side_is_dead(meeting->remote_leader))
        letter_send(meeting->remote_leader, &bye, NULL);
    return code;
}

static int lead(struct meeting *meeting, MPI_Comm peer, int remote_leader, int tag)
{
    struct letter *remote = NULL;
    int code = find_leader(meeting, peer, remote_leader, tag);
    if (code == MPI_SUCCESS)
        code = say_bye(meeting, exchange(meeting, &remote));
    struct letter told = {.kind = LETTER_LOCAL,
                          .code = class_of(code),
                          .key = meeting->local->id,
                          .number = meeting->local_number,
                          .id = code == MPI_SUCCESS ? id_of(meeting, remote) : 0,
                          .leader = meeting->remote_leader,
                          .count = code == MPI_SUCCESS ? remote->count : 0};
    tell_group(meeting, &told, remote ? letter_processes(remote) : NULL);
    meeting->remote = remote;
    if (remote)
        memcpy(remote, &told, sizeof told);
    return code;
}

/* ---- the others of a group --------------------------------------------------------------------------------------------------- */

static int hear(struct meeting *meeting)
{
    int code = MPI_SUCCESS;
    for (unsigned turns = 0;; wait_idle(&turns, meeting->local)) {
        if (is_revoked(
                meeting->local)) /* first: the letter may be here already, and the others would make it with this one */
            return MPIX_ERR_REVOKED;
        meeting->remote = letter_take(meeting->leader, LETTER_LOCAL, meeting->local->id, meeting->local_number);
        if (meeting->remote || code != MPI_SUCCESS)
            break;
        code = side_is_dead(meeting->leader) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS; /* and a last look */
    }
    if (meeting->remote)
        meeting->remote_leader = meeting->remote->leader;
    return meeting->remote ? meeting->remote->code : code;
}

/* ---- together ---------------------------------------------------------------------------------------------------------------- */

static int heard_of_end(const struct unborn *unborn, const struct meeting *meeting)
{
    struct letter *end = letter_take(-1, LETTER_VOID, unborn->comm->id, 0);
    if (!end && leads(meeting))
        end = letter_take(meeting->remote_leader, LETTER_BYE, meeting->key, meeting->number);
    int code = end ? end->code : MPI_SUCCESS;
    free(end);
    return code;
}

static int leaves(const struct unborn *unborn)
{
    const struct meeting *meeting = unborn->reason;
    if (is_revoked(meeting->local) || (leads(meeting) && is_revoked(meeting->peer)))
        return MPIX_ERR_REVOKED;
    if (side_is_dead(meeting->leader) || side_is_dead(meeting->remote_leader))
        return MPIX_ERR_PROC_FAILED;
    return heard_of_end(unborn, meeting);
}

static void tell_all(const struct comm_group *group, uint64_t id, int code)
{
    struct letter end = {.kind = LETTER_VOID, .code = class_of(code), .key = id};
    for (int i = 0; i < group->size + group->local; i++)
        if (group->process[i] != self.process && !side_is_dead(group->process[i]))
            letter_send(group->process[i], &end, NULL);
}

/* Who was released because another one left may know why that one did. */
static int reason(const struct comm_group *group, const struct meeting *meeting, int code)
{
    for (int i = 0; code == MPIX_ERR_REVOKED && !is_revoked(meeting->local) && i < group->size + group->local; i++)
        if (side_is_dead(group->process[i]))
            return MPIX_ERR_PROC_FAILED;
    return code;
}

static int join(const struct meeting *meeting, MPI_Comm *newcomm)
{
    const struct comm *local = meeting->local;
    int remote = meeting->remote->count, *process = malloc((size_t)(remote + local->size) * sizeof *process);
    if (!process)
        layer_die("out of memory");
    memcpy(process, letter_processes(meeting->remote), (size_t)remote * sizeof *process);
    memcpy(process + remote, local->process_of, (size_t)local->size * sizeof *process);
    struct comm_group group = {process, remote, local->size};
    struct unborn unborn = {.comm = comm_new(&group, meeting->remote->id, NULL, MPI_COMM_NULL),
                            .leaves = leaves,
                            .reason = meeting,
                            .stays = true};
    int code = unborn_bear(&unborn, local, newcomm);
    if (unborn.left && leads(meeting))
        tell_all(&group, meeting->remote->id, code);
    code = reason(&group, meeting, code);
    free(process);
    return code;
}

int mpi_intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                         MPI_Comm *newintercomm)
{
    struct comm *local = comm_of(local_comm);
    if (!local)
        return native.intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
    *newintercomm = MPI_COMM_NULL;
    if (comm_is_inter(local) || local_leader < 0 || local_leader >= local->size)
        return error_raise(local, comm_is_inter(local) ? MPI_ERR_COMM : MPI_ERR_RANK);
    struct meeting meeting = {
        .local = local, .leader = local->process_of[local_leader], .local_number = unborn_count(local, local->id)};
    int code = leads(&meeting) ? lead(&meeting, peer_comm, remote_leader, tag) : hear(&meeting);
    if (code == MPI_SUCCESS)
        code = join(&meeting, newintercomm);
    free(meeting.remote);
    return error_raise(local, code);
}
