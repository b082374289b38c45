/* record_file.h: makes a record of calls as a rank would leave it, for tests of what reads one. */
#ifndef KNELL_TEST_RECORD_FILE_H
#define KNELL_TEST_RECORD_FILE_H

#include "job/record.h"

#include <stdbool.h>

enum { RECORD_FILE_CALLS = 6, RECORD_FILE_STACKS = 4, RECORD_FILE_MODULES = 3 };

struct record_file {
    struct job_record_head head;
    struct job_record_call call[RECORD_FILE_CALLS];
};

/* Rank 2 of 4; modules app, libmpi.so.40 and libknell-mpi-openmpi.so; stacks
 *      0: app+0x1100, app+0x1500      1: app+0x1200, app+0x1500      2: libmpi, libknell-mpi, app+0x1100      3: libmpi
 * all `moved` bytes away from where they would be otherwise. Call 5 has not ended. */
void record_file_fill(struct record_file *file, uint64_t moved);
/* In a folder of its own, which goes away when the process ends. */
const char *record_file_path(void);
/* With room for `room` calls, as a file with holes. */
bool record_file_write(const struct record_file *file, const char *path, size_t room);

#endif
