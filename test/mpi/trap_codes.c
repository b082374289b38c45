/* trap_codes: programs compare returned codes with the classes, in case labels too, and use either prefix. */
#include "check.h"

static const char *name_of(int code)
{
    switch (code) { /* compiles only if they are constants, all different */
    case MPI_SUCCESS:
        return "success";
    case MPIX_ERR_PROC_FAILED:
        return "failed";
    case MPIX_ERR_PROC_FAILED_PENDING:
        return "pending";
    case MPIX_ERR_REVOKED:
        return "revoked";
    default:
        return "other";
    }
}

static void check_class(int code, const char *word)
{
    char text[MPI_MAX_ERROR_STRING];
    int class = -1, size = -1;
    OK(MPI_Error_class(code, &class));
    CHECK(class == code);
    OK(MPI_Error_string(code, text, &size));
    CHECK(size == (int)strlen(text) && strstr(text, word));
}

int main(int argc, char **argv)
{
    int *ft = NULL, flag = 0;
    begin(&argc, &argv, 20);
    check_class(MPI_ERR_PROC_FAILED, "PROC_FAILED");
    check_class(MPI_ERR_PROC_FAILED_PENDING, "PROC_FAILED_PENDING");
    check_class(MPI_ERR_REVOKED, "REVOKED");
    OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &ft, &flag));
    CHECK(flag && *ft);
    meet(MPI_COMM_WORLD);
    die_if(me == 0);
    CHECK(strcmp(name_of(MPI_Recv(&flag, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)), "failed") == 0);
    meet(MPI_COMM_WORLD); /* nobody revokes before all have seen it */
    OK(MPIX_Comm_revoke(MPI_COMM_WORLD));
    CHECK(strcmp(name_of(MPI_Barrier(MPI_COMM_WORLD)), "revoked") == 0);
    return end();
}
