/* The end of a supervisor (src/exec): it waits until `knell run` has heard how its rank ended. A connection that is closed with a question
 * unread in it is reset, and what was under way the other way is lost. */
#include "cli/run/run.h"
#include "os/pidfd.h"
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 1, STATUS = 7, LIMIT_MS = 10000, UNHEARD_MS = 300, SILENCE_MS = 200 };

static struct run_rank rank[RANKS];
static struct run_plan plan;
static struct run_job job;

static pid_t start_supervisor(const char *script)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("KNELL_RUN", job.links.door.address, 1);
        setenv("KNELL_KEY", job.links.door.key_text, 1);
        setenv("PMI_RANK", "0", 1);
        execl(KNELL_TEST_EXEC, KNELL_TEST_EXEC, "sh", "-c", script, NULL);
        _exit(127);
    }
    return pid;
}

/* Serves the channel until `*done`, or for too long. */
static bool serve_until(const bool *done)
{
    for (int tries = 0; !*done && tries < LIMIT_MS; tries++) {
        poll(&(struct pollfd){.fd = job.links.events, .events = POLLIN}, 1, 1);
        run_read_reports(&job);
    }
    return *done;
}

TEST(a_supervisor_ends_when_its_rank_is_heard)
{
    plan = (struct run_plan){.ranks = RANKS};
    job = (struct run_job){.plan = &plan, .rank = rank};
    REQUIRE(run_links_open(&job.links, RANKS) && run_links_listen(&job, "127.0.0.1"));
    pid_t supervisor = start_supervisor("exit 7");
    int status = -1, fd = knell__pidfd_open(supervisor);
    REQUIRE(fd >= 0);
    CHECK(serve_until(&job.links.link[0].was_open));
    CHECK(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, UNHEARD_MS) == 0);
    CHECK(serve_until(&rank[0].ended));
    CHECK(WIFEXITED(rank[0].status) && WEXITSTATUS(rank[0].status) == STATUS);
    CHECK(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, LIMIT_MS) == 1);
    CHECK(waitpid(supervisor, &status, WNOHANG) == supervisor && status == 0);
    close(fd);
    run_links_close(&job.links);
    free(job.report);
}

/* Loopback has more than one address: seen from the supervisor, `knell run` is on another host. It falls silent; then the connection ends,
 * in good order or by a reset, as when the host has started anew. What the lowest rank that goes on alone ends with is in the file. */
static int status_after_silence(bool is_reset)
{
    char path[] = "/tmp/knell-exec-end-XXXXXX";
    int file = mkstemp(path), status = -1;
    plan = (struct run_plan){.ranks = RANKS, .delta = (SILENCE_MS - 2000) * INT64_C(1000000)};
    rank[0] = (struct run_rank){0};
    job = (struct run_job){.plan = &plan, .rank = rank, .status_file = path};
    if (!run_links_open(&job.links, RANKS) || !run_links_listen(&job, "127.0.0.2"))
        return -1;
    pid_t front = start_supervisor("sleep 1; exit 7");
    CHECK(serve_until(&rank[0].started));
    poll(NULL, 0, 2 * SILENCE_MS);
    if (is_reset)
        setsockopt(job.links.link[0].stream.fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                   sizeof(struct linger));
    run_links_close(&job.links);
    free(job.report);
    CHECK(waitpid(front, NULL, 0) == front);
    FILE *told = fopen(path, "re");
    if (told && fscanf(told, "%d", &status) != 1)
        status = -1;
    if (told)
        fclose(told);
    close(file);
    unlink(path);
    return status;
}

TEST(a_rank_goes_on_when_a_lost_host_is_there_again)
{
    CHECK_EQ_I64(status_after_silence(true), STATUS);
    CHECK_EQ_I64(status_after_silence(false), -1);
}
