/* knell fail check: is this scenario right, and can a given effector run it? */
#include "cli/commands.h"
#include "cli/fail.h"

#include <stdio.h>
#include <stdlib.h>

static const struct knell_usage usage = {
    .command = "knell fail check",
    .summary =
        "Checks fault scenarios written in FAIL. Errors and warnings are written as file:line:col: with the line and "
        "a caret; nothing is written when all is well. The status is 1 if there was an error.",
    .notes = "With --for, what that effector cannot do is an error too. Give `-' to check standard input.\n",
    .examples = "  knell fail check examples/fail/figure-7a.fail -D X=5\n"
                "  knell fail check --for agent my.fail\n",
};

static const char *const effectors[] = {"any", "simulator", "platform", "ghost", "agent", NULL};

static int check(const char *file, const struct knell_texts *defines, int effector)
{
    struct knell_scenario scenario;
    int status = knell__scenario_open(&usage, file, defines, &scenario);

    if (status == KNELL_EXIT_OK && effector > 0)
        status = knell__scenario_require(&scenario, knell_fail_effector_find(effectors[effector]));
    knell__scenario_close(&scenario);
    return status;
}

int knell__command_fail_check(int argc, char **argv)
{
    struct knell_texts files = {0}, defines = {0};
    int effector = 0, status;
    struct knell_option options[] = {
        KNELL_OPT_OPERANDS("FILE", &files, 1, KNELL_TEXTS_MAX, "the scenarios"),
        KNELL_FAIL_OPTION_DEFINE(&defines),
        KNELL_OPT_WORD("for", &effector, effectors, "the effector that shall run them", .fallback = "any"),
    };
    char **arguments = knell__fail_long_options(&usage, argc, argv);

    if (!arguments)
        return KNELL_EXIT_FAILED;
    status = knell_options_parse(&usage, options, KNELL_COUNT(options), argc, arguments);
    if (status < 0) {
        status = KNELL_EXIT_OK;
        for (size_t i = 0; i < files.n; i++) {
            int one = check(files.items[i], &defines, effector);

            status = one > status ? one : status;
        }
    }
    free(arguments);
    return status;
}
