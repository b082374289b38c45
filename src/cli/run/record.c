/* record.c: --record DIR: the folder in which a run is kept. docs/use/debugging.md says what is in it. */
#include "cli/run/run.h"
#include "record/calls.h"
#include "symbols/symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool run_records(const struct run_plan *plan)
{
    return plan->record || plan->check;
}

bool run_captures(const struct run_plan *plan)
{
    return run_records(plan) || plan->expect || plan->progress;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

static bool make_with_parents(const char *path)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = strchr(part + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    return mkdir(part, 0777) == 0 || errno == EEXIST;
}

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    for (struct dirent *entry; folder && empty && (entry = readdir(folder));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder)
        closedir(folder);
    return empty;
}

static int make_folder(const struct run_plan *plan, char record[PATH_MAX])
{
    struct stat s;
    const char *path = plan->record;
    if (strlen(path) > PATH_MAX - 64)
        return cli_usage_error(plan->usage, "--record %.80s: the name is too long", path);
    if (stat(path, &s) == 0 && !S_ISDIR(s.st_mode))
        return cli_usage_error(plan->usage, "--record %.200s: is not a folder", path);
    if (!make_with_parents(path) || !realpath(path, record) || access(record, R_OK | W_OK | X_OK) != 0)
        return cli_usage_error(plan->usage, "--record %.200s: %s", path, strerror(errno));
    if (strlen(record) > PATH_MAX - 64)
        return cli_usage_error(plan->usage, "--record %.80s: the name is too long", path);
    if (!is_empty(record))
        return cli_usage_error(plan->usage, "--record %.200s: is not empty; a record needs a folder of its own", path);
    return EXIT_OK;
}

/* A job without --record has its own place in the private directory, for --check. */
static int make_private(struct run_job *job)
{
    snprintf(job->record, sizeof job->record, "%s/record", job->directory.path);
    if (mkdir(job->record, 0700) != 0)
        return cli_failure(job->plan->usage, "%s: %s", job->record, strerror(errno));
    return EXIT_OK;
}

static int open_events(struct run_job *job)
{
    char *path = NULL;
    if (asprintf(&path, "%s/" RUN_RECORD_EVENTS, job->record) < 0)
        return cli_failure(job->plan->usage, "no memory for the record");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        free(path);
        return cli_usage_error(job->plan->usage, "--record %.200s: %s", job->record, strerror(errno));
    }
    close(fd);
    job->events_path = path;
    return log_open(&job->log[RUN_LOG_RECORD], job->plan->usage, path);
}

static int open_capture(struct run_job *job)
{
    char path[PATH_MAX + 16];
    const struct run_plan *plan = job->plan;
    snprintf(path, sizeof path, "%s/" RUN_RECORD_OUTPUT, job->record);
    job->capture = run_capture_open(&(struct run_capture_plan){.file = run_records(plan) ? path : NULL,
                                                               .expect = plan->expect,
                                                               .progress = plan->progress,
                                                               .out = plan->json ? STDERR_FILENO : STDOUT_FILENO});
    return job->capture ? EXIT_OK : cli_failure(plan->usage, "%s: %s", path, strerror(errno));
}

int run_record_make(struct run_job *job)
{
    return job->plan->record ? make_folder(job->plan, job->record) : EXIT_OK;
}

/* What --kill, --mttf or --fail injects, to be kept as a test: knell run --fail FILE. */
static int write_scenario(const struct run_job *job)
{
    char path[PATH_MAX + 16];
    const struct knell_fail_source *source = run_fail_source(job->fail);
    snprintf(path, sizeof path, "%s/" RUN_RECORD_SCENARIO, job->record);
    FILE *out = fopen(path, "we");
    bool fine = out && fwrite(source->text, 1, source->size, out) == source->size;
    if (out && fclose(out) == 0 && fine)
        return EXIT_OK;
    return cli_failure(job->plan->usage, "%s: %s", path, strerror(errno));
}

int run_record_open(struct run_job *job)
{
    int status = EXIT_OK;
    if (run_records(job->plan) && !job->plan->record)
        status = make_private(job);
    if (status == EXIT_OK && run_records(job->plan))
        status = open_events(job);
    if (status == EXIT_OK && job->plan->record && job->fail)
        status = write_scenario(job);
    return status == EXIT_OK && run_captures(job->plan) ? open_capture(job) : status;
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

uint64_t run_record_left_out(const struct run_job *job)
{
    return job->events_left_out + job->links.left_out + (job->capture ? run_capture_left_out(job->capture) : 0);
}

/* What a rank wrote and could not be kept. The file is missing if the rank never came to MPI_Init. */
static uint64_t lost_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (uint64_t)s.st_blocks * 512 : 0;
}

/* For people; the file appears when it is complete. */
static void write_table(const struct run_job *job, const char *path, struct symbols *symbols)
{
    char table[PATH_MAX + 40], temporary[PATH_MAX + 48], error[256];
    struct record_calls calls = {0};
    snprintf(table, sizeof table, "%s.tsv", path);
    snprintf(temporary, sizeof temporary, "%s.new", table);
    FILE *out = record_calls_open(path, &calls, error) ? fopen(temporary, "we") : NULL;
    if (out)
        record_calls_write_text(&calls, symbols, job->launched, out);
    record_calls_close(&calls);
    bool fine = out && !ferror(out);
    if (out && (fclose(out) != 0 || !fine || rename(temporary, table) != 0))
        unlink(temporary);
}

static void copy_calls(struct run_job *job)
{
    char from[PATH_MAX], to[PATH_MAX + 32];
    struct symbols *symbols = symbols_open();
    for (int i = 0; symbols && i < job->plan->ranks; i++) {
        snprintf(from, sizeof from, "%s/" JOB_RECORD_FILE, job->directory.path, i);
        snprintf(to, sizeof to, "%s/" JOB_RECORD_FILE, job->record, i);
        if (record_calls_write_compact(from, to))
            write_table(job, to, symbols);
        else
            job->events_left_out += lost_of(from);
    }
    symbols_close(symbols);
}

void run_record_finish(struct run_job *job)
{
    off_t wanted = job->log[RUN_LOG_RECORD].file ? ftello(job->log[RUN_LOG_RECORD].file) : 0;
    struct stat s;
    if (job->events_path && !log_finish(&job->log[RUN_LOG_RECORD]) && stat(job->events_path, &s) == 0)
        job->events_left_out += s.st_size < wanted ? (uint64_t)(wanted - s.st_size) : 1;
    if (job->plan->calls)
        copy_calls(job);
}

/* The file appears when it is complete. */
int run_record_write(const struct run_job *job, int status)
{
    char path[PATH_MAX + 16], temporary[PATH_MAX + 24];
    if (!job->plan->record)
        return status;
    snprintf(path, sizeof path, "%s/" RUN_RECORD_RUN, job->record);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *out = fopen(temporary, "we");
    if (out)
        run_write_json(job, status, out);
    bool fine = out && fflush(out) == 0 && !ferror(out);
    fine = out && fclose(out) == 0 && fine && rename(temporary, path) == 0;
    if (fine)
        return status;
    int error = errno;
    unlink(temporary);
    cli_failure(job->plan->usage, "%s: cannot be written: %s", path, strerror(error));
    return status ? status : EXIT_FAILED;
}
