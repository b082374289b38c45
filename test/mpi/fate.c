/* fate: a library below the layer that ends a process in the middle of an operation: between two messages of a collective,
 * between the contribution to an agreement and its decision. The layer finds the MPI's own calls by dlsym, and this library,
 * preloaded behind it, first; the detector's system calls pass here too. So nothing of this is in the layer.
 *
 * A point is something the layer does, counted from fate_begin on:
 *   post      before a native Isend, Irecv or Reduce_local (odd numbers), and after it (even ones): the latter is what an accumulate
 *             does while it holds its target; and between any two stores of the carrier that other processes see
 *   datagram  before a datagram of the detector, and before it wakes the others of the host. Real deaths only: a ghost cannot
 *             be made of a process whose detector is at work
 * KNELL_FATE="R:KIND:K ...": process R dies at its K-th point of KIND. The file KNELL_FATE_LOG gets a line for every process
 * that dies; without KNELL_FATE, a line "R post P datagram D" for each, at fate_end. */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { POST, DATAGRAM, KINDS };
static const char *const kind_name[] = {"post", "datagram"};
static _Atomic unsigned long passed[KINDS], fatal[KINDS]; /* fatal 0: none */
static _Atomic int counting;
static int rank;

/* ---- what is to be ---------------------------------------------------------------------------------------------------------- */

static int own_rank(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    text = text ? text : getenv("PMI_RANK");
    return text ? atoi(text) : -1;
}

static void note(const char *line)
{
    const char *path = getenv("KNELL_FATE_LOG");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    if (fd < 0 || write(fd, line, strlen(line)) < 0)
        fprintf(stderr, "fate: KNELL_FATE_LOG is not a file to write to\n");
    close(fd);
}

void fate_begin(void);
void fate_begin(void)
{
    char word[32];
    int at = 0, length, victim;
    unsigned long point;
    const char *plan = getenv("KNELL_FATE");
    rank = own_rank();
    for (; plan && sscanf(plan + at, " %d:%31[a-z]:%lu%n", &victim, word, &point, &length) == 3; at += length)
        for (int kind = 0; kind < KINDS; kind++)
            if (victim == rank && strcmp(word, kind_name[kind]) == 0)
                fatal[kind] = point;
    counting = 1;
}

void fate_end(void);
void fate_end(void)
{
    char line[80];
    snprintf(line, sizeof line, "%d post %lu datagram %lu\n", rank, passed[POST], passed[DATAGRAM]);
    if (!getenv("KNELL_FATE"))
        note(line);
}

/* ---- points ------------------------------------------------------------------------------------------------------------------ */

static void die(enum kind kind, unsigned long point)
{
    char line[80];
    void (*kill_me)(void);
    snprintf(line, sizeof line, "%d dies at %s %lu\n", rank, kind_name[kind], point);
    note(line);
    *(void **)&kill_me = dlsym(RTLD_DEFAULT, "knell_kill_me");
    if (kind == POST && kill_me)
        kill_me();
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

static int is_fatal(enum kind kind, unsigned long *point)
{
    if (!counting)
        return 0;
    *point = ++passed[kind];
    return *point == fatal[kind];
}

static void pass(enum kind kind)
{
    unsigned long point;
    if (is_fatal(kind, &point))
        die(kind, point);
}

static void *next(void **known, const char *name)
{
    if (!*known)
        *known = dlsym(RTLD_NEXT, name);
    return *known;
}

/* ---- what passes here --------------------------------------------------------------------------------------------------------- */

int PMPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    static void *known;
    int (*native)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    *(void **)&native = next(&known, "PMPI_Isend");
    pass(POST);
    int code = native(buf, count, datatype, dest, tag, comm, request);
    pass(POST);
    return code;
}

int PMPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    static void *known;
    int (*native)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    *(void **)&native = next(&known, "PMPI_Irecv");
    pass(POST);
    int code = native(buf, count, datatype, source, tag, comm, request);
    pass(POST);
    return code;
}

int PMPI_Reduce_local(const void *from, void *into, int count, MPI_Datatype datatype, MPI_Op op)
{
    static void *known;
    int (*native)(const void *, void *, int, MPI_Datatype, MPI_Op);
    *(void **)&native = next(&known, "PMPI_Reduce_local");
    pass(POST);
    int code = native(from, into, count, datatype, op);
    pass(POST);
    return code;
}

/* Between two stores of the carrier (KNELL_CARRIER_STEPS). */
void knell__carrier_step(void);
void knell__carrier_step(void)
{
    pass(POST);
}

/* Those before the fatal one are sent. */
int sendmmsg(int fd, struct mmsghdr *header, unsigned count, int flags)
{
    static void *known;
    unsigned long point;
    int (*native)(int, struct mmsghdr *, unsigned, int);
    *(void **)&native = next(&known, "sendmmsg");
    for (unsigned i = 0; i < count; i++)
        if (is_fatal(DATAGRAM, &point)) {
            native(fd, header, i, flags);
            die(DATAGRAM, point);
        }
    return native(fd, header, count, flags);
}

long syscall(long number, ...)
{
    static void *known;
    long a[6];
    va_list arguments;
    long (*native)(long, ...);
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    *(void **)&native = next(&known, "syscall");
    if (number == SYS_futex && a[1] == FUTEX_WAKE)
        pass(DATAGRAM);
    return native(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
