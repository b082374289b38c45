/* life.c: MPI_Init and what it prepares; MPI_Abort. */
#include "mpi/abandon/drain.h"
#include "mpi/base/gen/own.h"
#include "mpi/base/settings.h"
#include "mpi/carried/carried.h"
#include "mpi/coll/coll.h"
#include "mpi/coll/out.h"
#include "mpi/comm/comm.h"
#include "mpi/detector/neighbours.h"
#include "mpi/detector/side.h"
#include "mpi/detector/silence.h"
#include "mpi/edge/close.h"
#include "mpi/error/error.h"
#include "mpi/inject/inject.h"
#include "mpi/native/native.h"
#include "mpi/native/tune.h"
#include "mpi/p2p/anytag.h"
#include "mpi/p2p/probe.h"
#include "mpi/record/calls.h"
#include "mpi/report/tell.h"
#include "mpi/request/request.h"
#include "mpi/wait/doubt.h"

#include <ctype.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- MPI_Init -------------------------------------------------------------------------------------------------------------- */

static void do_nothing(int signal)
{
    (void)signal;
}

/* A send into a broken connection is an error, not an end; unless the program thinks otherwise. Not SIG_IGN: what the program executes
 * would have that too. */
static void outlive_broken_pipes(void)
{
    struct sigaction now;
    if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        sigaction(SIGPIPE, &(struct sigaction){.sa_handler = do_nothing, .sa_flags = SA_RESTART | SA_ONSTACK}, NULL);
}

/* ---- what ends a start that cannot succeed --- */

static int64_t began;

/* Until the detector is there nobody tells of a death. */
static void look_at_clock(void)
{
    if (knell__clock_now() - began > SIDE_START_NS)
        layer_die("MPI_Init: the MPI below has not brought the ranks together within %d s; is one of them gone?",
                  (int)(SIDE_START_NS / 1000000000));
}

static int lowest_living(void)
{
    int process = 0;
    while (side_is_dead(process))
        process++;
    return process;
}

/* A rank cannot leave a native creation when a member dies in it: the job ends, and one of the living says why. */
static void look_for_deaths(void)
{
    if (RARELY(side_deaths() > 0)) {
        if (self.process == lowest_living())
            layer_die("rank %d died in MPI_Init, and the job cannot begin without it", side_death_at(0));
        sleep(1);
        _exit(EXIT_FAILURE);
    }
}

static void learn_self(void)
{
    int threads;
    const char *mode = settings_get("KNELL_MODE");
    native.comm_rank(MPI_COMM_WORLD, &self.process);
    native.comm_size(MPI_COMM_WORLD, &self.processes);
    native.query_thread(&threads);
    self.threads = threads == MPI_THREAD_MULTIPLE;
    self.ghosts = mode && strcmp(mode, "ghost") == 0;
    neighbours_learn(look_at_clock);
    self.host = neighbours_first();
    self.crowded = neighbours_crowd();
    self.apart = neighbours_apart();
}

/* The address goes round by the MPI itself: it is whole, or the job has not begun. */
static void start_side(void)
{
    struct side_meeting meeting = {0};
    MPI_Request request;
    int listening = self.process == 0 && self.processes > 1 ? side_invite(&meeting) : -1;
    if (native.ibcast(&meeting, sizeof meeting, MPI_BYTE, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS ||
        native_await(&request, 1, look_at_clock) != MPI_SUCCESS)
        layer_die("the MPI cannot tell the ranks where rank 0 is");
    side_start(&meeting, listening, &(struct side_hooks){comm_note_failure, comm_note_revoke});
}

/* Who leaves MPI_Init may die at once, and others would wait for it in a native creation: nobody leaves before all have what they made.
 * A death ends this wait, not the job: who still cannot go on without the dead ends it. The barrier is then left as it is. */
static void leave_together(void)
{
    MPI_Request request;
    int through = 0, code = native.ibarrier(MPI_COMM_WORLD, &request);
    while (code == MPI_SUCCESS && !through && side_deaths() == 0) {
        code = native.test(&request, &through, MPI_STATUS_IGNORE);
        sched_yield();
    }
}

/* What was left behind on a communicator that failed. One that did not has nothing left. */
static void forget_messages(const struct comm *comm)
{
    if (comm_trouble(comm))
        carried_forget(comm->place.context, comm->place.wire, PLACE_SEQUENCE_BITS);
}

/* What a room needs of a room above it, it is told here. */
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
    comm_at_end(forget_messages);
}

static int begin(int code)
{
    close_learn(false);
    if (code != MPI_SUCCESS)
        return code;
    began = knell__clock_now();
    outlive_broken_pipes();
    native_hush();
    learn_self();
    connect_rooms();
    coll_grace_learn();
    error_make_classes();
    doubt_begin();
    silence_begin();
    start_side();
    context_make_all(carried_start(look_for_deaths) == CARRIED_ALL, look_for_deaths);
    leave_together();
    native_learn_complete();
    carried_begin();
    comm_make_predefined();
    handler_begin();
    hints_learn();
    calls_start();
    inject_start();
    atomic_fetch_and(&layer_attention, ~(unsigned)ATTENTION_OFF);
    return MPI_SUCCESS;
}

/* The first line of it, for the record; white space as one blank. */
static void tell_version(const char *version)
{
    struct job_desk *desk = tell_desk();
    size_t size = 0;
    for (; desk && *version && *version != '\n' && size + 1 < sizeof desk->seen.words.mpi; version++)
        if (!isspace((unsigned char)*version))
            desk->seen.words.mpi[size++] = *version;
        else if (size > 0 && desk->seen.words.mpi[size - 1] != ' ')
            desk->seen.words.mpi[size++] = ' ';
}

/* What a script starts may be a program of another MPI, which would crash on our handles. Asked before MPI_Init: so nothing is left. */
static void check_mpi(void)
{
#ifdef OPEN_MPI
    const bool open_mpi = true;
#else
    const bool open_mpi = false;
#endif
    static char version[8192]; /* the largest of any MPI's */
    int length;
    native.get_library_version(version, &length);
    tell_version(version);
    if ((strstr(version, "Open MPI") != NULL) == open_mpi)
        return;
    layer_say(
        "the program is of one MPI, the layer loaded before it of another: give knell run the --mpi of the program");
    _exit(EXIT_FAILURE);
}

static void before_init(void)
{
    check_mpi();
    tell_word(JOB_WORD_INIT, 0);
    close_learn(true);
    native_own_session();
}

int mpi_init(int *argc, char ***argv)
{
    before_init();
    return begin(native.init(argc, argv));
}

int mpi_init_thread(int *argc, char ***argv, int required, int *provided)
{
    before_init();
    return begin(native.init_thread(argc, argv, required, provided));
}

int mpi_initialized(int *flag)
{
    native_ready();
    return native.initialized(flag);
}

/* ---- MPI_Abort ------------------------------------------------------------------------------------------------------------- */

int mpi_abort(MPI_Comm handle, int errorcode)
{
    tell_word(JOB_WORD_ABORTED, errorcode);
    (void)handle; /* the job is one: half of it would be left without the other */
    return layer_abort(errorcode);
}
