/* kill.c: see kill.h. Each rank is a Computer; the daemon of a victim halts it after a time, before a call or inside of
 * one. */
#include "cli/run/kill.h"
#include "cli/scenario/mpi_calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kill {
    int64_t rank;
    int64_t at;        /* ms, if there is no call */
    char call[64];     /* "MPI_Send#3" */
    int64_t operation; /* inside of it; 0: before it */
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Parses "3" and "3.2", the call and an operation of it. */
static int parse_counts(const struct run_plan *plan, const char *text, const char *counts, int64_t *call,
                        int64_t *operation)
{
    char digits[24];
    size_t length = strcspn(counts, ".");
    snprintf(digits, sizeof digits, "%.*s", (int)(length < sizeof digits ? length : sizeof digits - 1), counts);
    if (parse_integer(digits, call) != NULL || *call < 1)
        return cli_usage_error(plan->usage, "--kill %.80s: %.20s must be a whole number from 1 on", text, digits);
    if (counts[length] && (parse_integer(counts + length + 1, operation) != NULL || *operation < 1))
        return cli_usage_error(plan->usage,
                               "--kill %.80s: the operation behind the dot must be a whole number from 1 on", text);
    return -1;
}

/* Parses "MPI_Send#3" and "MPI_Send#3.2"; "MPI_Send" alone is the first call. */
static int parse_call(const struct run_plan *plan, const char *text, const char *call, struct kill *kill)
{
    char name[64], where[96];
    int64_t count = 1;
    size_t length = strcspn(call, "#");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), call);
    snprintf(where, sizeof where, "--kill %.80s", text);
    if (!scenario_call_exists(name))
        return scenario_no_call(plan->usage, where, name);
    if (call[length] && parse_counts(plan, text, call + length + 1, &count, &kill->operation) >= 0)
        return EXIT_USAGE;
    snprintf(kill->call, sizeof kill->call, "%.40s#%" PRId64, name, count);
    return -1;
}

static int parse_kill(const struct run_plan *plan, const char *text, struct kill *kill)
{
    char rank[24];
    const char *at = strchr(text, '@'), *wrong;
    int64_t time = 0;
    if (!at || at - text >= (ptrdiff_t)sizeof rank)
        return cli_usage_error(plan->usage, "--kill %.80s: R@T or R@CALL#K is expected, as in 3@1.5s and 3@MPI_Send#10",
                               text);
    snprintf(rank, sizeof rank, "%.*s", (int)(at - text), text);
    *kill = (struct kill){0};
    if (parse_integer(rank, &kill->rank) != NULL || kill->rank < 0 || kill->rank >= plan->ranks)
        return cli_usage_error(plan->usage, "--kill %.80s: %s must be a whole number from 0 to %" PRId64, text, rank,
                               plan->ranks - 1);
    if (strncmp(at + 1, "MPI", 3) == 0)
        return parse_call(plan, text, at + 1, kill);
    if ((wrong = parse_duration(at + 1, &time)) != NULL)
        return cli_usage_error(plan->usage, "--kill %.80s: the time %s; a call begins with MPI, as in MPI_Send#10",
                               text, wrong);
    kill->at = (time + 999999) / 1000000;
    return -1;
}

int run_kills_check(const struct run_plan *plan)
{
    bool *dies = calloc((size_t)plan->ranks, sizeof *dies);
    int status = dies ? -1 : cli_failure(plan->usage, "no memory for --kill");
    for (size_t i = 0; dies && i < plan->kills.n && status < 0; i++) {
        struct kill kill;
        status = parse_kill(plan, plan->kills.items[i], &kill);
        if (status < 0 && dies[kill.rank])
            status = cli_usage_error(plan->usage, "--kill %.80s: rank %" PRId64 " dies already", plan->kills.items[i],
                                     kill.rank);
        if (status < 0)
            dies[kill.rank] = true;
    }
    free(dies);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void write_victim(const struct kill *kill, FILE *out)
{
    fprintf(out, "Daemon RANK%" PRId64 " {\nnode 1:\n    onload -> continue, goto 2;\nnode 2:\n", kill->rank);
    if (kill->operation)
        fprintf(out, "    inside(%s, %" PRId64 ") -> halt, goto 3;\n", kill->call, kill->operation);
    else if (kill->call[0])
        fprintf(out, "    before(%s) -> halt, goto 3;\n", kill->call);
    else
        fprintf(out, "    time life = %" PRId64 ";\n    life -> halt, goto 3;\n", kill->at);
    fprintf(out,
            "    onexit -> goto 3;\n    onerror -> goto 3;\nnode 3:\n}\n"
            "Computer R%" PRId64 " { program = \"app\" daemon = RANK%" PRId64 "; }\n",
            kill->rank, kill->rank);
}

static void write_scenario(const struct run_plan *plan, FILE *out)
{
    if (plan->kills.n < (size_t)plan->ranks) /* each rank dies at most once, so at least one rank survives */
        fputs("Daemon OTHER {\n    onload -> continue;\n}\n", out);
    for (int64_t rank = 0; rank < plan->ranks; rank++) {
        struct kill kill = {.rank = -1};
        for (size_t i = 0; i < plan->kills.n && kill.rank != rank; i++)
            parse_kill(plan, plan->kills.items[i], &kill);
        if (kill.rank == rank)
            write_victim(&kill, out);
        else
            fprintf(out, "Computer R%" PRId64 " { program = \"app\" daemon = OTHER; }\n", rank);
    }
}

int run_kills_open(const struct run_plan *plan, struct scenario *scenario)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    memset(scenario, 0, sizeof *scenario);
    if (!out)
        return cli_failure(plan->usage, "no memory for --kill");
    write_scenario(plan, out);
    if (fclose(out) != 0) {
        free(text);
        return cli_failure(plan->usage, "no memory for --kill");
    }
    return scenario_compile(plan->usage, "--kill", text, size, &(struct texts){0}, scenario);
}
