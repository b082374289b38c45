/* lead_start.c: the agents of `knell agent --hosts`. The key of their connection goes to other hosts by standard input: lists of processes show
 * arguments. */
#include "cli/agent/lead.h"
#include "cli/common/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Noreturn void become_agent(const struct lead *lead)
{
    setenv("KNELL_RUN", lead->door.address, 1);
    setenv("KNELL_KEY", lead->door.key_text, 1);
    execl("/proc/self/exe", "knell", "agent", "--join", "0", (char *)NULL);
    _exit(127);
}

/* One line for the shell over there; the key is the first line of its standard input. */
static char *command_for(const struct lead *lead, unsigned number)
{
    char knell[PATH_MAX], folder[PATH_MAX], where[96], name[PATH_MAX], text[16], *line = NULL;
    char word_cd[] = "cd", word_agent[] = "agent", word_join[] = "--join", word_env[] = "env", word_exec[] = "exec";
    ssize_t length = readlink("/proc/self/exe", knell, sizeof knell - 1);
    const char *agent = getenv("KNELL_AGENT");
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out || length <= 0 || !getcwd(folder, sizeof folder))
        return NULL;
    knell[length] = '\0';
    snprintf(where, sizeof where, "KNELL_RUN=%s", lead->door.address);
    snprintf(name, sizeof name, "KNELL_AGENT=%.4000s", agent ? agent : "");
    snprintf(text, sizeof text, "%u", number);
    shell_print((char *[]){word_cd, folder}, 2, out);
    fprintf(out, " && read -r KNELL_KEY && export KNELL_KEY && ");
    shell_print((char *[]){word_exec, word_env, where, name, knell, word_agent, word_join, text}, 8, out);
    return fclose(out) == 0 ? line : NULL;
}

static _Noreturn void become_shell(const struct lead *lead, unsigned number, int key)
{
    char *command = command_for(lead, number);
    dup2(key, STDIN_FILENO);
    if (command)
        execlp(lead->job->rsh, lead->job->rsh, lead->leader.agent[number].host, command, (char *)NULL);
    cli_failure(lead->job->usage, "--rsh %.200s: %s", lead->job->rsh, strerror(errno));
    _exit(127);
}

/* In a group of its own: ctrl-C is for this process to hear. */
static _Noreturn void become_child(const struct lead *lead, unsigned number, int key)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, number == 0 ? SIGKILL : SIGTERM);
    setpgid(0, 0);
    if (number == 0)
        become_agent(lead);
    become_shell(lead, number, key);
}

int lead_start(struct lead *lead, unsigned number)
{
    int key[2];
    if (pipe2(key, O_CLOEXEC) != 0)
        return cli_failure(lead->job->usage, "no pipe for an agent: %s", strerror(errno));
    dprintf(key[1], "%s\n", lead->door.key_text);
    close(key[1]);
    lead->child[number] = fork();
    if (lead->child[number] == 0)
        become_child(lead, number, key[0]);
    close(key[0]);
    return lead->child[number] > 0 ? EXIT_OK : cli_failure(lead->job->usage, "fork: %s", strerror(errno));
}
