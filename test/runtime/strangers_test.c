/* Strangers at the rendezvous, who do not have the key: they come in numbers and stay silent, say something else, or come again as soon
 * as they are sent away. The job starts all the same, as soon as its last process comes. The members are threads of this process. */
#include <knell/runtime.h>

#include "test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { RANKS = 3, STRANGERS = 400, FLOODERS = 2, PATIENCE_MS = 20000 };

static const char key[] = "the secret of this job";
static char folder[32], meeting[64];

struct member {
    struct knell_runtime_config config;
    struct knell_runtime *runtime;
    pthread_t thread;
    int error;
    char why[KNELL_RUNTIME_WHY];
};
static struct member member[RANKS];

static void *start(void *argument)
{
    struct member *one = argument;
    one->error = knell_runtime_start(&one->config, &one->runtime, one->why);
    return NULL;
}

static void begin(knell_rank rank)
{
    struct knell_runtime_config config = knell_runtime_config_default();
    config.rank = rank;
    config.ranks = RANKS;
    config.delta = 1500 * MS;
    config.key = key;
    config.key_size = sizeof key;
    config.rendezvous = meeting;
    config.rendezvous_wait = PATIENCE_MS * MS;
    config.no_shortcuts = true; /* they share a process */
    config.fencing = KNELL_FENCE_TELL;
    member[rank] = (struct member){.config = config};
    REQUIRE(pthread_create(&member[rank].thread, NULL, start, &member[rank]) == 0);
}

/* Where rank 0 listens, once it does. */
static bool find_rendezvous(struct sockaddr_in *address)
{
    char line[64];
    unsigned port = 0;
    for (int left = PATIENCE_MS; left > 0 && port == 0; left--) {
        FILE *file = fopen(meeting + strlen("file:"), "re");
        if (file && fgets(line, sizeof line, file))
            sscanf(line, "127.0.0.1:%u", &port);
        if (file)
            fclose(file);
        else
            poll(NULL, 0, 1);
    }
    *address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return port > 0;
}

/* A connection, once it is accepted: the challenge has come. -1: none. */
static int come(const struct sockaddr_in *address, int patience_ms)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 &&
        poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, patience_ms) == 1)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void finish(void)
{
    for (knell_rank rank = 0; rank < RANKS; rank++) {
        pthread_join(member[rank].thread, NULL);
        test_context("rank %u: %s", rank, member[rank].why);
        CHECK(member[rank].error == 0);
    }
    for (knell_rank rank = 0; rank < RANKS; rank++)
        if (member[rank].error == 0)
            knell_runtime_stop(member[rank].runtime);
}

static void make_folder(void)
{
    signal(SIGPIPE, SIG_IGN);
    strcpy(folder, "/tmp/knell-strangers-XXXXXX");
    REQUIRE(mkdtemp(folder));
    snprintf(meeting, sizeof meeting, "file:%s/meeting", folder);
}

/* Each is accepted before the next comes, so that the last process finds all places taken. A third of them talks. */
TEST(silent_strangers)
{
    static const char noise[1000] = "knell";
    struct sockaddr_in address;
    int stranger[STRANGERS];
    make_folder();
    begin(0);
    begin(1);
    REQUIRE(find_rendezvous(&address));
    for (int i = 0; i < STRANGERS; i++) {
        stranger[i] = come(&address, PATIENCE_MS);
        CHECK(stranger[i] >= 0);
        if (stranger[i] >= 0 && i % 3 == 0)
            CHECK(send(stranger[i], noise, (size_t)(i % 2 ? sizeof noise : 7), MSG_NOSIGNAL) > 0);
    }
    begin(2);
    finish();
    for (int i = 0; i < STRANGERS; i++)
        if (stranger[i] >= 0)
            close(stranger[i]);
    CHECK(rmdir(folder) == 0);
}

/* Comes again for as long as it is there. */
static _Noreturn void flood(const struct sockaddr_in *address)
{
    int held[STRANGERS], next = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    memset(held, -1, sizeof held);
    for (;; next = (next + 1) % STRANGERS) {
        if (held[next] >= 0)
            close(held[next]);
        held[next] = come(address, 0);
    }
}

TEST(strangers_that_come_again)
{
    struct sockaddr_in address;
    pid_t flooder[FLOODERS];
    make_folder();
    begin(0);
    begin(1);
    REQUIRE(find_rendezvous(&address));
    for (int i = 0; i < FLOODERS; i++)
        if ((flooder[i] = fork()) == 0)
            flood(&address);
    poll(NULL, 0, 200); /* the flood is under way; it needs no more than to have begun */
    begin(2);
    finish();
    for (int i = 0; i < FLOODERS; i++) {
        kill(flooder[i], SIGKILL);
        waitpid(flooder[i], NULL, 0);
    }
    CHECK(rmdir(folder) == 0);
}
