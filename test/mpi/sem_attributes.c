/* sem_attributes: copy and delete functions of attributes: at MPI_Comm_dup, MPI_Comm_free and MPI_Finalize, where those of
 * MPI_COMM_SELF come first, the last set first, with MPI as it was: they may talk to others. All of it after a death, too. */
#include "check.h"

enum { VICTIM = 1, KEYS = 3 };

static MPI_Comm private_comm; /* a library's own, which it frees when MPI ends */
static int copies, deletes, last_deleted = KEYS;

static int copy_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra;
    copies++;
    *(void **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int refusing_copy_fn(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)in, (void)out, (void)flag;
    return me == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int delete_fn(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int rank;
    (void)keyval, (void)value, (void)extra;
    OK(MPI_Comm_rank(comm, &rank)); /* there still */
    deletes++;
    return MPI_SUCCESS;
}

/* At MPI_Finalize: in the reverse order of setting; the last to come frees what the library has. */
static int at_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    int over = 1, one = 1, sum = 0, size, number = (int)(size_t)extra;
    (void)comm, (void)keyval, (void)value;
    AT("a delete function in MPI_Finalize");
    OK(MPI_Finalized(&over));
    CHECK(!over && number == last_deleted - 1);
    last_deleted = number;
    if (number > 0)
        return MPI_SUCCESS;
    OK(MPI_Comm_size(private_comm, &size));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, private_comm));
    CHECK(sum == size);
    OK(MPI_Comm_free(&private_comm));
    return MPI_SUCCESS;
}

static void copied_and_deleted(MPI_Comm comm)
{
    static char values[8];
    MPI_Comm made, again;
    int key, found = 0;
    char *value = NULL;
    OK(MPI_Comm_create_keyval(copy_fn, delete_fn, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, values));
    copies = deletes = 0;
    OK(MPI_Comm_dup(comm, &made));
    OK(MPI_Comm_dup(made, &again));
    OK(MPI_Comm_get_attr(again, key, &value, &found));
    CHECK(copies == 2 && found && value == values + 2);
    OK(MPI_Comm_free(&again));
    OK(MPI_Comm_free(&made));
    CHECK(deletes == 2);
    OK(MPI_Comm_delete_attr(comm, key));
    CHECK(deletes == 3);
    OK(MPI_Comm_free_keyval(&key));
}

/* One member's copy function refuses: the creation fails at all of them. */
static void refused(MPI_Comm comm)
{
    MPI_Comm made = MPI_COMM_NULL;
    int key;
    OK(MPI_Comm_create_keyval(refusing_copy_fn, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, NULL));
    int code = CODE(MPI_Comm_dup(comm, &made));
    CHECK(code != MPI_SUCCESS && made == MPI_COMM_NULL);
    OK(MPI_Comm_delete_attr(comm, key));
    OK(MPI_Comm_free_keyval(&key));
}

static void hang_on_self(void)
{
    for (int i = 0; i < KEYS; i++) {
        int key;
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, (void *)(size_t)i));
        OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
        OK(MPI_Comm_free_keyval(&key));
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv, 30);
    copied_and_deleted(MPI_COMM_WORLD);
    refused(MPI_COMM_WORLD);
    meet(MPI_COMM_WORLD);
    die_if(me == VICTIM);
    private_comm = shrunk(MPI_COMM_WORLD);
    copied_and_deleted(private_comm);
    hang_on_self();
    MPI_Finalize();
    CHECK(last_deleted == 0);
    printf("fine\n");
    fflush(stdout);
    return 0;
}
