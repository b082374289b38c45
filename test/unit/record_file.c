/* record_file.c: see record_file.h. */
#include "record_file.h"

#include "job/calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fill_module(struct job_record_module *module, uint64_t base, const char *path)
{
    module->base = base;
    module->begin = base + 0x1000;
    module->end = base + 0x3000;
    module->build_id_size = JOB_RECORD_BUILD_ID;
    memset(module->build_id, 0xab, JOB_RECORD_BUILD_ID);
    snprintf(module->path, sizeof module->path, "%s", path);
}

void record_file_fill(struct record_file *file, uint64_t moved)
{
    const uint64_t app = 0x555500000000 + moved, mpi = 0x7f0000000000 + moved, knell = 0x7f1000000000 + moved;
    struct job_record_head *head = &file->head;

    memset(file, 0, sizeof *file);
    *head = (struct job_record_head){.magic = JOB_RECORD_MAGIC, .rank = 2, .ranks = 4};
    head->calls = RECORD_FILE_CALLS;
    head->room = JOB_RECORD_CALLS;
    head->modules = RECORD_FILE_MODULES;
    head->stacks = RECORD_FILE_STACKS;
    fill_module(&head->module[0], app, "/nowhere/app");
    fill_module(&head->module[1], mpi, "/usr/lib/libmpi.so.40");
    fill_module(&head->module[2], knell, "/usr/lib/libknell-mpi-openmpi.so");
    head->stack[0] = (struct job_record_stack){2, {app + 0x1100, app + 0x1500}};
    head->stack[1] = (struct job_record_stack){2, {app + 0x1200, app + 0x1500}};
    head->stack[2] = (struct job_record_stack){3, {mpi + 0x1100, knell + 0x1100, app + 0x1100}};
    head->stack[3] = (struct job_record_stack){1, {mpi + 0x1100}};
    for (uint32_t i = 0; i < RECORD_FILE_CALLS; i++)
        file->call[i] = (struct job_record_call){.begin = 1000000000 + 10000 * (int64_t)i,
                                                 .end = i < 5 ? 1000000500 + 10000 * (int64_t)i : 0,
                                                 .group = i ? 0xfeed0001 : 0,
                                                 .stack = i % RECORD_FILE_STACKS,
                                                 .call = (uint16_t)(i ? JOB_CALL_SEND : JOB_CALL_INIT),
                                                 .posted = (uint16_t)i,
                                                 .size = i ? 4 : 0,
                                                 .peer = i ? 1 : JOB_RECORD_NO_PEER,
                                                 .code = i == 4 ? 75 : 0,
                                                 .deaths = i == 4,
                                                 .thread = 0};
}

static char folder[] = "/tmp/knell-calls-XXXXXX", in_folder[64];

static void remove_folder(void)
{
    unlink(in_folder);
    rmdir(folder);
}

const char *record_file_path(void)
{
    if (!*in_folder) {
        if (!mkdtemp(folder))
            abort();
        snprintf(in_folder, sizeof in_folder, "%s/calls-2", folder);
        atexit(remove_folder);
    }
    return in_folder;
}

bool record_file_write(const struct record_file *file, const char *path, size_t room)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = fd >= 0 && ftruncate(fd, (off_t)(JOB_RECORD_CALLS_AT + room * sizeof *file->call)) == 0 &&
                pwrite(fd, &file->head, sizeof file->head, 0) == (ssize_t)sizeof file->head &&
                pwrite(fd, file->call, sizeof file->call, JOB_RECORD_CALLS_AT) == (ssize_t)sizeof file->call;

    if (fd >= 0)
        close(fd);
    return good;
}
