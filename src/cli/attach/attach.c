/* attach.c: see attach.h. */
#include "cli/attach/attach.h"
#include "cli/common/options.h"

#include <knell/agent.h>

static const struct usage usage = {
    .command = "knell attach",
    .summary = "Gives running processes to the agent of this host: from then on its scenario acts on them.",
    .operands = "PID...",
    .notes =
        "The agent was started by `knell agent --listen`; KNELL_AGENT is the path where it listens, if it is not the usual one.\n"
        "A process comes to the slot of its program, and `onload` happens there. When the agent ends, the process goes on "
        "without it; if the agent is killed, so is the process, unless the scenario names no function.\n",
    .examples = "  knell agent --listen --fail hold.fail &\n"
                "  knell attach $(pidof redis-server)\n",
};

static int attach(const char *text)
{
    char why[512];
    int64_t pid;
    if (parse_integer(text, &pid) != NULL || pid < 1 || pid > INT32_MAX)
        return cli_usage_error(&usage, "%.40s: the number of a process is expected", text);
    if (knell_agent_ask("attach", (pid_t)pid, why, sizeof why) != 0)
        return cli_failure(&usage, "%s", why);
    return EXIT_OK;
}

int attach_command(int argc, char **argv)
{
    struct texts pids = {0};
    struct option options[] = {OPT_OPERANDS("PID", &pids, 1, TEXTS_MAX, "numbers of processes")};
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status >= 0)
        return status;
    status = EXIT_OK;
    for (size_t i = 0; i < pids.n && status == EXIT_OK; i++)
        status = attach(pids.items[i]);
    return status;
}
