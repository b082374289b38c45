/* run_life: for run_life.sh, what a program does that the layer must live with. Usage: run_life MODE [argument]
 * environment DEATHS  it forgets its environment, before MPI_Init as far as its MPI does without and all of it after, and goes on
 *                     changing it while it works, until so many have died
 * children            what it executes is as without the layer
 * asked LIBRARY       it is asked where it is, over and over, while it loads libraries; LIBRARY: slow_load.c
 * stuck               rank 0 computes, 1 polls, 2 receives and 3 finalizes, for ever */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static atomic_bool is_over;

static pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

/* ---- environment ------------------------------------------------------------------------------------------------------------- */

static void forget_settings(void)
{
    char name[64];
    for (char **entry = environ; *entry;)
        if (strncmp(*entry, "KNELL_", 6) == 0 && sscanf(*entry, "%63[^=]", name) == 1 && unsetenv(name) == 0)
            entry = environ;
        else
            entry++;
}

/* Also grows, so that the list of all is moved. */
static void *change(void *unused)
{
    char name[32];
    for (unsigned turn = 0; !is_over; turn++) {
        snprintf(name, sizeof name, "NAME_%u", turn % 500);
        if (turn % 5000 == 0)
            clearenv();
        setenv(name, "value", 1);
    }
    return unused;
}

static int environment(int deaths)
{
    int one = 1, sum, size = all;
    MPI_Comm comm = MPI_COMM_WORLD;
    clearenv();
    pthread_t thread = start(change, NULL);
    while (size > all - deaths) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS)
            continue;
        MPIX_Comm_revoke(comm);
        comm = shrunk(comm);
        OK(MPI_Comm_size(comm, &size));
    }
    is_over = true;
    pthread_join(thread, NULL);
    return end();
}

/* ---- children ---------------------------------------------------------------------------------------------------------------- */

/* The signals that a child ignores and blocks, and descriptors of the layer's. */
static void look(char *text, size_t size)
{
    FILE *child = popen("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls -l /proc/self/fd | grep knell", "r");
    CHECK(child);
    text[fread(text, 1, size - 1, child)] = '\0';
    pclose(child);
}

static int children(const char *before)
{
    char after[512];
    look(after, sizeof after);
    if (strcmp(before, after) != 0)
        fprintf(stderr, "what a child has before MPI_Init:\n%safter it:\n%s", before, after);
    CHECK(strcmp(before, after) == 0);
    return end();
}

/* ---- asked ------------------------------------------------------------------------------------------------------------------- */

enum { TIMES = 10000 };

static void *load(void *library)
{
    CHECK(dlopen(library, RTLD_NOW));
    return NULL;
}

/* While another thread is in the middle of loading a library, where it waits for this one. */
static void ask_beside_loading(char *library)
{
    int in[2], go[2];
    char fds[32], byte = 0;
    CHECK(pipe(in) == 0 && pipe(go) == 0);
    snprintf(fds, sizeof fds, "%d %d", in[1], go[0]);
    setenv("SLOW_LOAD", fds, 1);
    pthread_t thread = start(load, library);
    CHECK(read(in[0], &byte, 1) == 1);
    AT("being asked while a library is loaded");
    for (int i = 0; i < 100; i++)
        raise(SIGRTMAX);
    CHECK(write(go[1], &byte, 1) == 1);
    pthread_join(thread, NULL);
}

static void *ask(void *main_thread)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_kill(*(pthread_t *)main_thread, SIGRTMAX);
        nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    }
    is_over = true;
    return NULL;
}

static int asked(char *library)
{
    pthread_t self = pthread_self();
    int flag;
    ask_beside_loading(library);
    pthread_t thread = start(ask, &self);
    AT("being asked at work");
    while (!is_over) {
        void *loaded = dlopen("libm.so.6", RTLD_NOW | RTLD_NOLOAD), *other = dlopen("libresolv.so.2", RTLD_NOW);
        void *memory = malloc(100000);
        free(memory);
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        if (loaded)
            dlclose(loaded);
        if (other)
            dlclose(other);
    }
    pthread_join(thread, NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    return end();
}

/* ---- stuck ------------------------------------------------------------------------------------------------------------------- */

static int stuck(void)
{
    int flag;
    meet(MPI_COMM_WORLD);
    for (; me == 0;)
        pause();
    while (me == 1)
        MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (me == 2)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return end();
}

int main(int argc, char **argv)
{
    char before[512];
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "environment") == 0)
        forget_settings();
    if (strcmp(mode, "children") == 0)
        look(before, sizeof before);
    begin(&argc, &argv, 60);
    if (strcmp(mode, "environment") == 0)
        return environment(argc > 2 ? atoi(argv[2]) : 0);
    if (strcmp(mode, "children") == 0)
        return children(before);
    if (strcmp(mode, "asked") == 0 && argc > 2)
        return asked(argv[2]);
    return strcmp(mode, "stuck") == 0 ? stuck() : end();
}
