/* check.c: `knell check`: does a program, or a library that it loads, import MPI calls that the layer does not carry? Nothing is run. */
#include "cli/check/check.h"
#include "cli/common/output.h"
#include "cli/common/program.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct usage usage = {
    .command = "knell check",
    .summary =
        "Lists the MPI calls that PROGRAM and the libraries it loads import and that Knell does not carry: under "
        "`knell run` they raise MPI_ERR_UNSUPPORTED_OPERATION. Runs nothing but ldd.",
    .operands = "PROGRAM [argument...]",
    .notes =
        "PROGRAM is a program, on the PATH or here, or a library; its arguments are ignored.\n"
        "calls: the program itself imports it. may call: a library does, which may have no occasion to. Libraries of "
        "the MPI itself do not count, nor what only the MPI's C++ bindings call that were compiled into a file.\n"
        "What is loaded or started later (dlopen, scripts, Python) is not seen.\n"
        "docs/use/calls.md says of every call what it does. Exit status: 0 if all is carried, 1 if not, 2 if PROGRAM "
        "cannot be looked at.\n",
    .examples = "  knell check ./app\n"
                "  knell check --json lmp >calls.json\n"
                "  knell check /usr/lib/python3/dist-packages/mpi4py/MPI.*.so\n",
};

/* On the PATH, or here, or a file that need not be executable: a library. */
static int find(const char *name, char path[PATH_MAX])
{
    if (program_on_path(name, path))
        return -1;
    if (access(name, R_OK) != 0)
        return cli_usage_error(&usage, "%.200s: %s", name,
                               errno == ENOENT ? "no such program here or on the PATH" : strerror(errno));
    snprintf(path, PATH_MAX, "%s%.4000s", strchr(name, '/') ? "" : "./", name);
    return -1;
}

static int write_result(const struct check_result *result, bool json)
{
    struct output out;
    int status = output_begin(&out, &usage);
    if (status != EXIT_OK)
        return status;
    if (json)
        check_write_json(result, out.f);
    else
        check_write_text(result, out.f);
    status = output_commit(&out, &usage);
    return status == EXIT_OK && !check_is_carried(result) ? EXIT_FAILED : status;
}

int check_command(int argc, char **argv)
{
    char path[PATH_MAX], **program = NULL;
    bool json = false;
    struct option options[] = {
        OPT_FLAG("json", &json, "write JSON"),
        OPT_PROGRAM("PROGRAM", &program, "the program or library; what follows is ignored"),
    };
    int status = options_parse(&usage, options, COUNT_OF(options), argc, argv);
    if (status < 0 && program && program[0] && *program[0])
        status = find(program[0], path);
    else if (status < 0)
        status = cli_usage_error(&usage, "the program is missing: knell check PROGRAM");
    if (status >= 0)
        return status;
    struct check_result result = {.path = path};
    status = check_files(&usage, &result);
    if (status < 0)
        status = write_result(&result, json);
    check_free(&result);
    return status;
}
