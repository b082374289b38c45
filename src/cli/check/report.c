/* report.c: what `knell check` found, in words and as JSON. */
#include "cli/check/check.h"
#include "cli/common/program.h"

#include <string.h>

/* By whom a call is imported. The program's own import says more than a library's. */
enum whom { BY_PROGRAM, BY_LIBRARY, BY_BINDINGS };

static enum whom whom_of(const struct check_result *result, const char *call)
{
    enum whom whom = BY_BINDINGS;
    for (size_t i = 0; i < result->imports; i++) {
        const struct check_import *import = &result->import[i];
        if (import->call == call && !import->by_bindings && import->by_program)
            return BY_PROGRAM;
        if (import->call == call && !import->by_bindings)
            whom = BY_LIBRARY;
    }
    return whom;
}

static bool is_first(const struct check_result *result, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (result->import[i].call == result->import[at].call)
            return false;
    return true;
}

/* Which of these imports is the next that is the first of its call and of that kind? result->imports: none. */
static size_t next(const struct check_result *result, enum whom whom, size_t at)
{
    while (at < result->imports && (!is_first(result, at) || whom_of(result, result->import[at].call) != whom))
        at++;
    return at;
}

static int count(const struct check_result *result, enum whom whom)
{
    int calls = 0;
    for (size_t i = next(result, whom, 0); i < result->imports; i = next(result, whom, i + 1))
        calls++;
    return calls;
}

bool check_is_carried(const struct check_result *result)
{
    return count(result, BY_PROGRAM) + count(result, BY_LIBRARY) == 0;
}

static const char *mpi_name(const struct check_result *result)
{
    return result->mpi == PROGRAM_MPIS ? "MPI not known" : program_mpi_names[result->mpi];
}

/* ---- in words ---------------------------------------------------------------------------------------------------- */

static void write_files(const struct check_result *result, const char *call, FILE *out)
{
    const char *before = "";
    for (size_t i = 0; i < result->imports; i++)
        if (result->import[i].call == call && !result->import[i].by_bindings && !result->import[i].by_program) {
            fprintf(out, "%s%s", before, result->import[i].file);
            before = ", ";
        }
}

static void write_calls(const struct check_result *result, FILE *out)
{
    for (size_t i = next(result, BY_PROGRAM, 0); i < result->imports; i = next(result, BY_PROGRAM, i + 1))
        fprintf(out, "  calls     %s\n", result->import[i].call);
    for (size_t i = next(result, BY_LIBRARY, 0); i < result->imports; i = next(result, BY_LIBRARY, i + 1)) {
        fprintf(out, "  may call  %-28s  ", result->import[i].call);
        write_files(result, result->import[i].call, out);
        fputc('\n', out);
    }
}

void check_write_text(const struct check_result *result, FILE *out)
{
    int bindings = count(result, BY_BINDINGS);
    if (check_is_carried(result))
        fprintf(out, "%s (%s): Knell carries every MPI call that it and its libraries name\n", result->path,
                mpi_name(result));
    else
        fprintf(out, "%s (%s): not carried by Knell (docs/use/calls.md):\n", result->path, mpi_name(result));
    write_calls(result, out);
    if (bindings)
        fprintf(out, "  not counted: %d calls that are there only because MPI's C++ bindings are compiled in\n",
                bindings);
    if (result->missing)
        fprintf(out, "  not looked at: %s%s, not found\n", result->first_missing ? result->first_missing : "a library",
                result->missing > 1 ? " and others" : "");
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

static void put_calls(struct json *j, const struct check_result *result, const char *key, enum whom whom)
{
    json_key(j, key);
    json_array(j);
    for (size_t i = next(result, whom, 0); i < result->imports; i = next(result, whom, i + 1))
        json_string(j, result->import[i].call);
    json_close(j);
}

static void put_libraries(struct json *j, const struct check_result *result)
{
    json_key(j, "libraries");
    json_array(j);
    for (size_t i = 0; i < result->imports; i++) {
        if (result->import[i].by_program || result->import[i].by_bindings)
            continue;
        json_object(j);
        json_put_string(j, "call", result->import[i].call);
        json_put_string(j, "library", result->import[i].file);
        json_close(j);
    }
    json_close(j);
}

void check_write_json(const struct check_result *result, FILE *out)
{
    struct json j;
    json_begin(&j, out);
    json_object(&j);
    json_put_string(&j, "program", result->path);
    json_key(&j, "mpi");
    if (result->mpi == PROGRAM_MPIS)
        json_null(&j);
    else
        json_string(&j, program_mpi_names[result->mpi]);
    json_put_bool(&j, "carried", check_is_carried(result));
    put_calls(&j, result, "calls", BY_PROGRAM);
    put_calls(&j, result, "may_call", BY_LIBRARY);
    put_calls(&j, result, "bindings", BY_BINDINGS);
    put_libraries(&j, result);
    json_put_integer(&j, "files", result->files);
    json_put_integer(&j, "not_found", result->missing);
    json_close(&j);
}
