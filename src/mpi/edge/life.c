/* life.c: MPI_Init and what it prepares; MPI_Abort. */
#include "mpi/abandon/drain.h"
#include "mpi/base/gen/own.h"
#include "mpi/base/settings.h"
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
#include "mpi/p2p/anytag.h"
#include "mpi/p2p/probe.h"
#include "mpi/report/tell.h"
#include "mpi/request/request.h"
#include "mpi/wait/doubt.h"

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

static void learn_self(void)
{
    MPI_Comm host;
    int threads;
    const char *mode = knell__setting("KNELL_MODE");
    knell__native.comm_rank(MPI_COMM_WORLD, &knell__self.process);
    knell__native.comm_size(MPI_COMM_WORLD, &knell__self.processes);
    knell__native.query_thread(&threads);
    knell__self.threads = threads == MPI_THREAD_MULTIPLE;
    knell__self.ghosts = mode && strcmp(mode, "ghost") == 0;
    knell__native.comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    knell__neighbours_learn(host);
    knell__native.comm_free(&host);
    knell__self.host = knell__neighbours_first();
    knell__self.crowded = knell__neighbours_crowd();
    knell__self.apart = knell__neighbours_apart();
}

/* Address and key go round by the MPI itself: it is whole, or the job has not begun. */
static void start_side(void)
{
    struct knell__meeting meeting = {0};
    int listening = -1;
    if (knell__self.process == 0 && knell__side_invite(&meeting, &listening) != 0)
        knell__die("cannot listen on the loopback interface");
    knell__native.bcast(&meeting, sizeof meeting, MPI_BYTE, 0, MPI_COMM_WORLD);
    knell__side_start(&meeting, listening, &(struct knell__side_hears){knell__comms_failed, knell__comms_revoked});
}

/* What a room needs of a room above it, it is told here. */
static void connect_rooms(void)
{
    knell__tasks_serve_by(knell__drain_turn);
    knell__notice_heard_by(KNELL__NOTICE_TAKE, knell__drain_heard);
    knell__notice_heard_by(KNELL__NOTICE_TAKEN, knell__drain_heard);
    knell__notice_heard_by(KNELL__NOTICE_OUT, knell__out_heard);
    knell__drain_also(knell__anytag_discard);
    knell__drain_also(knell__matched_discard);
    knell__drain_if(knell__out_may_discard);
    knell__comm_at_end(knell__anytag_forget);
    knell__comm_at_end(knell__out_forget);
}

static int begin(int code)
{
    knell__native_learn_connections(false);
    if (code != MPI_SUCCESS)
        return code;
    outlive_broken_pipes();
    knell__native_hush();
    learn_self();
    connect_rooms();
    knell__grace_learn();
    knell__errors_make();
    knell__contexts_make();
    knell__requests_begin();
    knell__doubts_begin();
    knell__silence_begin();
    start_side();
    knell__comms_make();
    knell__errhandlers_begin();
    knell__hints_learn();
    knell__inject_start();
    atomic_fetch_and(&knell__attention, ~(unsigned)KNELL__ATTENTION_OFF);
    return MPI_SUCCESS;
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
    knell__native.get_library_version(version, &length);
    if ((strstr(version, "Open MPI") != NULL) == open_mpi)
        return;
    knell__say(
        "the program is of one MPI, the layer loaded before it of another: give knell run the --mpi of the program");
    _exit(EXIT_FAILURE);
}

static void before_init(void)
{
    check_mpi();
    knell__announce_word(JOB_WORD_INIT, 0);
    knell__native_learn_connections(true);
}

int knell__mpi_init(int *argc, char ***argv)
{
    before_init();
    return begin(knell__native.init(argc, argv));
}

int knell__mpi_init_thread(int *argc, char ***argv, int required, int *provided)
{
    before_init();
    return begin(knell__native.init_thread(argc, argv, required, provided));
}

int knell__mpi_initialized(int *flag)
{
    knell__native_ready();
    return knell__native.initialized(flag);
}

/* ---- MPI_Abort ------------------------------------------------------------------------------------------------------------- */

int knell__mpi_abort(MPI_Comm handle, int errorcode)
{
    knell__announce_word(JOB_WORD_ABORTED, errorcode);
    (void)handle; /* the job is one: half of it would be left without the other */
    return knell__abort(errorcode);
}
