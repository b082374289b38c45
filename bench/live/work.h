/* work: what a program does beside its detector: figure 8's latency, bandwidth and computation, without MPI.
 *
 * Ranks work in pairs, 0 with 1, 2 with 3: the even one speaks, the odd one answers. Both wait by asking again and again, as an MPI
 * library does; so the detector has to take the processor from them. */
#ifndef KNELL_BENCH_LIVE_WORK_H
#define KNELL_BENCH_LIVE_WORK_H

#include <stdint.h>

enum work_kind { WORK_NONE, WORK_LATENCY, WORK_BANDWIDTH, WORK_COMPUTE };

/* A socket to the partner in the pair; -1 where none is needed. Ends the program if it cannot be had. */
int work_connect(enum work_kind kind, uint32_t rank, uint16_t port);

/* Works for so long and says how much was done each second: round trips, bytes, or multiplications of 64 x 64 matrices. The
 * answering side of a pair has nothing to say: 0, but for the bytes, which it counts. */
double work_for(enum work_kind kind, int fd, uint32_t rank, int64_t ns);

#endif
