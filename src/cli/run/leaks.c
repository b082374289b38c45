/* leaks.c: what a job left: objects of MPI that its ranks report (job/report.h), processes that outlived the ranks,
 * names in shared memory. */
#include "cli/run/run.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARED_MEMORY "/dev/shm"
#define OF_KNELL "knell-run-" /* directories of this job and of others */

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static int is_ours(const struct dirent *entry)
{
    char path[sizeof SHARED_MEMORY + 260];
    struct stat s;
    snprintf(path, sizeof path, SHARED_MEMORY "/%s", entry->d_name);
    return entry->d_name[0] != '.' && strncmp(entry->d_name, OF_KNELL, sizeof OF_KNELL - 1) != 0 &&
           lstat(path, &s) == 0 && s.st_uid == geteuid();
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

void run_shm_list(struct run_shm *shm)
{
    shm->names = scandir(SHARED_MEMORY, &shm->name, is_ours, by_name);
    if (shm->names < 0)
        *shm = (struct run_shm){0};
}

void run_shm_free(struct run_shm *shm)
{
    for (int i = 0; i < shm->names; i++)
        free(shm->name[i]);
    free(shm->name);
    *shm = (struct run_shm){0};
}

/* Does a process have it open? One that is about to map it does. */
static bool is_open_at(const char *pid, const char *path)
{
    char descriptors[300], entry_path[600], target[512];
    snprintf(descriptors, sizeof descriptors, "/proc/%.250s/fd", pid);
    DIR *all = opendir(descriptors);
    bool found = false;
    for (struct dirent *entry; all && !found && (entry = readdir(all));) {
        snprintf(entry_path, sizeof entry_path, "%s/%s", descriptors, entry->d_name);
        ssize_t length = readlink(entry_path, target, sizeof target - 1);
        target[length > 0 ? length : 0] = '\0';
        found = strcmp(target, path) == 0;
    }
    if (all)
        closedir(all);
    return found;
}

/* Does a process have it in its memory? */
static bool is_mapped_by(const char *pid, const char *path)
{
    char maps[300], line[512];
    snprintf(maps, sizeof maps, "/proc/%.250s/maps", pid);
    FILE *file = fopen(maps, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, path) != NULL;
    if (file)
        fclose(file);
    return found;
}

/* By a job that runs now, or one that removed it just now. Open before mapped: a descriptor is closed when the memory is there. */
static bool is_in_use(const char *name)
{
    char path[sizeof SHARED_MEMORY + 260];
    DIR *all = opendir("/proc");
    bool found = false;
    snprintf(path, sizeof path, SHARED_MEMORY "/%s", name);
    for (struct dirent *entry; all && !found && (entry = readdir(all));)
        found = atoi(entry->d_name) > 0 && (is_open_at(entry->d_name, path) || is_mapped_by(entry->d_name, path));
    if (all)
        closedir(all);
    return found || access(path, F_OK) != 0;
}

/* Of `after` only what is new, and no other job's, stays. */
void run_shm_compare(const struct run_shm *before, struct run_shm *after)
{
    int kept = 0;
    for (int i = 0, old = 0; i < after->names; i++) {
        while (old < before->names && strcmp(before->name[old]->d_name, after->name[i]->d_name) < 0)
            old++;
        bool was_there = old < before->names && strcmp(before->name[old]->d_name, after->name[i]->d_name) == 0;
        if (was_there || is_in_use(after->name[i]->d_name))
            free(after->name[i]);
        else
            after->name[kept++] = after->name[i];
    }
    after->names = kept;
}

/* ---- in JSON ----------------------------------------------------------------------------------------------------- */

static int64_t count_of(const struct run_job *job, enum job_leak kind)
{
    int64_t sum = 0;
    for (size_t i = 0; i < job->reports; i++)
        if (job->report[i].word == JOB_WORD_LEAKED && job->report[i].value == (int64_t)kind)
            sum += job->report[i].code;
    return sum;
}

static const char *const names[JOB_LEAKS][2] = {
    [JOB_LEAK_REQUEST] = {"request", "requests"},
    [JOB_LEAK_COMM] = {"communicator", "communicators"},
    [JOB_LEAK_GROUP] = {"group", "groups"},
};

void run_write_leaks(const struct run_job *job, FILE *out)
{
    const char *before = "knell run: not freed at MPI_Finalize: ";
    for (size_t kind = 0; kind < JOB_LEAKS; kind++) {
        int64_t count = count_of(job, (enum job_leak)kind);
        if (count > 0) {
            fprintf(out, "%s%" PRId64 " %s", before, count, names[kind][count > 1]);
            before = ", ";
        }
    }
    fputs(*before == ',' ? " in all ranks\n" : "", out);
}

/* One rank's, if it has any. */
void run_put_leaks_of(struct json *j, const struct run_job *job, int rank)
{
    int64_t counts[JOB_LEAKS] = {0}, all = 0;
    for (size_t i = 0; i < job->reports; i++) {
        const struct job_report *report = &job->report[i];
        if (report->word == JOB_WORD_LEAKED && report->process == rank && report->value >= 0 &&
            report->value < JOB_LEAKS)
            counts[report->value] += report->code, all += report->code;
    }
    if (all == 0)
        return;
    json_key(j, "leaks");
    json_object(j);
    for (int kind = 0; kind < JOB_LEAKS; kind++)
        json_put_integer(j, names[kind][1], counts[kind]);
    json_close(j);
}

void run_put_leaks(struct json *j, const struct run_job *job)
{
    json_key(j, "leaks");
    json_object(j);
    json_put_integer(j, "requests", count_of(job, JOB_LEAK_REQUEST));
    json_put_integer(j, "communicators", count_of(job, JOB_LEAK_COMM));
    json_put_integer(j, "groups", count_of(job, JOB_LEAK_GROUP));
    json_put_integer(j, "processes", job->leaks.processes);
    json_key(j, "shared_memory");
    json_array(j);
    for (int i = 0; i < job->leaks.left.names; i++)
        json_string(j, job->leaks.left.name[i]->d_name);
    json_close(j);
    json_close(j);
}
