/* What may be wrong with a configuration or with the meeting: each gives one sentence that names the culprit, in time, and
 * leaves nothing behind: no descriptor, no thread, no file. The members of a job are threads of this process. */
#include <knell/runtime.h>

#include "test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS INT64_C(1000000)
enum { RANKS = 6, PATIENCE_MS = 10000 };
#define WAIT (600 * MS)    /* for those who do not come */
#define LATEST (3500 * MS) /* beyond WAIT: one connection that is swallowed, and a farewell */

static const char key[] = "the secret of this job", other_key[] = "the secret of another", long_key[80];
static char folder[32], meeting[96], taken[64];
static int listener = -1; /* of somebody else, at `taken` */

struct member {
    struct knell_runtime_config config;
    struct knell_runtime *runtime;
    pthread_t thread;
    bool starts;
    int error;
    char why[KNELL_RUNTIME_WHY];
};

/* ---- what is left behind --------------------------------------------------------------------------------------------- */

static unsigned entries(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    while (dir && readdir(dir))
        count++;
    if (dir)
        closedir(dir);
    return count;
}

struct traces {
    unsigned descriptors, threads, files;
};

static struct traces look(void)
{
    return (struct traces){entries("/proc/self/fd"), entries("/proc/self/task"), entries(folder)};
}

/* A joined thread is seen in /proc for a moment longer. */
static void check_same(const struct traces *before)
{
    struct traces now = look();
    for (int left = PATIENCE_MS; left > 0 && now.threads != before->threads; left--) {
        poll(NULL, 0, 1);
        now = look();
    }
    CHECK_EQ_U64(now.descriptors, before->descriptors);
    CHECK_EQ_U64(now.threads, before->threads);
    CHECK_EQ_U64(now.files, before->files);
}

/* ---- a job ------------------------------------------------------------------------------------------------------------ */

static void *do_nothing(void *argument)
{
    return argument;
}

static void make_folder(void)
{
    pthread_t first; /* a sanitizer adds a thread of its own to the first one */
    if (pthread_create(&first, NULL, do_nothing, NULL) == 0)
        pthread_join(first, NULL);
    strcpy(folder, "/tmp/knell-bad-XXXXXX");
    if (!mkdtemp(folder))
        abort();
}

static void configure(struct member *member)
{
    snprintf(meeting, sizeof meeting, "file:%s/meeting", folder);
    for (knell_rank i = 0; i < RANKS; i++) {
        struct knell_runtime_config config = knell_runtime_config_default();
        config.rank = i;
        config.ranks = RANKS;
        config.delta = 2000 * MS; /* machines are busy */
        config.key = key;
        config.key_size = sizeof key;
        config.rendezvous = meeting;
        config.rendezvous_wait = WAIT;
        config.no_shortcuts = true; /* they share a process */
        config.fencing = KNELL_FENCE_TELL;
        member[i] = (struct member){.config = config, .starts = true};
    }
}

static void *start(void *argument)
{
    struct member *member = argument;
    member->error = knell_runtime_start(&member->config, &member->runtime, member->why);
    return NULL;
}

static void *stop(void *argument)
{
    knell_runtime_stop(((struct member *)argument)->runtime);
    return NULL;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void each(struct member *member, void *(*run)(void *))
{
    for (unsigned i = 0; i < RANKS; i++)
        if (member[i].starts)
            pthread_create(&member[i].thread, NULL, run, &member[i]);
    for (unsigned i = 0; i < RANKS; i++)
        if (member[i].starts)
            pthread_join(member[i].thread, NULL);
}

static void only(struct member *member, unsigned ranks)
{
    for (unsigned i = 0; i < RANKS; i++)
        member[i].starts = ranks >> i & 1;
}

/* ---- the ways to spoil it ----------------------------------------------------------------------------------------------- */

#define SPOIL(name) static void name(struct member *m)
SPOIL(short_delta)
{
    m[0].config.delta = m[0].config.eta + MS / 2;
    m[0].config.tau = MS;
    only(m, 1);
}
SPOIL(delta_is_eta)
{
    m[0].config.delta = m[0].config.eta;
    only(m, 1);
}
SPOIL(no_eta)
{
    m[0].config.eta = 0;
    only(m, 1);
}
SPOIL(negative_tau)
{
    m[0].config.tau = -1;
    only(m, 1);
}
SPOIL(huge_tree)
{
    m[0].config.tree_bits = 9;
    only(m, 1);
}
SPOIL(one_rank)
{
    m[0].config.ranks = 1;
    only(m, 1);
}
SPOIL(rank_beyond)
{
    m[0].config.rank = RANKS;
    only(m, 1);
}
SPOIL(no_key)
{
    m[0].config.key = NULL;
    only(m, 1);
}
SPOIL(short_key)
{
    m[0].config.key_size = 3;
    only(m, 1);
}
SPOIL(too_long_key)
{
    m[0].config.key = long_key;
    m[0].config.key_size = sizeof long_key;
    only(m, 1);
}
SPOIL(no_rendezvous)
{
    m[0].config.rendezvous = NULL;
    only(m, 1);
}
SPOIL(named_host)
{
    m[0].config.rendezvous = "localhost:7100";
    only(m, 1);
}
SPOIL(no_port)
{
    m[0].config.rendezvous = "127.0.0.1";
    only(m, 1);
}
SPOIL(huge_port)
{
    m[0].config.rendezvous = "127.0.0.1:65536";
    only(m, 1);
}
SPOIL(no_wait)
{
    m[0].config.rendezvous_wait = 0;
    only(m, 1);
}
SPOIL(bind_name)
{
    m[0].config.bind = "eth0";
    only(m, 1);
}
SPOIL(bind_elsewhere)
{
    m[0].config.bind = "192.0.2.1";
    only(m, 1);
}
SPOIL(port_taken)
{
    m[0].config.rendezvous = taken;
    only(m, 1);
}
SPOIL(no_folder)
{
    m[0].config.rendezvous = "file:/tmp/knell-no-such-folder/meeting";
    only(m, 1);
}
SPOIL(a_folder)
{
    m[0].config.rendezvous = "file:/tmp";
    only(m, 1);
}

SPOIL(no_folder_to_look_in)
{
    m[1].config.rendezvous = "file:/tmp/knell-no-such-folder/meeting";
    only(m, 1 << 1);
}
SPOIL(nobody_listens)
{
    m[1].config.rendezvous = "127.0.0.1:1";
    only(m, 1 << 1);
}
SPOIL(unreachable)
{
    m[1].config.rendezvous = "192.0.2.1:7100";
    only(m, 1 << 1);
}
SPOIL(mute_server)
{
    m[1].config.rendezvous = taken;
    only(m, 1 << 1);
}
SPOIL(rank_0_never_comes)
{
    m[0].starts = false;
}
SPOIL(rank_5_never_comes)
{
    m[5].starts = false;
}
SPOIL(nobody_else_comes)
{
    only(m, 1);
}

SPOIL(rank_3_twice)
{
    m[4].config.rank = 3;
}
SPOIL(fewer_ranks)
{
    m[2].config.ranks = 4;
}
SPOIL(more_ranks)
{
    m[2].config.ranks = 9;
}
SPOIL(other_eta)
{
    m[2].config.eta *= 2;
}
SPOIL(other_delta)
{
    m[2].config.delta *= 2;
}
SPOIL(other_tau)
{
    m[2].config.tau = 7 * MS;
}
SPOIL(other_overlay)
{
    m[2].config.overlay = KNELL_OVERLAY_HBA;
}
SPOIL(other_latest_only)
{
    m[2].config.latest_only = true;
}
SPOIL(other_on_split)
{
    m[2].config.on_split = KNELL_SPLIT_END;
}
SPOIL(other_tree)
{
    m[2].config.tree_bits = 2;
}
SPOIL(other_shortcuts)
{
    m[2].config.no_shortcuts = false;
}
SPOIL(wrong_key)
{
    m[1].config.key = other_key;
    m[1].config.key_size = sizeof other_key;
}
SPOIL(key_missing_in_one)
{
    m[5].config.key = NULL;
}
SPOIL(key_of_rank_0)
{
    m[0].config.key = other_key;
    m[0].config.key_size = sizeof other_key;
}

/* Left by a job before, whose rank 0 was killed. */
static void leave_file(const char *text)
{
    FILE *file = fopen(meeting + 5, "w");
    if (!CHECK(file != NULL))
        return;
    fputs(text, file);
    fclose(file);
}
SPOIL(stale_file)
{
    leave_file("127.0.0.1:1\n");
    only(m, 1 << 1);
}
SPOIL(garbled_file)
{
    leave_file("hello\n");
    only(m, 1 << 1);
}
SPOIL(empty_file)
{
    leave_file("");
    only(m, 1 << 1);
}

#define DIFFER "rank 2 and rank 0 are configured differently: "

static const struct row {
    const char *name;
    void (*spoil)(struct member *member);
    struct {
        knell_rank rank;
        int error;
        const char *words; /* in the sentence */
    } says[3];
} rows[] = {
#define ROW(name) #name, name
    {ROW(short_delta), {{0, KNELL_EINVAL, "delta"}}},
    {ROW(delta_is_eta), {{0, KNELL_EINVAL, "delta"}}},
    {ROW(no_eta), {{0, KNELL_EINVAL, "eta"}}},
    {ROW(negative_tau), {{0, KNELL_EINVAL, "tau"}}},
    {ROW(huge_tree), {{0, KNELL_EINVAL, "tree_bits"}}},
    {ROW(one_rank), {{0, KNELL_EINVAL, "ranks"}}},
    {ROW(rank_beyond), {{0, KNELL_EINVAL, "rank 6"}}},
    {ROW(no_key), {{0, KNELL_EINVAL, "key"}}},
    {ROW(short_key), {{0, KNELL_EINVAL, "key: 3 bytes"}}},
    {ROW(too_long_key), {{0, KNELL_EINVAL, "key: 80 bytes"}}},
    {ROW(no_rendezvous), {{0, KNELL_EINVAL, "rendezvous"}}},
    {ROW(named_host), {{0, KNELL_EINVAL, "localhost:7100"}}},
    {ROW(no_port), {{0, KNELL_EINVAL, "rendezvous 127.0.0.1"}}},
    {ROW(huge_port), {{0, KNELL_EINVAL, "127.0.0.1:65536"}}},
    {ROW(no_wait), {{0, KNELL_EINVAL, "rendezvous_wait"}}},
    {ROW(bind_name), {{0, KNELL_EINVAL, "bind eth0"}}},
    {ROW(bind_elsewhere), {{0, KNELL_ESYSTEM, "bind 192.0.2.1"}}},
    {ROW(port_taken), {{0, KNELL_ESYSTEM, "Address already in use"}, {0, KNELL_ESYSTEM, taken}}},
    {ROW(no_folder), {{0, KNELL_ESYSTEM, "file:/tmp/knell-no-such-folder/meeting: No such file"}}},
    {ROW(a_folder), {{0, KNELL_ESYSTEM, "file:/tmp: Is a directory"}}},
    {ROW(no_folder_to_look_in), {{1, KNELL_ETIME, "file:/tmp/knell-no-such-folder/meeting"}}},
    {ROW(nobody_listens), {{1, KNELL_ETIME, "127.0.0.1:1: nobody there in time (Connection refused)"}}},
    {ROW(unreachable), {{1, KNELL_ETIME, "192.0.2.1:7100"}}},
    {ROW(mute_server), {{1, KNELL_ETIME, "no answer in time"}}},
    {ROW(rank_0_never_comes), {{1, KNELL_ETIME, "meeting: nobody there"}, {5, KNELL_ETIME, "meeting: nobody there"}}},
    {ROW(rank_5_never_comes),
     {{0, KNELL_ETIME, "1 of 6 processes did not come in time: rank 5"},
      {4, KNELL_ETIME, "1 of 6 processes did not come in time: rank 5"}}},
    {ROW(nobody_else_comes), {{0, KNELL_ETIME, "5 of 6 processes did not come in time: rank 1, 2, 3, 4, 5"}}},
    {ROW(rank_3_twice), {{0, KNELL_EPEER, "rank 3 came twice"}, {3, KNELL_EPEER, "rank 3 came twice"}}},
    {ROW(fewer_ranks), {{0, KNELL_EPEER, "rank 2 says there are 4"}, {2, KNELL_EPEER, "rank 2 says there are 4"}}},
    {ROW(more_ranks), {{0, KNELL_EPEER, "rank 2 says there are 9"}, {2, KNELL_EPEER, "rank 2 says there are 9"}}},
    {ROW(other_eta), {{0, KNELL_EPEER, DIFFER "eta"}, {2, KNELL_EPEER, DIFFER "eta"}}},
    {ROW(other_delta), {{0, KNELL_EPEER, DIFFER "delta"}, {4, KNELL_EPEER, DIFFER "delta"}}},
    {ROW(other_tau), {{0, KNELL_EPEER, DIFFER "tau"}}},
    {ROW(other_overlay), {{0, KNELL_EPEER, DIFFER "overlay"}}},
    {ROW(other_latest_only), {{0, KNELL_EPEER, DIFFER "latest_only"}}},
    {ROW(other_on_split), {{0, KNELL_EPEER, DIFFER "on_split"}}},
    {ROW(other_tree), {{0, KNELL_EPEER, DIFFER "tree_bits"}}},
    {ROW(other_shortcuts), {{0, KNELL_EPEER, DIFFER "shortcuts"}}},
    {ROW(wrong_key),
     {{0, KNELL_ETIME, "rank 1; 1 came with a wrong key"}, {1, KNELL_EPEER, "wrong key"}, {3, KNELL_ETIME, "rank 1"}}},
    {ROW(key_missing_in_one), {{0, KNELL_ETIME, "rank 5"}, {5, KNELL_EINVAL, "key"}}},
    {ROW(key_of_rank_0), {{0, KNELL_ETIME, "5 came with a wrong key"}, {1, KNELL_EPEER, "wrong key"}}},
    {ROW(stale_file), {{1, KNELL_ETIME, "meeting: nobody there in time (Connection refused)"}}},
    {ROW(garbled_file), {{1, KNELL_ETIME, "meeting: nobody there in time (no address in it)"}}},
    {ROW(empty_file), {{1, KNELL_ETIME, "meeting: nobody there in time (no address in it)"}}},
};

static void check_row(const struct row *row)
{
    struct member member[RANKS];
    struct traces before = look();
    configure(member);
    row->spoil(member);
    int64_t began = now();
    each(member, start);
    CHECK(now() - began < WAIT + LATEST);
    for (unsigned i = 0; i < RANKS; i++)
        if (member[i].starts && !CHECK(member[i].error < 0))
            knell_runtime_stop(member[i].runtime);
    for (unsigned i = 0; i < sizeof row->says / sizeof *row->says && row->says[i].error; i++) {
        const struct member *who = &member[row->says[i].rank];
        test_context("%s, rank %u: %s", row->name, row->says[i].rank, who->why);
        CHECK_EQ_I64(who->error, row->says[i].error);
        CHECK(strstr(who->why, row->says[i].words) != NULL);
        CHECK(strchr(who->why, '\n') == NULL);
    }
    test_context("%s", row->name);
    unlink(meeting + 5); /* what was there before the job is not the job's to remove */
    check_same(&before);
    test_context("%s", "");
}

static void open_listener(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 16) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        abort();
    snprintf(taken, sizeof taken, "127.0.0.1:%u", ntohs(address.sin_port));
}

TEST(each_names_the_culprit)
{
    make_folder();
    open_listener();
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i]);
    close(listener);
    CHECK(rmdir(folder) == 0);
}

/* A file that a killed job left behind does not keep the next one from meeting there. */
TEST(stale_file_is_replaced)
{
    struct member member[RANKS];
    make_folder();
    struct traces before = look();
    configure(member);
    leave_file("127.0.0.1:1\n");
    for (unsigned i = 0; i < RANKS; i++)
        member[i].config.rendezvous_wait = PATIENCE_MS * MS;
    each(member, start);
    for (unsigned i = 0; i < RANKS; i++) {
        test_context("rank %u: %s", i, member[i].why);
        member[i].starts = CHECK_EQ_I64(member[i].error, 0);
    }
    test_context("%s", "");
    each(member, stop);
    check_same(&before);
    CHECK(rmdir(folder) == 0);
}

/* ---- rank 0 is killed while all meet ------------------------------------------------------------------------------------ */

static pid_t start_rank_0(struct member *member)
{
    pid_t pid = fork();
    if (pid == 0) {
        start(&member[0]);
        _exit(1);
    }
    return pid;
}

/* Its own connection has two ends in it; there is one more descriptor for each who came besides. */
static bool wait_for_guests(pid_t pid, unsigned alone, unsigned guests)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    for (int left = PATIENCE_MS; left > 0; left--) {
        if (entries(path) >= alone + guests)
            return true;
        poll(NULL, 0, 1);
    }
    fprintf(stderr, "rank 0 waits for %u guests and has %u descriptors\n", guests, entries(path));
    return false;
}

TEST(rank_0_is_killed_while_all_meet)
{
    struct member member[RANKS];
    make_folder();
    struct traces before = look();
    char path[64];
    configure(member);
    only(member, 0x1e); /* 1 to 4: without 5 they wait */
    for (unsigned i = 0; i < RANKS; i++)
        member[i].config.rendezvous_wait = PATIENCE_MS * MS;
    pid_t pid = start_rank_0(member);
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    unsigned alone = 0;
    for (int left = PATIENCE_MS; left > 0 && (access(meeting + 5, F_OK) != 0 || entries(path) != alone); left -= 20) {
        alone = entries(path); /* until it does not change any more: it has met itself */
        poll(NULL, 0, 20);
    }
    for (unsigned i = 1; i < 5; i++)
        pthread_create(&member[i].thread, NULL, start, &member[i]);
    CHECK(wait_for_guests(pid, alone, 4));
    kill(pid, SIGKILL);
    int64_t killed = now();
    waitpid(pid, NULL, 0);
    for (unsigned i = 1; i < 5; i++) {
        pthread_join(member[i].thread, NULL);
        test_context("rank %u: %s", i, member[i].why);
        CHECK_EQ_I64(member[i].error, KNELL_EPEER);
        CHECK(strstr(member[i].why, "rank 0 closed the connection") != NULL);
    }
    CHECK(now() - killed < 2000 * MS);
    test_context("%s", "");
    unlink(meeting + 5); /* rank 0 had no chance to */
    check_same(&before);
    CHECK(rmdir(folder) == 0);
}
