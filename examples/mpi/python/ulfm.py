"""The ULFM calls for an mpi4py that has none (Debian 12's 3.1.4), by ctypes from the layer that `knell run` has loaded.

    import ulfm
    ulfm.revoke(comm)
    comm = ulfm.shrink(comm)
    flag, failed = ulfm.agree(comm, flag)
"""
import ctypes

from mpi4py import MPI

_layer = ctypes.CDLL(None)  # what is loaded already: the layer is before the MPI
if not hasattr(_layer, "MPIX_Comm_shrink") or not hasattr(_layer, "knell_kill_me"):
    raise ImportError("ulfm: Knell's layer is not loaded; start the program by knell run --mpi openmpi (or mpich)")

# Open MPI's handles are pointers, MPICH's are ints.
_handle = ctypes.c_void_p if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_void_p) else ctypes.c_int

_base = 100 if MPI.ERR_LASTCODE > 100000 else MPI.ERR_LASTCODE
ERR_PROC_FAILED, ERR_PROC_FAILED_PENDING, ERR_REVOKED = _base + 1, _base + 2, _base + 3


def _of(comm):
    return _handle.from_address(MPI._addressof(comm))


def _check(code):
    if code != MPI.SUCCESS:
        raise MPI.Exception(code)


def is_failure(error):
    """Is this MPI.Exception one of a dead rank or a revoked communicator?"""
    return error.Get_error_code() in (ERR_PROC_FAILED, ERR_PROC_FAILED_PENDING, ERR_REVOKED)


def revoke(comm):
    _check(_layer.MPIX_Comm_revoke(_of(comm)))


def is_revoked(comm):
    flag = ctypes.c_int()
    _check(_layer.MPIX_Comm_is_revoked(_of(comm), ctypes.byref(flag)))
    return bool(flag.value)


def shrink(comm):
    survivors = MPI.Intracomm()
    _check(_layer.MPIX_Comm_shrink(_of(comm), ctypes.c_void_p(MPI._addressof(survivors))))
    survivors.Set_errhandler(MPI.ERRORS_RETURN)
    return survivors


def agree(comm, flag):
    """The flag of all survivors, and whether a rank has died that not all have acknowledged."""
    value = ctypes.c_int(flag)
    code = _layer.MPIX_Comm_agree(_of(comm), ctypes.byref(value))
    if code not in (MPI.SUCCESS, ERR_PROC_FAILED):
        raise MPI.Exception(code)
    return value.value, code == ERR_PROC_FAILED


def get_failed(comm):
    group = MPI.Group()
    _check(_layer.MPIX_Comm_get_failed(_of(comm), ctypes.c_void_p(MPI._addressof(group))))
    return group
