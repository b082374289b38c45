/* run_refused.c: calls that the layer does not carry. With an argument errors return: each call gives the class, and what it was to make is
 * null. Without, the first one ends the job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void refused(int code, int is_null, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    if (class == MPI_ERR_UNSUPPORTED_OPERATION && is_null && !strstr(text, "file"))
        return;
    printf("%s: code %d, class %d, %s, \"%s\"\n", call, code, class, is_null ? "null" : "not null", text);
    wrong = 1;
}

static void comms(void)
{
    char port[MPI_MAX_PORT_NAME] = "here";
    MPI_Comm comm = MPI_COMM_WORLD;
    int code;
    code = MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE);
    refused(code, comm == MPI_COMM_NULL, "MPI_Comm_spawn");
    comm = MPI_COMM_WORLD;
    code = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm);
    refused(code, comm == MPI_COMM_NULL, "MPI_Comm_connect");
    comm = MPI_COMM_WORLD;
    code = MPI_Comm_join(0, &comm);
    refused(code, comm == MPI_COMM_NULL, "MPI_Comm_join");
}

static void windows(void)
{
    MPI_Win win;
    int code;
    memset(&win, 1, sizeof win);
    code = MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    refused(code, win == MPI_WIN_NULL, "MPI_Win_create_dynamic");
}

#if MPI_VERSION >= 4
static void sessions(void)
{
    MPI_Session session;
    MPI_Request request;
    int code, value = 0;
    memset(&session, 1, sizeof session);
    code = MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    refused(code, session == MPI_SESSION_NULL, "MPI_Session_init");
    memset(&request, 1, sizeof request);
    code = MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    refused(code, request == MPI_REQUEST_NULL, "MPI_Psend_init");
}
#else
static void sessions(void)
{
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    comms();
    windows();
    sessions();
    if (!wrong)
        printf("fine\n");
    MPI_Finalize();
    return wrong;
}
