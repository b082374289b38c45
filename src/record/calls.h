/* calls.h: reads what a rank wrote about its MPI calls (job/record.h). The file may be in use, cut off, torn or hostile: what is given
 * here is a copy in which every field has been checked. */
#ifndef KNELL_RECORD_CALLS_H
#define KNELL_RECORD_CALLS_H

#include "job/record.h"

#include <stdbool.h>
#include <stdio.h>

struct symbols; /* symbols/symbols.h */

struct record_calls {
    int rank, ranks;
    size_t count;      /* of calls below */
    uint64_t left_out; /* calls that the rank made and the file does not have */
    const struct job_record_call
        *call; /* in the order in which they began; begin is never 0, end is 0 or not before it */
    const struct job_record_head *head; /* only the first `modules` and `stacks` are set; paths end with 0 */
    uint32_t modules, stacks;
    const uint64_t *stack_key, *site_key; /* one for each stack: see below */
    const uint32_t *site;                 /* which frame it is; JOB_RECORD_FRAMES: none */
    void *memory;                         /* all of the above */
};

/* False: `error` begins with the path. */
bool record_calls_open(const char *path, struct record_calls *calls, char error[256]);
/* Also of zeroed memory. */
void record_calls_close(struct record_calls *calls);

/* A number for the places in a stack, the same in every run of the same files, wherever they are mapped: out of each frame's module, by
 * base name, and its offset there. Frames inside the MPI's libraries and Knell's are left out. 0: there is no such stack. */
uint64_t record_calls_stack_key(const struct record_calls *calls, uint32_t stack);
/* The same for the first such frame alone: where the program calls MPI. 0: there is none. */
uint64_t record_calls_site_key(const struct record_calls *calls, uint32_t stack);
/* This frame in words: "jacobi.c:67", "exchange+0x1c", "app+0x1234"; "?": it is not known. */
void record_calls_site_text(const struct record_calls *calls, struct symbols *symbols, uint32_t stack, char *text,
                            size_t size);

/* Copies a file without its empty room; `to` is there as a whole or not at all. False: errno says why. */
bool record_calls_write_compact(const char *from, const char *to);

/* A table, columns divided by tabs: first their names, then a line for each call, and a line about calls that were left out. Times are
 * in seconds since `zero`, which is of CLOCK_MONOTONIC. What a call does not have is "-". */
void record_calls_write_text(const struct record_calls *calls, struct symbols *symbols, int64_t zero, FILE *out);

#endif
