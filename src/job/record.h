/* record.h: a rank's record of its MPI calls: the file calls-R that the rank maps and writes by plain stores, so that it survives
 * SIGKILL. `knell run --calls` keeps it; src/record reads it. There is no MPI in here.
 *
 * The file: struct job_record_head, then struct job_record_call one after the other from JOB_RECORD_CALLS_AT on. A record belongs to
 * the thread that made it until its `end` is set. */
#ifndef KNELL_JOB_RECORD_H
#define KNELL_JOB_RECORD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_RECORD_MAGIC UINT64_C(0x314c4c41434c4e4b) /* "KNLCALL1" */
#define JOB_RECORD_FILE "calls-%d"

enum {
    JOB_RECORD_CALLS = 1 << 20, /* later calls are only counted */
    JOB_RECORD_MODULES = 128,
    JOB_RECORD_STACKS = 4096, /* later stacks are number JOB_RECORD_STACKS - 1 */
    JOB_RECORD_FRAMES = 16,
    JOB_RECORD_PATH = 240,
    JOB_RECORD_BUILD_ID = 20,
    JOB_RECORD_NO_PEER = -1000, /* the call has none; other negative peers are MPI's own: any source, no process */
};

/* A file with code in the rank's memory. */
struct job_record_module {
    uint64_t base;       /* what addresses in memory have more than in the file */
    uint64_t begin, end; /* in memory */
    uint32_t build_id_size;
    uint8_t build_id[JOB_RECORD_BUILD_ID];
    char path[JOB_RECORD_PATH];
};

/* Return addresses in memory, the program's call of MPI first. Without KNELL_CALLS=stacks only this one. */
struct job_record_stack {
    uint32_t frames;
    uint64_t frame[JOB_RECORD_FRAMES];
};

struct job_record_head {
    uint64_t magic;
    int32_t rank;
    int32_t ranks;
    _Atomic uint64_t calls;   /* begun; those from JOB_RECORD_CALLS on are not in the file */
    _Atomic uint64_t room;    /* so many have room in the file: on a full file system fewer than JOB_RECORD_CALLS */
    _Atomic uint32_t modules; /* complete; 0: none are known */
    _Atomic uint32_t stacks;  /* complete */
    struct job_record_module module[JOB_RECORD_MODULES];
    struct job_record_stack stack[JOB_RECORD_STACKS];
};

struct job_record_call {
    int64_t begin;  /* CLOCK_MONOTONIC; 0: this record is not complete */
    int64_t end;    /* 0: the rank never left the call */
    uint64_t group; /* that of the communicator, the same at all its members; valid if there is one */
    uint32_t stack;
    uint16_t call;   /* job/calls.h */
    uint16_t posted; /* native operations within it, as inside() counts them; at most 65535 */
    int32_t size;    /* of the communicator; 0: none */
    int32_t peer;    /* a rank of the communicator: destination, source or root */
    int32_t code;    /* what it returned */
    uint16_t deaths; /* that the rank knew of when the call began */
    uint16_t thread; /* 0: the first that called MPI */
};

#define JOB_RECORD_CALLS_AT ((sizeof(struct job_record_head) + 4095) / 4096 * 4096)

#endif
