/* meeting.h: how the processes come to know where to meet, and the job's key. */
#ifndef KNELL_MPI_DETECTOR_MEETING_H
#define KNELL_MPI_DETECTOR_MEETING_H

#include "mpi/detector/side.h"

/* What each process needs beside the meeting: the key, from KNELL_KEY if that is set, and its own address. */
struct meeting_own {
    uint8_t key[SIDE_KEY];
    char address[SIDE_ADDRESS];
};
void meeting_accept(const struct side_meeting *meeting, struct meeting_own *own);

#endif
