/* confirm.c: an error of the MPI below, and the detector's word on it. */
#include "mpi/base/layer.h"
#include "mpi/detector/side.h"
#include "mpi/native/native.h"

#include <knell/mpix.h>

/* What a transport says when its peer is gone: MPICH has a class of its own for it. Wrong arguments are nobody's death. */
static bool may_be_a_death(int code)
{
    int class = MPI_ERR_OTHER;
    native.error_class(code, &class);
    return class == MPI_ERR_OTHER || class == MPI_ERR_INTERN || class == MPI_ERR_UNKNOWN ||
           class == MPIX_ERR_PROC_FAILED;
}

/* A revoke is the layer's own word, and needs nobody's: Open MPI has no class for it. */
int side_confirm_error(int peer, int code)
{
    if (code == MPIX_ERR_REVOKED)
        return code;
    return peer >= 0 && may_be_a_death(code) && side_confirm(peer) ? MPIX_ERR_PROC_FAILED : code;
}
