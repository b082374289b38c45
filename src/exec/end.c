/* end.c: the end of a rank, told to `knell run` if there is one, else to the launcher: what the rank still wrote, the record of its
 * calls, what it left, its status. A death by a signal is for the detector to tell. */
#include "exec/exec.h"
#include "job/record.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is used of the record: a file as large as it may become, mostly of holes. */
static uint64_t size_of_calls(int fd)
{
    struct job_record_head *head = malloc(sizeof *head);
    uint64_t size = 0;
    if (head && pread(fd, head, sizeof *head, 0) == (ssize_t)sizeof *head && head->magic == JOB_RECORD_MAGIC) {
        uint64_t calls = atomic_load(&head->calls), room = atomic_load(&head->room);
        size = JOB_RECORD_CALLS_AT + (calls < room ? calls : room) * sizeof(struct job_record_call);
    }
    free(head);
    return size;
}

static void send_calls(struct exec *exec)
{
    static uint8_t piece[CHANNEL_BODY_MAX / 2];
    uint64_t size = exec->calls_fd < 0 ? 0 : size_of_calls(exec->calls_fd), at = 0;
    while (at < size && !exec->channel.lost) {
        size_t wanted = size - at < sizeof piece ? (size_t)(size - at) : sizeof piece;
        ssize_t got = pread(exec->calls_fd, piece, wanted, (off_t)at);
        if (got <= 0)
            return;
        channel_put(&exec->channel, CHANNEL_CALLS, &(struct channel_at){at}, sizeof(struct channel_at), piece,
                    (size_t)got);
        link_wait_sent(exec, EXEC_UNSENT_MOST);
        at += (uint64_t)got;
    }
}

int end_tell(struct exec *exec)
{
    int left = rank_end_left(exec);
    output_drain(&exec->channel);
    link_pass_reports(exec);
    if (exec->is_heard) {
        send_calls(exec);
        if (left > 0)
            link_report(exec, (struct job_report){.word = JOB_WORD_LEFT, .value = left});
        link_report(exec, (struct job_report){.word = JOB_WORD_ENDED, .value = exec->status});
        link_wait_sent(exec, 0);
        alone_end(exec);
    }
    output_rest();
    goodbye_say_for(exec);
    pmix_keep();
    return WIFEXITED(exec->status) && !exec->is_heard ? WEXITSTATUS(exec->status) : 0;
}
