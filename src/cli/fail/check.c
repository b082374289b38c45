/* check.c: `knell fail check`: is a scenario correct, and can a given effector run it? */
#include "cli/fail/fail.h"
#include "cli/scenario/mpi_calls.h"
#include "cli/scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
    .command = "knell fail check",
    .summary =
        "Checks fault scenarios written in FAIL. Errors and warnings are written as file:line:col: with the line and "
        "a caret; nothing is written when all is well. The status is 1 if there was an error.",
    .notes =
        "With --for, what that effector cannot do is an error too: simulator is `knell sim ring --fail', platform `knell fail run "
        "--platform', live `knell live --fail', run and ghost `knell run --fail' with --mode real and ghost; agent does not exist "
        "yet. "
        "--list prints which can do what. Give `-' to check standard input.\n",
    .examples = "  knell fail check examples/fail/figure-7a.fail -D X=5\n"
                "  knell fail check --for run my.fail\n"
                "  knell fail check --list\n",
};

static const char *const effectors[] = {"any", "simulator", "platform", "live", "ghost", "run", "agent", NULL};

/* ---- the table --------------------------------------------------------------------------------------------------- */

static const char *cell(const struct knell_fail_effector *effector, uint32_t feature)
{
    const uint32_t functions =
        KNELL_FAIL_CAN_BEFORE | KNELL_FAIL_CAN_AFTER | KNELL_FAIL_CAN_INSIDE | KNELL_FAIL_CAN_FAMILY;

    if (effector->never & feature)
        return "never";
    if (!(effector->can & feature))
        return "-";
    return feature & functions && effector->function_prefix ? effector->function_prefix : "yes";
}

static int print_table(void)
{
    const struct knell_fail_effector *effector;

    printf("%-36s", "");
    for (uint32_t i = 0; (effector = knell_fail_effector_at(i)) != NULL; i++)
        printf(knell_fail_effector_at(i + 1) ? "%-11s" : "%s\n", effector->name);
    for (uint32_t number = 0; number < KNELL_FAIL_FEATURE_NUMBER_END; number++) {
        printf("%-36s", knell_fail_feature_text(1u << number));
        for (uint32_t i = 0; (effector = knell_fail_effector_at(i)) != NULL; i++)
            printf(knell_fail_effector_at(i + 1) ? "%-11s" : "%s\n", cell(effector, 1u << number));
    }
    return EXIT_OK;
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

/* What `knell run` refuses beyond the table: calls that do not exist, and more variables than a desk can hold. */
static int check_for_ranks(const struct knell_fail_effector *effector, const struct scenario *scenario)
{
    int status = EXIT_OK;

    if (strcmp(effector->name, "run") != 0 && strcmp(effector->name, "ghost") != 0)
        return EXIT_OK;
    if (scenario_check_calls(&usage, scenario) != EXIT_OK || scenario_check_variables(&usage, scenario) != EXIT_OK)
        status = EXIT_FAILED;
    return status;
}

static int check(const char *file, const struct texts *defines, int effector)
{
    struct scenario scenario;
    int status = scenario_open(&usage, file, defines, &scenario);

    if (status == EXIT_OK && effector > 0)
        status = scenario_require(&scenario, knell_fail_effector_find(effectors[effector]));
    if (status == EXIT_OK && effector > 0)
        status = check_for_ranks(knell_fail_effector_find(effectors[effector]), &scenario);
    scenario_close(&scenario);
    return status;
}

int fail_check_command(int argc, char **argv)
{
    struct texts files = {0}, defines = {0};
    int effector = 0, status;
    bool list = false;
    struct option options[] = {
        OPT_OPERANDS("FILE", &files, 0, TEXTS_MAX, "the scenarios"),
        SCENARIO_OPTION_DEFINE(&defines),
        OPT_WORD("for", &effector, effectors, "the effector that shall run them", .fallback = "any"),
        OPT_FLAG("list", &list, "prints what each effector can do, and checks nothing"),
    };
    char **arguments = scenario_long_options(&usage, argc, argv);

    if (!arguments)
        return EXIT_FAILED;
    status = options_parse(&usage, options, COUNT_OF(options), argc, arguments);
    if (status < 0 && files.n == 0 && !list)
        status = cli_usage_error(&usage, "FILE is missing; `%s --help` explains it", usage.command);
    if (status < 0 && list)
        status = print_table();
    if (status < 0) {
        status = EXIT_OK;
        for (size_t i = 0; i < files.n; i++) {
            int one = check(files.items[i], &defines, effector);

            status = one > status ? one : status;
        }
    }
    free(arguments);
    return status;
}
