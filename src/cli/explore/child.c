/* child.c: one `knell run` as a child process: its words, its life. It ends with this process: it gets SIGTERM when this process is
 * killed, and then ends its job. */
#include "cli/explore/explore.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- words ------------------------------------------------------------------------------------------------------------------- */

static bool add(struct explore_words *words, const char *word)
{
    if (words->words + 1 >= words->room) {
        size_t room = words->room ? 2 * words->room : 64;
        char **more = realloc(words->word, room * sizeof *more);
        if (!more)
            return false;
        words->word = more;
        words->room = room;
    }
    char *copy = strdup(word);
    words->word[words->words] = copy;
    words->words += copy != NULL;
    words->word[words->words] = NULL;
    return copy != NULL;
}

static bool add_option(struct explore_words *words, const char *name, const char *value)
{
    return !value || (add(words, name) && add(words, value));
}

static bool add_time(struct explore_words *words, const char *name, int64_t ns)
{
    char text[32];
    snprintf(text, sizeof text, "%.4gs", (double)ns * 1e-9);
    return ns == 0 || add_option(words, name, text);
}

/* Deaths are divided by blanks in the key. */
static bool add_kills(struct explore_words *words, const char *key)
{
    bool well = true;
    for (const char *at = key; well && *at; at += strspn(at, " ")) {
        char one[EXPLORE_KEY];
        size_t length = strcspn(at, " ");
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        well = add_option(words, "--kill", one);
        at += length;
    }
    return well;
}

static bool add_passed_on(struct explore_words *words, const struct explore_plan *plan)
{
    bool well = add_option(words, "--hosts", plan->hosts) && add_option(words, "--hostfile", plan->hostfile) &&
                add_option(words, "--interface", plan->interface) && add_option(words, "--rsh", plan->rsh) &&
                add_option(words, "--mpi", plan->mpi) && add_option(words, "--mode", plan->mode) &&
                add_option(words, "--eta", plan->eta) && add_option(words, "--delta", plan->delta) &&
                add_option(words, "--grace", plan->grace) && add_option(words, "--ghost-delay", plan->ghost_delay);
    for (size_t i = 0; well && i < plan->infos.n; i++)
        well = add_option(words, "--info", plan->infos.items[i]);
    return well && add_option(words, "--check", plan->check) && add_option(words, "--expect", plan->expect) &&
           add_option(words, "--progress", plan->progress);
}

bool explore_command_words(const struct explore_plan *plan, int64_t ranks, const struct explore_limits *limits,
                           const char *key, const char *record, const char *how, struct explore_words *words)
{
    char self[PATH_MAX] = "knell", number[24];
    *words = (struct explore_words){0};
    if (record && readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return false;
    snprintf(number, sizeof number, "%" PRId64, ranks);
    bool well = add(words, self) && add(words, "run") && add_option(words, "-n", number) &&
                add_passed_on(words, plan) && add_kills(words, key) && add_time(words, "--timeout", limits->timeout) &&
                add_time(words, "--stuck", limits->stuck) &&
                (!limits->stuck || add_option(words, "--on-stuck", "end")) && add_option(words, "--record", record) &&
                (!record || add(words, "--quiet")) && (!how || add(words, how)) && add(words, "--");
    for (char **word = plan->program; well && *word; word++)
        well = add(words, *word);
    return well;
}

void explore_words_free(struct explore_words *words)
{
    for (size_t i = 0; i < words->words; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct explore_words){0};
}

/* ---- life -------------------------------------------------------------------------------------------------------------------- */

/* In its own process group: ctrl-C reaches this process only, which passes it on. */
static _Noreturn void become(const struct explore_words *words, const char *said, pid_t parent)
{
    sigset_t none;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC),
        err = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(err >= 0 ? err : nothing, STDERR_FILENO);
    execv(words->word[0], words->word);
    _exit(127);
}

pid_t explore_child_start(const struct explore_words *words, const char *said)
{
    pid_t parent = getpid(), child;
    fflush(NULL);
    child = fork();
    if (child == 0)
        become(words, said, parent);
    return child;
}

int explore_child_run(const struct explore_words *words, const char *said, int signals, int *stopped_by)
{
    int status = -1;
    pid_t child = explore_child_start(words, said);
    while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
        struct signalfd_siginfo info;
        poll(&(struct pollfd){.fd = signals, .events = POLLIN}, 1, -1);
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            if (info.ssi_signo != SIGCHLD) {
                *stopped_by = (int)info.ssi_signo;
                kill(child, SIGTERM);
            }
    }
    return child > 0 ? status : -1;
}

void explore_said(const char *said, char *text, size_t size)
{
    char line[1024];
    FILE *file = fopen(said, "re");
    *text = '\0';
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "knell run: ", 11) == 0)
            snprintf(text, size, "%s", line + 11);
    }
    if (file)
        fclose(file);
}
