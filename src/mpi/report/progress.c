/* progress.c: knell_progress (knell/faults.h): a note on the desk, where `knell run` sees whether it still grows. */
#include "mpi/report/tell.h"
#include "os/clock.h"

#include <knell/faults.h>

void knell_layer_progress(int64_t done);

__attribute__((visibility("default"))) void knell_layer_progress(int64_t done)
{
    struct job_desk *desk = tell_desk();
    if (!desk || (atomic_load(&desk->seen.words.progress_at) && done <= atomic_load(&desk->seen.words.progress)))
        return;
    atomic_store(&desk->seen.words.progress, done);
    atomic_store(&desk->seen.words.progress_at, knell__clock_now());
}
