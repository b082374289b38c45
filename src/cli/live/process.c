/* process.c: the processes of `knell live`: started on their hosts, waited for, ended. None is left behind. */
#include "cli/live/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Without the permission to make namespaces, loopback addresses serve as hosts; but those cannot be cut off. */
static int make_hosts(struct live_run *run)
{
    char why[KNELL_RUNTIME_WHY];
    if (run->plan->hosts == 1)
        return EXIT_OK;
    run->record->namespaces = live_hosts_open(&run->hosts, (int)run->plan->hosts, why) == 0;
    if (run->record->namespaces)
        return EXIT_OK;
    if (run->plan->has_cuts)
        return cli_failure(run->usage, "--cut needs hosts in namespaces: %s", why);
    fprintf(stderr, "%s: no hosts in namespaces (%s); 127.0.0.1 to 127.0.0.%" PRId64 " stand for them\n",
            run->usage->command, why, run->plan->hosts);
    return EXIT_OK;
}

static int listen_at_home(struct knell__address *bound)
{
    struct knell__address address;
    return knell__address_parse_host("127.0.0.1", &address) == 0 ? knell__address_listen(&address, bound) : -1;
}

static int open_ways(struct live_run *run)
{
    struct knell__address bound;
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max; /* rank 0 has a connection to every rank during the rendezvous */
        setrlimit(RLIMIT_NOFILE, &files);
    }
    run->notes = live_notes_new((uint32_t)run->plan->ranks);
    if (!run->notes || pipe2(run->stop, O_CLOEXEC) != 0 || pipe2(run->leave, O_CLOEXEC) != 0 ||
        getrandom(run->key, sizeof run->key, 0) != sizeof run->key)
        return cli_failure(run->usage, "cannot begin: %s", strerror(errno));
    run->listening = run->record->namespaces ? live_hosts_listen(&run->hosts, 0, &bound) : listen_at_home(&bound);
    if (run->listening < 0)
        return cli_failure(run->usage, "cannot listen for the processes to meet: %s", strerror(errno));
    knell__address_text(&bound, run->rendezvous);
    return EXIT_OK;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static _Noreturn void be_child(struct live_run *run, knell_rank rank, int host)
{
    char address[32], name[32];
    struct live_child child = {.plan = run->plan,
                               .rank = rank,
                               .notes = run->notes,
                               .stop = run->stop[0],
                               .leave = run->leave[0],
                               .listening = run->listening,
                               .rendezvous = run->rendezvous,
                               .key = run->key,
                               .key_size = LIVE_KEY_SIZE};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* this process ends with its parent; see also `stop` */
    sigprocmask(SIG_UNBLOCK, &run->ending, NULL);
    signal(SIGINT, SIG_IGN); /* the parent handles ctrl-C */
    close(run->stop[1]);
    close(run->leave[1]);
    snprintf(address, sizeof address, "127.0.0.%d", host + 1);
    snprintf(name, sizeof name, "live-%d", host);
    if (run->record->namespaces)
        child.bind = run->hosts.address[host];
    else if (run->plan->hosts > 1) {
        child.bind = address;
        child.host = name;
    }
    live_child_run(&child);
}

static int make_processes(struct live_run *run)
{
    fflush(NULL);
    for (int64_t rank = 0; rank < run->plan->ranks; rank++) {
        int host = live_host_of(run->plan, (knell_rank)rank);
        pid_t pid = run->record->namespaces ? live_hosts_fork(&run->hosts, host) : fork();
        if (pid < 0)
            return cli_failure(run->usage, "no process for rank %" PRId64 ": %s", rank, strerror(errno));
        if (pid == 0)
            be_child(run, (knell_rank)rank, host);
        run->process[rank].pid = pid;
        run->living++;
    }
    close_one(&run->stop[0]);
    close_one(&run->leave[0]);
    close_one(&run->listening);
    return EXIT_OK;
}

int live_start_all(struct live_run *run)
{
    run->stop[0] = run->stop[1] = run->leave[0] = run->leave[1] = run->listening = -1;
    run->hosts.switch_pid = run->hosts.control = -1;
    int status = make_hosts(run);
    if (status == EXIT_OK)
        status = open_ways(run);
    return status == EXIT_OK ? make_processes(run) : status;
}

/* ---- ending ------------------------------------------------------------------------------------------------------ */

static void has_ended(struct live_run *run, pid_t pid, int status)
{
    for (int64_t i = 0; i < run->plan->ranks; i++)
        if (run->process[i].pid == pid) {
            run->process[i].pid = 0;
            run->process[i].status = status;
            run->living--;
        }
}

/* From here on another process may have its number. */
void live_reap(struct live_run *run)
{
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        has_ended(run, pid, status);
}

static void end_those(struct live_run *run, bool deaf_alone)
{
    int status;
    for (int64_t i = 0; i < run->plan->ranks; i++) {
        struct live_process *process = &run->process[i];
        if (process->pid > 0 && (!deaf_alone || process->stopped || process->cut))
            kill(process->pid, SIGKILL);
    }
    for (int64_t i = 0; i < run->plan->ranks; i++) {
        struct live_process *process = &run->process[i];
        if (process->pid > 0 && (!deaf_alone || process->stopped || process->cut))
            has_ended(run, waitpid(process->pid, &status, 0), status); /* it was killed, so it ends */
    }
}

void live_end_unreachable(struct live_run *run)
{
    end_those(run, true);
}

void live_end_all(struct live_run *run)
{
    end_those(run, false);
    live_hosts_close(&run->hosts);
    close_one(&run->stop[0]);
    close_one(&run->stop[1]);
    close_one(&run->leave[0]);
    close_one(&run->leave[1]);
    close_one(&run->listening);
    live_notes_free(run->notes);
}
