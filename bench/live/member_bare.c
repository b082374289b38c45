/* member-bare: a process without a detector, to compare with: it waits, or sleeps ETA_NS at a time (log.h).
 *
 *      member-bare ETA_NS         0: only waits */
#include "log.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int64_t eta = argc > 1 ? atoll(argv[1]) : 0;
    live_log_ready();
    prctl(PR_SET_TIMERSLACK, 1000UL); /* as the detector's thread has it */
    if (eta <= 0)
        for (;;)
            pause();
    for (int64_t next = live_now() / eta * eta;; live_sleep_until(next)) /* on the detectors' grid */
        next += eta;
}
